"""Stretches of time seen from the end of the data ("in the last 3 years", "last month", "yesterday")."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from arcgraph.interpret.marks import Relative

_MONTHS = {"month": 1, "year": 12, "decade": 120}
_DAYS = {"day": 1, "week": 7}
_SHORTER = {"second": 1, "minute": 60, "hour": 3_600}


def ends_of(relative: Relative, last: date, *, rolls: bool) -> tuple[date, date | None] | None:
    """The first moment within a stretch and the first one behind it, ``None`` where it is open; for a graph whose last
    moment is ``last``.

    A stretch that ``rolls`` ends with the data ("in the last year"), another is of the calendar ("last year"). ``None``
    where there is none: units shorter than a day of days.
    """
    if rolls:
        back = _back(last, relative.number, relative.unit)
        return None if back is None else (back, None)
    begin = _start(last, relative.unit)
    end = None if begin is None else _back(begin, -1, relative.unit)
    for _ in range(relative.ago):
        begin, end = (None if begin is None else _back(begin, 1, relative.unit)), begin
    return None if begin is None else (begin, end)


def _back(moment: date, number: int, unit: str) -> date | None:
    """A moment so many units before another; the last day of a month where it has no such day."""
    if unit in _MONTHS:
        months = moment.year * 12 + moment.month - 1 - number * _MONTHS[unit]
        year, month = divmod(months, 12)
        return None if not 1 <= year <= 9_998 else _on(moment, year, month + 1)
    try:
        if unit in _DAYS:
            return moment - timedelta(days=number * _DAYS[unit])
        if unit in _SHORTER and isinstance(moment, datetime):
            return moment - timedelta(seconds=number * _SHORTER[unit])
    except OverflowError:
        pass
    return None


def _on(moment: date, year: int, month: int) -> date:
    following = date(year + month // 12, month % 12 + 1, 1)
    days = (following - timedelta(days=1)).day
    return moment.replace(year=year, month=month, day=min(moment.day, days))


def _start(moment: date, unit: str) -> date | None:
    """The first day of the calendar's unit that a moment lies in; weeks begin on Monday."""
    day = moment.date() if isinstance(moment, datetime) else moment
    match unit:
        case "day":
            return day
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "year":
            return day.replace(month=1, day=1)
        case "decade":
            return date(day.year - day.year % 10, 1, 1) if day.year >= 10 else None
    return None
