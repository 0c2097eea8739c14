"""The index of passages: read, built, kept, opened, repaired; and what it finds."""

from __future__ import annotations

import re
import threading
from typing import Any

import numpy as np
import pytest
from test_search_embed import LetterEmbedder

from arcgraph.domain import RESERVED_KEY, Count, LabelInfo, Omitted, PassageHome, Rows, Schema
from arcgraph.graph.names import stored_key
from arcgraph.search.local import Progress, open_or_build
from arcgraph.search.passages import (
    Collector,
    Passage,
    PassageIndex,
    build_passages,
    open_or_build_passages,
    passages_path,
)
from arcgraph.search.store import Store, in_memory, write_store
from arcgraph.settings import SearchSettings, Settings

HOME = PassageHome("Chunk", "text", "id", "chunk_ids")
TEXTS = (
    "Kittiwake Light\nThe lighthouse was built of grey granite. Its keeper for many years was Edda Brisk of Kelling.",
    "Port Ys\nThe harbour lies on the north coast and is known for its herring fishery and its two breakwaters.",
    "Edda Brisk\nShe was an engineer and designed lighthouses and bridges. "
    "She received a medal of the society in old age.",
)


class PassagesGraph:
    """Passages in memory that answer the two queries; a text longer than ``bulky`` comes as a mark."""

    name = "passages"

    def __init__(self, *nodes: tuple[str, Any, dict[str, Any]], dialect: str = "neo4j", bulky: int = 1_000_000):
        self.nodes = nodes
        self.dialect = dialect
        self.bulky = bulky
        self.queries: list[tuple[str, dict[str, Any]]] = []

    def read(self, query, params=None, *, timeout=0.0, limit=None) -> Rows:
        assert timeout > 10
        assert limit is None
        self.queries.append((query, dict(params)))
        assert query.startswith("MATCH (n:`Chunk`) ")
        return self._slices(query, params) if "element" in params else self._page(query, params)

    def _page(self, query: str, params: dict[str, Any]) -> Rows:
        columns = re.findall(r"n\.`([^`]+)` AS (\w+)", query)
        assert [name for _, name in columns] == ["id", "key", "text"]
        assert ("toString(id(n))" if self.dialect == "memgraph" else "elementId(n)") in query
        chosen = self.nodes[params["skip"] :][: params["most"]]
        records = [
            (element, *(self._value(given, props, key) for key, _ in columns)) for element, given, props in chosen
        ]
        return Rows(("element", "id", "key", "text"), records)

    def _value(self, given: Any, props: dict[str, Any], key: str) -> Any:
        stored = stored_key if self.dialect == "embedded" else str
        value = given if key == RESERVED_KEY else {stored(k): v for k, v in props.items()}.get(key)
        return Omitted("text", len(value)) if isinstance(value, str) and len(value) > self.bulky else value

    def _slices(self, query: str, params: dict[str, Any]) -> Rows:
        assert "substring(" in query
        (text,) = [props["text"] for element, _, props in self.nodes if element == params["element"]]
        step = params["step"]
        assert step <= self.bulky
        return Rows(("parts",), [([text[i : i + step] for i in range(0, len(text) + 1, step)],)])


def library(*texts: str, **options: Any) -> PassagesGraph:
    nodes = ((f"e{i}", f"n{i}", {"id": f"c{i}", "text": text}) for i, text in enumerate(texts))
    return PassagesGraph(*nodes, **options)


def known(home: PassageHome | None = HOME, fingerprint: str = "1", count: int = 3) -> Schema:
    labels = {"Chunk": LabelInfo("Chunk", Count(count))}
    return Schema(labels, {}, (), passages=home, fingerprint=fingerprint)


def given(*texts: str) -> list[Passage]:
    return [Passage(f"e{i}", f"n{i}", f"c{i}", text) for i, text in enumerate(texts)]


def collected(graph: PassagesGraph, home: PassageHome = HOME, most: int = 100, most_bytes: int = 10**6, **options: Any):
    collector = Collector(graph, home, most, most_bytes, **options)
    return [passage for batch in collector.batches() for passage in batch], collector.cut


# --- reading -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["neo4j", "memgraph", "embedded"])
def test_passages_are_read_with_their_keys(dialect):
    assert collected(library("One.", "Two.", dialect=dialect)) == (given("One.", "Two."), "")


@pytest.mark.parametrize("id_key", [None, RESERVED_KEY])
def test_without_an_own_key_a_passage_is_called_as_it_was_loaded(id_key):
    home = PassageHome("Chunk", "text", id_key, "chunk_ids")
    graph = PassagesGraph(("e0", "n0", {"text": "One."}), ("e1", None, {"text": "Two."}))
    assert [(p.id, p.key) for p in collected(graph, home)[0]] == [("n0", "n0"), ("e1", "e1")]


def test_keys_of_other_kinds():
    keys = ["7", 7, None, True, 1.5, ["x"]]
    graph = PassagesGraph(*((f"e{i}", None, {"id": key, "text": "One."}) for i, key in enumerate(keys)))
    assert [p.key for p in collected(graph)[0]] == ["7", 7, None, None, None, None]


def test_nodes_without_a_text_are_no_passages():
    texts = ["One.", None, "", " \n", 7, ["a", "list"], Omitted("vector", 64)]
    graph = PassagesGraph(*((f"e{i}", None, {"id": f"c{i}", "text": text}) for i, text in enumerate(texts)))
    assert [p.key for p in collected(graph)[0]] == ["c0"]


def test_a_text_that_is_too_bulky_for_one_value_is_read_in_slices():
    long = "".join(chr(97 + i % 26) for i in range(25_037))
    graph = library("short", long, "x" * 2_000, bulky=1_000)
    assert [p.text for p in collected(graph, longest=1_000)[0]] == ["short", long, "x" * 2_000]


def test_large_texts_come_in_small_batches_and_small_ones_in_large():
    for size, wanted in ((100, 160_000), (8_000_000, 2)):
        graph = library(*["x" * size] * 2, *["y"] * 3, bulky=10**8)
        found, _ = collected(graph, most_bytes=10**9, batch=2)
        assert len(found) == 5
        assert [params["most"] for _, params in graph.queries][:2] == [2, min(wanted, 20_000)]
        assert [params["skip"] for _, params in graph.queries][:2] == [0, 2]


def test_no_more_is_read_than_allowed():
    graph = library("One.", "Two.", "Ünf.")
    assert collected(graph, most=3) == (given("One.", "Two.", "Ünf."), "")
    assert collected(graph, most=2) == (given("One.", "Two."), "MAX_ENTRIES")
    assert collected(graph, most_bytes=4 + 4 + 5) == (given("One.", "Two.", "Ünf."), "")
    assert collected(graph, most_bytes=4 + 4 + 4) == (given("One.", "Two."), "MAX_PASSAGE_BYTES")


# --- by key ------------------------------------------------------------------------------------------------------


def test_passages_are_found_by_what_edges_call_them():
    index = PassageIndex.of(
        [*given("One.", "Two."), Passage("e9", "e9", 7, "Three."), Passage("e8", "x", None, "Four.")]
    )
    assert index.at_keys(["c0", "c1", 7, "7", "", "c2"]).tolist() == [0, 1, 2, -1, -1, -1]
    found = index.at_keys(["c1", "none", 7, "c1"])
    assert found.tolist() == [1, -1, 2, 1]
    assert found.dtype == np.int64
    assert index.at_keys([]).tolist() == []
    assert index.at_elements(["e8", "e0", "c0"]).tolist() == [3, 0, -1]
    assert index.passages(range(4)) == [
        *given("One.", "Two."),
        Passage("e9", "e9", 7, "Three."),
        Passage("e8", "x", None, "Four."),
    ]


def test_of_two_passages_with_one_key_the_first_is_found():
    twice = [Passage(f"e{i}", f"n{i}", "same", f"Text {i}.") for i in range(5)]
    assert PassageIndex.of(twice).at_keys(["same"]).tolist() == [0]


def test_many_keys_at_once():
    index = PassageIndex.of([Passage(f"e{i}", f"e{i}", i, f"Text {i}") for i in range(3_000)])
    wanted = list(range(2_999, -1, -1))
    assert index.at_keys(wanted).tolist() == wanted
    assert index.at_elements([f"e{i}" for i in wanted]).tolist() == wanted


# --- by text -----------------------------------------------------------------------------------------------------


@pytest.fixture
def index() -> PassageIndex:
    return PassageIndex.of(given(*TEXTS), embedder=LetterEmbedder())


def test_wording_and_meaning_are_scaled_and_weighed(index):
    """Each is scaled to 0 to 1 over all passages; the settings weigh meaning twice."""
    question = "the keeper of the lighthouse"
    words, meaning = np.zeros(3), np.zeros(3)
    for scores, ranking in ((words, index.by_wording(question, 3)), (meaning, index.by_meaning(question, 3))):
        for hit in ranking:
            scores[hit.id] = hit.score
    scaled = [(s - s.min()) / (s.max() - s.min()) for s in (words, meaning)]
    wanted = (1.0 * scaled[0] + 2.0 * scaled[1]) / 3.0
    found = index.scored(question)
    assert found.ids.tolist() == [0, 1, 2]
    assert found.scores == pytest.approx(wanted)
    assert [hit.id for hit in index.search(question, 3)] == np.argsort(-wanted).tolist()
    assert [hit.id for hit in index.search(question, 1)] == [int(np.argmax(wanted))] == [0]


def test_the_meaning_of_a_passage_is_that_of_its_best_sentence(index):
    embedder = LetterEmbedder()
    question = embedder.embed(["she received a medal"])[0]
    pieces = [
        "edda brisk she was an engineer and designed lighthouses and bridges",
        "edda brisk she received a medal of the society in old age",
    ]
    (hit,) = index.by_meaning("She received a medal!", 1)
    assert hit.id == 2
    assert hit.score == pytest.approx(float(np.max(embedder.embed(pieces) @ question)))


def test_function_words_of_a_question_do_not_count_unless_there_is_nothing_else(index):
    assert [h.id for h in index.by_wording("What is the harbour?", 3)] == [1]
    assert {h.id for h in index.by_wording("who was she", 3)} == {0, 2}


def test_only_those_within_are_ranked(index):
    question = "the keeper of the lighthouse"
    assert {h.id for h in index.search(question, 5, within=[1, 2])} == {1, 2}
    assert index.search(question, 5, within={2})[0].id == 2
    assert index.search(question, 5, within=[]) == ()
    assert [h.id for h in index.by_wording(question, 5, within=[1, 0])] == [0]
    everywhere = dict(index.by_meaning(question, 3))
    assert dict(index.by_meaning(question, 3, within=[2, 0, 2])) == pytest.approx({0: everywhere[0], 2: everywhere[2]})


def test_a_text_that_means_nothing_finds_nothing(index):
    assert index.search("", 3) == index.search("!? 7", 3) == ()
    assert len(index.scored("").ids) == 0
    assert index.search("harbour", 0) == ()


def test_without_an_embedder_wording_decides():
    index = PassageIndex.of(given(*TEXTS))
    assert [h.id for h in index.search("Who designed bridges?", 3)] == [2]
    assert index.by_meaning("bridges", 3) == ()


def test_weights_are_the_settings():
    lexical = SearchSettings(dense_weight=0.0)
    index = PassageIndex.of(given(*TEXTS), embedder=LetterEmbedder(), settings=lexical)
    question = "keeper of the harbour"
    scores = dict(index.search(question, 3))
    words = dict(index.by_wording(question, 3))
    assert scores[0] / max(scores.values()) == pytest.approx(words[0] / max(words.values()))


def test_an_empty_index():
    index = PassageIndex.of([], embedder=LetterEmbedder())
    assert (len(index), index.search("harbour", 3), index.passages([])) == (0, (), [])
    assert index.at_keys(["c0"]).tolist() == [-1]
    assert index.at_elements(["e0"]).tolist() == [-1]


def test_half_precision_ranks_alike():
    store = in_memory(*build_passages([given(*TEXTS)], LetterEmbedder(), lambda _: None, 0))
    halved = Store(store.meta, {**store.arrays, "vectors": store.arrays["vectors"].astype(np.float16)})
    exact, half = (PassageIndex(s, embedder=LetterEmbedder()) for s in (store, halved))
    question = "the keeper of the lighthouse"
    assert dict(half.search(question, 3)) == pytest.approx(dict(exact.search(question, 3)), abs=0.01)


# --- kept on disk ------------------------------------------------------------------------------------------------


def test_built_once_then_opened(settings):
    graph = library(*TEXTS)
    first = open_or_build_passages(graph, known(), settings)
    asked = len(graph.queries)
    again = open_or_build_passages(graph, known(), settings)
    assert (first.built, again.built, len(graph.queries)) == (True, False, asked)
    assert first.path == again.path
    assert again.path.is_relative_to(settings.cache.dir)
    assert again.passages(range(3)) == first.passages(range(3)) == given(*TEXTS)
    question = "Who was the keeper of the lighthouse?"
    assert again.search(question, 3) == first.search(question, 3)
    assert again.at_keys(["c2", "c0"]).tolist() == [2, 0]
    with pytest.raises(ValueError, match="read-only"):
        again._arrays["window_starts"][0] = 1


def test_no_passages_no_index(settings):
    assert open_or_build_passages(library(), known(None), settings) is None
    for excluded in ({"exclude_labels": ("Chunk",)}, {"exclude_properties": ("Chunk.text",)}):
        without = Settings.load({}, cache={"dir": settings.cache.dir}, search=excluded)
        assert open_or_build_passages(library(*TEXTS), known(), without) is None
    assert len(open_or_build_passages(library(), known(), settings)) == 0
    assert open_or_build_passages(library(), known(), settings).built is False


def test_what_changes_the_contents_makes_another_index(settings):
    graph = library(*TEXTS)
    paths = {
        passages_path(graph, schema, schema.passages, chosen, embedder)
        for schema in (known(), known(fingerprint="2"), known(PassageHome("Chunk", "text", None, "chunk_ids")))
        for chosen in (settings, Settings.load({}, cache={"dir": settings.cache.dir}, search={"max_passage_bytes": 9}))
        for embedder in (None, LetterEmbedder())
    }
    assert len(paths) == 3 * 2 * 2
    assert {path.parent.parent for path in paths} == {settings.cache.dir / "index"}


def test_a_changed_graph_is_indexed_anew_and_refresh_forces_it(settings):
    assert len(open_or_build_passages(library("One."), known(), settings)) == 1
    more = library("One.", "Two.")
    assert len(open_or_build_passages(more, known(), settings)) == 1
    assert len(open_or_build_passages(more, known(), settings, refresh=True)) == 2
    assert len(open_or_build_passages(library(), known(fingerprint="2"), settings)) == 0


@pytest.mark.parametrize("keep", [0, 100, 1_000, -1])
def test_a_damaged_index_is_built_again_and_said_so(settings, keep):
    path = open_or_build_passages(library(*TEXTS), known(), settings).path
    path.write_bytes(path.read_bytes()[:keep])
    repaired = open_or_build_passages(library(*TEXTS), known(), settings)
    assert repaired.built
    assert any("built again" in notice and str(path) in notice for notice in repaired.notices)
    assert repaired.at_keys(["c1"]).tolist() == [1]
    again = open_or_build_passages(library(*TEXTS), known(), settings)
    assert not [notice for notice in again.notices if "built again" in notice]


def test_an_index_of_other_contents_is_built_again(settings):
    path = open_or_build_passages(library(*TEXTS), known(), settings).path
    write_store(path, {"entries": 1}, {"unrelated": np.arange(3)})
    assert open_or_build_passages(library(*TEXTS), known(), settings).built


def test_a_cache_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    settings = Settings.load({}, cache={"dir": tmp_path / "file" / "cache"}, search={"embedder": "none"})
    index = open_or_build_passages(library(*TEXTS), known(), settings)
    assert index.path is None
    assert [h.id for h in index.search("granite", 1)] == [0]
    (notice,) = index.notices
    assert "cannot be written" in notice
    assert "ARCGRAPH_CACHE_DIR" in notice


def test_names_and_passages_do_not_push_each_other_out(settings):
    graph = library("One.")
    kept_names = open_or_build(PassagesGraph(), known(), settings).path
    for number in range(8):
        path = open_or_build_passages(graph, known(fingerprint=str(number)), settings).path
    assert path.exists()
    assert kept_names.exists()
    assert kept_names.parent == path.parent
    assert len(list(path.parent.glob("*.passages"))) == 4


def test_more_passages_than_allowed_are_said(settings):
    for name in ("max_entries", "max_passage_bytes"):
        few = Settings.load({}, cache={"dir": settings.cache.dir}, search={name: 2 if name == "max_entries" else 300})
        for graph in (library(*TEXTS), library()):
            index = open_or_build_passages(graph, known(), few)
            assert len(index) == 2
            assert f"ARCGRAPH_SEARCH_{name.upper()}" in index.notices[-1]


def test_progress(settings):
    seen: list[Progress] = []
    index = open_or_build_passages(library(*TEXTS), known(count=3), settings, progress=seen.append)
    assert seen[0] == Progress("reading", 0, 3)
    assert seen[0].is_first
    assert Progress("reading", 3, 3) in seen
    if index.embedder:
        assert seen[-1] == Progress("embedding", 3, 3)


def test_builders_and_readers_do_not_disturb_each_other(settings):
    lexical = Settings.load({}, cache={"dir": settings.cache.dir}, search={"embedder": "none"})
    graph = library(*(f"Passage {i} speaks of thing{i}." for i in range(200)))
    open_or_build_passages(graph, known(), lexical)
    failures: list[object] = []

    def repeat(refresh: bool, times: int) -> None:
        for _ in range(times):
            index = open_or_build_passages(graph, known(), lexical, refresh=refresh)
            if (index.size, index.notices) != (200, ()) or [h.id for h in index.search("thing199", 2)] != [199]:
                failures.append(index.notices)

    threads = [threading.Thread(target=repeat, args=args) for args in ((True, 5), (True, 5), (False, 30))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
