"""How the embedded engine stores temporal and spatial values, and bytes.

As what it knows itself where that keeps the value whole, else as a marked text of ours: the mark, a kind, a body.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from datetime import UTC, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from neo4j.spatial import CartesianPoint, Point, WGS84Point
from neo4j.time import DateTime, Duration, Time

from arcgraph.domain import Omitted
from arcgraph.errors import UsageError
from arcgraph.graph.iso import iso_datetime, iso_time, parse_datetime, parse_time, zone_name
from arcgraph.graph.worker import MARK

WGS84 = 4326
_DAY = 86_400
_POINT_CLASSES = {WGS84: WGS84Point, 4979: WGS84Point, 7203: CartesianPoint, 9157: CartesianPoint}


def encode(kind: str, body: str) -> str:
    """A marked text."""
    return f"{MARK}{kind} {body}"


def decode(text: str) -> Any:
    """The value behind a marked text; the text itself where it is none of ours."""
    kind, _, body = text[len(MARK) :].partition(" ")
    decode = _DECODERS.get(kind)
    try:
        return decode(body) if decode else text
    except (ValueError, binascii.Error):  # somebody's own text that happens to begin with the mark
        return text


def _decode_point(body: str) -> Point:
    srid, *coordinates = body.split(" ")
    return _point(int(srid), [float(item) for item in coordinates])


def _point(srid: int, coordinates: list[float]) -> Point:
    known = _POINT_CLASSES.get(srid)
    if known is not None:
        return known(coordinates)
    point = Point(coordinates)
    point.srid = srid
    return point


def _decode_duration(body: str) -> Duration:
    months, days, seconds, nanoseconds = map(int, body.split(" "))
    return Duration(months=months, days=days, seconds=seconds, nanoseconds=nanoseconds)


def _decode_omitted(body: str) -> Omitted:
    kind, size = body.split(" ")
    return Omitted(kind, int(size))


_DECODERS: dict[str, Callable[[str], Any]] = {
    "point": _decode_point,
    "duration": _decode_duration,
    "datetime": parse_datetime,
    "time": parse_time,
    "bytes": lambda body: base64.b64decode(body, validate=True),
    "text": lambda body: body,
    "omitted": _decode_omitted,
}


def stored_datetime(value: DateTime) -> Any:
    """A ``datetime`` where that holds every digit and the zone, else a marked text."""
    if value.nanosecond % 1000 or not _has_plain_offset(value.utcoffset()):
        return encode("datetime", iso_datetime(value))
    native = value.to_native()
    if native.tzinfo is None:
        return native
    try:
        return native.astimezone(UTC).astimezone(_zone_of(value))
    except (ZoneInfoNotFoundError, OverflowError):  # Windows without tzdata; the first and last day of the calendar
        return encode("datetime", iso_datetime(value))


def _zone_of(value: DateTime) -> tzinfo:
    name = zone_name(value.tzinfo)
    return timezone(value.utcoffset() or timedelta()) if name is None else ZoneInfo(name)


def stored_time(value: Time) -> Any:
    """A ``time`` where that holds every digit, else a marked text."""
    offset = value.utcoffset()
    if value.nanosecond % 1000 or not _has_plain_offset(offset):
        return encode("time", iso_time(value))
    return value.to_native().replace(tzinfo=None if offset is None else timezone(offset))


def _has_plain_offset(offset: timedelta | None) -> bool:
    return offset is None or (abs(offset) <= timedelta(hours=18) and not offset.microseconds)


def stored_duration(value: Duration) -> Any:
    """A ``timedelta`` where the engine reads the same parts out of it, else a marked text."""
    months, days, seconds, nanoseconds = value
    one_sign = min(days, seconds, nanoseconds) >= 0 or max(days, seconds, nanoseconds) <= 0
    if months or nanoseconds % 1000 or abs(seconds) >= _DAY or not one_sign or abs(days) > 999_999_998:
        return encode("duration", f"{months} {days} {seconds} {nanoseconds}")
    return timedelta(days=days, seconds=seconds, microseconds=nanoseconds // 1000)


def stored_point(value: Point) -> str:
    """Always a marked text; see :mod:`arcgraph.graph.lift`."""
    return encode("point", " ".join([str(_srid_of(value)), *(repr(float(item)) for item in value)]))


def _srid_of(value: Point) -> int:
    srid: int | None = getattr(value, "srid", None)
    if srid is None:
        raise UsageError("a point needs 2 or 3 coordinates and a reference system: use WGS84Point or CartesianPoint")
    return srid
