"""Aggregates over branches of their own: "for each port, the average tonnage of its ships and the number of its piers".

In one match every ship would meet every pier, and one type could not lead to both; so each branch is aggregated for
itself.
"""

from __future__ import annotations

from dataclasses import replace

from arcgraph.graph.pattern import Aggregate, Aside, Entity, Grouped, Measure, Pattern, Projection, Property
from arcgraph.interpret.tables.catalog import Catalog
from arcgraph.interpret.tables.parse import Draft, name_of_node
from arcgraph.interpret.tables.parts import names_of, taken


def with_asides(pattern: Pattern, draft: Draft, catalog: Catalog) -> Pattern:
    """The pattern with all branches but the first aggregated by themselves, where its aggregates are of several."""
    around = (pattern.absent, pattern.choices, pattern.optional, pattern.having, pattern.grouped)
    keys = {_owner(p) for p in pattern.returns if not isinstance(p.expression, Aggregate)}
    aggregates = [p for p in pattern.returns if isinstance(p.expression, Aggregate)]
    if any(around) or any(p.hidden for p in pattern.returns) or len(keys) != 1 or len(aggregates) < 2:
        return pattern
    key = next((i for i in range(len(draft.nodes)) if name_of_node(i) in keys), None)
    if key is None or any(_owner(p) is None for p in aggregates) or not _are_names(pattern, draft, key, catalog):
        return pattern
    branches = _branches(draft, key)
    homes = [next((n for n, names in enumerate(branches) if _owner(p) in names), None) for p in aggregates]
    if None in homes or len(set(homes)) < 2:
        return pattern
    named = {p.name: f"{n}" for n, p in enumerate(aggregates)}
    asides = []
    for home in sorted({home for home in homes[1:] if home is not None and home != homes[0]}):
        part, pattern = taken(pattern, branches[home])
        own = [p for p, at in zip(aggregates, homes, strict=True) if at == home]
        asides.append(Aside(part, tuple(Projection(p.expression, named[p.name]) for p in own)))
    first = [p for p, at in zip(aggregates, homes, strict=True) if at == homes[0]]
    return replace(
        pattern,
        returns=tuple(replace(p, expression=Measure(named[p.name])) if p.name in named else p for p in pattern.returns),
        grouped=Grouped((name_of_node(key),), tuple(Projection(p.expression, named[p.name]) for p in first)),
        asides=tuple(asides),
        distinct=False,
    )


def _are_names(pattern: Pattern, draft: Draft, key: int, catalog: Catalog) -> bool:
    """Whether the columns that are no aggregates are a node or its names: "for each colour" groups no nodes."""
    label = draft.nodes[key].label
    names = {*catalog.naming(label), catalog.main_key(label)}
    keys = [p.expression for p in pattern.returns if not isinstance(p.expression, Aggregate)]
    return all(isinstance(k, Entity) or (isinstance(k, Property) and k.key in names) for k in keys)


def _owner(column: Projection) -> str | None:
    """The variable that a column is of; ``None`` where it is of none."""
    of = column.expression.of if isinstance(column.expression, Aggregate) else column.expression
    return of.owner if isinstance(of, Property | Entity) else None


def _branches(draft: Draft, key: int) -> list[set[str]]:
    """The variables of what hangs together without a node, each with the hops that lead to it."""
    found: list[set[int]] = []
    for i in range(len(draft.nodes)):
        if i == key:
            continue
        joined = {i}
        for hop in draft.hops:
            joined |= {hop.start, hop.end} - {key} if joined & {hop.start, hop.end} else set()
        found = [*(one for one in found if not one & joined), joined.union(*(one for one in found if one & joined))]
    return [names_of(nodes, {i for i, hop in enumerate(draft.hops) if nodes & {hop.start, hop.end}}) for nodes in found]
