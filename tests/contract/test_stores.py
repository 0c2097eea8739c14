"""One contract for the stores in which passages and triples are searched: the same rankings, to the last digit.

Qdrant without a server is qdrant-client's own; the same goes over the wire to a double. A server is tested where
``ARCGRAPH_TEST_QDRANT_URL`` names one (``ARCGRAPH_TEST_QDRANT_KEY``: its key); the tests remove what they make there.
"""

from __future__ import annotations

import itertools
import os
import string
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graphs import EdgeSpec, NodeSpec, fill
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st

from arcgraph.errors import ConnectError, StorageError, UsageError
from arcgraph.search.base import Embedder, Hit, Ranking, Vectors
from arcgraph.search.edges import End, Sentence
from arcgraph.search.embed import unit
from arcgraph.search.hybrid import Ways, asked, both_ways, fused
from arcgraph.search.lexical import OkapiBM25
from arcgraph.search.local import Progress
from arcgraph.search.passages import Passage, PassageIndex
from arcgraph.search.retrieve import Retriever, open_retriever
from arcgraph.search.text import fold, tokens
from arcgraph.search.triples import TripleIndex
from arcgraph.search.windows import windows
from arcgraph.settings import SearchSettings, Settings

URL = os.environ.get("ARCGRAPH_TEST_QDRANT_URL", "")
KEY = os.environ.get("ARCGRAPH_TEST_QDRANT_KEY", "")
WORDS = ["heat", "light", "harbour", "granite", "keeper", "brisk", "port", "the", "of", "霸"]

Index = PassageIndex | TripleIndex
Opener = Callable[..., Ways]


class LetterEmbedder:
    """Counts letters, the rarer the more; a text without any has no meaning."""

    name = "letters"
    dimension = 26

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See :class:`~arcgraph.search.base.Embedder`."""
        counts = [[(i + 1) * text.count(letter) for i, letter in enumerate(string.ascii_lowercase)] for text in texts]
        return unit(np.array(counts, np.float32).reshape(len(texts), 26))


def triples(texts: Sequence[str], embedder: Embedder | None = None) -> TripleIndex:
    ends = [End(f"e{i}", f"n{i}", ("Thing",), f"thing {i}") for i in range(3)]
    sentences = [
        Sentence(f"r{i}", ends[i % 3], f"relation {i % 2}", ends[(i + 1) % 3], text) for i, text in enumerate(texts)
    ]
    return TripleIndex.of(sentences, embedder=embedder)


def passages(texts: Sequence[str], embedder: Embedder | None = None) -> PassageIndex:
    given_ = [Passage(f"e{i}", f"n{i}", f"c{i}", text) for i, text in enumerate(texts)]
    return PassageIndex.of(given_, embedder=embedder)


# --- the stores --------------------------------------------------------------------------------------------------


def in_memory(index: Index, **options: Any) -> Ways:
    """A collection that is kept nowhere."""
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    from arcgraph.search.qdrant import Connection, QdrantWays

    ways = QdrantWays(Connection(Path(":memory:")), index, "arcgraph-test", **options)
    ways.fill(lambda _: None)
    return ways


def on_server(url: str, key: str) -> Iterator[Opener]:
    """Collections on a server, removed in the end."""
    from arcgraph.search.qdrant import Connection, QdrantWays

    where = Connection(url, key)
    made: list[str] = []

    def opened(index: Index, **options: Any) -> Ways:
        ways = QdrantWays(where, index, f"arcgraph-test-{uuid.uuid4().hex}", **options)
        made.append(ways.name)
        ways.fill(lambda _: None)
        return ways

    yield opened
    for name in made:
        where.client.delete_collection(name)
    where.close()


@pytest.fixture
def on_real_server() -> Iterator[Opener]:
    """On the server that the environment names."""
    if not URL:
        pytest.skip("ARCGRAPH_TEST_QDRANT_URL names no Qdrant server")
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    yield from on_server(URL, KEY)


@pytest.fixture
def on_double() -> Iterator[Opener]:
    """Over the wire to a server of the tests' own."""
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    from qdrant_server import qdrant_double

    with qdrant_double() as double:
        yield from on_server(double.url, "")


@pytest.fixture(params=["local", "qdrant", "over the wire", "qdrant server"])
def opener(request: pytest.FixtureRequest) -> Opener:
    """Makes the ways of an index in each store in turn."""
    if request.param == "local":
        return lambda index, **_: index.ways
    if request.param == "qdrant":
        return in_memory
    return request.getfixturevalue("on_double" if request.param == "over the wire" else "on_real_server")


# --- what is right -----------------------------------------------------------------------------------------------


def ranked(scores: dict[int, float], k: int) -> Ranking:
    """The ``k`` best, ties in order of position."""
    return tuple(Hit(at, score) for at, score in sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:k])


def wording(texts: Sequence[str], question: str, k: int, within: Collection[int] | None) -> Ranking:
    """BM25 as rank-bm25 has it; where weights cancel out what rounding leaves is nothing."""
    found = OkapiBM25([tokens(text) for text in texts]).scored(asked(question))
    scores = {at: round(score, 12) for at, score in zip(found.ids.tolist(), found.scores.tolist(), strict=True)}
    return ranked({at: s for at, s in scores.items() if within is None or at in within}, k)


def meaning(pieces: Sequence[Sequence[str]], question: str, k: int, within: Collection[int] | None) -> Ranking:
    """The best cosine of a text's pieces, in double precision."""
    embedder = LetterEmbedder()
    vector = embedder.embed([fold(question) or question])[0].astype(float)
    scores = {}
    for at, own in enumerate(pieces):
        if within is None or at in within:
            rows = embedder.embed([fold(piece) or piece for piece in own]).astype(float)
            scores[at] = max(float((row * vector).sum()) for row in rows)
    return ranked({at: score for at, score in scores.items() if score > 1e-4}, k)


def assert_same(found: Ranking, wanted: Ranking) -> None:
    assert [hit.id for hit in found] == [hit.id for hit in wanted]
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in wanted], rel=1e-9)


TEXTS = [
    "the keeper of the light",
    "granite of the harbour",
    "",
    "granite of the harbour",
    "port brisk heat",
    "!? 7",
    "heat heat heat light",
    "the keeper of the light",
]
LONG = [
    "Kittiwake Light\nThe lighthouse was built of grey granite. Its keeper for many years was Edda Brisk of Kelling.",
    "Port Ys\nThe harbour lies on the north coast and is known for its herring fishery and its two breakwaters.",
    "7",
    "Port Ys\nThe harbour lies on the north coast and is known for its herring fishery and its two breakwaters.",
    "Edda Brisk\nShe was an engineer and designed lighthouses. She received a medal of the society in old age.",
]
QUESTIONS = [
    "Who kept the light?",
    "granite harbour",
    "heat",
    "of the",
    "",
    "7 ?!",
    "zanzibar",
    "harbour harbour keeper",
]


@pytest.mark.parametrize("within", [None, [], [3], [7, 1, 0, 3], range(8)])
def test_triples_are_ranked_as_the_formulas_say(opener: Opener, within: Any) -> None:
    ways = opener(triples(TEXTS, LetterEmbedder()))
    for question, k in itertools.product(QUESTIONS, (1, 3, 20)):
        assert_same(ways.by_wording(question, k, within=within), wording(TEXTS, question, k, within))
        pieces = [[text] for text in TEXTS]
        assert_same(ways.by_meaning(question, k, within=within), meaning(pieces, question, k, within))


@pytest.mark.parametrize("within", [None, [1, 3, 4]])
def test_of_a_passage_the_best_sentence_counts(opener: Opener, within: Any) -> None:
    ways = opener(passages(LONG, LetterEmbedder()))
    pieces = [windows(text) for text in LONG]
    for question in ("Who received a medal?", "harbour of herring", "7"):
        assert_same(ways.by_wording(question, 5, within=within), wording(LONG, question, 5, within))
        assert_same(ways.by_meaning(question, 5, within=within), meaning(pieces, question, 5, within))


def test_of_many_that_are_equally_good_the_first_count(opener: Opener) -> None:
    """More of them than a store is asked for at once, with better ones among them and worse ones before."""
    texts = [f"port {i}" for i in range(5)] + ["granite light"] * 150 + ["granite"] * 3 + ["granite light"] * 150
    index = triples(texts, LetterEmbedder())
    ways = opener(index)
    for k in (1, 2, 3, 4, 7, 40):
        wanted = [155, 156, 157, *range(5, 155)][:k]
        assert [hit.id for hit in ways.by_wording("granite", k)] == wanted
        assert [hit.id for hit in ways.by_meaning("granite", k)] == wanted
        some = range(100, 300)
        among = [155, 156, 157, *range(100, 155)][:k]
        assert [hit.id for hit in ways.by_wording("granite", k, within=some)] == among
        assert [hit.id for hit in ways.by_meaning("granite", k, within=some)] == among


def test_many_positions_are_asked_for_in_parts(opener: Opener) -> None:
    texts = [f"granite {'light ' * (i % 7)}" for i in range(120)]
    index = triples(texts, LetterEmbedder())
    ways = opener(index, filtered=13)
    for within in (range(0, 120, 2), [119, 3, 3, 55], list(range(120))):
        for k in (1, 10, 60):
            assert ways.by_wording("granite light", k, within=within) == index.ways.by_wording(
                "granite light", k, within=within
            )
            assert ways.by_meaning("granite light", k, within=within) == index.ways.by_meaning(
                "granite light", k, within=within
            )


def test_without_an_embedder_wording_alone(opener: Opener) -> None:
    ways = opener(triples(TEXTS))
    assert ways.by_meaning("granite", 3) == ()
    assert_same(ways.by_wording("granite", 3), wording(TEXTS, "granite", 3, None))


def test_nothing_at_all(opener: Opener) -> None:
    for index in (triples([], LetterEmbedder()), passages([], LetterEmbedder())):
        ways = opener(index)
        assert (ways.by_wording("granite", 3), ways.by_meaning("granite", 3)) == ((), ())
    ways = opener(triples(TEXTS, LetterEmbedder()))
    assert (ways.by_wording("granite", 0), ways.by_meaning("granite", 0)) == ((), ())


def test_a_retriever_finds_the_same_whatever_the_store(opener: Opener) -> None:
    index = passages(LONG, LetterEmbedder())
    here, there = Retriever(index), Retriever(index, ways=opener(index))
    question, phrases = "Who was the keeper?", ["granite", "north coast", "granite"]
    assert there.retrieve(question, phrases, 4) == here.retrieve(question, phrases, 4)
    assert there.retrieve(question, phrases, 4, within=[1, 4]) == here.retrieve(question, phrases, 4, within=[1, 4])


# --- properties --------------------------------------------------------------------------------------------------

sentence = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)


@given(data=st.data(), texts=st.lists(sentence, max_size=70), question=sentence, k=st.integers(1, 8))
@budget(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_triples_are_ranked_alike(data: st.DataObject, texts: list[str], question: str, k: int) -> None:
    index = triples(texts, LetterEmbedder())
    places = st.none() | (st.sets(st.sampled_from(range(len(texts)))) if texts else st.just(set[int]()))
    within = data.draw(places)
    ways = in_memory(index, filtered=9)
    local, settings = index.ways, SearchSettings()
    assert_same(local.by_wording(question, k, within=within), wording(texts, question, k, within))
    assert ways.by_wording(question, k, within=within) == local.by_wording(question, k, within=within)
    assert ways.by_meaning(question, k, within=within) == local.by_meaning(question, k, within=within)
    both = [both_ways(store, question, k, settings, within=within) for store in (ways, local)]
    assert fused([both[0]], k, settings) == fused([both[1]], k, settings)


@given(
    texts=st.lists(st.lists(sentence.map("{}. ".format), max_size=4).map(" granite ".join), min_size=1, max_size=20),
    question=sentence,
    k=st.integers(1, 8),
)
@budget(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_passages_are_ranked_alike(texts: list[str], question: str, k: int) -> None:
    index = passages(texts, LetterEmbedder())
    ways = in_memory(index)
    assert ways.by_wording(question, k) == index.ways.by_wording(question, k)
    assert ways.by_meaning(question, k) == index.ways.by_meaning(question, k)


# --- filling -----------------------------------------------------------------------------------------------------


class CutShort:
    """A client that fails after so many requests to store; all else is the client's own."""

    def __init__(self, client: Any, requests: int):
        self._client = client
        self._left = requests
        self.stored: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def upsert(self, name: str, *, points: Any, wait: bool) -> Any:
        """As the client does, until it fails."""
        if not self._left:
            raise OSError("the line went dead")
        self._left -= 1
        self.stored += [point.id for point in points]
        return self._client.upsert(name, points=points, wait=wait)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Any]:
    """A collection in a folder."""
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    from arcgraph.search.qdrant import Connection

    where = Connection(tmp_path / "qdrant")
    yield where
    where.close()


def ways_in(where: Any, index: Index, **options: Any) -> Any:
    from arcgraph.search.qdrant import QdrantWays

    return QdrantWays(where, index, "arcgraph-test", **options)


def test_what_was_cut_short_is_gone_on_with(folder: Any) -> None:
    index = triples([f"granite {i}" for i in range(25)], LetterEmbedder())
    client = folder.client
    folder.client = CutShort(client, 3)
    steps: list[Progress] = []
    with pytest.raises(ConnectError, match="the line went dead"):
        ways_in(folder, index, batch=4).fill(steps.append)
    assert [(step.stage, step.done, step.total) for step in steps] == [
        ("storing", 0, 25),
        ("storing", 4, 25),
        ("storing", 8, 25),
        ("storing", 12, 25),
    ]
    folder.client = again = CutShort(client, 100)
    ways = ways_in(folder, index, batch=4)
    assert ways.fill(lambda _: None)
    assert again.stored == list(range(8, 25))
    assert ways.by_wording("granite 24", 30) == index.ways.by_wording("granite 24", 30)
    assert not ways.fill(steps.append)
    assert ways.fill(steps.append, refresh=True)


def test_points_that_somebody_deleted_come_back(folder: Any) -> None:
    index = triples([f"granite {i}" for i in range(10)], LetterEmbedder())
    ways = ways_in(folder, index, batch=2)
    ways.fill(lambda _: None)
    folder.client.delete(ways.name, points_selector=[1])
    assert ways.fill(lambda _: None)
    assert ways.by_wording("granite 1", 10) == index.ways.by_wording("granite 1", 10)


def test_points_of_others_are_said(folder: Any) -> None:
    from qdrant_client.models import PointStruct

    index = triples(["granite"], LetterEmbedder())
    ways = ways_in(folder, index)
    ways.fill(lambda _: None)
    folder.client.upsert(ways.name, [PointStruct(id=77, vector={})])
    with pytest.raises(StorageError, match="holds 2 points in place of 1; delete it"):
        ways.fill(lambda _: None)


def test_other_contents_have_another_collection(folder: Any) -> None:
    one, other = triples(["granite"], LetterEmbedder()), triples(["heat"], LetterEmbedder())
    names = {ways_in(folder, index).name for index in (one, other, triples(["granite"], LetterEmbedder()))}
    assert len(names) == 2
    assert ways_in(folder, triples(["granite"])).name not in names
    for index in (one, other):
        ways_in(folder, index).fill(lambda _: None)
    assert [c.name for c in folder.client.get_collections().collections] == [ways_in(folder, other).name]


def test_a_point_says_to_others_what_it_is(folder: Any) -> None:
    index = triples(["granite"], LetterEmbedder())
    ways = ways_in(folder, index)
    ways.fill(lambda _: None)
    (point,) = folder.client.retrieve(ways.name, [0], with_payload=True, with_vectors=True)
    assert point.payload["text"] == "granite"
    assert (point.payload["start"], point.payload["relation"], point.payload["position"]) == ("e0", "relation 0", 0)
    assert set(point.vector) == {"dense", "sparse"}


# The client leaves the lock's file open when it does not get it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("folder")
def test_a_folder_in_use_elsewhere_is_said(tmp_path: Path) -> None:
    from arcgraph.search.qdrant import Connection

    with pytest.raises(StorageError, match=r"in use by another process.*ARCGRAPH_SEARCH_STORE_URL"):
        Connection(tmp_path / "qdrant")


# --- a server ----------------------------------------------------------------------------------------------------


@pytest.fixture
def double() -> Iterator[Any]:
    """A server of the tests' own that wants a key."""
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    from qdrant_server import qdrant_double

    with qdrant_double("open sesame") as server:
        yield server


def test_the_key_goes_along_and_a_wrong_one_is_said(double: Any) -> None:
    from arcgraph.search.qdrant import Connection

    index = triples(TEXTS, LetterEmbedder())
    # Over plain HTTP, of which the client warns and we do not: the server may be next door.
    ways = ways_in(Connection(double.url, "open sesame"), index)
    assert ways.fill(lambda _: None)
    assert ("PUT", "/index") in [(method, action) for method, action, _ in double.requests]
    with pytest.raises(ConnectError, match=r"127\.0\.0\.1.*answered 401.*check ARCGRAPH_SEARCH_STORE_KEY") as raised:
        ways_in(Connection(double.url, "hunter2"), index).fill(lambda _: None)
    assert "hunter2" not in str(raised.value)


def test_a_server_that_fails_is_said_and_what_was_stored_stays(double: Any) -> None:
    from arcgraph.search.qdrant import Connection

    index = triples(TEXTS, LetterEmbedder())
    ways = ways_in(Connection(double.url, "open sesame"), index, batch=3)

    def fails_later(step: Progress) -> None:
        double.failure = 503 if step.done >= 3 else 0

    with pytest.raises(ConnectError, match="answered 503"):
        ways.fill(fails_later)
    double.failure = 0
    stored = len(double.requests)
    assert ways.fill(lambda _: None)
    assert [body["points"][0]["id"] for _, action, body in double.requests[stored:] if action == "/points"] == [0, 3, 6]
    assert ways.by_wording("granite", 3) == index.ways.by_wording("granite", 3)


def test_several_threads_search_at_once(double: Any, folder: Any) -> None:
    from arcgraph.search.qdrant import Connection

    index = triples([f"granite {i} light" for i in range(40)], LetterEmbedder())
    for where in (Connection(double.url, "open sesame"), folder):
        ways = ways_in(where, index)
        ways.fill(lambda _: None)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda i, ways=ways: ways.by_wording(f"granite {i}", 5), range(40)))
        assert found == [index.ways.by_wording(f"granite {i}", 5) for i in range(40)]


def test_no_server_there() -> None:
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    from arcgraph.search.qdrant import Connection

    ways = ways_in(Connection("http://user:hunter2@127.0.0.1:9"), triples(TEXTS))
    with pytest.raises(ConnectError, match=r"Qdrant at http://127\.0\.0\.1:9 cannot be used") as raised:
        ways.fill(lambda _: None)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("address", ["localhost:6333", "bolt://localhost", "http://", "http://h:port", "/a/folder"])
def test_an_address_that_is_none(address: str) -> None:
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    from arcgraph.search.qdrant import Connection

    with pytest.raises(UsageError, match="ARCGRAPH_SEARCH_STORE_URL is the address of a Qdrant server"):
        Connection(address)


# --- by the settings ---------------------------------------------------------------------------------------------


def test_the_settings_choose_the_store(embedded_graph: Any, settings: Settings, tmp_path: Path) -> None:
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    people: list[NodeSpec] = [(f"p{i}", "Person", {"name": f"{WORDS[i]} {WORDS[i + 1]}"}) for i in range(7)]
    edges: list[EdgeSpec] = [(f"p{i}", "KNOWS", f"p{(i * 2 + 1) % 7}") for i in range(7)]
    fill(embedded_graph, tmp_path, people, edges)
    schema = embedded_graph.schema(refresh=True)
    found = []
    for store in ("local", "qdrant", "qdrant"):
        chosen = Settings.load({}, cache={"dir": settings.cache.dir}, search={"embedder": "none", "store": store})
        retriever = open_retriever(embedded_graph, schema, chosen)
        assert retriever is not None
        assert bool(retriever.place) == (store == "qdrant")
        found.append(retriever.retrieve("Who knows the keeper?", ["granite"], 5))
    assert found[0] == found[1] == found[2]
    assert found[0].ranking
    assert (settings.cache.dir / "qdrant").is_dir()
