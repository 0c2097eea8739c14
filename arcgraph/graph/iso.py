"""Temporal values as ISO 8601 texts, spatial ones as WKT, with every digit; and datetimes and times back from text.

Datetimes read like Cypher's own texts: ``2020-06-01T01:02:03.5+02:00[Europe/Berlin]``, ``Z`` for UTC, seconds always,
no zeros at the end of the fraction.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytz  # type: ignore[import-untyped]
from neo4j.spatial import Point
from neo4j.time import DateTime, Duration, Time

_NANO = 1_000_000_000


def datetime_from_native(value: datetime) -> DateTime:
    """The driver's kind of datetime."""
    # Named zones become pytz zones as the driver's are: neo4j.time values with a zoneinfo zone crash pickle.
    if isinstance(value.tzinfo, ZoneInfo):
        known = value.tzinfo.key in pytz.all_timezones_set
        zone = pytz.timezone(value.tzinfo.key) if known else timezone(value.utcoffset() or timedelta())
        value = value.astimezone(zone)
    return DateTime.from_native(value)


def duration_from_native(value: timedelta) -> Duration:
    """The duration that the driver makes of a timedelta."""
    return Duration(days=value.days, seconds=value.seconds, nanoseconds=value.microseconds * 1000)


def iso_datetime(value: DateTime) -> str:
    """For example ``2020-06-01T01:02:03.5+02:00[Europe/Berlin]``; without an offset where the value has none."""
    zone = zone_name(value.tzinfo)
    suffix = f"[{zone}]" if zone else ""
    return f"{value.date().iso_format()}T{_iso_clock(value)}{_iso_offset(value.utcoffset())}{suffix}"


def iso_time(value: Time) -> str:
    """For example ``01:02:03Z``."""
    return _iso_clock(value) + _iso_offset(value.utcoffset())


def _iso_clock(value: DateTime | Time) -> str:
    fraction = f".{value.nanosecond:09d}".rstrip("0").rstrip(".")
    return f"{value.hour:02d}:{value.minute:02d}:{value.second:02d}{fraction}"


def _iso_offset(offset: timedelta | None) -> str:
    if offset is None:
        return ""
    if not offset:
        return "Z"
    minutes, seconds = divmod(abs(int(offset.total_seconds())), 60)
    tail = f":{seconds:02d}" if seconds else ""
    return f"{'-' if offset < timedelta() else '+'}{minutes // 60:02d}:{minutes % 60:02d}{tail}"


def zone_name(zone: tzinfo | None) -> str | None:
    """What a named time zone other than UTC is called."""
    name = getattr(zone, "zone", None) or getattr(zone, "key", None)
    return None if name == "UTC" else name


def iso_duration(value: Duration) -> str:
    """For example ``P1Y2M3DT4H5M6.7S``, ``PT0S`` for none."""
    months, days, seconds, nanoseconds = value
    years, months = int(months / 12), int(math.fmod(months, 12))
    day = "".join(f"{count}{unit}" for count, unit in ((years, "Y"), (months, "M"), (days, "D")) if count)
    clock = _iso_duration_clock(seconds * _NANO + nanoseconds)
    return "PT0S" if not day and not clock else f"P{day}" + (f"T{clock}" if clock else "")


def _iso_duration_clock(total: int) -> str:
    sign = "-" if total < 0 else ""
    seconds, nanoseconds = divmod(abs(total), _NANO)
    fraction = f".{nanoseconds:09d}".rstrip("0").rstrip(".")
    parts = ((str(seconds // 3600), "H"), (str(seconds // 60 % 60), "M"), (f"{seconds % 60}{fraction}", "S"))
    return "".join(f"{sign}{count}{unit}" for count, unit in parts if count != "0")


def wkt(point: Point) -> str:
    """For example ``SRID=4326;POINT(13.4 52.5)``: longitude, or x, comes first."""
    coordinates = " ".join(repr(float(item)).removesuffix(".0") for item in point)
    space = " Z " if len(point) == 3 else ""
    srid = getattr(point, "srid", None)
    prefix = "" if srid is None else f"SRID={srid};"
    return f"{prefix}POINT{space}({coordinates})"


_DATETIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d(?::\d\d)?)?(?:\[(.+)\])?"
)
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d(?::\d\d)?)?")


def parse_datetime(body: str) -> DateTime:
    """What :func:`iso_datetime` wrote; raises ``ValueError`` on anything else."""
    match = _DATETIME.fullmatch(body)
    if match is None:
        raise ValueError(body)
    *numbers, fraction, offset, zone = match.groups()
    year, month, day, hour, minute, second = map(int, numbers)
    value = DateTime(year, month, day, hour, minute, second, _nanoseconds(fraction), tzinfo=_offset(offset))
    return value.astimezone(pytz.timezone(zone)) if zone else value


def parse_time(body: str) -> Time:
    """What :func:`iso_time` wrote; raises ``ValueError`` on anything else."""
    match = _TIME.fullmatch(body)
    if match is None:
        raise ValueError(body)
    hour, minute, second, fraction, offset = match.groups()
    return Time(int(hour), int(minute), int(second), _nanoseconds(fraction), tzinfo=_offset(offset))


def _nanoseconds(fraction: str | None) -> int:
    return int((fraction or "").ljust(9, "0"))


def _offset(text: str | None) -> timezone | None:
    if text is None:
        return None
    if text == "Z":
        return UTC
    hours, minutes, *seconds = map(int, text[1:].split(":"))
    delta = timedelta(hours=hours, minutes=minutes, seconds=sum(seconds))
    return timezone(-delta if text[0] == "-" else delta)
