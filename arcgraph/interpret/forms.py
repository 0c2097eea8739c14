"""How the values of a property are to be read: typed ones as they are, texts by how their samples are written.

Properties that hold numbers, dates or times of day as texts are common. A form says what such texts mean, reads them,
and writes a value the way they are written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import lru_cache
from itertools import product
from typing import Any, Literal, NamedTuple, TypeVar

from neo4j.time import Date, DateTime, Time

from arcgraph.domain import PropertyInfo
from arcgraph.interpret.dates import find_moments
from arcgraph.interpret.operators import MOMENT_KEY_WORDS, PLACEHOLDERS
from arcgraph.interpret.verbalise import split_name

_T = TypeVar("_T")
Writing = Literal[
    "", "figures", "leading figures", "iso date", "iso datetime", "year first", "day first", "month first", "words",
    "clock", "epoch seconds", "epoch milliseconds",
]  # fmt: skip
# So many of the samples that are no placeholder have to be written alike.
_LEAST_SHARE = 0.6
NUMERIC_TYPES = frozenset(("integer", "float"))
MOMENT_TYPES = frozenset(("date", "datetime", "localdatetime", "time", "localtime"))

_FIGURES = re.compile(r"\s*[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s*")
_LEADING = re.compile(r"\s*[^\w\s]?\s*([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?=\s?[^\W\d]|\s?%|\s?[(°€£$])")
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)\d*(?:Z|[+-]\d\d:?\d\d)?)?")
_YEAR_FIRST = re.compile(r"(\d{4})([/.])(\d{1,2})\2(\d{1,2})")
_YEAR_LAST = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?")


@dataclass(frozen=True, slots=True)
class Form:
    """What the values of a property mean, as a type of :class:`~arcgraph.domain.PropertyInfo`, and how it is written.

    ``writing`` is empty for values that are stored in that type. ``share`` of the samples, placeholders such as
    "unknown" left out, are written so. ``samples`` are texts that show how, and ``in_list`` tells that the values are
    items of lists. ``years`` tells that a key calls numbers years, however long ago.
    """

    meaning: str
    writing: Writing = ""
    share: float = 1.0
    samples: tuple[Any, ...] = ()
    in_list: bool = False
    years: bool = False

    @property
    def is_stored(self) -> bool:
        """Whether values are stored in the type that they mean."""
        return not self.writing

    @property
    def is_epoch(self) -> bool:
        """Whether values are numbers of a unit of time since 1970."""
        return self.writing in _EPOCHS

    @property
    def is_moment(self) -> bool:
        """Whether values that sort as they are stored say when: dates, times, and numbers that all look like years."""
        if self.meaning == "integer" and self.is_stored:
            are_like = bool(self.samples) and all(isinstance(n, int) and 1_000 <= n <= 2_999 for n in self.samples)
            return self.years or are_like
        return self.meaning in MOMENT_TYPES and (self.is_stored or self.sorts)

    @property
    def sorts(self) -> bool:
        """Whether values as they are stored have the order of what they mean."""
        if self.writing == "clock":
            return all(len(text.partition(":")[0]) == 2 for text in self.samples)
        return self.writing in ("", "iso date", "iso datetime", *_EPOCHS)

    def read(self, value: Any) -> Any:
        """What a stored value means, as a Python number, date, time, naive datetime or text; ``None`` for others."""
        if self.is_epoch:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return _from_epoch(value, _EPOCHS[self.writing]) if is_number else None
        if self.writing:
            return _READINGS[self.writing](value) if isinstance(value, str) else None
        return value.to_native() if isinstance(value, Date | DateTime | Time) else value

    def write(self, value: Any) -> tuple[str, ...]:
        """The texts by which a value may be written here; none where they cannot be foretold."""
        if isinstance(value, date) and self.writing in _DATE_PARTS:
            return tuple(dict.fromkeys(_write_date(value, self.writing, self.samples)))
        if isinstance(value, time) and self.writing == "clock":
            return tuple(dict.fromkeys(_write_time(value, self.samples)))
        if self.writing == "figures" and isinstance(value, int | float):
            return tuple(dict.fromkeys(_write_number(value)))
        return ()


def has_parts(info: PropertyInfo) -> bool:
    """Whether the years and months of a property's values can be told: of days and moments as they are stored, or as
    ISO 8601 writes them."""
    form = form_of(info)
    return form.meaning in ("date", "datetime", "localdatetime") and form.writing in ("", "iso date", "iso datetime")


def is_amount(info: PropertyInfo) -> bool:
    """Whether a property holds numbers, or texts that are."""
    return info.type in NUMERIC_TYPES or form_of(info).writing == "figures"


def form_of(info: PropertyInfo) -> Form:
    """How the values of a property are to be read."""
    if info.type == "list":
        items = tuple(item for sample in info.samples if isinstance(sample, list | tuple) for item in sample)
        inner = _text_form(tuple(i for i in items if isinstance(i, str))) if _are_texts(items) else _typed(items)
        return Form(inner.meaning, inner.writing, inner.share, inner.samples, in_list=True)
    if info.type not in ("string", "text"):
        writing = _epoch_writing(info) if info.type == "integer" else None
        if writing:
            return Form("localdatetime", writing, samples=info.samples)
        return Form(info.type, samples=info.samples, years=_are_called_years(info))
    return _text_form(tuple(sample for sample in info.samples if isinstance(sample, str)))


# Units of time since 1970, by how many of them a second has.
_EPOCHS: dict[Writing, int] = {"epoch seconds": 1, "epoch milliseconds": 1_000}
# Seconds from 1990 to 2100: numbers within them that a key calls moments are no amounts.
_SINCE, _UNTIL = 631_152_000, 4_102_444_800


def _epoch_writing(info: PropertyInfo) -> Writing | None:
    """In which unit since 1970 integers tell moments, where the property's key says that they do."""
    if not MOMENT_KEY_WORDS & set(split_name(info.key)) or not info.samples:
        return None
    for writing, per_second in _EPOCHS.items():
        if all(isinstance(n, int) and _SINCE * per_second <= n < _UNTIL * per_second for n in info.samples):
            return writing
    return None


def _are_called_years(info: PropertyInfo) -> bool:
    """Whether whole numbers are years by their key ("year", "birthYear"), and none is longer than a year."""
    is_called = info.type == "integer" and split_name(info.key)[-1:] == ("year",)
    return is_called and bool(info.samples) and all(isinstance(n, int) and abs(n) < 3_000 for n in info.samples)


def _from_epoch(number: float, per_second: int) -> datetime | None:
    return _guarded(lambda: datetime.fromtimestamp(number / per_second, UTC).replace(tzinfo=None))


def to_epoch(moment: datetime, writing: Writing) -> int:
    """A naive moment in UTC as a number since 1970."""
    return round(moment.replace(tzinfo=UTC).timestamp() * _EPOCHS[writing])


def _are_texts(items: Sequence[Any]) -> bool:
    return not items or isinstance(items[0], str)


def _typed(items: Sequence[Any]) -> Form:
    kinds: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "boolean"), (int, "integer"), (float, "float"), ((Date, date), "date"),
    )  # fmt: skip
    return Form(next((name for kind, name in kinds if isinstance(items[0], kind)), "string"), samples=tuple(items))


@lru_cache(maxsize=10_000)
def _text_form(samples: tuple[str, ...]) -> Form:
    told = [text for text in samples if text.strip().casefold() not in PLACEHOLDERS]
    for writing, meaning in _WRITINGS:
        fitting = [text for text in told if _READINGS[writing](text) is not None]
        if told and len(fitting) >= _LEAST_SHARE * len(told) and _is_one_unit(writing, fitting):
            meant = meaning or ("integer" if all(isinstance(read_figures(t), int) for t in fitting) else "float")
            doubt = 0.5 if _may_be_turned(writing, fitting) else 1.0
            return Form(meant, writing, doubt * len(fitting) / len(told), tuple(fitting))
    return Form("string", samples=tuple(told))


def _is_one_unit(writing: Writing, texts: Sequence[str]) -> bool:
    """Whether figures with something behind them ("19 km", "9.5 km") are mostly followed by the same.

    Else they are addresses, ids or amounts of different things, which have no order in common.
    """
    if writing != "leading figures":
        return True
    units = Counter(_LEADING.sub("", text).strip().casefold().rstrip("s") for text in texts)
    units.pop("", None)
    return bool(units) and 2 * units.most_common(1)[0][1] > units.total()


def _may_be_turned(writing: Writing, texts: Sequence[str]) -> bool:
    """Whether days and months may be the other way round, since no sample has a day above the twelfth."""
    return writing == "day first" and all(_month_first(text) is not None for text in texts)


# In order of preference: the first that fits enough of the samples is the form.
_WRITINGS: tuple[tuple[Writing, str], ...] = (
    ("iso date", "date"),
    ("iso datetime", "localdatetime"),
    ("year first", "date"),
    ("day first", "date"),
    ("month first", "date"),
    ("clock", "localtime"),
    ("figures", ""),
    ("words", "date"),
    ("leading figures", "float"),
)


# --- reading -----------------------------------------------------------------------------------------------------


def read_figures(text: str) -> int | float | None:
    """The number that a text consists of: "1,240", " 36.8 "."""
    return _number(text) if _FIGURES.fullmatch(text) else None


def _leading_figures(text: str) -> int | float | None:
    match = _LEADING.match(text)
    return _number(match[1]) if match else read_figures(text)


def _number(figures: str) -> int | float:
    plain = figures.strip().replace(",", "")
    return float(plain) if "." in plain else int(plain)


def _iso_date(text: str) -> date | None:
    match = _ISO.fullmatch(text.strip())
    return _guarded(lambda: date.fromisoformat(match[1])) if match and not match[2] else None


def _iso_datetime(text: str) -> datetime | None:
    match = _ISO.fullmatch(text.strip())
    return _guarded(lambda: datetime.fromisoformat(f"{match[1]}T{match[2] or '00:00'}")) if match else None


def _year_first(text: str) -> date | None:
    match = _YEAR_FIRST.fullmatch(text.strip())
    return _guarded(lambda: date(int(match[1]), int(match[3]), int(match[4]))) if match else None


def _day_first(text: str) -> date | None:
    match = _YEAR_LAST.fullmatch(text.strip())
    return _guarded(lambda: date(int(match[4]), int(match[3]), int(match[1]))) if match else None


def _month_first(text: str) -> date | None:
    match = _YEAR_LAST.fullmatch(text.strip())
    return _guarded(lambda: date(int(match[4]), int(match[1]), int(match[3]))) if match else None


def _clock(text: str) -> time | None:
    match = _CLOCK.fullmatch(text.strip())
    return _guarded(lambda: time(int(match[1]), int(match[2]), int(match[3] or 0))) if match else None


def _words(text: str) -> date | None:
    found = [one.value for one in find_moments(text) if (one.start, one.end) == (0, len(text))]
    return next((value for value in found if type(value) is date), None)


def _guarded(make: Callable[[], _T]) -> _T | None:
    """``None`` for what the calendar or the clock does not have."""
    try:
        return make()
    except (ValueError, OverflowError):
        return None


_READINGS: dict[str, Callable[[str], Any]] = {
    "figures": read_figures,
    "leading figures": _leading_figures,
    "iso date": _iso_date,
    "iso datetime": _iso_datetime,
    "year first": _year_first,
    "day first": _day_first,
    "month first": _month_first,
    "clock": _clock,
    "words": _words,
}


# --- writing -----------------------------------------------------------------------------------------------------

# Places of year, month and day among the parts of a date.
_DATE_PARTS: dict[str, str] = {"iso date": "ymd", "year first": "ymd", "day first": "dmy", "month first": "mdy"}


class _DateStyle(NamedTuple):
    """How dates are written: signs between the parts, and the formats of small months and days."""

    signs: tuple[str, ...]
    months: tuple[str, ...]
    days: tuple[str, ...]


@lru_cache(maxsize=10_000)
def _date_style(order: str, samples: tuple[str, ...]) -> _DateStyle:
    split = [re.split(r"[/.-]", sample.strip()) for sample in samples]
    whole = [parts for parts in split if len(parts) == 3]
    signs = dict.fromkeys(sign for sample in samples for sign in sample if sign in "/.-")
    months, days = (_paddings([parts[order.index(part)] for parts in whole]) for part in "md")
    return _DateStyle(tuple(signs), months, days)


def _write_date(day: date, writing: str, samples: tuple[str, ...]) -> Iterator[str]:
    order = _DATE_PARTS[writing]
    style = _date_style(order, samples)
    for sign, months, days in product(style.signs, style.months, style.days):
        parts = {"y": f"{day.year:04d}", "m": format(day.month, months), "d": format(day.day, days)}
        yield sign.join(parts[part] for part in order)


def _paddings(seen: Sequence[str]) -> tuple[str, ...]:
    """Formats of a number of one or two figures as the samples write small ones; both where they do not show it."""
    with_zero, without = any(text[:1] == "0" for text in seen), any(len(text) == 1 for text in seen)
    return ("02d",) * (with_zero or not without) + ("d",) * (without or not with_zero)


def _write_time(value: time, samples: Sequence[str]) -> Iterator[str]:
    for padding in _paddings([sample.strip().partition(":")[0] for sample in samples]):
        hour = format(value.hour, padding)
        if value.second == 0 and any(sample.count(":") == 1 for sample in samples):
            yield f"{hour}:{value.minute:02d}"
        if any(sample.count(":") == 2 for sample in samples):
            yield f"{hour}:{value.minute:02d}:{value.second:02d}"


def _write_number(value: int | float) -> Iterator[str]:
    if float(value).is_integer():
        yield str(int(value))
        yield f"{int(value):,}"
        yield f"{int(value)}.0"
    else:
        yield str(value)
        yield f"{value:,}"
