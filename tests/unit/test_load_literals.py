"""JSON values and texts as property values."""

from __future__ import annotations

from typing import Any

import pytest
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from arcgraph.graph.literals import converter, parse_datetime, parse_duration, storable, text_converter


@pytest.mark.parametrize(
    "value", ["a", "", "2020-01-01", 0, -(2**63), 2**63 - 1, 1.5, True, False, [], ["a"], [1], [1.0]]
)
def test_json_values_are_kept(value: Any) -> None:
    kept = storable(value)
    assert kept == value
    assert type(kept) is type(value)


def test_whole_and_other_numbers_in_one_list_become_one_kind() -> None:
    assert [type(item) for item in storable([1, 2.5])] == [float, float]


@pytest.mark.parametrize(
    "value", [2**63, {"a": 1}, [[1]], [None], [1, "a"], [True, 1], [{"point": [1], "srid": 1}], [2**64]]
)
def test_what_no_engine_stores_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        storable(value)


def test_a_point_needs_no_declaration() -> None:
    point = storable({"point": [4.41, 51.21], "srid": 4326})
    assert isinstance(point, WGS84Point)
    assert tuple(point) == (4.41, 51.21)


def test_points_keep_their_reference_system() -> None:
    cartesian, deep = storable({"point": [51, 4], "srid": 7203}), storable({"point": [1, 2, 3], "srid": 9157})
    assert (type(cartesian), cartesian.srid, tuple(cartesian)) == (CartesianPoint, 7203, (51.0, 4.0))
    assert (deep.srid, tuple(deep)) == (9157, (1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    "value",
    [
        {"point": [1, 2, 3], "srid": 4326},
        {"point": [1, 2], "srid": 9157},
        {"point": [1, 2], "srid": 12},
        {"point": [1, 2], "srid": "4326"},
        {"point": ["1", 2], "srid": 4326},
        {"point": [181.0, 0.0], "srid": 4326},
        {"point": "1 2", "srid": 4326},
    ],
)
def test_points_that_are_none(value: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        storable(value)


@pytest.mark.parametrize(
    ("type_name", "value", "expected"),
    [
        ("string", "12", "12"),
        ("integer", 3.0, 3),
        ("float", 3, 3.0),
        ("boolean", False, False),
        ("list", [1, 2], [1, 2]),
        ("date", "2020-02-29", Date(2020, 2, 29)),
        ("date", "20200229", Date(2020, 2, 29)),
        ("time", "10:30:00", Time(10, 30)),
        ("duration", "PT33112S", Duration(seconds=33112)),
        ("integer[]", [1, 2], [1, 2]),
        ("date[]", ["2020-01-01"], [Date(2020, 1, 1)]),
        ("a type of the future", "x", "x"),
    ],
)
def test_declared_types(type_name: str, value: Any, expected: Any) -> None:
    converted = converter(type_name)(value)
    assert converted == expected
    assert type(converted) is type(expected)


@pytest.mark.parametrize(
    ("type_name", "value"),
    [
        ("string", 12),
        ("integer", "12"),
        ("integer", 1.5),
        ("integer", True),
        ("integer", float("inf")),
        ("integer", float("nan")),
        ("float", "1.5"),
        ("float", True),
        ("boolean", "true"),
        ("boolean", 1),
        ("list", "a"),
        ("date", "2020-02-30"),
        ("date", 20200229),
        ("datetime", "yesterday"),
        ("datetime", "2020-01-01T10:00:00[Nowhere/Land]"),
        ("time", "25:00"),
        ("duration", "a while"),
        ("point", [1, 2]),
        ("integer[]", 1),
    ],
)
def test_values_that_do_not_fit_their_type(type_name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r" is (no|neither) "):
        converter(type_name)(value)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2020-05-04T21:54:12Z", "2020-05-04T21:54:12.000000000+00:00"),
        ("2020-05-04T21:54:12", "2020-05-04T21:54:12.000000000"),
        ("2020-05-04T21:54:12.123456789+02:00", "2020-05-04T21:54:12.123456789+02:00"),
        ("20200504T215412Z", "2020-05-04T21:54:12.000000000+00:00"),
        ("2015-06-24T12:50:35.123456789+01:00[Europe/London]", "2015-06-24T12:50:35.123456789+01:00"),
        ("2015-12-24T12:50:35[Europe/Stockholm]", "2015-12-24T12:50:35.000000000+01:00"),
    ],
)
def test_instants(text: str, iso: str) -> None:
    assert parse_datetime(text).iso_format() == iso


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "P1Y2M3DT4H5M6.7S",
            Duration(years=1, months=2, days=3, hours=4, minutes=5, seconds=6, nanoseconds=700_000_000),
        ),
        ("P2W", Duration(weeks=2)),
        ("-P1D", Duration(days=-1)),
        ("P-1D", Duration(days=-1)),
        ("PT-0.5S", Duration(nanoseconds=-500_000_000)),
        ("-PT1.5S", Duration(seconds=-1, nanoseconds=-500_000_000)),
        ("-PT-1S", Duration(seconds=1)),
    ],
)
def test_durations(text: str, expected: Duration) -> None:
    assert parse_duration(text) == expected


@pytest.mark.parametrize("text", ["P", "PT", "P1DT", "1D", "P1S", ""])
def test_texts_that_are_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="no duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("type_name", "options", "text", "expected"),
    [
        ("", {}, "007", "007"),
        ("int", {}, "-7", -7),
        ("long", {}, "7", 7),
        ("double", {}, "1e3", 1000.0),
        ("boolean", {}, "TRUE", True),
        ("char", {}, "x", "x"),
        ("date", {}, "2020-01-02", Date(2020, 1, 2)),
        ("localtime", {}, "10:00", Time(10)),
        ("localdatetime", {}, "2020-01-02T03:04", DateTime(2020, 1, 2, 3, 4)),
        ("duration", {}, "P1M", Duration(months=1)),
        ("point", {}, "{latitude: 1.5, longitude: 2}", WGS84Point((2.0, 1.5))),
        ("point", {"crs": "cartesian"}, "{x: 1, y: 2}", CartesianPoint((1.0, 2.0))),
        ("point", {}, "{'x': 1, 'y': 2, 'z': 3}", CartesianPoint((1.0, 2.0, 3.0))),
        ("point", {}, "{x: 1, y: 2, srid: 4326}", WGS84Point((1.0, 2.0))),
    ],
)
def test_texts_of_csv_fields(type_name: str, options: dict[str, str], text: str, expected: Any) -> None:
    converted = text_converter(type_name, options)(text)
    assert converted == expected
    assert type(converted) is type(expected)


def test_a_csv_instant_without_zone_is_of_the_declared_one() -> None:
    assert text_converter("datetime", {})("2020-01-01T10:00").iso_format().endswith("+00:00")
    local = text_converter("datetime", {"timezone": "Europe/Stockholm"})
    assert local("2020-01-01T10:00").iso_format().endswith("T10:00:00.000000000+01:00")
    assert local("2020-01-01T10:00+05:00").iso_format().endswith("+05:00")
    assert text_converter("time", {"timezone": "+02:00"})("10:00").iso_format() == "10:00:00.000000000+02:00"


@pytest.mark.parametrize(
    ("type_name", "text"),
    [
        ("int", "1.5"),
        ("int", str(2**63)),
        ("float", "x"),
        ("boolean", "1"),
        ("char", "xy"),
        ("point", "1 2"),
        ("point", "{x: 1}"),
        ("point", "{x: 1, y: 2, crs: mars}"),
        ("date", "1/2/2020"),
        ("datetime", "noon"),
    ],
)
def test_csv_fields_that_do_not_fit(type_name: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        text_converter(type_name, {})(text)


def test_an_unknown_csv_type_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="duration"):
        text_converter("quaternion", {})
