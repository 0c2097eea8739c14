"""Relations that hold both ways, classes of qualified names, and the file in which roles are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcgraph.domain import Count, Endpoint, LabelInfo, Rows, Schema, TypeInfo
from arcgraph.errors import QueryError
from arcgraph.graph.pattern import Descriptor, Direction
from arcgraph.interpret.paths import Moves, RelationPath, Step, enumerate_paths
from arcgraph.interpret.question import View
from arcgraph.interpret.roles import RoleMoves, Roles, movement, symmetric
from arcgraph.interpret.score import EncodedPaths, Meanings, direction_part
from arcgraph.interpret.terms import Vocabulary, label_term, relation_term

MARRIED, DREW = Descriptor("married_to"), Descriptor("drew")


def no_vectors(_: object) -> None:
    """An embedder that is not there."""


# --- relations that hold both ways --------------------------------------------------------------------------------


class Pairs:
    """A graph that answers each relation's (start, end, how many edges back), or fails."""

    dialect = "neo4j"

    def __init__(self, **pairs: list[tuple[str, str, int]] | QueryError):
        self._pairs = pairs

    def read(self, query: str, params: Mapping[str, Any] | None = None, *, timeout: float, limit: int) -> Rows:
        assert timeout > 0
        (pairs,) = (found for name, found in self._pairs.items() if f":`{name}`]->(b)" in query)
        assert not params
        if isinstance(pairs, QueryError):
            raise pairs
        return Rows(("a", "b", "n"), pairs[:limit])


def both_ways(**pairs: list[tuple[str, str, int]] | QueryError) -> frozenset[str]:
    return symmetric(Pairs(**pairs), [Descriptor(name) for name in pairs])[0]  # type: ignore[arg-type]


def test_a_relation_holds_both_ways_where_half_of_its_edges_have_a_counterpart() -> None:
    half = [("a", "b", 1), ("b", "a", 1), ("c", "d", 0), ("e", "f", 0)]
    less = [*half, ("g", "h", 0)]
    assert both_ways(married_to=half, parent_of=less) == {"married_to"}


def test_an_edge_to_itself_says_nothing_of_that() -> None:
    assert both_ways(knows=[("a", "a", 1), ("b", "b", 1), ("a", "b", 0)]) == frozenset()
    assert both_ways(knows=[("a", "a", 1)]) == frozenset()


def test_a_relation_that_cannot_be_looked_at_or_has_no_edges_points_one_way() -> None:
    assert both_ways(knows=QueryError("told to fail"), likes=[]) == frozenset()


def both(text: str, label: str) -> Step:
    return Step(Descriptor(text), Direction.BOTH, label)


def test_labelled_paths_cross_such_a_relation_either_way_in_one_step() -> None:
    triples = [("Person", "married_to", "Person"), ("Person", "drew", "Ship")]
    schema = Schema(
        labels={x: LabelInfo(x, Count(9)) for x in ("Person", "Ship")},
        types={t: TypeInfo(t, Count(9)) for _, t, _ in triples},
        endpoints=tuple(Endpoint(a, t, b, Count(9)) for a, t, b in triples),
    )
    moves = Moves(schema, frozenset({"married_to"}))
    assert moves.of("Person") == [both("married_to", "Person"), Step(DREW, Direction.OUT, "Ship")]
    assert moves.either_way() == set()
    assert str(enumerate_paths(moves, ["Person"], 1, 9)[0]) == "Person -married_to- Person"
    # Without that the same relation is two steps.
    assert len(Moves(schema).of("Person")) == 3


BARE = Roles(
    {
        (MARRIED, Direction.OUT): ((MARRIED, Direction.OUT), (DREW, Direction.OUT)),
        (MARRIED, Direction.IN): ((MARRIED, Direction.IN), (DREW, Direction.OUT)),
        (DREW, Direction.OUT): ((DREW, Direction.IN),),
        (DREW, Direction.IN): ((MARRIED, Direction.OUT), (MARRIED, Direction.IN)),
    },
    frozenset({"married_to"}),
    frozenset({"married_to"}),
    {(DREW, Direction.OUT): ("ship",), (DREW, Direction.IN): ("person",)},
)


def test_bare_paths_cross_such_a_relation_either_way_in_one_step() -> None:
    moves = RoleMoves(BARE)
    first = moves.of("", first=True)
    assert [(s.descriptor, s.direction) for s in first] == [
        (MARRIED, Direction.BOTH),
        (DREW, Direction.OUT),
        (DREW, Direction.IN),
    ]
    # What either way leads to is what may follow.
    assert {(s.descriptor, s.direction) for s in moves.of(first[0].role)} == {
        (MARRIED, Direction.BOTH),
        (DREW, Direction.OUT),
    }


def test_steps_are_called_by_the_classes_of_where_they_lead() -> None:
    moves = RoleMoves(BARE)
    assert [s.named for s in moves.of("", first=True)] == [(), ("ship",), ("person",)]
    assert moves.classes() == ["ship", "person"]


# --- what a step both ways says -----------------------------------------------------------------------------------


VOCABULARY = Vocabulary([relation_term("married_to"), relation_term("drew"), label_term("Person")], no_vectors)


def test_a_step_both_ways_is_what_same_and_share_say() -> None:
    one_way = RelationPath("Person", (Step(MARRIED, Direction.OUT, "Person"),))
    encoded = EncodedPaths([RelationPath("Person", (both("married_to", "Person"),)), one_way], VOCABULARY)
    assert encoded.explains[:, VOCABULARY.round_trip].tolist() == [1.0, 0.0]


def test_its_end_may_be_who_stands_at_either_end() -> None:
    encoded = EncodedPaths([RelationPath("Person", (both("married_to", ""),))], VOCABULARY)
    nothing, who = np.zeros(5, np.float32), np.array([0.7, 0, 0, 0, 0], np.float32)
    words = np.zeros((1, 5), np.float32)
    view = View(("spouse",), (0,), (1,), ("spouse",))
    for source, target in ((who, nothing), (nothing, who)):
        meanings = Meanings(view, words, words, nothing, source, target, 0.0, words[:, 0], VOCABULARY.round_trip)
        assert encoded.answer(meanings)[0] == pytest.approx(np.log(0.02 + 0.85 * 0.7), abs=1e-5)
        assert encoded.answer_of(0, meanings) == pytest.approx(np.log(0.02 + 0.85 * 0.7), abs=1e-5)


def test_no_wording_speaks_for_or_against_its_direction() -> None:
    way = {("Person", "married_to", "Person")}
    words = np.ones((1, 5), np.float32)
    view = View(("married",), (0,), (1,), ())
    meanings = Meanings(view, words, words, words[0], words[0], words[0], 0.0, words[:, 0], 3, lambda *_: Direction.IN)
    ways = (Direction.BOTH, Direction.IN, Direction.OUT)
    encoded = EncodedPaths([RelationPath("Person", (Step(MARRIED, d, "Person"),)) for d in ways], VOCABULARY, way)
    assert [direction_part(encoded, i, meanings, 0) for i in range(3)] == [0.0, 0.5, -0.5]


# --- the file -----------------------------------------------------------------------------------------------------

QUALIFIED = "/geo/river/source"


class Bare:
    """A graph of one label and two relations, one qualified and one that holds both ways; counts its queries."""

    dialect = "neo4j"

    def __init__(self, name: str = "bare", fails: str = "") -> None:
        self.name = name
        self.reads = 0
        self._fails = fails

    def read(self, query: str, params: Mapping[str, Any] | None = None, *, timeout: float, limit: int) -> Rows:
        assert (timeout > 0, limit > 0, not params) == (True, True, True)
        self.reads += 1
        if self._fails and self._fails in query:
            raise QueryError("told to fail")
        if "OPTIONAL MATCH (b)" in query:
            return Rows(("a", "b", "n"), [("x", "y", int("married_to" in query))])
        outgoing = "-[s]->" in query
        if f"`{QUALIFIED}`]->" in query:
            return Rows(("n", "d"), [("r", [QUALIFIED] if outgoing else [])])
        if f"`{QUALIFIED}`]-" in query:
            return Rows(("n", "d"), [("fell", [] if outgoing else [QUALIFIED])])
        return Rows(("n", "d"), [("x", ["married_to"])])


SCHEMA = Schema(
    labels={"Entity": LabelInfo("Entity", Count(4))},
    types={t: TypeInfo(t, Count(2)) for t in (QUALIFIED, "married_to")},
    endpoints=(),
    fingerprint="f00",
)


def steps(graph: Bare, folder: Path) -> list[Step]:
    return movement(graph, SCHEMA, folder).of("", first=True)  # type: ignore[arg-type]


def kept(folder: Path) -> Path:
    (file,) = folder.glob("index/*/*.roles")
    return file


def test_what_was_read_is_kept_whole(tmp_path: Path) -> None:
    graph = Bare()
    first = steps(graph, tmp_path)
    assert {(s.descriptor.text, str(s.direction), s.classes) for s in first} == {
        ("married_to", "both", ()),
        (QUALIFIED, "out", ()),
        (QUALIFIED, "in", ("river",)),
    }
    asked = graph.reads
    assert steps(graph, tmp_path) == first
    assert graph.reads == asked


@pytest.mark.parametrize("field", ["symmetric", "classes", "mutual"])
def test_a_file_without_a_field_is_ignored(tmp_path: Path, field: str) -> None:
    graph = Bare()
    first = steps(graph, tmp_path)
    asked = graph.reads
    plain = json.loads(kept(tmp_path).read_text())
    del plain[field]
    kept(tmp_path).write_text(json.dumps(plain))
    assert steps(graph, tmp_path) == first
    assert graph.reads == 2 * asked


@pytest.mark.parametrize("text", ["", "[]", "[1]", '"roles"', "null", '{"moves": 3}', "not json"])
def test_a_file_of_anything_else_is_ignored(tmp_path: Path, text: str) -> None:
    first = steps(Bare(), tmp_path)
    kept(tmp_path).write_text(text)
    assert steps(Bare(), tmp_path) == first


def test_a_file_that_was_ignored_is_written_anew(tmp_path: Path) -> None:
    steps(Bare(), tmp_path)
    whole = kept(tmp_path).read_text()
    kept(tmp_path).write_text("{}")
    steps(Bare(), tmp_path)
    assert kept(tmp_path).read_text() == whole


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("a file in its place")
    assert steps(Bare(), tmp_path)


def test_two_graphs_of_one_fingerprint_are_kept_apart(tmp_path: Path) -> None:
    steps(Bare("one"), tmp_path)
    other = Bare("other")
    steps(other, tmp_path)
    assert other.reads > 0
    assert len(list(tmp_path.glob("index/*/*.roles"))) == 2


# A sample of nodes, and the comparison of a relation with its counterparts.
@pytest.mark.parametrize("part", [f"`{QUALIFIED}`]->", "OPTIONAL MATCH (b)"])
def test_what_was_cut_short_is_used_and_not_kept(tmp_path: Path, part: str) -> None:
    assert steps(Bare(fails=part), tmp_path)
    assert not list(tmp_path.glob("index/*/*.roles"))
    healthy = Bare()
    first = steps(healthy, tmp_path)
    assert healthy.reads > 0
    assert first == steps(Bare(), tmp_path)
    assert kept(tmp_path)


def test_of_many_states_of_a_graph_the_last_few_are_kept(tmp_path: Path) -> None:
    for i in range(9):
        movement(Bare(), replace(SCHEMA, fingerprint=f"f{i:02}"), tmp_path)  # type: ignore[arg-type]
    assert len(list(tmp_path.glob("index/*/*.roles"))) == 4
