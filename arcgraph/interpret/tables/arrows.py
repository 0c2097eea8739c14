"""Which way the edges of a query point, and who acts in them: by the schema, or else by the wording."""

from __future__ import annotations

from arcgraph.graph.pattern import Direction
from arcgraph.interpret.direction import expected_direction, owned_direction, voiced_direction
from arcgraph.interpret.english import ARTICLES, COPULAS, IRREGULAR_FORMS, POSSESSIVES, PREPOSITIONS
from arcgraph.interpret.question import Intent, Question, Token
from arcgraph.interpret.tables.asked import Asked
from arcgraph.interpret.tables.catalog import Catalog, are_same
from arcgraph.interpret.tables.english import (
    COHABITING_PHRASES,
    LIGHT_VERBS,
    MUTUAL_WORDS,
    NOUN_ENDINGS,
    OWNING_VERBS,
    RECEIVING_VERBS,
    RELATIVE_PRONOUNS,
)
from arcgraph.interpret.tables.parse import Draft, Link, Use
from arcgraph.interpret.verbalise import last_word, split_name


def directions(asked: Asked, draft: Draft, catalog: Catalog) -> list[Direction]:
    """The direction of each hop of a draft, seen from its start.

    Where the graph has edges of a type both ways between two labels, either way is meant if no word says the relation,
    or one that holds both ways.
    """
    found: list[Direction] = []
    for i, link in enumerate(draft.hops):
        start, end = draft.nodes[link.start].label, draft.nodes[link.end].label
        if not catalog.goes_both_ways(link.type, start, end):
            found.append(Direction.OUT if link.forward else Direction.IN)
        elif (same := _same_verb(draft, i)) is not None:
            found.append(found[same])
        else:
            found.append(_by_wording(asked, draft, i))
    return found


def _same_verb(draft: Draft, i: int) -> int | None:
    """The hop before that is one more object of the same verb ("met both Ann and Ben")."""
    link = draft.hops[i]
    if any(use.kind == "relation" and use.at == i for use in draft.uses) or link.paid:
        return None
    return next((n for n in range(i) if draft.hops[n][:2] == link[:2] and draft.hops[n].forward == link.forward), None)


def _by_wording(asked: Asked, draft: Draft, i: int) -> Direction:
    link = draft.hops[i]
    said = next((u for u in draft.uses if u.kind == "relation" and u.at == i), None)
    if said is None or _is_mutual(asked, said, link.type):
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
    owner = max((u for u in ends if u.last <= said.first), key=lambda u: u.last, default=None)
    if owner is not None and _is_had(words, said) and (owned := owned_direction(link.type, words[said.last - 1])):
        # "Courses that have no prerequisites": PREREQUISITE_OF leads to them.
        return owned if owner.at == link.start else owned.opposite
    behind = [u for u in ends if u.first >= said.last]
    before = [u for u in ends if u.last <= said.first]
    # The thing spoken of right behind the verb, else the one right before it.
    other = min(behind, key=lambda u: u.first, default=None) or max(before, key=lambda u: u.last, default=None)
    if other is None:
        return Direction.BOTH
    span = asked.units[other.first].start, asked.units[other.last - 1].end
    found = expected_direction(_question(asked), span, said.last - 1, link.type) or Direction.BOTH
    return found if other.at == link.start else found.opposite


def _is_had(words: list[str], said: Use) -> bool:
    """Whether a relation's noun is what somebody has ("who have two mentors", "without a tutor")."""
    if _is_past(words[said.first : said.last]):
        # "Who have met": a form of the verb.
        return False
    at = said.first - 1
    while at > 0 and (words[at] in ARTICLES or words[at] in _HOW_MANY or words[at].isdigit()):
        at -= 1
    return at > 0 and words[at] in OWNING_VERBS | {"having", "without"}


_HOW_MANY = frozenset("no many most several two three four five more than at least fewer".split())


def _owner(draft: Draft, i: int) -> int:
    """The node whose the other end of a hop is, where both ends are joined by another hop as well; -1 elsewhere."""
    link = draft.hops[i]
    others = [hop for n, hop in enumerate(draft.hops) if n != i and (hop.start, hop.end) == (link.start, link.end)]
    return link.start if others else -1


def _is_mutual(asked: Asked, said: Use, relation: str) -> bool:
    """Whether what is said of two things holds as well the other way round ("lives with", "is related to").

    An edge that is called by the verb itself has that verb's subject and object, "with" or not.
    """
    words = {unit.text for unit in asked.units[said.first : said.last]}
    follows = asked.units[said.last].text if said.last < len(asked.units) else ""
    is_together = any(words.issuperset(phrase) for phrase in COHABITING_PHRASES)
    is_mutual = "with" in {follows, *words} or is_together or bool(words & MUTUAL_WORDS)
    return is_mutual and not _is_verb_of(asked.units[said.last - 1].text, relation)


def _is_verb_of(word: str, relation: str) -> bool:
    """Whether a word is the verb that a relation is called by ("interacted": INTERACTS)."""
    name = split_name(relation)
    verbs = [part for part in name if part not in PREPOSITIONS]
    return len(verbs) == 1 and not word.endswith(NOUN_ENDINGS) and are_same((word,), (verbs[0],))


def _question(asked: Asked) -> Question:
    tokens = tuple(Token(asked.text[u.start : u.end], u.start, u.end) for u in asked.units)
    return Question(asked.text, tokens, Intent.LIST)


def placed(asked: Asked, draft: Draft, catalog: Catalog) -> Draft:
    """The draft with the parts in a deed as the words give them.

    Of two relations to one label the one may lead to who acts (PAYER), the other to whom it happens (PAYEE,
    PAID), while no word names either: "accounts that made a payment", "payments to accounts".
    """
    return draft._replace(
        hops=tuple(_placed(asked, draft, link, catalog) if link.paid else link for link in draft.hops)
    )


def tells_parts(asked: Asked, draft: Draft, catalog: Catalog) -> bool:
    """Whether the words say who acts, or whom it happens to, for an edge that might lead to the other as well."""
    for link in draft.hops:
        part = _part(link.type)
        if part is not None and _parts(asked, draft, link) == {part[1]} and _opposites(draft, link, catalog):
            return True
    return False


def _opposites(draft: Draft, link: Link, catalog: Catalog) -> list[str]:
    """The types between the same labels that lead to the other part in the deed of one."""
    part = _part(link.type)
    source, target = (link.start, link.end) if link.forward else (link.end, link.start)
    ways = catalog.ways(draft.nodes[source].label, draft.nodes[target].label)
    types = [way[0].type for way in ways if len(way) == 1 and way[0].forward]
    return [kind for kind in types if part is not None and _part(kind) == (part[0], not part[1])]


def _parts(asked: Asked, draft: Draft, link: Link) -> set[bool]:
    """What the words say of the end of an edge: that it acts, or that something happens to it."""
    target = link.end if link.forward else link.start
    said = [use for use in draft.uses if use.kind in ("label", "value") and use.side == "node" and use.at == target]
    return {acts for use in said if (acts := _acts(asked, draft, use)) is not None}


def _placed(asked: Asked, draft: Draft, link: Link, catalog: Catalog) -> Link:
    part = _part(link.type)
    if part is None or _parts(asked, draft, link) != {not part[1]}:
        return link
    others = _opposites(draft, link, catalog)
    return link._replace(type=others[0]) if others else link


def _part(relation: str) -> tuple[str, bool] | None:
    """The verb in the name of a relation, and whether its end is who acts (PAYER) or not (PAID); ``None`` elsewhere."""
    word = last_word(relation)
    if word in IRREGULAR_FORMS:
        return IRREGULAR_FORMS[word], False
    for ending, acts in (("er", True), ("or", True), ("ed", False), ("ee", False)):
        if word.endswith(ending):
            return word[: -len(ending)], acts
    return None


def _acts(asked: Asked, draft: Draft, use: Use) -> bool | None:
    """Whether a thing is said to act, or that something happens to it; ``None`` where the words do not tell."""
    words = [unit.text for unit in asked.units]
    first = _begin(asked, draft, use)
    before = [word for word in words[max(0, first - 2) : first] if word not in ARTICLES]
    if before and before[-1] in _MEANS:
        return before[-1] != "by" or before[0] not in RECEIVING_VERBS
    if before and (before[-1] == "to" or (before[-1] in ("at", "on") and before[0] in RECEIVING_VERBS)):
        return False
    rest = words[use.last : use.last + 3]
    if use.kind == "value":
        return False if rest and rest[0] in RECEIVING_VERBS else None
    is_clause = bool(rest) and rest[0] in RELATIVE_PRONOUNS
    rest = rest[1:] if is_clause else rest
    if not rest:
        return None
    if rest[0] in COPULAS:
        return False if _is_past(rest[1:2]) else None
    if rest[0] in RECEIVING_VERBS:
        return False
    if rest[0] in OWNING_VERBS or (not _is_past(rest) and rest[0] not in LIGHT_VERBS):
        return None
    if rest[1:2] == ["by"]:
        return False
    # "The accounts paid" may be short for those that were paid.
    tells = is_clause or before[-1:] in (["which"], ["what"]) or rest[1:2] in (["a"], ["an"], ["the"])
    return True if tells else None


# Words before who does something, or what it is done with.
_MEANS = frozenset("by from using via through".split())


def _begin(asked: Asked, draft: Draft, use: Use) -> int:
    """Where what is said of a thing right before a use begins ("the phone number 555-0199")."""
    words = [unit.text for unit in asked.units]
    said = next((i for i in range(use.first, use.last) if words[i] not in PREPOSITIONS), use.first)
    if said > use.first:
        # A preposition that says as well how a value compares.
        return said
    own = {i for u in draft.uses if (u.side, u.at) == (use.side, use.at) for i in range(u.first, u.last)}
    first = use.first
    while first and (first - 1 in own or first - 1 in asked.numbering or words[first - 1] in ARTICLES):
        first -= 1
    return first


def _is_past(words: list[str]) -> bool:
    return bool(words) and (words[0].endswith("ed") or words[0] in IRREGULAR_FORMS)
