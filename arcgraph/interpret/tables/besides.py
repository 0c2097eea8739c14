"""Numbers of things that are asked for besides: "the clubs of a league, and how many venues each of them has"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arcgraph.graph.pattern import Aggregate, Entity, Pattern
from arcgraph.interpret.marks import Deed, Mark
from arcgraph.interpret.tables.asked import Asked
from arcgraph.interpret.tables.english import BESIDES_WORDS, EACH_WORDS
from arcgraph.interpret.tables.parse import Draft, Use, name_of_node
from arcgraph.interpret.tables.parts import beyond, hop_to, names_of, returned, taken

# Such words stand so few before the number.
_REACH = 6


def with_optional_counts(pattern: Pattern, asked: Asked, draft: Draft, uses: Sequence[Use]) -> Pattern:
    """The pattern with what is counted besides as optional, so that things without any are returned with 0."""
    aggregates = [p.expression for p in pattern.returns if isinstance(p.expression, Aggregate)]
    is_plain = len(aggregates) < len(pattern.returns) and not pattern.having and pattern.grouped is None
    if not is_plain or len(aggregates) != 1 or pattern.absent or pattern.choices:
        return pattern
    counted = aggregates[0]
    mark = next((m for m in asked.marks if _is_besides(asked, m)), None)
    if mark is None or counted.function != "count" or not isinstance(counted.of, Entity):
        return pattern
    hop = _branch(asked, draft, uses, counted.of.owner, mark)
    return pattern if hop is None else _apart(pattern, draft, hop, counted.of.owner)


def _is_besides(asked: Asked, mark: Mark) -> bool:
    """Whether a mark counts behind what was asked for first."""
    if mark.deed != Deed.AGGREGATE or mark.value != "count" or mark.doubtful:
        return False
    at = next((i for i, unit in enumerate(asked.units) if unit.start >= mark.start), 0)
    before = [unit.text for unit in asked.units[max(0, at - _REACH) : at]]
    behind = {unit.text for unit in asked.units[at:]}
    is_each = "how" in before or mark.text.lower().startswith("how") or bool(behind & EACH_WORDS)
    return at > 2 and is_each and bool(BESIDES_WORDS & set(before)) and "," in asked.text[: mark.start]


def _branch(asked: Asked, draft: Draft, uses: Sequence[Use], counted: str, mark: Mark) -> int | None:
    """The hop at which the branch that only the counting speaks of begins."""
    node = next((i for i in range(len(draft.nodes)) if name_of_node(i) == counted), None)
    found = None
    while node is not None and not _was_told(asked, uses, node, mark):
        hop = hop_to(draft, node)
        if hop is None or any(u.side == "relationship" and u.at == hop and _char(asked, u) < mark.start for u in uses):
            return None
        found, node = hop, draft.hops[hop].start
    return found


def _was_told(asked: Asked, uses: Sequence[Use], node: int, mark: Mark) -> bool:
    return node == 0 or any(u.side == "node" and u.at == node and _char(asked, u) < mark.start for u in uses)


def _char(asked: Asked, use: Use) -> int:
    return asked.units[use.first].start


def _apart(pattern: Pattern, draft: Draft, hop: int, counted: str) -> Pattern:
    names = names_of(*beyond(draft, hop))
    plain = [p for p in pattern.returns if not isinstance(p.expression, Aggregate)]
    if names & returned(replace(pattern, returns=tuple(plain))) or counted not in names:
        return pattern
    part, rest = taken(pattern, names)
    return replace(rest, optional=(*rest.optional, part))
