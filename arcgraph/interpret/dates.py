"""Dates as people write them, with no part invented: what is not written stays open, and a moment is a period.

A period is half-open: its first day, and the first day behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import NamedTuple

from arcgraph.interpret.operators import (
    AFTER_NOON,
    BEFORE_MONTH,
    BEFORE_NOON,
    CENTURY_WORDS,
    CLOCK_WORDS,
    DECADE_WORDS,
    MONTH_FORMS,
)


class PartialDate(NamedTuple):
    """A date of which only some parts are written."""

    year: int | None
    month: int | None
    day: int | None = None


class Found(NamedTuple):
    """Characters ``start:end`` that read as a moment. ``kind`` is one of those of a literal."""

    start: int
    end: int
    kind: str
    value: date | datetime | time | PartialDate | int


class Period(NamedTuple):
    """From ``first`` on, up to and without ``end``; ``None`` where the calendar ends."""

    first: date
    end: date | None


_MONTH = "|".join(sorted(MONTH_FORMS, key=len, reverse=True))
_YEAR = r"(?:1\d{3}|2\d{3})"
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,9}))?)?"
_ZONE = r"(?P<zone>Z|[+-]\d\d:?\d\d)?"
_HALF = "|".join(re.escape(form) for form in (*BEFORE_NOON, *AFTER_NOON))
_NOT_INSIDE, _NOT_BEFORE = r"(?<![\w.,/:-])", r"(?![\w/:]|[-.,]\d)"

_ISO = re.compile(
    rf"{_NOT_INSIDE}(?P<y>{_YEAR})-(?P<m>\d\d)-(?P<d>\d\d)(?:(?:T|\s+(?:at\s+)?){_CLOCK}{_ZONE})?{_NOT_BEFORE}"
)
_ISO_MONTH = re.compile(rf"{_NOT_INSIDE}(?P<y>{_YEAR})-(?P<m>0[1-9]|1[0-2]){_NOT_BEFORE}")
_NUMERIC = re.compile(
    rf"{_NOT_INSIDE}(?P<a>\d{{1,2}})(?P<sep>[/.-])(?P<b>\d{{1,2}})(?P=sep)(?P<y>{_YEAR}){_NOT_BEFORE}"
)
_YEAR_FIRST = re.compile(
    rf"{_NOT_INSIDE}(?P<y>{_YEAR})(?P<sep>[/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}}){_NOT_BEFORE}"
)
_DAY_MONTH = re.compile(
    rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?[\s-]+(?P<m>{_MONTH})\b\.?(?:,?[\s-]+(?:of\s+)?(?P<y>{_YEAR})\b)?",
    re.I,
)
_MONTH_DAY = re.compile(
    rf"\b(?P<m>{_MONTH})\b\.?\s+(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d)(?:,?\s+(?:of\s+|in\s+)?(?P<y>{_YEAR})\b)?",
    re.I,
)
_MONTH_YEAR = re.compile(rf"\b(?P<m>{_MONTH})\b\.?,?\s+(?:of\s+)?(?P<y>{_YEAR})\b", re.I)
_MONTH_ALONE = re.compile(rf"\b(?P<before>{'|'.join(BEFORE_MONTH)})\s+(?P<m>{_MONTH})\b(?!\s+\d)", re.I)
_DECADE = re.compile(r"\b(?P<y>[12]\d\d0)['’]?s\b")
_SHORT_DECADE = re.compile(r"\bthe\s+['’]?(?P<y>[1-9]0)s\b")
_DECADE_WORD = re.compile(rf"\bthe\s+(?P<word>{'|'.join(DECADE_WORDS)})\b", re.I)
_CENTURY = re.compile(
    rf"\b(?P<n>\d{{1,2}})(?:st|nd|rd|th)[\s-]+(?:{'|'.join(map(re.escape, CENTURY_WORDS))})(?!\w)", re.I
)
_TIME = re.compile(rf"{_NOT_INSIDE}{_CLOCK}(?:\s*(?P<half>{_HALF})(?!\w))?(?![\w:])", re.I)
_HOUR = re.compile(rf"{_NOT_INSIDE}(?P<hour>\d{{1,2}})\s*(?P<half>{_HALF})(?!\w)", re.I)
_CLOCK_WORD = re.compile(rf"\b(?:at|before|after|by|until|since)\s+(?P<word>{'|'.join(CLOCK_WORDS)})\b", re.I)


def find_moments(text: str) -> Iterator[Found]:
    """Everything in a text that reads as a date, a part of one, or a time of day; readings may overlap.

    A date in figures of which day and month can be told apart in two ways is given twice.
    """
    for reader in (_dates_in_figures, _dates_in_words, _spans_of_years, _times):
        yield from reader(text)


def _dates_in_figures(text: str) -> Iterator[Found]:
    for m in _ISO.finditer(text):
        day = calendar_day(int(m["y"]), int(m["m"]), int(m["d"]))
        clock = _time(m) if m["hour"] else None
        if day and clock:
            yield Found(*m.span(), "datetime", datetime.combine(day, clock, _zone(m["zone"])))
        elif day:
            yield Found(*m.span(), "date", day)
    for m in _YEAR_FIRST.finditer(text):
        if day := calendar_day(int(m["y"]), int(m["m"]), int(m["d"])):
            yield Found(*m.span(), "date", day)
    for m in _NUMERIC.finditer(text):
        for day in dict.fromkeys(_day_and_month(int(m["y"]), int(m["a"]), int(m["b"]))):
            yield Found(*m.span(), "date", day)
    for m in _ISO_MONTH.finditer(text):
        yield Found(*m.span(), "month", PartialDate(int(m["y"]), int(m["m"])))


def _day_and_month(year: int, a: int, b: int) -> Iterator[date]:
    for month, day in ((b, a), (a, b)):
        if found := calendar_day(year, month, day):
            yield found


def _dates_in_words(text: str) -> Iterator[Found]:
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        for m in pattern.finditer(text):
            month, day = MONTH_FORMS[m["m"].lower()], int(m["d"])
            if m["y"] and (whole := calendar_day(int(m["y"]), month, day)):
                yield Found(*m.span(), "date", whole)
            elif not m["y"] and m["m"][0].isupper() and calendar_day(2000, month, day):
                yield Found(*m.span(), "date", PartialDate(None, month, day))
    for m in _MONTH_YEAR.finditer(text):
        yield Found(*m.span(), "month", PartialDate(int(m["y"]), MONTH_FORMS[m["m"].lower()]))
    for m in _MONTH_ALONE.finditer(text):
        # Before another capital it is a part of a name.
        if m["m"][0].isupper() and not text[m.end() :].lstrip()[:1].isupper():
            yield Found(*m.span("m"), "month", PartialDate(None, MONTH_FORMS[m["m"].lower()]))


def _spans_of_years(text: str) -> Iterator[Found]:
    for m in _DECADE.finditer(text):
        yield Found(*m.span(), "decade", int(m["y"]))
    for m in _SHORT_DECADE.finditer(text):
        yield Found(m.start() + 4, m.end(), "decade", 1900 + int(m["y"]))
    for m in _DECADE_WORD.finditer(text):
        yield Found(*m.span("word"), "decade", 1900 + DECADE_WORDS[m["word"].lower()])
    for m in _CENTURY.finditer(text):
        if 1 <= int(m["n"]) <= 30:
            yield Found(*m.span(), "century", int(m["n"]))


def _times(text: str) -> Iterator[Found]:
    for m in (*_TIME.finditer(text), *_HOUR.finditer(text)):
        if clock := _time(m):
            yield Found(*m.span(), "time", clock)
    for m in _CLOCK_WORD.finditer(text):
        yield Found(*m.span("word"), "time", time(CLOCK_WORDS[m["word"].lower()]))


def calendar_day(year: int, month: int, day: int) -> date | None:
    """The day; ``None`` where the calendar has none."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _time(m: re.Match[str]) -> time | None:
    parts = m.groupdict()
    hour = _hour(int(parts["hour"]), (parts.get("half") or "").lower())
    fraction = int((parts.get("fraction") or "").ljust(6, "0")[:6])
    try:
        return (
            None if hour is None else time(hour, int(parts.get("minute") or 0), int(parts.get("second") or 0), fraction)
        )
    except ValueError:
        return None


def _hour(hour: int, half: str) -> int | None:
    if not half:
        return hour
    if not 1 <= hour <= 12:
        return None
    return hour % 12 + 12 * (half in AFTER_NOON)


# No place on Earth is a day ahead.
_DAY = timedelta(days=1)


def _zone(text: str | None) -> timezone | None:
    if not text:
        return None
    if text == "Z":
        return UTC
    digits = text[1:].replace(":", "")
    delta = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-delta if text[0] == "-" else delta) if delta < _DAY else None


# --- periods -----------------------------------------------------------------------------------------------------


def period(kind: str, value: object) -> Period | None:
    """The days that a moment covers; ``None`` where its year is not written, or it is a time of day."""
    match value:
        case datetime():
            return _days(value.date())
        case date():
            return _days(value)
        case PartialDate(int() as year, int() as month, None):
            return _period((year, month), (year + month // 12, month % 12 + 1))
        case int():
            years = years_of(kind, value)
            return _period((years.start, 1), (years.stop, 1)) if years else None
    return None


def years_of(kind: str, value: int) -> range | None:
    """The years of a year, decade or century."""
    match kind:
        case "year":
            return range(value, value + 1)
        case "decade":
            return range(value, value + 10)
        case "century":
            return range(100 * (value - 1) + 1, 100 * value + 1)
    return None


def _days(day: date) -> Period:
    return Period(day, None if day == date.max else day + timedelta(days=1))


def _period(first: tuple[int, int], end: tuple[int, int]) -> Period | None:
    begins = calendar_day(*first, 1)
    return Period(begins, calendar_day(*end, 1)) if begins else None
