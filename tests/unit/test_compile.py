"""Compiled Cypher as snapshot files, so that a change reads as a diff; and what a malformed pattern says.

ARCGRAPH_UPDATE_SNAPSHOTS=1 writes the files anew.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from arcgraph.domain import RESERVED_KEY
from arcgraph.graph.pattern import (
    Aggregate,
    Aside,
    Binding,
    Calculation,
    Descriptor,
    Difference,
    Direction,
    Entity,
    Filter,
    Grouped,
    Having,
    Hop,
    Measure,
    Order,
    Part,
    Pattern,
    PatternNode,
    Projection,
    Property,
    Yardstick,
)

SNAPSHOTS = Path(__file__).parent / "snapshots"
NAME = Projection(Property("b", "name"), "name")

CHAIN = Pattern(
    (PatternNode("a", ("Per`son",)), PatternNode("b", ("Tool Set", "Big")), PatternNode("c")),
    (
        Hop("r", "a", "b", (Descriptor("has MD5 hash"), Descriptor("OWNS")), Direction.OUT),
        Hop("s", "b", "c", (), Direction.BOTH),
    ),
    bindings=(Binding("a", "name", ("Ann",)),),
    returns=(NAME,),
    distinct=True,
)
COUNTED = Aggregate("count", Entity("a"), distinct=True)
PATTERNS = {
    "chain": CHAIN,
    "overlaps": replace(CHAIN, filters=(Filter(Property("r", "chunk ids"), "overlaps", ("c1", "c2")),)),
    "branches": Pattern(
        (PatternNode("a"), PatternNode("x", ("T",)), PatternNode("b")),
        (Hop("r", "a", "x", (Descriptor("R"),)), Hop("s", "b", "x", (Descriptor("S"),), Direction.IN)),
        bindings=(Binding("a", RESERVED_KEY, ("1",)), Binding("b", None, ("4:x:1", "4:x:2"))),
        filters=(Filter(Entity("x"), "<>", Entity("a")),),
        returns=(Projection(Entity("x"), "x"), Projection(Aggregate("count"), "paths")),
        order=(Order("paths", descending=True),),
        limit=10,
    ),
    "predicates": Pattern(
        (PatternNode("a", ("Entity",)), PatternNode("b", ("Entity",))),
        (
            Hop("r", "a", "b", (Descriptor("RELATED", "predicate", "likes"), Descriptor("RELATED", "predicate", "is"))),
            Hop("s", "a", "b", (Descriptor("RELATED", "predicate", "likes"), Descriptor("OTHER"))),
        ),
        returns=(Projection(Property("b", "title"), "title"),),
    ),
    "grouped": Pattern(
        (PatternNode("a", ("A",)), PatternNode("b", ("B",))),
        (Hop("r", "a", "b", (Descriptor("R"),)),),
        filters=(
            Filter(Property("a", "born"), ">=", 1990),
            Filter(Property("a", "type"), "is null"),
            Filter(Property("r", "id"), "in", [1, 2]),
            Filter(Property("a", "name"), "starts with", Property("b", "name")),
        ),
        returns=(
            Projection(Property("b", "name"), "group"),
            Projection(Aggregate("avg", Property("a", "age")), "mean age"),
            Projection(Aggregate("count", Entity("a"), distinct=True), "n"),
        ),
        having=(Having("n", ">", 1),),
        order=(Order("mean age", descending=True), Order("group")),
        skip=2,
        limit=5,
    ),
    "denied_parts": Pattern(
        (PatternNode("a", ("A",)), PatternNode("b", ("B",))),
        (Hop("r", "a", "b", (Descriptor("R"),)),),
        filters=(
            Filter(Property("a", "name"), "not contains", "x"),
            Filter(Property("a", "name"), "not starts with", Property("b", "name")),
        ),
        returns=(
            Projection(Property("a", "name"), "name"),
            Projection(Aggregate("min", Property("b", "name")), "first", hidden=True),
        ),
        having=(Having("first", "not ends with", "z"),),
    ),
    "star": Pattern(
        (PatternNode("a", ("A",)), PatternNode("b", ("B",)), PatternNode("c", ("C",)), PatternNode("d", ("D",))),
        (
            Hop("r", "a", "b", (Descriptor("R"),)),
            Hop("s", "a", "c", (Descriptor("S"),), Direction.IN),
            Hop("t", "a", "d", (Descriptor("T"),), Direction.BOTH),
        ),
        returns=(Projection(Entity("a"), "a"),),
    ),
    "averages_of_counts": Pattern(
        (PatternNode("a", ("Person",)), PatternNode("b", ("Tool",))),
        (Hop("r", "a", "b", (Descriptor("OWNS"),)),),
        returns=(
            Projection(Property("a", "town"), "town"),
            Projection(Property("b", "kind"), "kind"),
            Projection(Aggregate("avg", Measure("how many")), "average"),
            Projection(Aggregate("count", Entity("a")), "people"),
        ),
        grouped=Grouped(
            ("a",),
            (Projection(Aggregate("count", Entity("b"), distinct=True), "how many"),),
            (Having("how many", ">", 1),),
        ),
    ),
    "absent": Pattern(
        (PatternNode("a", ("A",)), PatternNode("b", ("B",))),
        (Hop("r", "a", "b", (Descriptor("R"),)),),
        filters=(Filter(Property("b", "born"), "is null"),),
        returns=(Projection(Entity("a"), "a"),),
        absent=(
            Part(
                (PatternNode("c", ("C",)),),
                (Hop("s", "a", "c", (Descriptor("S"),)),),
                (Binding("c", "name", ("Ys",)),),
                (Filter(Property("s", "since"), ">", 1990),),
            ),
            Part((), (Hop("t", "b", "a", (Descriptor("T", "kind", "x"),), Direction.BOTH),)),
        ),
    ),
    "choices": Pattern(
        (PatternNode("a", ("A",)),),
        returns=(Projection(Aggregate("count", Entity("a"), distinct=True), "n"),),
        choices=(
            (
                Part(
                    (PatternNode("b", ("B",)), PatternNode("c")),
                    (Hop("r", "a", "b", (Descriptor("R"),)), Hop("s", "b", "c", (Descriptor("S"),))),
                ),
                Part(filters=(Filter(Property("a", "born"), ">", 1990), Filter(Property("a", "town"), "=", "Ys"))),
            ),
        ),
    ),
    "optional": Pattern(
        (PatternNode("a", ("A",)),),
        returns=(
            Projection(Property("a", "name"), "name"),
            Projection(Aggregate("count", Entity("b"), distinct=True), "n"),
        ),
        optional=(
            Part(
                (PatternNode("b", ("B",)),),
                (Hop("r", "a", "b", (Descriptor("R"),)),),
                filters=(Filter(Property("r", "since"), ">", 1990),),
            ),
        ),
    ),
    "asides": Pattern(
        (PatternNode("a", ("A",)), PatternNode("b", ("B",))),
        (Hop("r", "a", "b", (Descriptor("R"),)),),
        returns=(
            Projection(Property("a", "name"), "name"),
            Projection(Measure("0"), "average age"),
            Projection(Measure("1"), "number of c"),
        ),
        grouped=Grouped(("a",), (Projection(Aggregate("avg", Property("b", "age")), "0"),)),
        asides=(
            Aside(
                Part(
                    (PatternNode("c", ("C",)),),
                    (Hop("s", "a", "c", (Descriptor("S"),)),),
                    filters=(Filter(Property("c", "born"), ">", 1990),),
                ),
                (Projection(Aggregate("count", Entity("c"), distinct=True), "1"),),
            ),
        ),
    ),
    "difference": Pattern(
        (PatternNode("a", ("A",)), PatternNode("b", ("A",))),
        bindings=(Binding("a", "name", ("Ann",)), Binding("b", "name", ("Bo",))),
        returns=(Projection(Difference(Property("a", "mass"), Property("b", "mass", numeric=True)), "more"),),
    ),
    "yardstick": Pattern(
        (PatternNode("a", ("A",)),),
        filters=(Filter(Property("a", "mass"), ">", Measure("average mass")),),
        returns=(Projection(Entity("a"), "a"),),
        yardstick=Yardstick(
            "average mass", Aggregate("avg", Property("one", "mass")), Part((PatternNode("one", ("A",)),))
        ),
    ),
    "calculation": Pattern(
        (PatternNode("a", ("A",)),),
        filters=(Filter(Property("a", "ripe"), "=", True),),
        returns=(Projection(Calculation(COUNTED, "percent of", Measure("all")), "percentage"),),
        yardstick=Yardstick("all", COUNTED, Part((PatternNode("a", ("A",)),))),
    ),
    "absent_anywhere": Pattern(
        (PatternNode("a", ("A",)),),
        filters=(Filter(Property("a", "mass"), "is not null"),),
        returns=(Projection(Property("a", "kind"), "kind"), Projection(Entity("a"), "a")),
        absent=(
            Part(
                (PatternNode("b", ("A",)),),
                filters=(
                    Filter(Property("b", "kind"), "=", Property("a", "kind")),
                    Filter(Property("b", "mass"), ">", Property("a", "mass")),
                ),
            ),
        ),
    ),
    "parts_of_moments": Pattern(
        (PatternNode("a", ("A",)),),
        filters=(Filter(Property("a", "made", part="year"), ">", 1999),),
        returns=(
            Projection(Property("a", "made", part="year"), "year"),
            Projection(Property("a", "sold", part="month"), "month"),
            Projection(Aggregate("count", Entity("a"), distinct=True), "n"),
        ),
    ),
    "exists": Pattern((PatternNode("a", ("A",)),), returns=(Projection(Aggregate("exists"), "answer"),)),
}


@pytest.mark.parametrize("dialect", ["neo4j", "memgraph", "embedded"])
@pytest.mark.parametrize("name", PATTERNS)
def test_snapshot(name: str, dialect: str) -> None:
    text, params = PATTERNS[name].to_cypher(dialect)
    seen = f"{text}\n\n{json.dumps(params)}\n"
    path = SNAPSHOTS / f"{name}.{dialect}.cypher"
    if os.environ.get("ARCGRAPH_UPDATE_SNAPSHOTS") == "1":
        path.write_text(seen)
    assert seen == path.read_text()


def test_values_are_parameters_and_never_text() -> None:
    evil = "x'}) DETACH DELETE n //"
    text, params = replace(CHAIN, bindings=(Binding("a", "name", (evil,)),)).to_cypher()
    assert evil not in text
    assert list(params.values()) == [evil]


def test_durations_have_the_order_of_moments() -> None:
    """Cypher has none for durations."""
    took = Filter(Property("a", "took"), ">=", timedelta(hours=2))
    text, params = replace(CHAIN, filters=(took,)).to_cypher()
    moment = "localdatetime('1970-01-01T00:00:00')"
    (name,) = (name for name, value in params.items() if value == timedelta(hours=2))
    assert f"{moment} + a.`took` >= {moment} + ${name}" in text


def test_names_cannot_break_out_of_their_quotes() -> None:
    nasty = "A`) DETACH DELETE (n"
    pattern = Pattern((PatternNode("a", (nasty,)),), returns=(Projection(Property("a", nasty), nasty),))
    text, _ = pattern.to_cypher()
    assert text == "MATCH (a:`A``) DETACH DELETE (n`)\nRETURN a.`A``) DETACH DELETE (n` AS `A``) DETACH DELETE (n`"


BESIDE = Aside(
    Part((PatternNode("x"),), (Hop("q", "a", "x"),)), (Projection(Aggregate("count", Entity("x"), distinct=True), "n"),)
)
HELD = Pattern(
    (PatternNode("a", ("A",)),),
    returns=(Projection(Calculation(COUNTED, "-", Measure("all")), "more"),),
    yardstick=Yardstick("all", COUNTED, Part((PatternNode("a", ("A",)),))),
)
MALFORMED = [
    (Pattern(()), "it has no node"),
    (replace(CHAIN, returns=()), "it returns nothing"),
    (replace(CHAIN, returns=(NAME, NAME)), "two columns bear the same name"),
    (Pattern((PatternNode("a b"),), returns=(Projection(Entity("a b"), "x"),)), "'a b' is no variable name"),
    (replace(CHAIN, nodes=CHAIN.nodes[:2]), "hop 's' ends at unknown node 'c'"),
    (replace(CHAIN, nodes=(*CHAIN.nodes, PatternNode("r"))), "two elements bear the same variable name"),
    (replace(CHAIN, bindings=(Binding("z", "name", ("Ann",)),)), "binding of unknown node 'z'"),
    (replace(CHAIN, bindings=(Binding("a", "name", ()),)), "binding of 'a' to nothing"),
    (replace(CHAIN, filters=(Filter(Property("z", "k"), "=", 1),)), "filter on unknown element 'z'"),
    (replace(CHAIN, filters=(Filter(Property("a", "k"), "=", None),)), "use 'is null'"),
    (replace(CHAIN, filters=(Filter(Property("a", "k"), "likes", 1),)), "unknown operator 'likes'"),  # type: ignore[arg-type]
    (replace(CHAIN, filters=(Filter(Property("a", "k"), "overlaps", 1),)), "'overlaps' compares with a list"),
    (replace(CHAIN, order=(Order("nope"),)), "order by unknown column 'nope'"),
    (replace(CHAIN, limit=-1), "must not be negative"),
    (replace(CHAIN, returns=(Projection(Entity("z"), "z"),)), "returns unknown element 'z'"),
    (replace(CHAIN, returns=(Projection(Aggregate("sum"), "n"),)), "'sum' aggregates nothing"),
    (replace(CHAIN, returns=(Projection(Aggregate("median"), "n"),)), "unknown aggregate 'median'"),  # type: ignore[arg-type]
    (replace(CHAIN, grouped=Grouped(("z",), ())), "grouping by unknown element 'z'"),
    (replace(CHAIN, grouped=Grouped(("a",), (NAME,))), "measure 'name' is no aggregate of matches"),
    (
        replace(CHAIN, grouped=Grouped(("a",), (), (Having("n", ">", 1),))),
        "a condition on unknown measure 'n'",
    ),
    (
        replace(CHAIN, returns=(Projection(Aggregate("sum", Measure("n")), "n"),)),
        "column 'n' aggregates unknown measure 'n'",
    ),
    (
        replace(CHAIN, returns=(Projection(Aggregate("count", Entity("b")), "n"),), grouped=Grouped(("a",), ())),
        "column 'n' aggregates 'b', by which nothing was grouped",
    ),
    (
        replace(CHAIN, absent=(Part((PatternNode("x"),), ()),)),
        "what must be absent has neither a hop nor a node with a condition",
    ),
    (replace(CHAIN, absent=(Part((), (Hop("q", "a", "x"),)),)), "hop 'q' ends at unknown node 'x'"),
    (replace(CHAIN, absent=(Part((PatternNode("b"),), (Hop("q", "a", "b"),)),)), "bear the same variable name"),
    (
        replace(CHAIN, absent=(Part((), (Hop("q", "a", "b"),), filters=(Filter(Property("z", "k"), "=", 1),)),)),
        "unknown element 'z'",
    ),
    (replace(CHAIN, choices=((Part((), (Hop("q", "a", "b"),)),),)), "a choice has less than two parts"),
    (
        replace(CHAIN, choices=((Part((), (Hop("q", "a", "b"),)), Part()),)),
        "a part of a choice has neither hop nor condition",
    ),
    (replace(CHAIN, optional=(Part((PatternNode("x"),)),)), "what is optional has no hop"),
    (
        replace(
            CHAIN,
            optional=(Part((PatternNode("x"),), (Hop("q", "a", "x"),)),),
            returns=(Projection(Property("x", "name"), "n"),),
        ),
        "column 'n' returns what is optional; only aggregates may",
    ),
    (
        replace(CHAIN, optional=(Part((PatternNode("x"),), (Hop("q", "a", "x"),)),), grouped=Grouped(("x",), ())),
        "grouping by 'x', which is optional",
    ),
    (
        replace(CHAIN, asides=(BESIDE,), returns=(Projection(Measure("n"), "n"),)),
        "a branch is aggregated by itself, and nothing was grouped before",
    ),
    (
        replace(CHAIN, grouped=Grouped(("a",), ()), asides=(BESIDE,), returns=(Projection(Entity("b"), "b"),)),
        "column 'b' is neither a measure nor of what was grouped by",
    ),
    (
        replace(CHAIN, grouped=Grouped(("b",), ()), asides=(BESIDE,), returns=(Projection(Measure("n"), "n"),)),
        "hop 'q' ends at unknown node 'a'",
    ),
    (
        replace(CHAIN, grouped=Grouped(("a",), ()), asides=(BESIDE, BESIDE), returns=(Projection(Measure("n"), "n"),)),
        "two measures bear the same name",
    ),
    (
        replace(CHAIN, grouped=Grouped(("a",), ()), returns=(Projection(Measure("n"), "n"),)),
        "column 'n' aggregates unknown measure 'n'",
    ),
    (
        replace(CHAIN, returns=(Projection(Difference(Property("a", "k"), Property("z", "k")), "n"),)),
        "column 'n' compares unknown element 'z'",
    ),
    (
        replace(CHAIN, filters=(Filter(Property("a", "k"), ">", Measure("n")),)),
        "a condition compares with unknown yardstick 'n'",
    ),
    (
        replace(CHAIN, yardstick=Yardstick("n", Aggregate("count"), Part((PatternNode("y"),)))),
        "the yardstick aggregates nothing",
    ),
    (replace(CHAIN, yardstick=Yardstick("n", COUNTED, Part())), "the yardstick has no node"),
    (
        replace(CHAIN, returns=(Projection(Calculation(COUNTED, "-", Measure("n")), "n"),)),
        "column 'n' is held against unknown yardstick 'n'",
    ),
    (
        replace(HELD, returns=(*HELD.returns, NAME)),
        "column 'more' is a calculation beside which nothing can be",
    ),
    (
        replace(HELD, returns=(Projection(Calculation(Aggregate("exists"), "-", Measure("all")), "more"),)),
        "column 'more' calculates with what is no number of elements or values",
    ),
]


@pytest.mark.parametrize(("pattern", "reason"), MALFORMED, ids=[reason for _, reason in MALFORMED])
def test_malformed_patterns_say_why(pattern: Pattern, reason: str) -> None:
    with pytest.raises(ValueError, match="malformed pattern") as caught:
        pattern.to_cypher()
    assert reason in str(caught.value)


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(ValueError, match="it returns nothing; skip and limit must not be negative"):
        replace(CHAIN, returns=(), skip=-1).to_cypher()


def test_unknown_dialect() -> None:
    with pytest.raises(ValueError, match="unknown dialect 'sql'; there are neo4j, memgraph, embedded"):
        CHAIN.to_cypher("sql")
