"""A schema as plain data, and the cache on disk."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from datetime import timedelta, timezone

import pytest
import pytz
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from arcgraph.domain import (
    Count,
    Endpoint,
    IndexInfo,
    LabelInfo,
    Omitted,
    PassageHome,
    PropertyInfo,
    RelationHome,
    Schema,
    TypeInfo,
)
from arcgraph.graph.introspect import read_schema, schema_from_dict, schema_to_dict, to_structured
from arcgraph.graph.introspect.archive import value_from_json, value_to_json

VALUES = (
    None,
    True,
    1,
    1.5,
    "text",
    ["a", 1],
    float("inf"),
    b"\x00\xff",
    Date(1995, 12, 15),
    Time(1, 2, 3, 123456789),
    Time(1, 2, 3, 0, tzinfo=timezone(timedelta(hours=-3))),
    DateTime(2020, 1, 2, 3, 4, 5, 123456789),
    DateTime(2020, 1, 2, 3, 4, 5, 6, tzinfo=timezone(timedelta(hours=5, minutes=30))),
    Duration(months=14, days=-3, seconds=10, nanoseconds=7),
    WGS84Point((12.5, 55.25)),
    WGS84Point((12.5, 55.25, 3.0)),
    CartesianPoint((1.0, 2.0)),
    Omitted("vector", 1536),
    [Date(1995, 12, 15), Date(1998, 9, 25)],
)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_survive_json(value):
    again = value_from_json(json.loads(json.dumps(value_to_json(value))))
    assert (again, type(again)) == (value, type(value))
    if hasattr(value, "srid"):
        assert again.srid == value.srid


def test_named_zones_survive_json():
    value = pytz.timezone("Europe/Oslo").localize(DateTime(2021, 7, 1, 12, 0, 0, 1))
    again = value_from_json(json.loads(json.dumps(value_to_json(value))))
    assert again == value
    assert again.tzinfo.zone == "Europe/Oslo"
    assert again.utcoffset() == timedelta(hours=2)


SCHEMA = Schema(
    labels={
        "Film": LabelInfo(
            "Film",
            Count(2),
            {
                "title": PropertyInfo("title", {"string": 2}, 2, Count(2), Count(2), ("Heat", "Ronin"), True, True),
                "plot": PropertyInfo("plot", {"text": 2}, 2, Count(2), Count(2)),
                "seen": PropertyInfo(
                    "seen", {"localdatetime": 1}, 2, Count(1, False), Count(1), (DateTime(2020, 1, 1),)
                ),
            },
            "title",
        ),
        "": LabelInfo("", Count(1, False)),
    },
    types={"CUTS": TypeInfo("CUTS", Count(3), {"at": PropertyInfo("at", {"time": 3}, 3, Count(3), Count(3))})},
    endpoints=(
        Endpoint("Film", "CUTS", "Film", Count(2)),
        Endpoint("Film", "CUTS", "", Count(1)),
        Endpoint("Film", "MAYBE", "Film", Count(9, False), probed=False),
    ),
    relations=RelationHome("property", "CUTS", "kind", "", 3),
    passages=PassageHome("Film", "plot", "title", None, ("CUTS",)),
    indexes=(IndexInfo("i", "range", "node", ("Film",), ("title",), True),),
    nodes=Count(3),
    edges=Count(3),
    fingerprint="f",
    complete=False,
    loaded=True,
)


def test_a_schema_survives_json():
    assert schema_from_dict(json.loads(json.dumps(schema_to_dict(SCHEMA)))) == SCHEMA


def test_the_dictionary_of_other_tools():
    assert to_structured(SCHEMA) == {
        "node_props": {
            "Film": [
                {"property": "title", "type": "STRING"},
                {"property": "plot", "type": "STRING"},
                {"property": "seen", "type": "LOCAL_DATE_TIME"},
            ]
        },
        "rel_props": {"CUTS": [{"property": "at", "type": "TIME"}]},
        "relationships": [{"start": "Film", "type": "CUTS", "end": "Film"}],
    }


# --- the cache -----------------------------------------------------------------------------------------------------


@pytest.fixture
def server():
    from test_introspect_budget import shop

    return shop()


def files(folder):
    return list((folder / "schemas").iterdir())


def test_a_second_process_reads_the_file_and_asks_for_the_fingerprint_only(server, tmp_path):
    from test_introspect_budget import shop

    first = read_schema(server, cache_dir=tmp_path)
    other = shop()
    assert read_schema(other, cache_dir=tmp_path) == first
    assert len(other.asked) <= 3
    assert len(files(tmp_path)) == 1


def test_refresh_reads_again(server, tmp_path):
    first = read_schema(server, cache_dir=tmp_path)
    server.properties["Shop"] = lambda _: {"title": "Another Shop"}
    assert read_schema(server, cache_dir=tmp_path) is first
    assert read_schema(server, cache_dir=tmp_path, refresh=True).labels["Shop"].naming == "title"
    assert read_schema(server, cache_dir=tmp_path).labels["Shop"].naming == "title"


@pytest.mark.parametrize("content", ["", "no json", "[]", '{"format": 2, "schema": {}}', '{"format": 0}'])
def test_a_file_that_cannot_be_used_is_written_anew(server, tmp_path, content):
    from test_introspect_budget import shop

    first = read_schema(server, cache_dir=tmp_path)
    files(tmp_path)[0].write_text(content)
    assert read_schema(shop(), cache_dir=tmp_path) == first
    assert schema_from_dict(json.loads(files(tmp_path)[0].read_text())["schema"]) == first


@pytest.mark.parametrize(("minutes", "is_read_anew"), [(1, False), (11, True)])
def test_what_something_was_left_out_of_is_read_anew_some_time_later(server, tmp_path, minutes, is_read_anew):
    from test_introspect_budget import shop

    first = read_schema(server, cache_dir=tmp_path)
    (file,) = files(tmp_path)
    data = json.loads(file.read_text())
    data["schema"] |= schema_to_dict(replace(first, complete=False, endpoints=()))
    file.write_text(json.dumps(data))
    then = time.time() - 60 * minutes
    os.utime(file, (then, then))
    assert read_schema(shop(), cache_dir=tmp_path).complete == is_read_anew


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(server, tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert read_schema(server, cache_dir=tmp_path / "file").labels["Shop"].naming == "name"


def test_graphs_of_other_names_have_other_files(server, tmp_path):
    from test_introspect_budget import shop

    other = shop()
    other.name = "another server"
    read_schema(server, cache_dir=tmp_path)
    read_schema(other, cache_dir=tmp_path)
    assert len(files(tmp_path)) == 2


def test_the_schema_carries_its_fingerprint(server):
    from arcgraph.graph.introspect import fingerprint

    assert read_schema(server).fingerprint == fingerprint(server)
    assert replace(read_schema(server), fingerprint="") != read_schema(server)
