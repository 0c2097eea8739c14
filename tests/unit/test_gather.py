"""Gathering evidence around a question: every number worked out by hand, over graphs that are lists of edges."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import log1p
from typing import Any, NamedTuple

import numpy as np
import pytest

from arcgraph.domain import Anchor, Count, Edge, LabelInfo, Node, PassageHome, Rows, Schema, TypeInfo
from arcgraph.errors import QueryError
from arcgraph.interpret.anchors import Candidate
from arcgraph.interpret.gather import (
    Gathered,
    Gatherer,
    _chosen,
    _Fact,
    _placed,
    _Seen,
    _spread,
    _votes,
    _Weigher,
)
from arcgraph.interpret.question import read_question
from arcgraph.interpret.spelling import Spelling
from arcgraph.interpret.surroundings import Deadline
from arcgraph.search.base import Hit, Ranking
from arcgraph.search.passages import Passage, PassageIndex
from arcgraph.settings import AskSettings

QUESTION = "Which keeper painted the harbour?"
REST = "keeper painted harbour"


class Told(NamedTuple):
    """An edge as it stands in the fake graph; ``keys`` name the passages that it came from."""

    start: str
    relation: str
    end: str
    keys: Any = None

    @property
    def id(self) -> str:
        return f"{self.start} {self.relation} {self.end}"


class FakeGraph:
    """A graph whose nodes are called by their ids; ``mentions`` says which entities a passage mentions.

    Reads that concern a node of ``fails`` fail. Every read takes ``seconds`` of its own ``clock``. ``looks`` are the
    nodes whose edges were all asked for, ``fetched`` how many edges each fetching found.
    """

    dialect = "neo4j"

    def __init__(
        self,
        *edges: Told,
        mentions: Mapping[str, Sequence[str]] | None = None,
        fails: Sequence[str] = (),
        seconds: float = 0.0,
    ):
        self.edges = edges
        self.mentions = mentions or {}
        self.looks: list[list[str]] = []
        self.fetched: list[int] = []
        self.clock = 0.0
        self._seconds = seconds
        self._fails = set(fails)

    def read(self, query: str, params: Mapping[str, Any] | None = None, *, timeout: float, limit: int) -> Rows:
        assert timeout > 0
        assert params
        self.clock += self._seconds
        if self._fails & {i for ids in params.values() if isinstance(ids, list) for i in ids}:
            raise QueryError("told to fail")
        most = int(re.findall(r"LIMIT (\d+)", query)[-1])
        if query.endswith(f"RETURN n, r, m LIMIT {most}"):
            return self._fetch(params, min(most, limit))
        if "(c:`Chunk`)" in query:
            return self._mentioned(query, params, most, limit)
        return self._around(query, params, most)

    def _around(self, query: str, params: Mapping[str, Any], most: int) -> Rows:
        hidden = {value for name, value in params.items() if name.startswith("h")}
        within = set(params["within"]) if "within" in params else None
        if within is None:
            self.looks.append(list(params["ids"]))
        found: list[tuple[Any, ...]] = []
        for node in params["ids"]:
            own = [e for e in self._all() if node in ((e.start,) if "->(m)" in query else (e.start, e.end))]
            own = [e for e in own if e.relation not in hidden]
            own = [e for e in own if within is None or (e.end if e.start == node else e.start) in within]
            found += [(node, e.relation, e.id, e.start, e.end, e.start, e.end, e.keys) for e in own[:most]]
        return Rows(("n", "d", "v0", "v1", "v2", "v3", "v4", "v5"), found)

    def _all(self) -> list[Told]:
        return [*(Told(n, "MENTIONED_IN", c) for c, named in self.mentions.items() for n in named), *self.edges]

    def _mentioned(self, query: str, params: Mapping[str, Any], most: int, limit: int) -> Rows:
        pairs = [(n, c) for c, named in self.mentions.items() for n in named]
        near = 1 if query.startswith("MATCH (c:`Chunk`)") else 0
        wanted = [pair for node in params["ids"] for pair in [p for p in pairs if p[near] == node][:most]]
        return Rows(("n", "c"), wanted[:limit])

    def _fetch(self, params: Mapping[str, Any], most: int) -> Rows:
        found = [
            (node(e.start), Edge(e.id, e.relation, e.start, e.end, {}), node(e.end))
            for e in self.edges
            if e.id in params["edges"] and e.start in params["starts"] and e.end in params["ends"]
        ]
        self.fetched.append(len(found))
        return Rows(("n", "r", "m"), found[:most])


def node(name: str) -> Node:
    return Node(name, name, ("Entity",), {"name": name})


BY_KEY = PassageHome("Chunk", "text", "id", "chunk_ids", ("MENTIONED_IN",))
BY_MENTION = PassageHome("Chunk", "text", "id", None, ("MENTIONED_IN",))


def schema(home: PassageHome = BY_KEY) -> Schema:
    labels = {name: LabelInfo(name, Count(9), naming=key) for name, key in (("Entity", "name"), ("Chunk", None))}
    return Schema(labels=labels, types={"DREW": TypeInfo("DREW", Count(1))}, endpoints=(), passages=home)


def gatherer(
    graph: FakeGraph, embed: Any = None, texts: Sequence[str] = ("One.",), home: PassageHome = BY_KEY, **ask: float
) -> Gatherer:
    """``texts`` are the passages c0, c1, …"""
    index = PassageIndex.of(Passage(f"c{i}", f"c{i}", f"c{i}", text) for i, text in enumerate(texts))
    settings = AskSettings(**ask)  # type: ignore[arg-type]
    return Gatherer(graph, schema(home), index, embed or no_vectors, settings, lambda: graph.clock)  # type: ignore[arg-type]


def no_vectors(_: object) -> None:
    """An embedder that is not there."""


def likeness(**by_text: tuple[float, float]) -> Any:
    """Vectors by which a text (underscores for spaces) is so like to the question, and to the rest of it."""
    table = {name.replace("_", " "): vector for name, vector in by_text.items()}
    table |= {QUESTION: (1, 0), REST: (0, 1)}
    return lambda texts: np.array([table.get(text, (0, 0)) for text in texts], np.float32).reshape(-1, 2)


def weigher(embed: Any, text: str = QUESTION) -> _Weigher:
    return _Weigher(read_question(text), [], embed)


def candidate(*ids: str, strength: float = 1.0) -> Candidate:
    return Candidate(Anchor(ids[0], ("Entity",), "name", ids, ids, (0, 1), ids[0], "exact", 1.0), strength)


def fact(name: str, *passages: int, start: str = "s", end: str = "t") -> _Fact:
    return _Fact(name, start, end, name, passages)


def by_id(values: Mapping[_Fact, float]) -> dict[str, float]:
    return {fact.id: value for fact, value in values.items()}


# --- whom the question names --------------------------------------------------------------------------------------


def test_a_name_is_shared_by_those_who_bear_it_and_a_doubtful_one_weighs_little() -> None:
    spelt = Spelling(FakeGraph(), schema())  # type: ignore[arg-type]
    # .5 squared over the root of 4; and 1 over the root of 16 for the first ten of sixteen.
    many = [f"m{i}" for i in range(16)]
    weights = _spread([candidate("a", "b", "c", "d", strength=0.5), candidate(*many)], spelt)
    assert weights == pytest.approx({**dict.fromkeys("abcd", 0.25 / 2), **dict.fromkeys(many[:10], 1 / 4)})


def test_of_two_names_for_one_entity_the_surer_counts() -> None:
    spelt = Spelling(FakeGraph(), schema())  # type: ignore[arg-type]
    sure, doubtful = candidate("a"), candidate("a", strength=0.5)
    assert _spread([sure, doubtful], spelt) == _spread([doubtful, sure], spelt) == {"a": 1.0}


# --- votes --------------------------------------------------------------------------------------------------------


def test_edges_vote_for_their_passages_each_step_by_its_own_best() -> None:
    near = {fact("a", 1, 2): 4.0, fact("b", 2): 2.0, fact("c", 6): 1.0}
    far = {fact("d", 3): 0.5, fact("e", 6): 0.25, fact("f"): 0.1}
    # 1: 4/4. 2: the better of 4/4 and 2/4. 3: .8 x .5/.5. 6: the better of 1/4 and .8 x .25/.5.
    assert _votes(near, far) == (Hit(1, 1.0), Hit(2, 1.0), Hit(3, 0.8), Hit(6, 0.4))


def test_no_more_passages_are_voted_for_than_texts_are_ranked() -> None:
    ranking = _votes({fact(str(i), i): float(i) for i in range(150)}, {})
    assert [hit.id for hit in ranking] == list(range(149, 49, -1))


def test_without_edges_and_with_worthless_ones_nothing_is_divided_by_nothing() -> None:
    assert _votes({}, {}) == ()
    assert _votes({fact("a", 1): 0.0}, {}) == (Hit(1, 0.0),)


def test_an_edge_without_passages_came_from_those_that_mention_both_its_ends() -> None:
    mentioned = {"s": {9, 3, 2}, "t": {2, 9, 5}}
    assert _placed(fact("a"), mentioned).passages == (2, 9)
    assert _placed(fact("a", 4), mentioned).passages == (4,)
    assert _placed(fact("a", end="nobody"), mentioned).passages == ()


# --- which edges are shown ----------------------------------------------------------------------------------------


def chosen(
    facts: Mapping[_Fact, float], places: Sequence[int], embed: Any = no_vectors, text: str = QUESTION
) -> list[str]:
    return [f.id for f in _chosen(facts, tuple(Hit(p, 1.0) for p in places), weigher(embed, text))]


RANKING = [70, 71, 72, 73, 74, 75, 76, 77, 78]


def test_likeness_and_place_decide_together() -> None:
    embed = likeness(first=(0.1, 0.1), second=(0.2, 0.1), fourth=(0.3, 0.1))
    facts = dict.fromkeys([fact("first", 70), fact("second", 71), fact("fourth", 73)], 0.0)
    # .1 + 1/5 = .300, .15 + 1/6 = .317, .2 + 1/8 = .325
    assert chosen(facts, RANKING, embed) == ["fourth", "second", "first"]
    embed = likeness(first=(0.05, 0.05), ninth=(0.2, 0.12))
    # .05 + 1/5 = .250, .16 + 1/13 = .237
    assert chosen(dict.fromkeys([fact("ninth", 78), fact("first", 70)], 0.0), RANKING, embed) == ["first", "ninth"]


def test_of_several_passages_the_one_that_leads_counts() -> None:
    facts = dict.fromkeys([fact("b", 78, 70), fact("a", 71)], 0.0)
    assert chosen(facts, RANKING) == ["b", "a"]


def test_equal_edges_stand_in_order_of_their_ids() -> None:
    assert chosen(dict.fromkeys([fact("b", 70), fact("a", 70)], 0.0), RANKING) == ["a", "b"]


def test_edges_from_elsewhere_follow_by_what_they_were_worth() -> None:
    facts = {fact("little"): 0.1, fact("much", 5): 0.9, fact("led", 78): 0.0}
    assert chosen(facts, RANKING) == ["led", "much", "little"]


def test_a_figure_counts_where_one_is_asked_for() -> None:
    facts = dict.fromkeys([fact("a", 70), fact("b 1901", 71)], 0.0)
    # 1/5 = .2 against 1/6 = .167, with .15 more where a figure is asked for.
    assert chosen(facts, RANKING) == ["a", "b 1901"]
    assert chosen(facts, RANKING, text="How many ships sailed?") == ["b 1901", "a"]
    assert chosen(facts, RANKING, text="When did the ship sail?") == ["b 1901", "a"]
    # At the ninth place 1/13 + .15 = .227 is still more than .2, and less than .1 + .2.
    far = dict.fromkeys([fact("a", 70), fact("b 1901", 78)], 0.0)
    assert chosen(far, RANKING, text="How many ships sailed?") == ["b 1901", "a"]
    table = {"How many ships sailed?": (1, 0), "ships sailed": (0, 1), "a": (0.1, 0.1)}
    assert chosen(far, RANKING, likeness(**table), "How many ships sailed?") == ["a", "b 1901"]


def test_unlikeness_does_not_count_against_an_edge() -> None:
    embed = likeness(a=(-0.9, 0.3), b=(0.1, 0.1))
    w = weigher(embed)
    assert (w.whole(fact("a")), w.rest(fact("a"))) == pytest.approx((0.0, 0.3))
    assert w.mean(fact("b")) == pytest.approx(0.1)
    assert weigher(no_vectors).whole(fact("a")) == 0.0


# --- the first step -----------------------------------------------------------------------------------------------


def first_step(
    graph: FakeGraph, named: Mapping[str, float], by_text: Ranking = (), embed: Any = None, passages: int = 1
) -> dict[str, float]:
    by = gatherer(graph, embed, [f"Text {i}." for i in range(passages)])
    return by_id(by._first_step(named, by_text, weigher(embed or no_vectors), _Seen(Deadline(9.0))))


def test_edges_of_what_is_named_count_by_their_likeness_and_less_where_there_are_many() -> None:
    graph = FakeGraph(Told("N", "drew", "a"), *(Told("H", "lists", x) for x in "bcd"))
    found = first_step(graph, {"N": 0.8, "H": 0.5}, embed=likeness(N_drew_a=(0.6, 0.0), H_lists_b=(0.2, 0.9)))
    # One edge: .8 / (1 + ln 2); three: .5 / (1 + ln 4). Each times .3 and the likeness to the whole question.
    one, three = 0.8 / (1 + log1p(1)), 0.5 / (1 + log1p(3))
    assert found == pytest.approx(
        {"N drew a": one * 0.9, "H lists b": three * 0.5, "H lists c": three * 0.3, "H lists d": three * 0.3}
    )


def test_an_edge_between_two_that_are_named_counts_by_the_better() -> None:
    graph = FakeGraph(Told("N", "drew", "M"))
    assert first_step(graph, {"N": 0.2, "M": 0.8}) == pytest.approx({"N drew M": 0.3 * 0.8 / (1 + log1p(1))})


def test_edges_of_the_three_passages_that_read_most_like_it_count_by_their_place() -> None:
    edges = [Told(f"a{i}", "drew", f"b{i}", [f"c{i}"]) for i in range(5)]
    graph = FakeGraph(*edges, mentions={f"c{i}": [f"a{i}", f"b{i}"] for i in range(5)})
    by_text = tuple(Hit(i, 1.0) for i in (4, 2, 0, 1))
    # .6 of what a name gives, over the place from 1, times .3 for an edge of unknown wording; c1 has no vote.
    assert first_step(graph, {}, by_text, passages=5) == pytest.approx(
        {"a4 drew b4": 0.6 * 0.3, "a2 drew b2": 0.3 * 0.3, "a0 drew b0": 0.2 * 0.3}
    )


def test_an_edge_that_is_found_both_ways_counts_by_the_better() -> None:
    graph = FakeGraph(Told("N", "drew", "b", ["c0"]), mentions={"c0": ["N", "b"]})
    # .18 by the passage; by the name 1 x .3 / (1 + ln 2) = .177 or .1 x .3 / (1 + ln 2).
    assert first_step(graph, {"N": 0.1}, (Hit(0, 1.0),)) == pytest.approx({"N drew b": 0.18})
    assert first_step(graph, {"N": 2.0}, (Hit(0, 1.0),)) == pytest.approx({"N drew b": 2 * 0.3 / (1 + log1p(1))})


def test_edges_of_other_passages_between_what_a_passage_mentions_did_not_come_from_it() -> None:
    edges = [Told("a", "drew", "b", ["c0"]), Told("a", "sold", "b", ["c1"]), Told("a", "met", "x", ["c0"])]
    graph = FakeGraph(*edges, mentions={"c0": ["a", "b"]})
    assert list(first_step(graph, {}, (Hit(0, 1.0),), passages=2)) == ["a drew b"]


# --- the second step ----------------------------------------------------------------------------------------------


def second_step(
    graph: FakeGraph, named: Mapping[str, float], near: Mapping[_Fact, float], embed: Any = None
) -> dict[str, float]:
    seen = _Seen(Deadline(9.0))
    return by_id(gatherer(graph, embed)._second_step(named, near, weigher(embed or no_vectors), seen))


def test_from_where_the_first_step_leads_edges_count_by_their_likeness_to_the_rest() -> None:
    edges = [Told("N", "drew", "a"), Told("a", "lived in", "x"), Told("a", "sold", "y")]
    near = {_Fact("N drew a", "N", "a", "N drew a", ()): 0.9, fact("other", start="N", end="a"): 0.4}
    found = second_step(FakeGraph(*edges), {"N": 1.0}, near, likeness(a_lived_in_x=(0.9, 0.5)))
    # a was reached with .9 and has three edges: .9 / (1 + .5 ln 4). Each edge times .1 and its likeness to the rest.
    bridge = 0.9 / (1 + 0.5 * log1p(3))
    assert found == pytest.approx({"a lived in x": bridge * 0.6, "a sold y": bridge * 0.1})


def test_nothing_goes_out_from_what_is_named() -> None:
    graph = FakeGraph(Told("N", "drew", "a"), Told("N", "sold", "z"))
    near = {_Fact("N drew a", "N", "a", "N drew a", ()): 0.9}
    assert second_step(graph, {"N": 1.0, "a": 1.0}, near) == {}


def test_forty_entities_are_crossed_of_eighty_looked_at() -> None:
    edges = [Told(f"a{i}", "lives in", f"x{i}") for i in range(100)]
    # The first forty lead by value and are hubs; of the next forty each has one edge.
    edges += [Told(f"a{i}", "lists", f"y{i}.{k}") for i in range(40) for k in range(5)]
    near = {fact(f"f{i}", start="N", end=f"a{i}"): 1.0 - i / 1000 for i in range(100)}
    graph = FakeGraph(*edges)
    found = second_step(graph, {"N": 1.0}, near)
    assert {i for look in graph.looks for i in look} == {f"a{i}" for i in range(80)}
    # 1 / (1 + .5 ln 7) = .507 at most for a hub; .92 / (1 + .5 ln 2) = .684 at least for the others.
    assert set(found) == {f"a{i} lives in x{i}" for i in range(40, 80)}


def test_an_edge_between_two_bridges_counts_by_the_better() -> None:
    near = {fact("f", start="N", end="a"): 0.2, fact("g", start="N", end="b"): 0.8}
    found = second_step(FakeGraph(Told("a", "met", "b")), {"N": 1.0}, near)
    assert found == pytest.approx({"a met b": 0.1 * 0.8 / (1 + 0.5 * log1p(1))})


# --- the whole ----------------------------------------------------------------------------------------------------

TEXTS = ["The harbour was painted.", "She lived in Kelling.", "Nothing of that."]
STORY = [
    Told("Nightjar", "drawn by", "Orla", ["c0"]),
    Told("Orla", "lived in", "Kelling", ["c1"]),
    Told("Kelling", "lies on", "Orm", ["c2", "unknown"]),
]
MENTIONS = {"c0": ["Nightjar", "Orla"], "c1": ["Orla", "Kelling"], "c2": ["Kelling", "Orm"]}


def gather(graph: FakeGraph, home: PassageHome = BY_KEY, texts: Sequence[str] = TEXTS, **most: Any) -> Gathered:
    ask = {name: most.pop(name) for name in ("looking",) if name in most}
    by = gatherer(graph, texts=texts, home=home, **ask)
    return by.gather(read_question("Who painted the Nightjar?"), [candidate("Nightjar")], **most)


@pytest.mark.parametrize("home", [BY_KEY, BY_MENTION])
def test_evidence_comes_over_a_bridge(home: PassageHome) -> None:
    edges = STORY if home is BY_KEY else [e._replace(keys=None) for e in STORY]
    found = gather(FakeGraph(*edges, mentions=MENTIONS), home)
    # c0: first among the texts and first by votes; c1 by the vote of the second step.
    assert [hit.id for hit in found.passages] == [0, 1]
    assert [e.element_id for e in found.edges][:2] == ["Nightjar drawn by Orla", "Orla lived in Kelling"]
    assert found.passages[0].score == pytest.approx(1 / 21 + 1 / 21)
    assert found.passages[1].score == pytest.approx(1 / 22)
    assert set(found.params["names"]) >= {"Nightjar", "Orla", "Kelling"}


def test_only_the_edges_that_are_shown_are_fetched() -> None:
    graph = FakeGraph(*STORY, *(Told("Nightjar", f"seen {i}", "Orla") for i in range(500)), mentions=MENTIONS)
    assert len(gather(graph, most_edges=7).edges) == 7
    assert graph.fetched == [7]


def test_every_entity_is_looked_at_once_a_question() -> None:
    graph = FakeGraph(*STORY)
    by, seen = gatherer(graph), _Seen(Deadline(9.0))
    first = by._facts_of(["Nightjar", "Orla", "Nightjar"], seen)
    assert [f.id for f in first] == ["Nightjar drawn by Orla", "Orla lived in Kelling"]
    assert by._facts_of(["Orla", "Nightjar"], seen) == first
    assert [f.id for f in by._facts_of(["Kelling", "Orla"], seen)] == [e.id for e in (STORY[1], STORY[2], STORY[0])]
    assert graph.looks == [["Nightjar", "Orla"], ["Kelling"]]


def test_edges_name_passages_by_lists_by_one_key_and_by_keys_that_are_not_there() -> None:
    edges = [Told("N", "a", "x", ["c1", "none", "c0", "c1"]), Told("N", "b", "x", "c2"), Told("N", "c", "x")]
    edges += [Told("N", "d", "x", ["none"]), Told("N", "e", "x", ["c0"])]
    by = gatherer(FakeGraph(*edges), texts=TEXTS)
    assert [f.passages for f in by._facts_of(["N"], _Seen(Deadline(9.0)))] == [(1, 0), (2,), (), (), (0,)]


def test_passages_that_are_not_in_the_index_place_nothing() -> None:
    edges = [Told("a", "met", "b")]
    graph = FakeGraph(*edges, mentions={"none": ["a", "b"], "other": ["a", "b"], "c1": ["a", "b"]})
    by, seen = gatherer(graph, texts=TEXTS, home=BY_MENTION), _Seen(Deadline(9.0))
    (found,) = by._located({_Fact("a met b", "a", "b", "a met b", ()): 0.5}, seen)
    assert found.passages == (1,)


def test_where_edges_name_their_passages_mentions_place_none() -> None:
    graph = FakeGraph(*STORY, mentions=MENTIONS, seconds=1.0)
    found = gatherer(graph, texts=TEXTS)._located({_Fact("x", "Nightjar", "Orla", "x", ()): 0.5}, _Seen(Deadline(9.0)))
    assert [f.passages for f in found] == [()]
    assert graph.clock == 0.0


def test_as_many_passages_as_wanted_and_the_edges_of_twice_as_many() -> None:
    # The second passage is found by its text alone: nothing leads from the Nightjar to Wenna.
    texts = ["The Nightjar was painted.", "Wenna painted.", "She painted in Kelling and in other towns by the sea."]
    edges = [Told("Wenna", "kept", "Arden", ["c1"]), Told("Bo", "kept", "Dunlin", ["c2"])]
    graph = FakeGraph(*edges, mentions={"c1": ["Wenna", "Arden"], "c2": ["Bo", "Dunlin"]})
    texts += ["Painted."] * 3
    found = gather(graph, texts=texts, most_passages=1)
    assert len(found.passages) == 1
    by_three = gather(graph, texts=texts, most_passages=3)
    assert len(by_three.passages) == 3
    assert {"Wenna kept Arden"} <= {e.element_id for e in by_three.edges}


def test_edges_of_passages_that_only_their_texts_lead_to_are_shown() -> None:
    # Four passages read more like the question, so that the fifth has no vote in the first step.
    texts = [f"Painted {word}." for word in ("red", "blue", "green", "grey")] + ["Long ago it was painted at sea."]
    graph = FakeGraph(Told("Bo", "kept", "Dunlin", ["c4"]), mentions={"c4": ["Bo", "Dunlin"]})
    assert [e.element_id for e in gather(graph, texts=texts).edges] == ["Bo kept Dunlin"]


def test_a_hub_does_not_hide_what_a_quiet_entity_tells() -> None:
    hub = [Told("Hub", f"lists {i}", f"x{i}") for i in range(20_000)]
    graph = FakeGraph(*hub, *STORY, mentions={**MENTIONS, **{f"m{i}": ["Hub"] for i in range(5_000)}})
    by = gatherer(graph, texts=TEXTS)
    found = by.gather(read_question("Who painted the Nightjar?"), [candidate("Hub"), candidate("Nightjar")])
    assert "Nightjar drawn by Orla" in {e.element_id for e in found.edges}
    assert 1 in {hit.id for hit in found.passages}


def test_edges_that_only_mention_hide_nothing_and_are_no_evidence() -> None:
    graph = FakeGraph(*STORY, mentions={**{f"m{i}": ["Nightjar"] for i in range(20_000)}, **MENTIONS})
    found = gather(graph)
    assert "Nightjar drawn by Orla" in {e.element_id for e in found.edges}
    assert not [e for e in found.edges if e.type == "MENTIONED_IN"]


def test_a_look_that_fails_leaves_the_rest() -> None:
    # Without what is named there is the passage that the texts lead to, whose edge cannot be fetched.
    found = gather(FakeGraph(*STORY, mentions=MENTIONS, fails=["Nightjar"]))
    assert [hit.id for hit in found.passages] == [0]
    assert found.edges == ()
    # Without a look from the passages, the two steps from what is named.
    found = gather(FakeGraph(*STORY, mentions=MENTIONS, fails=["c0"]))
    assert [hit.id for hit in found.passages] == [0, 1]
    assert len(found.edges) == 2


def test_where_everything_fails_the_texts_are_left() -> None:
    found = gather(FakeGraph(*STORY, mentions=MENTIONS, fails=["Nightjar", "Orla", "Kelling", "Orm", *MENTIONS]))
    assert ([hit.id for hit in found.passages], found.edges, found.query) == ([0], (), "")


def test_when_time_is_up_what_was_seen_so_far_is_used() -> None:
    slow = FakeGraph(*STORY, mentions=MENTIONS, seconds=4.0)
    found = gather(slow, looking=3.0)
    # One look, at what is named; then what it showed is fetched.
    assert slow.looks == [["Nightjar"]]
    assert slow.clock == 8.0
    assert [e.element_id for e in found.edges] == ["Nightjar drawn by Orla"]
    assert [hit.id for hit in found.passages] == [0]


def test_loading_a_sentence_model_takes_no_time_from_looking() -> None:
    graph = FakeGraph(*STORY, mentions=MENTIONS, seconds=0.5)
    by = gatherer(graph, texts=TEXTS, looking=9.0)
    passages = by._passages

    class Slow:
        """The passages, of which a search takes a minute."""

        def __getattr__(self, name: str) -> Any:
            return getattr(passages, name)

        def search(self, text: str, k: int) -> Any:
            graph.clock += 60.0
            return passages.search(text, k)

    by._passages = Slow()  # type: ignore[assignment]
    assert by.gather(read_question("Who painted the Nightjar?"), [candidate("Nightjar")]).edges
