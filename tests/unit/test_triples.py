"""The index of triples: what it keeps, how it is searched, and what it does without its model."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from test_search_embed import LetterEmbedder

from arcgraph.domain import Count, Endpoint, LabelInfo, PassageHome, PropertyInfo, Rows, Schema, TypeInfo
from arcgraph.errors import MissingExtra, StorageError
from arcgraph.search.edges import Collector, End, Sentence
from arcgraph.search.spoken import spoken
from arcgraph.search.store import Store, in_memory
from arcgraph.search.triples import TripleIndex, build_triples
from arcgraph.settings import SearchSettings

LIGHT = End("4:x:1", "light", ("Lighthouse", "Building"), "Kittiwake Light")
EDDA = End("4:x:2", "4:x:2", (), "Edda Brisk")
PORT = End("4:x:3", "", ("Harbour",), "Port Ys")
SENTENCES = [
    Sentence("5:x:1", LIGHT, "BUILT_BY", EDDA, "Kittiwake Light built by Edda Brisk"),
    Sentence("5:x:2", EDDA, "born in", PORT, "Edda Brisk born in Port Ys"),
    Sentence("5:x:3", LIGHT, "born in", LIGHT, "霸王别姬 😀 of Kittiwake Light"),
]


def test_a_triple_comes_back_as_it_was_read():
    index = TripleIndex.of(SENTENCES, embedder=LetterEmbedder())
    assert len(index) == index.size == 3
    first = index.triple(0)
    assert (first.element_id, first.start, first.start_id, first.end, first.end_id) == (
        "5:x:1",
        "4:x:1",
        "light",
        "4:x:2",
        "4:x:2",
    )
    assert (first.start_labels, first.end_labels) == (("Lighthouse", "Building"), ())
    for triple, sentence in zip(index.triples(range(3)), SENTENCES, strict=True):
        assert (triple.text, triple.relation) == (sentence.text, sentence.relation)
        assert (triple.start_name, triple.end_name) == (sentence.start.name, sentence.end.name)
    assert index.told(1)["relation"] == "born in"


def test_it_is_searched_by_wording_and_meaning():
    index = TripleIndex.of(SENTENCES, embedder=LetterEmbedder())
    (hit,) = index.search("Where was Edda born?", 1)
    assert hit.id == 1
    assert hit.score == pytest.approx(1 / 61 + 2 / 61)
    assert [h.id for h in index.search("Where was Edda born?", 5, within=[0, 2])] == [0, 2]
    assert index.search("", 5) == ()


def test_half_precision_ranks_alike():
    store = in_memory(*build_triples([SENTENCES], LetterEmbedder(), lambda _: None, 0))
    halved = Store(store.meta, {**store.arrays, "vectors": store.arrays["vectors"].astype(np.float16)})
    exact, half = (TripleIndex(s, embedder=LetterEmbedder()) for s in (store, halved))
    assert [h.id for h in half.search("the light", 3)] == [h.id for h in exact.search("the light", 3)]


class Gone(LetterEmbedder):
    """An embedder whose model is not there any more."""

    def embed(self, texts):  # noqa: ARG002  an embedder's
        raise StorageError("the model is gone")


def test_words_are_left_where_the_model_is_gone():
    store = in_memory(*build_triples([SENTENCES], LetterEmbedder(), lambda _: None, 0))
    index = TripleIndex(store, embedder=Gone(), notices=["a notice"])
    assert [h.id for h in index.search("born in the port", 1)] == [1]
    assert index.notices == ("a notice", "triples are searched by their words alone: the model is gone")


def test_an_empty_index():
    index = TripleIndex.of([], embedder=LetterEmbedder())
    assert (len(index), index.search("port", 3), index.triples([])) == (0, (), [])


# --- reading -----------------------------------------------------------------------------------------------------


def text(key: str) -> PropertyInfo:
    return PropertyInfo(key, {"string": 5}, 5, Count(5), Count(5))


def schema(counts: dict[str, int], **options) -> Schema:
    labels = {"A": LabelInfo("A", Count(10), {"name": text("name")}, naming="name")}
    types = {name: TypeInfo(name, Count(count, exact=False)) for name, count in counts.items()}
    endpoints = tuple(Endpoint("A", name, "A", Count(count)) for name, count in counts.items())
    return Schema(labels, types, endpoints, **options)


class EdgesGraph:
    """So many edges of each type between two nodes, in memory; answers the one query page by page."""

    name = "edges"
    dialect = "neo4j"

    def __init__(self, counts: dict[str, int]):
        self.counts = counts
        self.rows_read = 0

    def read(self, query, params=None, *, timeout=0.0, limit=None):
        assert timeout > 10
        assert limit is None
        (kind,) = [name for name in self.counts if f"[r:`{name}`]" in query]
        rows = [(f"{kind}{i}", None, "a", None, ["A"], "Ada", "b", "b1", ["A"], "Bo") for i in range(self.counts[kind])]
        page = rows[params["skip"] :][: params["most"]]
        self.rows_read += len(page)
        return Rows(("any",) * 10, page)


def kept(real: dict[str, int], known: dict[str, int], most: int, batch: int = 3) -> tuple[dict[str, int], bool, int]:
    """How many of each type are read, what ``cut`` says, and how many rows that took."""
    graph = EdgesGraph(real)
    collector = Collector(graph, schema(known), SearchSettings(max_triples=most), batch=batch)
    found = [sentence.relation for part in collector.batches() for sentence in part]
    return {name: found.count(name) for name in dict.fromkeys(found)}, collector.cut, graph.rows_read


def test_what_small_relations_leave_goes_to_the_large():
    counts = {"LARGE": 100, "MIDDLE": 10, "SMALL": 2}
    assert kept(counts, counts, 30) == ({"LARGE": 18, "MIDDLE": 10, "SMALL": 2}, True, 18 + 1 + 10 + 2)
    assert kept(counts, counts, 9)[0] == {"LARGE": 4, "MIDDLE": 3, "SMALL": 2}
    assert kept(counts, counts, 112) == (counts, False, 112)


def test_no_more_is_read_than_wanted_however_wrong_the_counts_are():
    """Counts may be estimates: a relation with more than was thought is read as far as there is room."""
    real, known = {"A": 50, "B": 5}, {"A": 5, "B": 5}
    assert kept(real, known, 20) == ({"A": 15, "B": 5}, True, 15 + 1 + 5)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ACTED_IN", "acted in"),
        ("wroteScriptOf", "wrote script of"),
        ("/people/person/place_of_birth", "place of birth"),
        ("http://x.org/ns#birthPlace", "birth place"),
        ("was born in", "was born in"),
        ("出生于", "出生于"),
        ("->", "->"),
    ],
)
def test_how_relations_are_said(name, words):
    assert spoken(name) == words


def test_a_sentence_says_the_name_and_a_long_one_in_part():
    graph = EdgesGraph({"KNOWS": 1})
    graph.read = lambda *_, **__: Rows(
        ("any",) * 10, [("r", None, "a", None, ["A"], "x" * 500, "b", None, ["A"], ["Bo", "Robert"])]
    )
    ((sentence,),) = Collector(graph, schema({"KNOWS": 1}), SearchSettings()).batches()
    assert sentence.text == "x" * 160 + "… knows Bo"
    assert sentence.start.name == "x" * 500
    assert (sentence.start.id, sentence.end.name) == ("a", "Bo")


def test_edges_to_passages_are_not_asked_for():
    home = PassageHome("Chunk", "text", None, None, ("MENTIONS",))
    collector = Collector(EdgesGraph({}), schema({"KNOWS": 3, "MENTIONS": 9}, passages=home), SearchSettings())
    assert collector.expected == 3


# --- an optional store -------------------------------------------------------------------------------------------


def test_qdrant_is_an_extra(monkeypatch):
    from arcgraph.search.qdrant import Connection

    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    with pytest.raises(MissingExtra, match=r"pip install 'arcgraph-qa\[qdrant\]'"):
        Connection(Path("nowhere"))


def test_large_graphs_without_a_server_are_warned_of():
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    from arcgraph.search.qdrant import Connection, caution

    here, server = Connection(Path(":memory:")), Connection("http://localhost:6333")
    assert caution(here, "triples", 20_000) == caution(server, "triples", 900_000) == ""
    told = caution(here, "triples", 20_001)
    assert told.startswith("20,001 triples in Qdrant without a server are slow")
    assert "ARCGRAPH_SEARCH_STORE_URL" in told
    for connection in (here, server):
        connection.close()
