"""Which way an edge points, told from the wording: who pays and who is paid.

Needed only where a relation joins nodes of the same label, so that the schema allows both ways. English grammar alone
decides: active or passive, "of" and possessives, and what the relation's own name says ("_by", "_of", "has_").
"""

from __future__ import annotations

from functools import lru_cache

from arcgraph.graph.pattern import Direction
from arcgraph.interpret.english import AGENT_ENDINGS, COPULAS, IRREGULAR_FORMS, POSSESSIVES, PREPOSITIONS
from arcgraph.interpret.question import Question
from arcgraph.interpret.verbalise import split_name

_SKIPPED = frozenset("the a an this that any".split())
_OF = frozenset(("of", "for"))
_HAVING = frozenset("have has had having with".split())
_PLACED = frozenset(("in", "within", "inside", "on", "at"))


def expected_direction(question: Question, span: tuple[int, int], place: int, relation: str) -> Direction | None:
    """How a hop from the anchor at ``span`` (characters) over ``relation`` should point; ``None`` where nothing tells.

    ``place`` is the token that words the relation, negative where none does.
    """
    tokens = question.tokens
    inside = [i for i, t in enumerate(tokens) if t.start < span[1] and span[0] < t.end]
    name = split_name(relation)
    if not inside or place in inside or not name:
        return None
    first, last = inside[0], inside[-1]
    link = _word_before(question, first)
    if name[-1] in PREPOSITIONS and (link == name[-1] or {link, name[-1]} <= _PLACED):
        # "in ANCHOR" is the far end of located_in.
        return Direction.IN
    if place < 0:
        return None
    if _fills_role(question, first, last, place):
        found = _of_relation(name, tokens[place].lower)
        return found.opposite if found else None
    if place < first:
        if link in _OF:
            return _of_relation(name, tokens[place].lower)
        return _by_voice(name, anchor_acts=link == "by")
    if question.text[span[1] : span[1] + 2] in ("'s", "’s") or question.text[span[0] : span[1]].endswith(("'s", "’s")):
        return _of_relation(name, tokens[place].lower)
    passive = place + 1 < len(tokens) and tokens[place + 1].lower == "by"
    return _by_voice(name, anchor_acts=not passive and last < place)


def owned_direction(relation: str, word: str) -> Direction | None:
    """How a hop should point from the one whose WORD its other end is said to be ("their fathers")."""
    return _of_relation(split_name(relation), word)


def voiced_direction(relation: str, *, passive: bool) -> Direction:
    """How a hop should point from the subject of the verb that words it."""
    return _by_voice(split_name(relation), anchor_acts=not passive)


def _fills_role(question: Question, first: int, last: int, place: int) -> bool:
    """Whether the anchor is said to be what the relation's word says: "whose WORD is ANCHOR", "has ANCHOR as WORD"."""
    words = [token.lower for token in question.tokens]
    if place < first:
        return words[place - 1 : place] == ["whose"] and _word_before(question, first) in COPULAS
    between = [word for word in words[last + 1 : place] if word not in _SKIPPED and word not in POSSESSIVES]
    return between == ["as"] and _word_before(question, first) in _HAVING


def _word_before(question: Question, at: int) -> str:
    """The token before ``at``, articles skipped; empty at the beginning."""
    for i in range(at - 1, -1, -1):
        if question.tokens[i].lower not in _SKIPPED:
            return question.tokens[i].lower
    return ""


def _by_voice(name: tuple[str, ...], *, anchor_acts: bool) -> Direction:
    """An active name ("PAID") starts at who acts, a passive one ("PAID_BY") at whom it happens to."""
    passive_name = name[-1] == "by"
    return Direction.OUT if anchor_acts != passive_name else Direction.IN


def _of_relation(name: tuple[str, ...], word: str) -> Direction | None:
    """ "the WORD of ANCHOR", or "ANCHOR's WORD": the answer bears the relation to the anchor."""
    if name[-1] == "of":
        return Direction.IN
    if name[-1] == "by" or name[0] in ("has", "have"):
        return Direction.OUT
    if word.endswith("ee") or word.endswith("ees"):
        return Direction.OUT
    if word.rstrip("s") == name[-1].rstrip("s"):
        # The relation's own noun ("the parents of"), however like a verb its plural looks.
        return Direction.OUT
    if _is_verb(name[0]):
        return Direction.IN
    # A bare noun ("parent") leads, by the convention of subject-predicate-object data, to the one who is it.
    return Direction.OUT


def _is_verb(word: str) -> bool:
    """Whether a relation's first word is inflected as verbs are ("follows", "paid", "leading", "built")."""
    return (
        word in IRREGULAR_FORMS
        or word.endswith(("ed", "ing", "id"))
        or (word.endswith("s") and not word.endswith(("ss", "us")))
    )


@lru_cache(maxsize=50_000)
def role_direction(word: str, relation: str) -> Direction | None:
    """Which way the last hop must point for its end to be a ``word``; ``None`` where the forms do not tell.

    "sailors" stand at the beginning of SAILED_ON and at the end of has_sailors and sailed_by, a "keeper" at the
    beginning of KEEPER_OF.
    """
    name = split_name(relation)
    if not name:
        return None
    if name[-1] == "of":
        return Direction.IN
    if name[0] in ("has", "have"):
        return Direction.OUT
    acts = word.rstrip("s").endswith(AGENT_ENDINGS)
    if name[-1] == "by":
        return Direction.OUT if acts else None
    if word.rstrip("s") in {part.rstrip("s") for part in name}:
        return Direction.OUT if len(name) > 1 or not _is_verb(name[0]) else None
    if _is_verb(name[0]) and acts:
        return Direction.IN
    return None


@lru_cache(maxsize=50_000)
def agent_direction(relation: str) -> Direction | None:
    """Which way a hop must point for its end to be who acts in it; ``None`` where the name does not tell.

    "Who built" asks for the end of built_by and has_builders, and for the beginning of BUILT.
    """
    name = split_name(relation)
    if not name:
        return None
    if name[-1] == "by" or name[0] in ("has", "have") or name[-1].rstrip("s").endswith(AGENT_ENDINGS):
        return Direction.OUT
    return Direction.IN if _is_verb(name[0]) or name[-1] == "of" else None
