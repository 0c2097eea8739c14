"""From what a file says to a property value: JSON values and texts, with or without a declared type.

Every function takes the raw value and returns a Python scalar or list, a :mod:`neo4j.time` or :mod:`neo4j.spatial`
value; it raises ``ValueError`` with a reason for people when the value does not fit.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pytz  # type: ignore[import-untyped]
from neo4j.spatial import CartesianPoint, Point, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

_T = TypeVar("_T")
Convert = Callable[[Any], Any]

INTEGERS = range(-(2**63), 2**63)
_SRIDS = {4326: WGS84Point, 4979: WGS84Point, 7203: CartesianPoint, 9157: CartesianPoint}
_REFERENCE_SYSTEMS = {"wgs-84": 4326, "wgs-84-3d": 4979, "cartesian": 7203, "cartesian-3d": 9157}


def shown(value: Any) -> str:
    """A value as a reason shows it: short, quoted."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# --- JSON values without a declared type ---------------------------------------------------------------------------


def storable(value: Any) -> Any:
    """A JSON value as a property value: scalars and lists of one kind as they are, ``{"point": …}`` as a point."""
    kind = type(value)
    if kind is str or kind is float or kind is bool:
        return value
    if kind is int:
        return _integer_in_range(value)
    if kind is list:
        return _storable_list(value)
    if isinstance(value, dict):
        if set(value) == {"point", "srid"}:
            return point_of_json(value)
        raise ValueError("a map is no property value; make it a node of its own, or several properties")
    raise ValueError(f"{shown(value)} is no property value")


def _integer_in_range(value: int) -> int:
    if value not in INTEGERS:
        raise ValueError(f"{shown(value)} does not fit into 64 bits; write it as a string")
    return value


def _storable_list(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values}
    if kinds & {list, type(None)}:
        raise ValueError("a list inside a list, or a null inside one, is no property value")
    if kinds == {int, float}:
        return [float(value) for value in values]
    if len(kinds) > 1:
        raise ValueError("a list must hold values of one kind")
    return values if kinds <= {str, float, bool} else [storable(value) for value in values]


# --- declared types ------------------------------------------------------------------------------------------------


def converter(type_name: str) -> Convert:
    """What turns a JSON value of the named type into a property value; unknown names leave JSON types as they are."""
    if type_name.endswith("[]"):
        return _each(converter(type_name[:-2]))
    return _CONVERTERS.get(type_name, storable)


def _each(convert: Convert) -> Convert:
    def convert_all(values: Any) -> list[Any]:
        if not isinstance(values, list):
            raise ValueError(f"{shown(values)} is no list")
        return [convert(value) for value in values]

    return convert_all


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is no string")
    return value


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{shown(value)} is neither true nor false")
    return value


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ValueError(f"{shown(value)} is no whole number")
    return _integer_in_range(int(value))


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{shown(value)} is no number")
    return float(value)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{shown(value)} is no list")
    return _storable_list(value)


def _iso(parse: Callable[[str], _T], what: str) -> Convert:
    def convert(value: Any) -> _T:
        try:
            return parse(_string(value).strip())
        except ValueError:
            raise ValueError(f"{shown(value)} is no {what}") from None

    return convert


def parse_date(text: str) -> Date:
    """``2020-05-04`` or any other ISO 8601 day."""
    return Date.from_native(dt.date.fromisoformat(text))


def parse_time(text: str) -> Time:
    """``10:00``, ``10:00:00.123456789+01:00``; without an offset it is a local time."""
    return Time.from_iso_format(text)


def parse_datetime(text: str) -> DateTime:
    """An ISO 8601 instant, to nanoseconds, with ``Z``, an offset, ``[Area/City]``, or none: a local one."""
    text, _, zone = text.removesuffix("]").partition("[")
    try:
        parsed = DateTime.from_iso_format(text)
    except ValueError:
        parsed = DateTime.from_native(dt.datetime.fromisoformat(text))
    return in_zone(parsed, zone) if zone else parsed


def in_zone(moment: DateTime, zone: str) -> DateTime:
    """The same instant told in ``Area/City`` or ``+02:00``; a local one is taken to be of that zone."""
    # By way of the standard library, whose arithmetic knows zones; it ends at microseconds, so the rest is put back.
    native = moment.to_native()
    try:
        if zone[:1] in ("+", "-"):
            offset = dt.datetime.fromisoformat(f"2000-01-01T00:00{zone}").tzinfo
            native = native.replace(tzinfo=offset) if native.tzinfo is None else native.astimezone(offset)
        else:
            # pytz, as the driver: the compiled zoneinfo.ZoneInfo crashes the interpreter when asked about a DateTime.
            place = pytz.timezone(zone)
            native = place.localize(native) if native.tzinfo is None else native.astimezone(place)
    except (pytz.UnknownTimeZoneError, ValueError):
        raise ValueError(f"{shown(zone)} is no time zone") from None
    return DateTime.from_native(native).replace(nanosecond=moment.nanosecond)


_DURATION = re.compile(
    r"(?P<sign>[+-]?)P(?=.)(?:(?P<years>[+-]?\d+)Y)?(?:(?P<months>[+-]?\d+)M)?(?:(?P<weeks>[+-]?\d+)W)?"
    r"(?:(?P<days>[+-]?\d+)D)?(?:T(?=.)(?:(?P<hours>[+-]?\d+)H)?(?:(?P<minutes>[+-]?\d+)M)?"
    r"(?:(?P<whole>[+-]?\d+)(?:[.,](?P<part>\d{1,9}))?S)?)?"
)


def parse_duration(text: str) -> Duration:
    """``P1Y2M3DT4H5M6.7S``, ``P2W``, ``-P1D``; months, days and seconds stay apart, as the databases keep them."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{shown(text)} is no duration")
    sign = -1 if match["sign"] == "-" else 1
    counts = {name: sign * int(match[name] or 0) for name in ("years", "months", "weeks", "days", "hours", "minutes")}
    seconds = match["whole"] or "0"
    fraction = int((match["part"] or "").ljust(9, "0"))
    negative = seconds.startswith("-") != (sign < 0)
    return Duration(seconds=sign * int(seconds), nanoseconds=-fraction if negative else fraction, **counts)


def point_of_json(value: Any) -> Point:
    """A point from ``{"point": [x, y] or [x, y, z], "srid": n}``."""
    if not isinstance(value, Mapping) or set(value) != {"point", "srid"}:
        raise ValueError(f'{shown(value)} is no point; a point is written {{"point": [x, y], "srid": 4326}}')
    coordinates = value["point"]
    if not isinstance(coordinates, list):
        raise ValueError(f"{shown(coordinates)} are no coordinates")
    return _point([_float(x) for x in coordinates], value["srid"])


def _point(coordinates: list[float], srid: Any) -> Point:
    kind = _SRIDS.get(srid) if isinstance(srid, int) else None
    if kind is None:
        raise ValueError(f"{shown(srid)} is no known spatial reference system; known are {', '.join(map(str, _SRIDS))}")
    dimensions = 3 if srid in (4979, 9157) else 2
    if len(coordinates) != dimensions:
        raise ValueError(f"a point of system {srid} has {dimensions} coordinates, not {len(coordinates)}")
    if kind is WGS84Point and not (abs(coordinates[0]) <= 180 and abs(coordinates[1]) <= 90):
        raise ValueError(f"longitude {coordinates[0]}, latitude {coordinates[1]} lies outside the globe")
    return kind(coordinates)


_CONVERTERS: dict[str, Convert] = {
    "string": _string,
    "integer": _integer,
    "float": _float,
    "boolean": _boolean,
    "list": _list,
    "date": _iso(parse_date, "date (YYYY-MM-DD)"),
    "time": _iso(parse_time, "time (HH:MM:SS, with an offset)"),
    "localtime": _iso(parse_time, "time (HH:MM:SS)"),
    "datetime": _iso(parse_datetime, "date and time (YYYY-MM-DDTHH:MM:SS, with Z or an offset)"),
    "localdatetime": _iso(parse_datetime, "date and time (YYYY-MM-DDTHH:MM:SS)"),
    "duration": _iso(parse_duration, "duration (P1Y2M3DT4H5M6S)"),
    "point": point_of_json,
}


# --- texts of a declared type, as CSV files hold them --------------------------------------------------------------


def text_converter(type_name: str, options: Mapping[str, str]) -> Callable[[str], Any]:
    """What turns the text of a CSV field into a value; ``options`` are the braces of its header field.

    Raises ``ValueError`` for a type that does not exist.
    """
    name = type_name.lower() or "string"
    if name == "point":
        return lambda text: _point_of_text(text, options)
    if name in ("datetime", "time"):
        zone = options.get("timezone", "Z")
        return _zoned(_iso(parse_datetime if name == "datetime" else parse_time, name), zone)
    if name not in _TEXT_CONVERTERS:
        raise ValueError(f"{shown(type_name)} is no property type; there are {', '.join(sorted(TEXT_TYPES))}")
    return _TEXT_CONVERTERS[name]


def _zoned(parse: Convert, zone: str) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        moment = parse(text)
        if moment.tzinfo is not None:
            return moment
        if isinstance(moment, DateTime):
            return in_zone(moment, "+00:00" if zone == "Z" else zone)
        return parse(text.strip() + zone)

    return convert


def _integer_of_text(text: str) -> int:
    try:
        return _integer_in_range(int(text))
    except ValueError:
        raise ValueError(f"{shown(text)} is no whole number of 64 bits") from None


def _float_of_text(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{shown(text)} is no number") from None


def _boolean_of_text(text: str) -> bool:
    lowered = text.strip().lower()
    if lowered not in ("true", "false"):
        raise ValueError(f"{shown(text)} is neither true nor false")
    return lowered == "true"


def _character(text: str) -> str:
    if len(text) != 1:
        raise ValueError(f"{shown(text)} is no single character")
    return text


_POINT_PART = re.compile(r"""\s*['"]?(\w+)['"]?\s*:\s*['"]?([^'",}]+?)['"]?\s*(?:,|$)""")


def _point_of_text(text: str, options: Mapping[str, str]) -> Point:
    """``{latitude: 1.5, longitude: 2}``, ``{x: 1, y: 2, z: 3}``, ``crs`` or ``srid`` inside, else from the header."""
    inner = text.strip()
    if not (inner.startswith("{") and inner.endswith("}")):
        raise ValueError(f"{shown(text)} is no point; a point is written {{latitude: 1.5, longitude: 2.5}}")
    parts = {**options, **{key.lower(): value for key, value in _POINT_PART.findall(inner[1:-1])}}
    geographic = "latitude" in parts or "longitude" in parts
    names = ("longitude", "latitude", "height") if geographic else ("x", "y", "z")
    coordinates = [_float_of_text(parts[name]) for name in names if name in parts]
    return _point(coordinates, _srid(parts, geographic, len(coordinates)))


def _srid(parts: Mapping[str, str], geographic: bool, dimensions: int) -> int:
    if "srid" in parts:
        return _integer_of_text(parts["srid"])
    if "crs" in parts:
        name = parts["crs"].strip().lower()
        if name not in _REFERENCE_SYSTEMS:
            raise ValueError(f"{shown(parts['crs'])} is no known reference system")
        return _REFERENCE_SYSTEMS[name]
    return (4326 if geographic else 7203) if dimensions == 2 else (4979 if geographic else 9157)


_TEXT_CONVERTERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("int", "long", "short", "byte"), _integer_of_text),
    **dict.fromkeys(("float", "double"), _float_of_text),
    "boolean": _boolean_of_text,
    "string": _string,
    "char": _character,
    **{name: _CONVERTERS[name] for name in ("date", "localtime", "localdatetime", "duration")},
}
TEXT_TYPES = (*_TEXT_CONVERTERS, "point", "datetime", "time")
