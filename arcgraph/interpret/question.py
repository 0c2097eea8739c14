"""A question as tokens, with what its form says: what is asked for, and whether to count, to confirm or to list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from arcgraph.interpret.english import (
    ABOUT_WORDS,
    AGENT_ENDINGS,
    ARTICLES,
    CLASS_NOTION,
    CLASS_NOUNS,
    COMMAND_WORDS,
    COPULAS,
    COUNT_PHRASES,
    DEMONSTRATIVES,
    DETERMINERS,
    FUNCTION_WORDS,
    IRREGULAR_FORMS,
    MOMENT_NOUNS,
    NOTIONS,
    PERSON_WORDS,
    PREPOSITIONS,
    QUESTION_WORDS,
    RETURN_WORDS,
    SUBJECT_WORDS,
    YES_NO_STARTS,
)
from arcgraph.interpret.marks import Deed, signs_of
from arcgraph.search.text import is_unspaced

# A possessive ends a word; other apostrophes and hyphens belong to it. Where a script has no spaces, a whole run of it
# is one token.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+(?:['’](?!s\b)[^\W_{_UNSPACED}]+)*")


class Intent(StrEnum):
    """The form of the answer."""

    LIST = "list"
    COUNT = "count"
    YES_NO = "yes_no"
    DESCRIBE = "describe"


@dataclass(frozen=True, slots=True)
class Token:
    """One word of the question; ``start`` and ``end`` are character offsets into its text."""

    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Question:
    """The tokens of a question and its intent."""

    text: str
    tokens: tuple[Token, ...]
    intent: Intent


@dataclass(frozen=True, slots=True)
class View:
    """A question seen from its anchors: the other content words, and how far each is from the nearest anchor.

    ``asked`` are the words for what is asked, ``places`` the content words' tokens in the question. ``sites`` and
    ``anchors`` are positions of words and anchors once every anchor counts as one token. ``links`` are the function
    words between each content word and the one before it, ``None`` where that is an anchor or nothing. ``acts`` is the
    verb whose subject is asked for ("who built …"), empty where there is none.
    """

    words: tuple[str, ...]
    places: tuple[int, ...]
    distances: tuple[int, ...]
    asked: tuple[str, ...]
    sites: tuple[int, ...] = ()
    anchors: tuple[int, ...] = ()
    links: tuple[tuple[str, ...] | None, ...] = ()
    acts: str = ""

    def belongs_elsewhere(self, word: int, anchor: int) -> bool:
        """Whether a content word stands nearer to another anchor than to ``anchor``, by number in the question's order.

        Of two equally near ones the word leads on to the one that follows it ("built by A and led by B").
        """
        at = self.sites[word]
        distance = [a - at if a > at else at - a + 0.5 for a in self.anchors]
        # Two mentions that share a token are one anchor here.
        return min(distance) < distance[min(anchor, len(distance) - 1)]


def read_question(text: str) -> Question:
    """Tokens and intent of a question."""
    tokens = tuple(Token(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(text))
    # "The phone number of" counts nothing.
    nouns = {m.start for m in signs_of(text)[1] if m.deed == Deed.AGGREGATE and m.doubtful}
    return Question(text, tokens, _intent(["" if t.start in nouns else t.lower for t in tokens]))


def _intent(words: list[str]) -> Intent:
    pairs = set(pairwise(words))
    if any(phrase in pairs for phrase in COUNT_PHRASES):
        return Intent.COUNT
    if words and words[0] in YES_NO_STARTS and words[1:2] != ["you"]:
        return Intent.YES_NO
    return Intent.LIST


def asks_when(question: Question) -> bool:
    """Whether a moment is asked for: "when", "in what year", "on which date"."""
    words = [token.lower for token in question.tokens[:_OPENING]]
    for i, word in enumerate(words):
        if word not in QUESTION_WORDS:
            continue
        return word == "when" or (word in DETERMINERS and words[i + 1 : i + 2] != [] and words[i + 1] in MOMENT_NOUNS)
    return False


# A question word stands among so many words at the beginning.
_OPENING = 4


def view_from(question: Question, spans: Iterable[tuple[int, int]]) -> View:
    """The question without the given character spans, each of which counts as one token."""
    spans = sorted(spans)
    sequence: list[str | None] = []
    originals: list[int] = []
    for at, token in enumerate(question.tokens):
        for piece in _pieces(token, spans):
            if piece is None and sequence and sequence[-1] is None and not _begins_in(token, spans):
                continue
            sequence.append(piece)
            originals.append(at)
    anchors = [i for i, word in enumerate(sequence) if word is None] or [0]
    opening = _opening(sequence)
    kept = [
        i
        for i, word in enumerate(sequence)
        if word is not None and word not in FUNCTION_WORDS and not (i < opening and word in COMMAND_WORDS)
    ]
    kept = _without_count_words(question, sequence, kept)
    # "describing what it is about" says one thing.
    about = [i for i in kept if sequence[i] in ABOUT_WORDS]
    kept = [i for i in kept if i not in about[1:]]
    return View(
        words=tuple(w for i in kept if (w := sequence[i])),
        places=tuple(originals[i] for i in kept),
        distances=tuple(_distance(question, sequence, originals, anchors, i) for i in kept),
        asked=_asked(question, sequence),
        sites=tuple(kept),
        anchors=tuple(anchors),
        links=tuple(_link(sequence, kept, i) for i in range(len(kept))),
        acts=_acts(sequence),
    )


def _link(sequence: list[str | None], kept: list[int], i: int) -> tuple[str, ...] | None:
    if i == 0:
        return None
    between = sequence[kept[i - 1] + 1 : kept[i]]
    return None if None in between else tuple(word for word in between if word is not None)


def joined_words(view: View, are_one_name: Callable[[str, str, tuple[str, ...]], bool]) -> View:
    """The view with each run of words that are one name ("date of birth") as a single word of several parts.

    ``are_one_name`` tells of two neighbours and the function words between them.
    """
    runs: list[list[int]] = []
    for i, word in enumerate(view.words):
        link = view.links[i] if view.links else None
        if runs and link is not None and are_one_name(view.words[runs[-1][-1]], word, link):
            runs[-1].append(i)
        else:
            runs.append([i])
    if len(runs) == len(view.words):
        return view
    return replace(
        view,
        words=tuple(" ".join(view.words[i] for i in run) for run in runs),
        places=tuple(view.places[run[-1]] for run in runs),
        distances=tuple(min(view.distances[i] for i in run) for run in runs),
        sites=tuple(view.sites[run[-1]] for run in runs),
        links=tuple(view.links[run[0]] for run in runs),
    )


def _distance(question: Question, sequence: list[str | None], originals: list[int], anchors: list[int], at: int) -> int:
    """How far a word is from the anchor, in the order in which hops lead away from it.

    Before the anchor tokens are counted ("the students of the designer of Ys"). What follows the anchor is said of all
    that stood before it ("the ships that the designer of Ys built"), so it lies farther than that; but for a noun that
    belongs to the anchor itself ("Ys designers", "Ys's designer").
    """
    nearest = min(anchors, key=lambda a: abs(at - a))
    if at < nearest or len(anchors) > 1:
        return abs(at - nearest)
    word = sequence[at] or ""
    end = question.tokens[originals[nearest + 1] - 1].end if nearest + 1 < len(originals) else 0
    owned = question.text[end : end + 2] in ("'s", "’s") or word.rstrip("s").endswith(AGENT_ENDINGS)
    return at - nearest if owned and at == nearest + 1 else at


def _pieces(token: Token, spans: list[tuple[int, int]]) -> Iterator[str | None]:
    """A token cut by the spans: ``None`` for what lies in one, text for what is left where words have no spaces."""
    at = token.start
    for start, end in spans:
        if start < token.end and token.start < end:
            if at < start and is_unspaced(token.text[0]):
                yield token.lower[at - token.start : start - token.start]
            yield None
            at = end
    if at < token.end and (at == token.start or is_unspaced(token.text[0])):
        yield token.lower[at - token.start :]


def _begins_in(token: Token, spans: list[tuple[int, int]]) -> bool:
    return any(token.start <= start < token.end for start, _ in spans)


def _opening(sequence: list[str | None]) -> int:
    """How many tokens belong to the words by which a request opens ("please tell me", "name")."""
    for i, word in enumerate(sequence):
        if word is None or (word not in COMMAND_WORDS and word not in FUNCTION_WORDS):
            return i
    return len(sequence)


def _without_count_words(question: Question, sequence: list[str | None], kept: list[int]) -> list[int]:
    if question.intent != Intent.COUNT:
        return kept
    counting = {i + k for i, pair in enumerate(pairwise(sequence)) if pair in COUNT_PHRASES for k in (0, 1)}
    return [i for i in kept if i not in counting]


def _asked(question: Question, sequence: list[str | None]) -> tuple[str, ...]:
    """Words for what the answer is: the noun after the question word, or the notion it stands for."""
    for i, word in enumerate(sequence):
        if question.intent == Intent.COUNT and (word, _at(sequence, i + 1)) in COUNT_PHRASES:
            return _nouns(sequence[i + 2 :])
        if word in NOTIONS:
            named = _after_question_word(sequence[i + 1 :]) if _names_who(sequence, i) else ()
            return (*NOTIONS[word], *named)
        if word in QUESTION_WORDS:
            return _after_question_word(sequence[i + 1 :])
    if _ADDING in sequence and sequence[-1] is not None and sequence[-1] not in FUNCTION_WORDS:
        # A statement that is left open asks for what it ends with ("the builder of Ys also built harbours").
        return (sequence[-1],)
    # A statement with a gap asks for what it points at ("Ys was built by this person").
    pointed = next((i for i, word in enumerate(sequence) if word in DEMONSTRATIVES), -1)
    return _nouns(sequence[pointed + 1 :])


_ADDING = "also"


def _names_who(sequence: list[str | None], i: int) -> bool:
    """Whether a noun behind "who is" says who is meant ("who are the keepers of"), as it does not before a stranded
    preposition ("who were the ships built by")."""
    return sequence[i] in PERSON_WORDS and _at(sequence, i + 1) in COPULAS and sequence[-1] not in PREPOSITIONS


def _acts(sequence: list[str | None]) -> str:
    """The verb that follows an opening "who" right away; empty where an auxiliary, a copula or the anchor does."""
    if len(sequence) < 2 or sequence[0] not in SUBJECT_WORDS:
        return ""
    verb = sequence[1] or ""
    return "" if verb in FUNCTION_WORDS or verb in RETURN_WORDS else verb


def _after_question_word(rest: list[str | None]) -> tuple[str, ...]:
    """The noun that a question word asks for: right behind it, or behind a form of "to be" ("what are the genres").

    Nothing where another verb follows ("what did she direct"), or the anchor ("what was she the director of").
    """
    if rest and rest[0] in COPULAS:
        rest = rest[1:]
        while rest and rest[0] in ARTICLES:
            rest = rest[1:]
        return () if rest and rest[0] is None else _nouns(rest)
    return () if rest and (rest[0] is None or rest[0] in YES_NO_STARTS) else _nouns(rest)


def _at(sequence: list[str | None], i: int) -> str | None:
    return sequence[i] if i < len(sequence) else None


def _nouns(rest: list[str | None]) -> tuple[str, ...]:
    """The first stretch of content words, at most two: a noun and what is written with it, but no verb form."""
    words: list[str] = []
    for word in rest:
        is_verb = bool(words) and word is not None and (word.endswith("ed") or word in IRREGULAR_FORMS)
        if word and not is_verb and word not in FUNCTION_WORDS | COMMAND_WORDS and word not in RETURN_WORDS:
            words.append(word)
        elif words:
            break
    words = words[:2]
    return tuple(v for w in words for v in (CLASS_NOTION if w in CLASS_NOUNS else (w,)))
