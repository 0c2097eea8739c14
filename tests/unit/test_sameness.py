"""Patterns that differ only in names and order are one query; what tells them apart is seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arcgraph.graph.pattern import (
    Aggregate,
    Binding,
    Descriptor,
    Direction,
    Entity,
    Filter,
    Grouped,
    Having,
    Hop,
    Measure,
    Part,
    Pattern,
    PatternNode,
    Projection,
    Property,
)
from arcgraph.interpret.tables.sameness import signature

SAILS = (Descriptor("SAILS"),)
ONE = Pattern(
    (PatternNode("n0", ("Skipper",)), PatternNode("n1", ("Barge",))),
    (Hop("r0", "n0", "n1", SAILS),),
    bindings=(Binding("n0", "name", ("Mo",)),),
    filters=(Filter(Property("n1", "built"), ">", 1950), Filter(Property("r0", "since"), "<", 1990)),
    returns=(Projection(Property("n1", "name"), "name"),),
)
TURNED = Pattern(
    (PatternNode("n0", ("Barge",)), PatternNode("n1", ("Skipper",))),
    (Hop("q", "n0", "n1", SAILS, Direction.IN),),
    bindings=(Binding("n1", "name", ("Mo",)),),
    filters=(Filter(Property("q", "since"), "<", 1990), Filter(Property("n0", "built"), ">", 1950)),
    returns=(Projection(Property("n0", "name"), "name"),),
)


def test_names_order_and_the_side_from_which_a_hop_is_written_do_not_matter() -> None:
    assert signature(ONE) == signature(TURNED)


@pytest.mark.parametrize(
    "other",
    [
        replace(ONE, hops=(Hop("r0", "n0", "n1", SAILS, Direction.IN),)),
        replace(ONE, hops=(Hop("r0", "n0", "n1", SAILS, Direction.BOTH),)),
        replace(ONE, hops=(Hop("r0", "n0", "n1", (Descriptor("OWNS"),)),)),
        replace(ONE, bindings=(Binding("n0", "name", ("Flo",)),)),
        replace(ONE, filters=ONE.filters[:1]),
        replace(ONE, returns=(Projection(Property("n0", "name"), "name"),)),
        replace(ONE, distinct=True),
        replace(ONE, limit=3),
        replace(ONE, nodes=(*ONE.nodes, PatternNode("n2", ("Lock",)))),
    ],
)  # fmt: skip
def test_what_tells_queries_apart_matters(other: Pattern) -> None:
    assert signature(ONE) != signature(other)


def test_where_a_condition_stands_is_seen_between_nodes_of_one_label() -> None:
    nodes = (PatternNode("a", ("Skipper",)), PatternNode("b", ("Skipper",)))
    chain = Pattern(nodes, (Hop("r", "a", "b", SAILS),), returns=(Projection(Entity("a"), "x"),))
    near, far = (replace(chain, bindings=(Binding(name, "name", ("Mo",)),)) for name in "ab")
    assert signature(near) != signature(far)


def test_a_first_grouping_matters() -> None:
    counted = Projection(Aggregate("count", Entity("n1"), distinct=True), "number")
    average = (Projection(Aggregate("avg", Measure("number")), "average"),)
    per = replace(ONE, returns=average, grouped=Grouped(("n0",), (counted,)))
    assert signature(per) != signature(replace(per, grouped=Grouped(("n1",), (counted,))))
    highest = (Projection(Aggregate("max", Measure("number")), "average"),)
    assert signature(per) != signature(replace(per, returns=highest))
    assert signature(per) != signature(replace(per, grouped=Grouped(("n0",), (counted,), (Having("number", ">", 1),))))


def test_what_is_absent_is_compared_as_it_is_written() -> None:
    part = Part((PatternNode("m", ("Lock",)),), (Hop("q", "n1", "m", SAILS),))
    assert signature(replace(ONE, absent=(part,))) == signature(replace(ONE, absent=(part,)))
    assert signature(replace(ONE, absent=(part,))) != signature(ONE)
