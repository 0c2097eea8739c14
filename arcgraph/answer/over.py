"""Over how many things an aggregate was taken, so that a person sees at once whether these were meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arcgraph.graph.pattern import Aggregate, Entity, Filter, Pattern, Projection, Property
from arcgraph.interpret.verbalise import phrase

_COUNT = "count"


@dataclass(frozen=True, slots=True)
class Extent:
    """The query that counts the things that were aggregated, and what one of them is called."""

    pattern: Pattern
    noun: str

    def words(self, count: int) -> str:
        """The count in words."""
        return f"over {count} {self.noun if count == 1 else plural(self.noun)}"


def extent_of(pattern: Pattern) -> Extent | None:
    """What the aggregates of a pattern are taken over.

    ``None`` where nothing is aggregated, where that count is itself what is returned, where the aggregates are of
    different things, and where groups were left out or parts are optional, so that a count of all would mislead.
    """
    shown = [column.expression for column in pattern.returns]
    aggregates = [one for one in shown if isinstance(one, Aggregate)]
    if not aggregates or pattern.having or pattern.optional or pattern.asides:
        return None
    if pattern.grouped is not None:
        # Its groups are what is aggregated.
        is_one = len(pattern.grouped.by) == 1 and not pattern.grouped.having
        return _over(pattern, pattern.grouped.by[0], ()) if is_one else None
    if all(isinstance(one, Aggregate) and one.function in ("count", "exists") for one in shown):
        return None
    measured = [one.of for one in aggregates if isinstance(one.of, Entity | Property)]
    owners = {of.owner for of in measured}
    if len(measured) < len(aggregates) or len(owners) != 1:
        return None
    return _over(pattern, owners.pop(), [of for of in measured if isinstance(of, Property)])


def _over(pattern: Pattern, owner: str, measured: Sequence[Property]) -> Extent | None:
    nodes = {node.name: phrase(node.labels[0]) for node in pattern.nodes if node.labels}
    edges = {hop.name: f"{phrase(hop.descriptors[0].text)} edge" for hop in pattern.hops if len(hop.descriptors) == 1}
    noun = (nodes | edges).get(owner)
    if noun is None:
        return None
    # Of several properties a thing may have just one.
    known = tuple(Filter(of, "is not null") for of in measured) if len(set(measured)) == 1 else ()
    match = replace(pattern, filters=(*pattern.filters, *known[:1]))
    return Extent(match.returning(Projection(Aggregate("count", Entity(owner), distinct=True), _COUNT)), noun)


def plural(noun: str) -> str:
    """An English noun in the plural; one that looks like a plural stays."""
    if noun.endswith("s") and not noun.endswith("ss"):
        return noun
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("ss", "x", "ch", "sh")) else "s")
