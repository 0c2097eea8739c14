"""Parts of a query that stand apart from its match: what must be absent, the sides of a choice, numbers besides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from arcgraph.graph.pattern import Aggregate, Binding, Entity, Filter, Part, Pattern, Property
from arcgraph.interpret.tables.parse import Draft, name_of_hop, name_of_node


def hop_to(draft: Draft, node: int) -> int | None:
    """The first hop that leads to a node, by number; ``None`` for the node that all begins at."""
    return next((i for i, hop in enumerate(draft.hops) if hop.end == node), None)


def beyond(draft: Draft, hop: int) -> tuple[set[int], set[int]]:
    """The nodes that a hop leads to, and the hops on that way and to them, by number: drafts are trees whose hops lead
    away from the first node, but for hops that join two nodes once more."""
    nodes, hops = {draft.hops[hop].end}, {hop}
    for i, link in enumerate(draft.hops):
        if i > hop and link.start in nodes:
            nodes.add(link.end)
    return nodes, hops | {i for i, link in enumerate(draft.hops) if link.start in nodes or link.end in nodes}


def names_of(nodes: Iterable[int], hops: Iterable[int]) -> set[str]:
    """The variables of nodes and hops of a draft."""
    return {name_of_node(i) for i in nodes} | {name_of_hop(i) for i in hops}


def returned(pattern: Pattern) -> set[str]:
    """The variables that columns, measures and groups are of."""
    first = pattern.grouped
    beside = [m for aside in pattern.asides for m in aside.measures]
    made = [p.expression for p in (*pattern.returns, *(first.measures if first is not None else ()), *beside)]
    operands = [e.of if isinstance(e, Aggregate) else e for e in made]
    found = {o.owner for o in operands if isinstance(o, Property | Entity)}
    return found | set(first.by if first is not None else ())


def taken(
    pattern: Pattern, names: set[str], is_more: Callable[[Binding | Filter], bool] | None = None
) -> tuple[Part, Pattern]:
    """The elements of some names with their conditions, and ``is_more`` conditions, as a part; and the pattern without
    it."""

    def is_taken(one: Binding | Filter) -> bool:
        owner = one.node if isinstance(one, Binding) else one.left.owner
        return owner in names or (is_more is not None and is_more(one))

    part = Part(
        tuple(n for n in pattern.nodes if n.name in names),
        tuple(h for h in pattern.hops if h.name in names),
        tuple(b for b in pattern.bindings if is_taken(b)),
        tuple(f for f in pattern.filters if is_taken(f)),
    )
    rest = replace(
        pattern,
        nodes=tuple(n for n in pattern.nodes if n.name not in names),
        hops=tuple(h for h in pattern.hops if h.name not in names),
        bindings=tuple(b for b in pattern.bindings if not is_taken(b)),
        filters=tuple(f for f in pattern.filters if not is_taken(f)),
    )
    return part, rest
