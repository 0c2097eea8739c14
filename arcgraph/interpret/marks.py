"""What a question does with what it names: superlatives, aggregates, groups, negation, order, limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from arcgraph.interpret import operators as english
from arcgraph.interpret.english import COMMAND_WORDS, FUNCTION_WORDS, QUESTION_WORDS
from arcgraph.interpret.literals import Kind, Literal, read_literals, says_exactly
from arcgraph.search.lexicon import quoted_spans


class Deed(StrEnum):
    """What a mark asks for."""

    SUPERLATIVE = "superlative"
    AGGREGATE = "aggregate"
    GROUP = "group"
    DISTINCT = "distinct"
    NEGATION = "negation"
    BOTH = "both"
    EITHER = "either"
    ORDER = "order"
    LIMIT = "limit"
    HAVING = "having"
    RELATIVE = "relative"


class Superlative(NamedTuple):
    """How a superlative sorts an amount, and how a moment: ``asc``, ``desc`` or ``""``; ``limit`` where a number
    stands with it ("top 5"). ``word`` is what says it, in lower case."""

    amount: str
    moment: str
    limit: int | None
    word: str


class Relative(NamedTuple):
    """A stretch of time seen from now, or from the data's own end: ``number`` units that end ``ago`` units back.

    "The last 3 days" is (3, day, 0), "last year" (1, year, 1), "this month" (1, month, 0), "yesterday" (1, day, 1).
    """

    number: int
    unit: str
    ago: int


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters ``start:end`` of a question that ask for a deed.

    ``value`` is a :class:`Superlative`; the name of an aggregate (a key of ``operators.AGGREGATES``); ``asc``, ``desc``
    or ``""`` of an order; the number of a limit; the :class:`Literal` of a condition on a number of things; a
    :class:`Relative`; else the words themselves. ``doubtful`` marks words that by their context are as likely to be
    part of a name or a noun ("phone number").
    """

    start: int
    end: int
    text: str
    deed: Deed
    value: Any
    doubtful: bool = False


def read_operators(question: str, literals: Sequence[Literal] | None = None) -> list[Mark]:
    """All marks of a question in order of their start; nothing within quotation marks is one.

    ``literals`` are those of :func:`~arcgraph.interpret.literals.read_literals` where they are known already.
    """
    asked = _Asked(question, read_literals(question) if literals is None else literals)
    found = [mark for reader in _READERS for mark in reader(asked)]
    return sorted(_widest(found), key=lambda mark: (mark.start, -mark.end, mark.deed))


@lru_cache(maxsize=256)
def signs_of(question: str) -> tuple[tuple[Literal, ...], tuple[Mark, ...]]:
    """The literals and the marks of a question, for all who read it."""
    literals = tuple(read_literals(question))
    return literals, tuple(read_operators(question, literals))


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int


_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def _words(text: str, start: int) -> Iterator[_Word]:
    """A word, or two where a hyphen ties a superlative to a participle, or a word to an average ("highest-rated",
    "above-average")."""
    lower = text.lower().replace("’", "'")
    head, hyphen, tail = lower.partition("-")
    is_tied = head in english.SUPERLATIVES or tail in english.AGGREGATES["avg"]
    if not hyphen or not is_tied or lower in english.SUPERLATIVES:
        yield _Word(lower, start, start + len(text))
        return
    yield _Word(head, start, start + len(head))
    yield _Word(lower[len(head) + 1 :], start + len(head) + 1, start + len(text))


class _Asked:
    """A question's words in lower case, and its literals."""

    def __init__(self, question: str, literals: Sequence[Literal]):
        self.text = question
        self.literals = literals
        quotes = quoted_spans(question)
        words = (word for m in _WORD.finditer(question) for word in _words(m.group(), m.start()))
        self.words = [w for w in words if not any(s <= w.start and w.end <= e for s, e in quotes)]
        # The words behind a text in quotation marks: no phrase goes across one.
        self._cut = {i for i in range(1, len(self.words)) for s, _ in quotes
                     if self.words[i - 1].end <= s < self.words[i].start}  # fmt: skip

    def mark(self, first: int, last: int, deed: Deed, value: Any, *, doubtful: bool = False) -> Mark:
        """A mark on the words ``first:last``."""
        start, end = self.words[first].start, self.words[last - 1].end
        return Mark(start, end, self.text[start:end], deed, value, doubtful)

    def word(self, at: int) -> str:
        """The word at a place, empty where there is none."""
        return self.words[at].text if 0 <= at < len(self.words) else ""

    def phrases(self, table: _Table) -> Iterator[tuple[int, int, str]]:
        """The longest phrases of a table: first word, behind the last, the phrase."""
        at = 0
        while at < len(self.words):
            begins = self.words[at].text in table.beginnings
            size = next((n for n in table.sizes if self._joined(at, n) in table.phrases), 0) if begins else 0
            if size:
                yield at, at + size, self._joined(at, size)
            at += size or 1

    def _joined(self, at: int, size: int) -> str:
        if at + size > len(self.words) or self._cut.intersection(range(at + 1, at + size)):
            return ""
        return " ".join(word.text for word in self.words[at : at + size])

    def is_content(self, at: int) -> bool:
        """Whether a word carries content: none of grammar, of commands, or of the tables here."""
        word = self.word(at)
        return bool(word) and word not in FUNCTION_WORDS and word not in COMMAND_WORDS and word not in _OWN_WORDS

    def adjoins(self, at: int) -> bool:
        """Whether nothing but blanks stands between a word and the one before."""
        return at > 0 and self.text[self.words[at - 1].end : self.words[at].start].isspace()

    def number_at(self, at: int) -> int | None:
        """The plain number that begins at a word."""
        if not 0 <= at < len(self.words):
            return None
        start = self.words[at].start
        numbers = (one for one in self.literals if one.start == start and one.kind in (Kind.INTEGER, Kind.YEAR))
        return next((one.value for one in numbers), None)


class _Table:
    """Phrases by their number of words, longest first."""

    def __init__(self, phrases: Iterable[str]):
        self.phrases = frozenset(phrases)
        self.sizes = sorted({len(phrase.split()) for phrase in self.phrases}, reverse=True)
        self.beginnings = frozenset(phrase.split()[0] for phrase in self.phrases)


def _inverted(groups: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {phrase: name for name, phrases in groups.items() for phrase in phrases}


_AGGREGATE_OF = _inverted(english.AGGREGATES)
_ORDER_OF = _inverted(english.ORDERS)
_AGGREGATES, _ORDERS = _Table(_AGGREGATE_OF), _Table(_ORDER_OF)
_GROUPINGS = _Table((*english.GROUPINGS, *english.DOUBTFUL_GROUPINGS))
_SUPERLATIVE_PHRASES = _Table(english.SUPERLATIVE_PHRASES)
_LIMIT_PHRASES = _Table((*english.LIMIT_PHRASES, "limit"))
_PLAIN = {
    Deed.DISTINCT: _Table(english.DISTINCT),
    Deed.NEGATION: _Table(english.NEGATIONS),
    Deed.BOTH: _Table(english.BOTH),
    Deed.EITHER: _Table(english.EITHER),
}
_OWN_WORDS = frozenset(
    word
    for table in (_AGGREGATES, _ORDERS, _GROUPINGS, *_PLAIN.values())
    for phrase in table.phrases
    for word in phrase.split()
) | frozenset(english.SUPERLATIVES)


def _superlatives(asked: _Asked) -> Iterator[Mark]:
    """ "oldest", "most recent", "top 5", "the three longest", "most productive", "busiest"."""
    taken: set[int] = set()
    for first, last, phrase in asked.phrases(_SUPERLATIVE_PHRASES):
        taken.update(range(first, last))
        yield _superlative(asked, first, last, english.SUPERLATIVE_PHRASES[phrase])
    for at, word in enumerate(asked.words):
        if at not in taken and (sides := _sides(asked, at)):
            # A participle may say by what: "most viewed".
            follows = asked.word(at + 1)
            is_adverb = word.text in ("most", "least") and _is_adjective(follows) and not follows.endswith("ed")
            yield _superlative(asked, at, at + 1 + is_adverb, sides)


def _sides(asked: _Asked, at: int) -> tuple[str, str] | None:
    word, before, after = asked.word(at), asked.word(at - 1), asked.word(at + 1)
    if before in english.NO_SUPERLATIVE_BEFORE or after in english.NO_SUPERLATIVE_AFTER.get(word, ()):
        return None
    if word in english.SUPERLATIVES:
        return english.SUPERLATIVES[word]
    is_made = word.endswith(english.SUPERLATIVE_ENDING) and word not in english.NO_SUPERLATIVES
    return ("desc", "") if is_made else None


def _is_adjective(word: str) -> bool:
    return word.endswith(english.ADJECTIVE_ENDINGS)


def _superlative(asked: _Asked, first: int, last: int, sides: tuple[str, str]) -> Mark:
    """With the number right before or behind: "the three longest", "top 5"."""
    word = " ".join(asked.word(i) for i in range(first, last))
    before, after = asked.number_at(first - 1), asked.number_at(last)
    if after is not None:
        last += 1
    elif before is not None:
        first -= 2 if asked.word(first - 2) in english.LIMIT_WORDS else 1  # "top 5 most recent"
    limit = after if after is not None else before
    is_doubtful = word in english.DOUBTFUL_SUPERLATIVES and limit is None
    return asked.mark(first, last, Deed.SUPERLATIVE, Superlative(*sides, limit, word), doubtful=is_doubtful)


def _aggregates(asked: _Asked) -> Iterator[Mark]:
    for first, last, phrase in asked.phrases(_AGGREGATES):
        if asked.word(first - 1) == "a" and phrase == "number of":
            continue  # "a number of films" means some
        head = phrase.split()[0]
        is_compound = head in english.COMPOUND_HEADS and asked.is_content(first - 1) and asked.adjoins(first)
        yield asked.mark(first, last, Deed.AGGREGATE, _AGGREGATE_OF[phrase], doubtful=is_compound)


def _groups(asked: _Asked) -> Iterator[Mark]:
    for first, last, phrase in asked.phrases(_GROUPINGS):
        is_doubtful = phrase in english.DOUBTFUL_GROUPINGS or asked.word(last) == "other"
        yield asked.mark(first, last, Deed.GROUP, phrase, doubtful=is_doubtful)


def _orders(asked: _Asked) -> Iterator[Mark]:
    for first, last, phrase in asked.phrases(_ORDERS):
        yield asked.mark(first, last, Deed.ORDER, _ORDER_OF[phrase])


def _spans(asked: _Asked) -> Iterator[Mark]:
    """ "From the most recent to the oldest": which way rows are sorted, by the first of two superlatives."""
    told = list(_superlatives(asked))
    said = {first for first, _, _ in asked.phrases(_ORDERS)}
    for one, other in pairwise(told):
        first = next((i for i, word in enumerate(asked.words) if word.start == one.start), 0)
        last = next((i for i, word in enumerate(asked.words) if word.end >= other.end), 0)
        begins = first - 1 - (asked.word(first - 1) == "the")
        between = [asked.word(i) for i in range(first, last)]
        if (
            begins < 0
            or begins in said
            or asked.word(begins) != "from"
            or "to" not in between
            or last - begins > _LONGEST_SPAN
        ):
            continue
        way = one.value.moment or one.value.amount
        yield asked.mark(begins, last + 1, Deed.ORDER, way)


# "From the most recently built to the oldest" has so many words.
_LONGEST_SPAN = 9


def _plain(asked: _Asked) -> Iterator[Mark]:
    for deed, table in _PLAIN.items():
        for first, last, phrase in asked.phrases(table):
            # What belongs to a comparison ("no more than 5", "not before 1990") denies nothing by itself.
            if deed != Deed.NEGATION or not _is_compared(asked, first, last):
                yield asked.mark(first, last, deed, phrase, doubtful=phrase == "or")


def _is_compared(asked: _Asked, first: int, last: int) -> bool:
    start, end = asked.words[first].start, asked.words[last - 1].end
    return any(c.start <= start and end <= c.end for one in asked.literals if (c := one.comparison))


def _limits(asked: _Asked) -> Iterator[Mark]:
    """ "limit 5", "limited to 10"; "name 3 actors", "which 3 services"."""
    for first, last, _ in asked.phrases(_LIMIT_PHRASES):
        if (number := asked.number_at(last)) is not None:
            yield asked.mark(first, last + 1, Deed.LIMIT, number)
    for at in range(1, len(asked.words)):
        opens = all(w.text in _OPENERS for w in asked.words[:at])
        number = asked.number_at(at) if opens and asked.is_content(at + 1) else None
        # "2011 models" are those of a year.
        if number is not None and not _YEARS[0] <= number < _YEARS[1]:
            yield asked.mark(at, at + 1, Deed.LIMIT, number)


_YEARS = (1800, 2100)
_OPENERS = COMMAND_WORDS | QUESTION_WORDS | frozenset("are were the me any some return retrieve list".split())


def _conditions(asked: _Asked) -> Iterator[Mark]:
    """ "at least two films", "more than 5 of its members", "more than once": a number that is compared, and what of."""
    for one in asked.literals:
        if (
            one.kind != Kind.INTEGER
            or one.comparison is None
            or (one.operator == "=" and not says_exactly(asked.text, one.comparison))
        ):
            continue
        follows = re.match(r"\s+(?:or \w+\s+)?(?:of\s+(?:the\s+|their\s+|its\s+)?)?([^\W\d_]+)", asked.text[one.end :])
        is_often = one.text.lower() in english.TIMES_ADVERBS
        if not is_often and (not follows or follows[1].lower() in FUNCTION_WORDS):
            continue
        start, end = min(one.start, one.comparison.start), max(one.end, one.comparison.end)
        yield Mark(start, end, asked.text[start:end], Deed.HAVING, one)


def _relatives(asked: _Asked) -> Iterator[Mark]:
    """ "in the last 3 days", "last year", "this month", "yesterday"."""
    for at, word in enumerate(asked.words):
        if word.text in english.RELATIVE_DAYS:
            yield asked.mark(at, at + 1, Deed.RELATIVE, Relative(1, "day", english.RELATIVE_DAYS[word.text]))
        elif word.text in english.RELATIVE_WORDS:
            number = asked.number_at(at + 1) or _number_with_unit(asked, at + 1)
            unit = english.TIME_UNIT_FORMS.get(asked.word(at + 1 + (number is not None)))
            if unit and number is not None:
                yield asked.mark(at, at + 3, Deed.RELATIVE, Relative(number, unit, 0))
            elif unit:
                yield asked.mark(at, at + 2, Deed.RELATIVE, Relative(1, unit, english.RELATIVE_WORDS[word.text]))


def _number_with_unit(asked: _Asked, at: int) -> int | None:
    """The number of a duration that begins at a word."""
    if not 0 <= at < len(asked.words):
        return None
    durations = (one for one in asked.literals if one.start == asked.words[at].start and one.kind == Kind.DURATION)
    return next((int(one.value.number) for one in durations), None)


_READERS = (_relatives, _superlatives, _spans, _aggregates, _groups, _orders, _plain, _limits, _conditions)


def _widest(marks: Sequence[Mark]) -> list[Mark]:
    """Without what lies within a wider mark of another deed: "most" in "from most to least", "total" in "in total"."""

    def is_inside(m: Mark) -> bool:
        return any(
            o.start <= m.start and m.end <= o.end and (o.end - o.start > m.end - m.start) and o.deed in _ABSORBING
            for o in marks
        )

    return [mark for mark in marks if not is_inside(mark)]


_ABSORBING = frozenset((Deed.ORDER, Deed.AGGREGATE, Deed.SUPERLATIVE, Deed.LIMIT, Deed.NEGATION, Deed.RELATIVE))
