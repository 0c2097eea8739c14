"""Which way the edges of a query point: by the schema, or between two nodes of one label by the wording."""

from __future__ import annotations

from arcgraph.graph.pattern import Direction
from arcgraph.interpret.direction import expected_direction, owned_direction, voiced_direction
from arcgraph.interpret.question import Intent, Question, Token
from arcgraph.interpret.tables.english import MUTUAL_WORDS, POSSESSIVES
from arcgraph.interpret.tables.mentions import Asked
from arcgraph.interpret.tables.parse import Draft, Use


def directions(asked: Asked, draft: Draft) -> list[Direction]:
    """The direction of each hop of a draft, seen from its start.

    Between two nodes of one label either way is meant where no word says the relation, or one that holds both ways.
    """
    found = []
    for i, link in enumerate(draft.hops):
        if draft.nodes[link.start].label != draft.nodes[link.end].label:
            found.append(Direction.OUT if link.forward else Direction.IN)
        else:
            found.append(_by_wording(asked, draft, i))
    return found


def _by_wording(asked: Asked, draft: Draft, i: int) -> Direction:
    link = draft.hops[i]
    said = next((u for u in draft.uses if u.kind == "relation" and u.at == i), None)
    if said is None or _is_mutual(asked, said):
        return Direction.BOTH
    words = [unit.text for unit in asked.units]
    if said.first and words[said.first - 1] in POSSESSIVES and link.start == _owner(draft, i):
        return owned_direction(link.type, words[said.last - 1]) or Direction.BOTH
    if (
        words[said.last : said.last + 1] == ["by"]
        and words[said.last + 1 : said.last + 2][0:1]
        and (words[said.last + 1] in POSSESSIVES)
    ):
        return voiced_direction(link.type, passive=True)
    if words[said.last : said.last + 1] and words[said.last] in POSSESSIVES:
        return voiced_direction(link.type, passive=False)
    ends = [u for u in draft.uses if u.side == "node" and u.at in (link.start, link.end) and u.kind != "property"]
    behind = [u for u in ends if u.first >= said.last]
    before = [u for u in ends if u.last <= said.first]
    # The thing spoken of right behind the verb, else the one right before it.
    other = min(behind, key=lambda u: u.first, default=None) or max(before, key=lambda u: u.last, default=None)
    if other is None:
        return Direction.BOTH
    span = asked.units[other.first].start, asked.units[other.last - 1].end
    found = expected_direction(_question(asked), span, said.last - 1, link.type) or Direction.BOTH
    return found if other.at == link.start else found.opposite


def _owner(draft: Draft, i: int) -> int:
    """The node whose the other end of a hop is, where both ends are joined by another hop as well; -1 elsewhere."""
    link = draft.hops[i]
    others = [hop for n, hop in enumerate(draft.hops) if n != i and (hop.start, hop.end) == (link.start, link.end)]
    return link.start if others else -1


def _is_mutual(asked: Asked, said: Use) -> bool:
    """Whether what is said of two things holds as well the other way round ("lives with", "is related to")."""
    words = {unit.text for unit in asked.units[said.first : said.last]}
    follows = asked.units[said.last].text if said.last < len(asked.units) else ""
    return follows == "with" or bool(words & MUTUAL_WORDS)


def _question(asked: Asked) -> Question:
    tokens = tuple(Token(asked.text[u.start : u.end], u.start, u.end) for u in asked.units)
    return Question(asked.text, tokens, Intent.LIST)
