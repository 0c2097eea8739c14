"""The largest of each group: that beside which nothing of the group has more ("the tallest tower of each town")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from arcgraph.graph.pattern import Binding, Filter, Hop, Part, Pattern, PatternNode, Property

# What the other one and its edge are called.
_OTHER, _OTHER_EDGE = "other", "other_edge"


def of_each(pattern: Pattern, measure: Property, group: str | Property, *, descending: bool) -> Pattern | None:
    """The pattern of the things that have the most of a measure, or the least, among all that have to do with the same
    node ``group``, or have the same value of that property; several where they are equal.

    ``None`` where they have to do with it by more than one edge, or with anything else: what else is said of a thing
    has to hold for what it is compared with.
    """
    thing = measure.owner
    own = [hop for hop in pattern.hops if thing in (hop.start, hop.end)]
    if isinstance(group, str):
        if len(own) != 1 or {own[0].start, own[0].end} != {thing, group}:
            return None
    elif own:
        return None
    renamed = {thing: _OTHER} | {hop.name: _OTHER_EDGE for hop in own}
    (node,) = (node for node in pattern.nodes if node.name == thing)
    conditions = [*_conditions(pattern, renamed)]
    known = [Filter(measure, "is not null")]
    if isinstance(group, Property):
        conditions.append(Filter(replace(group, owner=_OTHER), "=", group))
        known.append(Filter(group, "is not null"))
    conditions.append(Filter(replace(measure, owner=_OTHER), ">" if descending else "<", measure))
    rivals = Part(
        (PatternNode(_OTHER, node.labels),),
        tuple(_renamed(hop, renamed) for hop in own),
        tuple(Binding(_OTHER, b.key, b.values) for b in pattern.bindings if b.node == thing),
        tuple(conditions),
    )
    return replace(pattern, filters=(*pattern.filters, *known), absent=(*pattern.absent, rivals), order=(), limit=None)


def _renamed(hop: Hop, names: dict[str, str]) -> Hop:
    start, end = names.get(hop.start, hop.start), names.get(hop.end, hop.end)
    return replace(hop, name=names[hop.name], start=start, end=end)


def _conditions(pattern: Pattern, names: dict[str, str]) -> Iterator[Filter]:
    """The conditions on a thing and its edge, for the other one."""
    for condition in pattern.filters:
        if isinstance(condition.left, Property) and condition.left.owner in names:
            yield replace(condition, left=replace(condition.left, owner=names[condition.left.owner]))
