"""Retrieval: one ranking of many, what comes with it, and the scope of passages as a condition."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from arcgraph.domain import PassageHome
from arcgraph.search.base import Hit, Ranking
from arcgraph.search.edges import End, Sentence
from arcgraph.search.passages import Passage, PassageIndex
from arcgraph.search.retrieve import Retrieved, Retriever, Scope
from arcgraph.search.triples import TripleIndex
from arcgraph.settings import SearchSettings

HOME = PassageHome("Chunk", "text", "id", "chunk_ids")
MENTIONED = PassageHome("Chunk", "text", None, None, ("MENTIONS", "Has `Source`"))
TEXTS = ["granite", "light", "harbour", "keeper"]


class Told:
    """Ways that find what they are told to, for each text; remembers how many were asked for, and within what."""

    def __init__(self, wording: Mapping[str, list[int]], meaning: Mapping[str, list[int]]):
        self._wording, self._meaning = wording, meaning
        self.asked: list[tuple[str, int, Collection[int] | None]] = []

    def by_wording(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """See :class:`~arcgraph.search.hybrid.Ways`."""
        self.asked.append((text, k, within))
        return tuple(Hit(at, 1.0) for at in self._wording.get(text, []))

    def by_meaning(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """See :class:`~arcgraph.search.hybrid.Ways`."""
        self.asked.append((text, k, within))
        return tuple(Hit(at, 1.0) for at in self._meaning.get(text, []))


def passages() -> PassageIndex:
    return PassageIndex.of([Passage(f"e{i}", f"n{i}", f"c{i}", text) for i, text in enumerate(TEXTS)])


def triples() -> TripleIndex:
    ends = [End(f"e{i}", f"n{i}", ("Thing",), text) for i, text in enumerate(TEXTS)]
    return TripleIndex.of([Sentence(f"r{i}", ends[i], "near", ends[i - 1], text) for i, text in enumerate(TEXTS)])


def test_all_rankings_of_the_question_and_its_phrases_are_fused():
    ways = Told({"Q": [2, 0], "p": [1]}, {"Q": [0], "p": [1, 2]})
    found = Retriever(triples(), ways=ways).retrieve("Q", ["p"], 3)
    scores = {0: 1 / 62 + 2 / 61, 1: 1 / 61 + 2 / 61, 2: 1 / 61 + 2 / 62}
    assert dict(found.ranking) == pytest.approx(scores)
    assert found.positions == (1, 2, 0) if scores[2] > scores[0] else (1, 0, 2)
    assert dict(found.by_phrase["Q"]) == pytest.approx({0: 1 / 62 + 2 / 61, 2: 1 / 61})
    assert dict(found.by_phrase["p"]) == pytest.approx({1: 1 / 61 + 2 / 61, 2: 2 / 62})
    assert [triple.text for triple in found.triples] == list(found.texts) == [TEXTS[at] for at in found.positions]


def test_the_settings_weigh_and_k_cuts():
    ways = Told({"Q": [2, 0, 3]}, {"Q": [1]})
    settings = SearchSettings(rrf_k=1, sparse_weight=3.0, dense_weight=0.0, prefetch=5)
    found = Retriever(triples(), ways=ways, settings=settings).retrieve("Q", (), 2)
    assert found.ranking == (Hit(2, 3 / 2), Hit(0, 3 / 3))
    assert {asked for _, asked, _ in ways.asked} == {5}
    Retriever(triples(), ways=ways, settings=settings).retrieve("Q", (), 7, within=[1, 2])
    assert ways.asked[-1] == ("Q", 7, [1, 2])


def test_what_is_said_twice_or_not_at_all_is_searched_once_or_not():
    ways = Told({"Q": [0]}, {})
    found = Retriever(triples(), ways=ways).retrieve(" Q", ["Q ", "", "  ", "p", "p"], 3)
    assert list(found.by_phrase) == ["Q", "p"]
    assert len(ways.asked) == 4
    nothing = Retriever(triples(), ways=ways).retrieve("", [" "], 3)
    assert (nothing.ranking, nothing.by_phrase, nothing.texts) == ((), {}, ())


def test_passages_span_a_scope():
    found = Retriever(passages(), home=HOME, ways=Told({"Q": [3, 1]}, {})).retrieve("Q", (), 5)
    assert found.kind == "passages"
    assert [passage.text for passage in found.passages] == ["keeper", "light"]
    assert found.scope == Scope(HOME, ("c3", "c1"), ("e3", "e1"))
    assert found.scope.values == ["c3", "c1"]
    assert Scope(MENTIONED, ("c3",), ("e3",)).values == ["e3"]


def test_nothing_found_is_a_scope_that_holds_nothing():
    found = Retriever(passages(), home=HOME, ways=Told({}, {})).retrieve("Q", (), 5)
    assert found.scope == Scope(HOME, (), ())


def test_triples_span_none():
    found = Retriever(triples(), ways=Told({"Q": [3]}, {})).retrieve("Q", (), 5)
    assert (found.kind, found.scope, found.passages) == ("triples", None, ())
    (triple,) = found.triples
    assert (triple.start_name, triple.relation, triple.end_name, triple.start_id) == ("keeper", "near", "harbour", "n3")


def test_passes_are_joined_in_their_order():
    ways = Told({"Q": [3, 1], "R": [1, 0]}, {})
    retriever = Retriever(passages(), home=HOME, ways=ways)
    first, second = retriever.retrieve("Q", (), 5), retriever.retrieve("R", (), 5)
    both = first.joined(second)
    assert both.positions == (3, 1, 0)
    assert both.texts == ("keeper", "light", "granite")
    assert both.scope == Scope(HOME, ("c3", "c1", "c0"), ("e3", "e1", "e0"))
    assert set(both.by_phrase) == {"Q", "R"}
    assert first.joined(first) == first


def test_triples_are_joined_too():
    ways = Told({"Q": [3, 1], "R": [1, 0]}, {})
    retriever = Retriever(triples(), ways=ways)
    both = retriever.retrieve("Q", (), 5).joined(retriever.retrieve("R", (), 5))
    assert [triple.text for triple in both.triples] == ["keeper", "light", "granite"]
    assert both.scope is None
    assert Retrieved("triples").joined(both).positions == (3, 1, 0)


@pytest.mark.parametrize(
    ("dialect", "key"), [("neo4j", "chunk_ids"), ("memgraph", "chunk_ids"), ("embedded", "chunk_ids")]
)
def test_edges_that_name_their_passages(dialect, key):
    condition = Scope(HOME, (), ()).condition("r", "a", "b", dialect=dialect)
    assert condition == f"any(_key IN `r`.`{key}` WHERE _key IN $scope)"


def test_a_key_that_the_engine_invents_is_spelt_as_it_is_stored():
    home = PassageHome("Chunk", "text", "id", "name")
    assert "`r`.`_arc_name`" in Scope(home, (), ()).condition("r", "a", "b", dialect="embedded")
    assert "`r`.`name`" in Scope(home, (), ()).condition("r", "a", "b", "$mine")


@pytest.mark.parametrize(
    ("dialect", "id"), [("neo4j", "elementId(_c)"), ("memgraph", "toString(id(_c))"), ("embedded", "elementId(_c)")]
)
def test_nodes_that_a_passage_mentions(dialect, id):
    condition = Scope(MENTIONED, (), ()).condition("r", "a", "b", "$mine", dialect)
    types = ":`MENTIONS`|`Has ``Source```"
    assert condition == (f"EXISTS {{ MATCH (`a`)-[{types}]-(_c:`Chunk`)-[{types}]-(`b`) WHERE {id} IN $mine }}")
