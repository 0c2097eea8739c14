"""The literals of a question: numbers, dates, texts in quotation marks, codes; and how the words around compare them.

Several readings of one stretch are all given, the widest first; which one was meant is for those to say who know the
graph's properties (see :mod:`arcgraph.interpret.fitting`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import lru_cache
from typing import Any

from neo4j.time import Duration

from arcgraph.interpret import operators as english
from arcgraph.interpret.bounds import Bounds, bounds_of
from arcgraph.interpret.dates import PartialDate, calendar_day, find_moments
from arcgraph.interpret.numbers import FIGURE, LETTERS, find_amounts, read_amount
from arcgraph.interpret.operators import Operator
from arcgraph.search.lexicon import quoted_spans

Span = tuple[int, int]


class Kind(StrEnum):
    """What a literal reads as."""

    INTEGER = "integer"
    FLOAT = "float"
    DATE = "date"
    DATETIME = "datetime"
    YEAR = "year"
    MONTH = "month"
    DECADE = "decade"
    CENTURY = "century"
    TIME = "time"
    DURATION = "duration"
    QUANTITY = "quantity"
    QUOTED = "quoted"
    ORDINAL = "ordinal"
    CODE = "code"


MOMENTS = frozenset((Kind.DATE, Kind.DATETIME, Kind.YEAR, Kind.MONTH, Kind.DECADE, Kind.CENTURY, Kind.TIME))
TEXTS = frozenset((Kind.QUOTED, Kind.CODE))
NUMBERS = frozenset((Kind.INTEGER, Kind.FLOAT, Kind.YEAR, Kind.DURATION, Kind.QUANTITY, Kind.ORDINAL))


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of units: ``unit`` as in ``operators.UNIT_FORMS``, or a unit of time in the singular."""

    number: int | float
    unit: str

    @property
    def duration(self) -> Duration | None:
        """The same as the database's kind of duration; ``None`` for what is no time."""
        if self.unit not in english.TIME_UNITS:
            return None
        months, days, seconds = english.TIME_UNITS[self.unit]
        try:
            return Duration(months=self.number * months, days=self.number * days, seconds=self.number * seconds)
        except (ValueError, OverflowError):
            # More than the database's kind can hold is the length of nothing.
            return None


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a value is compared, and the characters ``start:end`` that say so (outside of the value's own)."""

    operator: Operator
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Literal:
    """Characters ``start:end`` of a question that read as a value.

    ``value`` is an ``int`` or ``float``; a ``date``, ``datetime`` or ``time``; a :class:`PartialDate` for a month or a
    date without its year; the first year of a decade, the number of a century; a :class:`Quantity` for durations and
    what has a unit; a ``str`` for what is quoted and for codes.

    ``comparison`` is ``None`` where no word says that anything is compared ("Apollo 13"). Of a range ``until`` is the
    other end, which belongs to it. ``quoted`` tells that the whole stands in quotation marks.
    """

    start: int
    end: int
    text: str
    kind: Kind
    value: Any
    comparison: Comparison | None = None
    until: Literal | None = None
    quoted: bool = False

    @property
    def span(self) -> Span:
        """The characters that it stands on."""
        return self.start, self.end

    @property
    def operator(self) -> Operator:
        """How it is compared; without a word that says so: equal."""
        return self.comparison.operator if self.comparison else "="

    @property
    def number(self) -> int | float | None:
        """The value as a plain number, units left out; ``None`` where it is none."""
        if isinstance(self.value, Quantity):
            return self.value.number
        return self.value if self.kind in NUMBERS else None

    @property
    def has_seconds(self) -> bool:
        """Whether a time of day is written to the second."""
        return bool(re.search(r"\d:\d\d:\d\d", self.text))

    def bounds(self, type_name: str) -> Bounds | None:
        """What values of a type of :class:`~arcgraph.domain.PropertyInfo` the comparison lets through.

        ``None`` where this literal cannot be compared with such values. For ``string`` the bounds are texts: those of
        moments stand in the order of ISO dates, so they fit only where dates are stored so.
        """
        return bounds_of(self, type_name)


def read_literals(question: str) -> list[Literal]:
    """All literals of a question, in order of their start, wider ones first; see :class:`Literal`."""
    found = _Found()
    for reader in _READERS:
        found.add(reader(question))
    literals = _ranges(question, found.literals)
    compared = [_compared(question, one) if one.until is None else one for one in literals]
    kept = sorted(
        (one for one in compared if not _is_weak(question, one)), key=lambda one: (one.start, -one.end, _RANK[one.kind])
    )
    return _enumerated(question, kept)


class _Found:
    """Literals so far: a later reader finds nothing within what an earlier one took."""

    def __init__(self) -> None:
        self.literals: list[Literal] = []
        self._taken: list[Span] = []

    def add(self, literals: Iterable[Literal]) -> None:
        fresh = [one for one in literals if not any(s < one.end and one.start < e for s, e in self._taken)]
        whole = [one for one in fresh if not any(_contains(other, one) for other in fresh)]
        self.literals += whole
        self._taken += [one.span for one in whole if not _PAIR.fullmatch(one.text)]


def _contains(wide: Literal, narrow: Literal) -> bool:
    """Whether one literal has another inside; a code that is a part of a longer code stays an alternative."""
    if wide.kind == narrow.kind == Kind.CODE:
        return False
    return wide.start <= narrow.start and narrow.end <= wide.end and wide.span != narrow.span


# --- reading values ----------------------------------------------------------------------------------------------


def read_value(text: str) -> list[Literal]:
    """What a text reads as when all of it is one literal."""
    found = _Found()
    for reader in _READERS[1:]:
        found.add(reader(text))
    return [one for one in found.literals if one.span == (0, len(text))]


def _quoted(question: str) -> Iterator[Literal]:
    """A text in quotation marks, and what its content reads as."""
    for start, end in quoted_spans(question):
        content = question[start:end]
        if not content.strip() or len(content) > _LONGEST_QUOTED:
            continue
        yield Literal(start, end, content, Kind.QUOTED, content, quoted=True)
        for inner in read_value(content.strip()):
            if inner.kind != Kind.CODE:
                yield replace(inner, start=start, end=end, text=content, quoted=True)


_LONGEST_QUOTED = 300
_PLAIN_CODE = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\b(?:[a-z][a-z0-9+.-]*://|www\.)[^\s\"'<>]*[\w/#]"
    r"|(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)"
    r"|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    r"|\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b"
)


def _addresses(question: str) -> Iterator[Literal]:
    """E-mail, web and network addresses, unique ids."""
    for m in _PLAIN_CODE.finditer(question):
        yield _code(question, *m.span())


def _code(question: str, start: int, end: int) -> Literal:
    text = question[start:end]
    return Literal(start, end, text, Kind.CODE, text)


def _moments(question: str) -> Iterator[Literal]:
    for start, end, kind, value in find_moments(question):
        yield Literal(start, end, question[start:end], Kind(kind), value)


# Figures in groups that are no one number: telephone numbers, numbers of papers, ISBNs.
_GROUPED = re.compile(
    r"(?<![\w.,-])\+?\(?\d+\)?(?:[-/. ]?\(\d+\)[-/. ]?\d+|[-/]\(?\d+\)?)(?:[-/. ]\d+)*(?!\w|[.,]\d)"
    r"|(?<!\w)\(\d+\)[ -]?\d+(?:[ -]\d+)+(?!\w)"
    r"|(?<!\w)\+\d[\d ()-]{5,}\d\b"
)
_YEARS = re.compile(r"[12]\d{3}[-/][12]\d{3}")
# Two numbers with a hyphen are a range as well as a code.
_PAIR = re.compile(r"\d{1,4}-\d{1,4}")


def _grouped_figures(question: str) -> Iterator[Literal]:
    for m in _GROUPED.finditer(question):
        if not _YEARS.fullmatch(m.group()):
            yield _code(question, *m.span())


def _quantities(question: str) -> Iterator[Literal]:
    """Amounts with a unit: "3 kg", "$500", "95-second", "20%", "2 weeks"."""
    for amount in find_amounts(question):
        if amount.unit:
            kind = Kind.DURATION if amount.unit in english.TIME_UNITS else Kind.QUANTITY
            text = question[amount.start : amount.end]
            yield Literal(amount.start, amount.end, text, kind, Quantity(amount.number, amount.unit))


_MIXED = re.compile(r"(?<!\w)(?=[^\s\"'“”‘’]*\d)[^\W_](?:[\w.:/#+@()-]*[\w)])?(?!\w)")
_CAPITAL_PART = re.compile(r"\s([A-Z0-9]{1,5})(?![\w'’-])")


def _codes(question: str) -> Iterator[Literal]:
    """Tokens that mix letters and figures, alone and together with a capital part behind ("B44 2NY")."""
    for m in _MIXED.finditer(question):
        start, end = m.span()
        token = _balanced(m.group().rstrip(".:/#+@-"))
        end = start + len(token)
        if not any(map(str.isalpha, token)) or not any(map(str.isdigit, token)) or _IS_PLAIN.fullmatch(token):
            continue
        yield _code(question, start, end)
        tail = _CAPITAL_PART.match(question, end) if token.isupper() else None
        if tail and ((any(map(str.isdigit, tail[1])) and any(map(str.isalpha, tail[1]))) or len(tail[1]) in (2, 3)):
            yield _code(question, start, tail.end())


_INITIALS = re.compile(
    r"\b(?:start|begin|end)(?:s|n?ing)?\s+with\s+(?:the\s+letters?\s+)?([A-Z]{1,3})(?![\w'’-])", re.I
)


def _initials(question: str) -> Iterator[Literal]:
    """A few letters that something is said to start or to end with ("a code starting with D")."""
    for m in _INITIALS.finditer(question):
        if m[1].isupper() or len(m[1]) == 1:
            yield _code(question, *m.span(1))


# What figures and letters make without being a code: "3rd", "1990s", "5k", "20-year-old".
_IS_PLAIN = re.compile(rf"-?{FIGURE}(?:st|nd|rd|th|{LETTERS}|['’]?s|(?:-[a-z]+)+)", re.I)


def _balanced(token: str) -> str:
    """Without a closing bracket that was opened outside."""
    return token[:-1] if token.endswith(")") and token.count(")") > token.count("(") else token


def _numbers(question: str) -> Iterator[Literal]:
    """Plain numbers; those that may as well be somebody's number are codes, too."""
    for start, end, number, unit in find_amounts(question):
        if unit:
            continue
        text = question[start:end]
        if isinstance(number, float):
            kind = Kind.FLOAT
        else:
            is_year = _YEAR.fullmatch(text) or (
                _SHORT_YEAR.fullmatch(text) and _word_before(question, start) in _YEAR_WORDS
            )
            kind = Kind.YEAR if is_year else Kind.INTEGER
        yield Literal(start, end, text, kind, number)
        if text.isdigit() and (len(text) >= _LONG_FIGURES or (text[0] == "0" and len(text) > 1)):
            yield _code(question, start, end)


# From so many figures on, a number may as well be somebody's number.
_LONG_FIGURES = 6
_YEAR = re.compile(r"1\d{3}|2\d{3}")
# Of other centuries a year is only what is called one ("in the year 299").
_SHORT_YEAR = re.compile(r"[1-9]\d{0,3}")
_YEAR_WORDS = frozenset(form for form, unit in english.TIME_UNIT_FORMS.items() if unit == "year")
_HYPHENED = re.compile(rf"(?<![\w.,])(?P<n>{FIGURE})(?=-[a-z])", re.I)


def _hyphened(question: str) -> Iterator[Literal]:
    """The number of "a 20-year-old", "a 4-door car"."""
    for m in _HYPHENED.finditer(question):
        number = read_amount(m["n"]) or 0
        yield Literal(*m.span(), m["n"], Kind.FLOAT if isinstance(number, float) else Kind.INTEGER, number)


_ORDINAL = re.compile(
    rf"(?<![\w.])(?:(?P<figures>\d+)(?:{'|'.join(english.ORDINAL_ENDINGS)})"
    rf"|(?P<word>{'|'.join(english.ORDINAL_WORDS)}))(?![\w'’])",
    re.I,
)


def _ordinals(question: str) -> Iterator[Literal]:
    for m in _ORDINAL.finditer(question):
        follows = re.match(r"\s+(\w+)", question[m.end() :])
        if follows and _is_no_place(follows[1].lower()):
            continue
        number = int(m["figures"]) if m["figures"] else english.ORDINAL_WORDS[m["word"].lower()]
        yield Literal(*m.span(), m.group(), Kind.ORDINAL, number)


def _is_no_place(follows: str) -> bool:
    """Whether an ordinal counts or names with what follows: "the first 3", "first name"."""
    is_number = follows not in english.WEAK_NUMBER_WORDS and read_amount(follows) is not None
    return follows in english.ORDINAL_COMPOUNDS or is_number


# In order of precedence: what one takes, the later ones do not see.
_READERS: tuple[Callable[[str], Iterator[Literal]], ...] = (
    _quoted, _addresses, _moments, _quantities, _grouped_figures, _codes, _initials, _hyphened, _numbers, _ordinals,
)  # fmt: skip
_RANK = {kind: number for number, kind in enumerate(Kind)}


# --- comparing ---------------------------------------------------------------------------------------------------


# By kind of literal the tables that say how it may be compared, the first that has a phrase decides.
_TABLES = {
    "moment": (english.MOMENT_COMPARATORS, english.COMPARATORS),
    "amount": (english.AMOUNT_COMPARATORS, english.COMPARATORS, english.ORDINAL_COMPARATORS),
    "text": (english.TEXT_COMPARATORS, english.COMPARATORS),
    "code": (english.TEXT_COMPARATORS, english.MOMENT_COMPARATORS, english.COMPARATORS),
}


@lru_cache(maxsize=1)
def _prefixes() -> dict[str, re.Pattern[str]]:
    """For each kind of literal a pattern of the comparison that ends right where a value begins."""
    return {
        side: _before(phrases for table in tables for phrases in table.values()) for side, tables in _TABLES.items()
    }


def _alternatives(phrases: Iterable[str]) -> str:
    return "|".join(re.escape(p).replace(r"\ ", r"\s+") for p in sorted(phrases, key=lambda p: (-len(p), p)))


def _before(groups: Iterable[Iterable[str]]) -> re.Pattern[str]:
    phrases = _alternatives({phrase for group in groups for phrase in group})
    negators, fillers = _alternatives(english.NEGATORS), _alternatives(english.FILLERS)
    return re.compile(
        rf"(?<![\w<>=!])(?:(?P<negator>{negators})\s+)?(?P<phrase>{phrases})"
        rf"(?:\s+(?:{fillers}))*[\s\"“'‘(`$€£¥]*\Z"
    )


_SUFFIXES = _alternatives(p for ps in english.SUFFIX_COMPARATORS.values() for p in ps)
# "5 or more", and with a noun between "5 lamps or more".
_AFTER = re.compile(
    rf"[\"”'’)`]?(?:\s+[^\W\d_]+(?=\s+(?:{_alternatives(english.DETACHED_SUFFIXES)})\b))?\s*(?P<phrase>{_SUFFIXES})(?!\w)",
    re.I,
)
# No comparison is longer than so many characters.
_WINDOW = 72


def _compared(question: str, literal: Literal) -> Literal:
    """A literal with what the words right before and behind it say of it; nothing compares an ordinal."""
    if literal.kind == Kind.ORDINAL:
        return literal
    if literal.kind in _PLAIN_NUMBERS and (part := _as_part(question, literal)):
        return part
    behind = _behind(question, literal)
    window = max(0, literal.start - _WINDOW)
    match = _prefixes()[_side(literal)].search(question[window : literal.start].lower())
    if match is None:
        return replace(literal, comparison=behind)
    phrase = " ".join(match["phrase"].split())
    operator = _operator(literal, phrase)
    if operator == "=" and _COUNTED.search(match.group()):
        # "What is the number of 1989 cars" compares no number with 1989.
        return replace(literal, comparison=behind)
    if behind and operator == "=":
        return replace(literal, comparison=behind)
    if match["negator"]:
        operator = english.INVERSES.get(operator, operator)
    if literal.kind == Kind.YEAR and _says_amount(phrase):
        literal = replace(literal, kind=Kind.INTEGER)
    return replace(literal, comparison=Comparison(operator, window + match.start(), literal.start))


_COUNTED = re.compile(r"\b(?:number|total)\s+of\b")
_PLAIN_NUMBERS = frozenset((Kind.INTEGER, Kind.FLOAT, Kind.YEAR))


def _as_part(question: str, literal: Literal) -> Literal | None:
    """Figures that a text begins or ends with ("a number starting with 780") are a text themselves."""
    part = _compared(question, replace(literal, kind=Kind.CODE, value=literal.text))
    return part if part.operator in ("starts with", "ends with") else None


def _enumerated(question: str, literals: Sequence[Literal]) -> list[Literal]:
    """With "in 2008, 2010 or 2012" all three are compared as the first is."""
    found: list[Literal] = []
    for one in literals:
        before = next((other for other in reversed(found) if other.end <= one.start), None)
        is_first = before is None or before.comparison is None
        if one.comparison is None and before is not None and not is_first and _continues(question, before, one):
            # The words that say so stand before the first.
            one = replace(one, comparison=Comparison(before.operator, one.start, one.start))
        found.append(one)
    return found


def _continues(question: str, before: Literal, one: Literal) -> bool:
    link = question[before.end : one.start].strip("\"“”'‘’`, ").lower()
    is_alike = before.kind == one.kind and before.until is None and before.operator in ("=", "<>")
    return is_alike and link in english.ENUMERATORS


def _says_amount(phrase: str) -> bool:
    """Whether a comparison is said of amounts rather than of years: "more than 2000", not "before 2000"."""
    of_moments = any(phrase in phrases for phrases in english.MOMENT_COMPARATORS.values())
    orders = any(phrase in english.COMPARATORS[operator] for operator in ("<", "<=", ">", ">="))
    return orders and not of_moments and phrase[0].isalpha()


def _side(literal: Literal) -> str:
    if literal.kind in MOMENTS:
        return "moment"
    return {Kind.QUOTED: "text", Kind.CODE: "code"}.get(literal.kind, "amount")


def _operator(literal: Literal, phrase: str) -> Operator:
    return next(
        operator for table in _TABLES[_side(literal)] for operator, phrases in table.items() if phrase in phrases
    )


def _behind(question: str, literal: Literal) -> Comparison | None:
    match = _AFTER.match(question, literal.end)
    if match is None:
        return None
    phrase = " ".join(match["phrase"].lower().split())
    if phrase == "on" and _word_before(question, literal.start) not in english.OPENING_WORDS:
        return None
    operator = next(operator for operator, phrases in english.SUFFIX_COMPARATORS.items() if phrase in phrases)
    return Comparison(operator, match.start("phrase"), match.end())


def _word_before(question: str, at: int) -> str:
    words = question[max(0, at - _WINDOW) : at].lower().split()
    return words[-1] if words else ""


def says_exactly(question: str, comparison: Comparison) -> bool:
    """Whether equality is said in so many words ("exactly 3 films") rather than by "is" or "of"."""
    return question[comparison.start :].lower().startswith(english.EXACT_WORDS)


def _is_weak(question: str, literal: Literal) -> bool:
    """A word such as "one" that is a number only where something is compared with it ("over one", "exactly one")."""
    compared = literal.comparison
    is_compared = compared is not None and (literal.operator != "=" or says_exactly(question, compared))
    return literal.text.lower() in english.WEAK_NUMBER_WORDS and not is_compared


# --- ranges ------------------------------------------------------------------------------------------------------


# Between the two ends of a range stand no more characters.
_LONGEST_LINK = 24


def _ranges(question: str, literals: Sequence[Literal]) -> list[Literal]:
    """Pairs such as "between 5 and 10" as one literal, in place of both ends."""
    ordered = sorted(literals, key=lambda one: one.start)
    joined: list[Literal] = []
    used: set[int] = set()
    for i, low in enumerate(ordered):
        for j in range(i + 1, len(ordered)):
            high = ordered[j]
            if high.start > low.end + _LONGEST_LINK:
                break
            if high.start >= low.end and _is_pair(low, high) and (found := _range(question, low, high)):
                joined.append(found)
                used |= {i, j}
    return [one for i, one in enumerate(ordered) if i not in used] + joined


def _is_pair(low: Literal, high: Literal) -> bool:
    if low.kind in TEXTS or high.kind in TEXTS or low.quoted != high.quoted:
        return low.kind == high.kind == Kind.QUOTED
    both = {low.kind, high.kind}
    return len(both) == 1 or both <= _DAYS or both <= NUMBERS - {Kind.ORDINAL}


_DAYS = MOMENTS - {Kind.TIME}


def _range(question: str, low: Literal, high: Literal) -> Literal | None:
    between = question[low.end : high.start].strip("\"“”'‘’`, ").lower()
    before = _word_before(question, _opening(question, low.start))
    for opening, links in english.RANGES:
        if between in links and (before == opening if opening else _is_bare_range(low, high, between)):
            if opening:
                begin = question.lower().rfind(opening, max(0, low.start - _WINDOW), low.start)
            else:
                begin = low.start
            low = _with_year_of(low, high)
            return Literal(
                low.start, high.end, question[low.start : high.end], low.kind, low.value,
                Comparison("range", begin, high.end), until=high, quoted=low.quoted,
            )  # fmt: skip
    return None


def _opening(question: str, start: int) -> int:
    """Where the value begins once a quotation mark, a currency sign and a filler before it are left out."""
    begin = max(0, start - _WINDOW)
    head = question[begin:start].rstrip("\"“'‘`$€£¥ ")
    words = head.split()
    while words and words[-1].lower() in english.FILLERS:
        head = head[: len(head) - len(words[-1])].rstrip()
        words.pop()
    return begin + len(head)


def _is_bare_range(low: Literal, high: Literal, link: str) -> bool:
    """Without "from" or "between" only ascending numbers make a range: "1990-1995", "5 to 10 people"."""
    if low.number is None or high.number is None or Kind.ORDINAL in (low.kind, high.kind):
        return False
    is_alike = low.kind == high.kind or high.kind in (Kind.DURATION, Kind.QUANTITY)
    return is_alike and low.number < high.number and link != "until"


def _with_year_of(low: Literal, high: Literal) -> Literal:
    """ "from 1 May to 3 May 2017": the year is written once for both."""
    year = high.value.year if isinstance(high.value, date | PartialDate) else None
    if isinstance(low.value, PartialDate) and low.value.year is None and year:
        month, day = low.value.month, low.value.day
        whole: Any = calendar_day(year, month, day) if day and month else low.value._replace(year=year)
        # The 29th of February of a year without one stays a day of any year.
        return replace(low, value=whole) if whole else low
    return low
