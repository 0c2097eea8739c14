"""When two patterns are one query: the same nodes, edges, conditions and columns, whatever they are called."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass

from arcgraph.graph.pattern import Direction, Hop, Pattern

# Neighbourhoods of so many hops tell the nodes of a pattern apart (colour refinement: B. Weisfeiler, A. Leman, 1968).
_ROUNDS = 3
# What is told of nodes and hops where they stand.
_ELEMENTS = ("nodes", "hops", "bindings", "filters", "returns", "grouped")


def signature(pattern: Pattern) -> Hashable:
    """Equal for patterns that differ only in the names and the order of nodes, hops and conditions.

    Patterns with parts around them are only equal to themselves.
    """
    if pattern.absent or pattern.choices or pattern.optional or pattern.asides:
        return repr(pattern)
    said = _said(pattern)
    colours = {name: hash(said[name]) for name in said}
    for _ in range(_ROUNDS):
        colours |= {n.name: hash((colours[n.name], _around(pattern.hops, n.name, colours))) for n in pattern.nodes}
    nodes = _sorted(colours[node.name] for node in pattern.nodes)
    hops = _sorted(_edge(hop, colours) for hop in pattern.hops)
    rest = [(f.name, repr(getattr(pattern, f.name))) for f in fields(pattern) if f.name not in _ELEMENTS]
    rest += [("measured", repr(pattern.grouped.having))] if pattern.grouped is not None else []
    columns = [(p.name, p.hidden, "" if _named(p) else repr(p.expression)) for p in pattern.returns]
    return nodes, hops, tuple(rest), tuple(columns)


def _said(pattern: Pattern) -> dict[str, str]:
    """Labels, conditions and columns of each element, without its name."""
    found: dict[str, list[str]] = {hop.name: [] for hop in pattern.hops}
    found |= {node.name: [repr(node.labels)] for node in pattern.nodes}
    groups = pattern.grouped
    told: list[object] = [*pattern.bindings, *pattern.filters, *enumerate(pattern.returns)]
    told += groups.measures if groups is not None else ()
    for part in told:
        for name in _named(part):
            found[name].append(repr(part).replace(repr(name), "''"))
    for name in groups.by if groups is not None else ():
        found[name].append("grouped by")
    return {name: "|".join(sorted(parts)) for name, parts in found.items()}


def _named(part: object) -> set[str]:
    """The elements that a part of a pattern speaks of."""
    if isinstance(part, tuple):
        return set().union(*map(_named, part))
    if not is_dataclass(part):
        return set()
    found: set[str] = set()
    for one in fields(part):
        value = getattr(part, one.name)
        found |= {value} if one.name in ("owner", "node") else _named(value)
    return found


def _around(hops: Iterable[Hop], name: str, colours: Mapping[str, int]) -> tuple[int, ...]:
    return _sorted(_edge(hop, colours) for hop in hops if name in (hop.start, hop.end))


def _edge(hop: Hop, colours: Mapping[str, int]) -> int:
    """A hop with its ends, always along its arrow."""
    own, start, end = repr(hop.descriptors), colours[hop.start], colours[hop.end]
    if hop.direction == Direction.BOTH:
        return hash((own, colours[hop.name], _sorted((start, end))))
    return hash(
        (own, colours[hop.name], start, end) if hop.direction == Direction.OUT else (own, colours[hop.name], end, start)
    )


def _sorted(items: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(items))
