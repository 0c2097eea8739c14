"""What a comparison lets through, as bounds in a property's own type."""

from __future__ import annotations

import typing
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from arcgraph.interpret.dates import Period, period, years_of

if TYPE_CHECKING:
    from arcgraph.interpret.literals import Literal

_NUMERIC = frozenset(("integer", "float"))
_DATETIMES = frozenset(("datetime", "localdatetime"))
_TIMES = frozenset(("time", "localtime"))
_TEXTS = frozenset(("string", "text"))


Comparing = typing.Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Values from ``low`` to ``high``; ``None`` is no bound on that side.

    Moments are half-open: ``low`` belongs to them, ``high`` does not; they are in UTC where the type has a zone.
    ``negated`` lets through all others instead. For a part of a text ``part`` says which (``contains``,
    ``starts with``, ``ends with``) and ``low`` the text.
    """

    low: Any = None
    high: Any = None
    has_low: bool = True
    has_high: bool = False
    negated: bool = False
    part: str = ""

    @property
    def is_point(self) -> bool:
        """Whether exactly one value lies within."""
        return self.low is not None and self.low == self.high and self.has_low and self.has_high

    def holds(self, value: Any) -> bool:
        """Whether a value of the same type passes."""
        return self._within(value) != self.negated

    def meets(self, low: Any, high: Any) -> bool:
        """Whether any value between the least and the greatest of a property may pass."""
        if self.part:
            return True
        if self.negated:
            return not (self.is_point and low == high == self.low)
        begins = self.low is None or self.low < high or (self.low == high and self.has_low)
        return begins and (self.high is None or low < self.high or (low == self.high and self.has_high))

    def comparisons(self) -> tuple[tuple[Comparing, Any], ...] | None:
        """The bounds as comparisons that all hold; ``None`` where there are none, or all but a stretch passes."""
        if self.is_point:
            return (("<>" if self.negated else "=", self.low),)
        ends: tuple[tuple[Comparing, Any], ...] = (
            (">=" if self.has_low else ">", self.low), ("<=" if self.has_high else "<", self.high),
        )  # fmt: skip
        return None if self.negated else tuple(end for end in ends if end[1] is not None) or None

    def _within(self, value: Any) -> bool:
        if self.part:
            text, wanted = str(value).casefold(), str(self.low).casefold()
            return {"starts with": text.startswith(wanted), "ends with": text.endswith(wanted)}.get(
                self.part, wanted in text
            )
        if self.low is not None and (value < self.low or (value == self.low and not self.has_low)):
            return False
        return self.high is None or value < self.high or (self.has_high and value == self.high)


def bounds_of(literal: Literal, type_name: str) -> Bounds | None:
    """See :meth:`arcgraph.interpret.literals.Literal.bounds`."""
    low = covered(literal, type_name)
    if low is None:
        return None
    if literal.until is not None:
        high = covered(literal.until, type_name)
        return None if high is None else Bounds(low.low, high.high, low.has_low, high.has_high)
    return compared(low, literal.operator)


def compared(values: Bounds, operator: str) -> Bounds:
    """What compares so with the values within some bounds: "after 1990" begins where 1990 ends."""
    match operator:
        case "<":
            return Bounds(None, values.low, has_high=False)
        case "<=":
            return Bounds(None, values.high, has_high=values.has_high)
        case ">":
            return Bounds(values.high, None, has_low=not values.has_high)
        case ">=":
            return Bounds(values.low, None)
        case "<>":
            return Bounds(values.low, values.high, values.has_low, values.has_high, negated=True)
        case "contains" | "starts with" | "ends with":
            return Bounds(values.low, part=operator) if isinstance(values.low, str) else values
        case "not contains" | "not starts with" | "not ends with":
            told = compared(values, operator.removeprefix("not "))
            return replace(told, negated=True)
    return values


def covered(literal: Literal, type_name: str) -> Bounds | None:
    """The values of a type that a literal by itself stands for: a year covers all its days."""
    if type_name in _NUMERIC:
        return _numbers(literal)
    if type_name == "date" or type_name in _DATETIMES:
        return _moments(literal, type_name)
    if type_name in _TIMES:
        return _clock(literal, type_name)
    if type_name == "duration":
        duration = getattr(literal.value, "duration", None)
        return _point(duration) if duration is not None else None
    if type_name in _TEXTS:
        return _texts(literal)
    return None


def _point(value: Any) -> Bounds:
    return Bounds(value, value, has_high=True)


def _numbers(literal: Literal) -> Bounds | None:
    years = years_of(literal.kind, literal.value) if isinstance(literal.value, int) else None
    if years:
        return Bounds(years.start, years.stop) if len(years) > 1 else _point(years.start)
    number = literal.number
    return _point(number) if number is not None and abs(number) < _MOST else None


# Numbers in a database have 64 bits, and what is asked of them no more.
_MOST = 2**63


def _moments(literal: Literal, type_name: str) -> Bounds | None:
    if type_name in _DATETIMES and isinstance(literal.value, datetime):
        return _instant(literal, type_name)
    kind = "year" if literal.kind == "integer" and _may_be_year(literal.value) else literal.kind
    days = period(kind, literal.value)
    if days is None:
        return None
    return Bounds(_as_type(days.first, type_name), _as_type(days.end, type_name))


def _may_be_year(value: Any) -> bool:
    return isinstance(value, int) and 1_000 <= value <= 2_999


def _instant(literal: Literal, type_name: str) -> Bounds:
    value = literal.value
    if type_name == "datetime" and value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    if type_name == "localdatetime":
        value = value.replace(tzinfo=None)
    last = datetime.max.replace(tzinfo=value.tzinfo)
    step = _step(literal)
    return Bounds(value, value + step if value < last - step else None)


def _step(literal: Literal) -> timedelta:
    return timedelta(seconds=1) if literal.has_seconds else timedelta(minutes=1)


def _as_type(day: date | None, type_name: str) -> date | datetime | None:
    if day is None or type_name == "date":
        return day
    return datetime.combine(day, time(), UTC if type_name == "datetime" else None)


def _clock(literal: Literal, type_name: str) -> Bounds | None:
    if not isinstance(literal.value, time):
        return None
    zone = UTC if type_name == "time" else None
    later = datetime.combine(date(2000, 1, 1), literal.value) + _step(literal)
    return Bounds(literal.value.replace(tzinfo=zone), later.time().replace(tzinfo=zone) if later.day == 1 else None)


def _texts(literal: Literal) -> Bounds:
    """Texts, in the order of ISO dates where the literal is a moment."""
    days: Period | None = period(literal.kind, literal.value) if literal.kind != "quoted" else None
    if days is not None and isinstance(literal.value, datetime):
        start = literal.value.isoformat(timespec="seconds" if literal.has_seconds else "minutes")
        return Bounds(start, start + "￿")
    if days is not None:
        return Bounds(_iso_start(literal.kind, days.first), _iso_start(literal.kind, days.end) if days.end else None)
    text = literal.value if isinstance(literal.value, str) else literal.text
    return _point(text)


def _iso_start(kind: str, day: date) -> str:
    """The least ISO text of a day that a period of this kind begins with: "2017", "2017-05", "2017-05-03"."""
    size = {"year": 4, "decade": 4, "century": 4, "month": 7}.get(kind, 10)
    return day.isoformat()[:size]
