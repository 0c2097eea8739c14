"""When two patterns are one query: the same nodes, edges, conditions and columns, whatever they are called."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import fields, is_dataclass

from arcgraph.graph.pattern import Direction, Hop, Pattern

# Neighbourhoods of so many hops tell the nodes of a pattern apart (colour refinement: B. Weisfeiler, A. Leman, 1968).
_ROUNDS = 4
# What is told of nodes and hops where they stand.
_ELEMENTS = ("nodes", "hops", "bindings", "filters", "returns", "grouped")


def signature(pattern: Pattern) -> Hashable:
    """Equal for patterns that differ only in the names and the order of nodes, hops and conditions.

    Patterns with absent parts are only equal to themselves.
    """
    if pattern.absent:
        return repr(pattern)
    names = [node.name for node in pattern.nodes] + [hop.name for hop in pattern.hops]
    colours: dict[str, Hashable] = {name: _said_of(pattern, name) for name in names}
    for _ in range(_ROUNDS):
        colours |= {
            node.name: (colours[node.name], _around(pattern.hops, node.name, colours)) for node in pattern.nodes
        }
    nodes = _sorted(colours[node.name] for node in pattern.nodes)
    hops = _sorted(_edge(hop, colours) for hop in pattern.hops)
    rest = [(f.name, repr(getattr(pattern, f.name))) for f in fields(pattern) if f.name not in _ELEMENTS]
    columns = [(p.name, p.hidden, type(p.expression).__name__) for p in pattern.returns]
    return nodes, hops, tuple(rest), tuple(columns)


def _said_of(pattern: Pattern, name: str) -> Hashable:
    """Labels, conditions and columns of an element, without its name."""
    labels = [node.labels for node in pattern.nodes if node.name == name]
    conditions = [b for b in pattern.bindings if b.node == name]
    filters = [f for f in pattern.filters if name in _named(f)]
    columns = [(i, p.expression) for i, p in enumerate(pattern.returns) if name in _named(p.expression)]
    groups = pattern.grouped
    grouped = groups is not None and (name in groups.by, [m for m in groups.measures if name in _named(m)])
    told = repr((labels, sorted(map(repr, conditions)), sorted(map(repr, filters)), columns, grouped))
    return told.replace(repr(name), "''")


def _named(part: object) -> set[str]:
    """The elements that a part of a pattern speaks of."""
    if not is_dataclass(part):
        return set()
    found: set[str] = set()
    for one in fields(part):
        value = getattr(part, one.name)
        found |= {value} if one.name == "owner" else _named(value)
    return found


def _around(hops: Iterable[Hop], name: str, colours: dict[str, Hashable]) -> tuple[Hashable, ...]:
    return _sorted(_edge(hop, colours) for hop in hops if name in (hop.start, hop.end))


def _edge(hop: Hop, colours: dict[str, Hashable]) -> Hashable:
    """A hop with its ends, always along its arrow."""
    start, end = colours[hop.start], colours[hop.end]
    if hop.direction == Direction.BOTH:
        return hop.descriptors, colours[hop.name], _sorted((start, end)), "both"
    ends = (start, end) if hop.direction == Direction.OUT else (end, start)
    return hop.descriptors, colours[hop.name], ends, "along"


def _sorted(items: Iterable[Hashable]) -> tuple[Hashable, ...]:
    return tuple(sorted(items, key=repr))
