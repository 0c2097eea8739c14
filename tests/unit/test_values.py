"""The value border: what the driver and the embedded engine return, what they take, what JSON can hold."""

from __future__ import annotations

import json
import math
import pickle
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, StrEnum
from pathlib import Path as FilePath
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pytest
import pytz
from neo4j import graph as driver
from neo4j.spatial import CartesianPoint, Point, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from arcgraph.domain import Edge, Node, Omitted, Path
from arcgraph.errors import UsageError
from arcgraph.graph.lift import lift, restorable, restoring
from arcgraph.graph.values import from_driver, from_engine, omitted, to_driver, to_engine, to_plain
from arcgraph.graph.worker import trim

BERLIN = pytz.timezone("Europe/Berlin")


def driver_node(number: int, labels: list[str], **properties: Any) -> driver.Node:
    return driver.Node(driver.Graph(), f"4:x:{number}", number, labels, properties)


def driver_path(start: driver.Node, *steps: tuple[str, driver.Node]) -> driver.Path:
    edges, at = [], start
    for number, (kind, end) in enumerate(steps):
        edge = driver.Graph().relationship_type(kind)(driver.Graph(), f"5:x:{number}", number, {"w": number})
        edge._start_node, edge._end_node = at, end
        edges.append(edge)
        at = end
    return driver.Path(start, *edges)


# --- from the driver ---------------------------------------------------------------------------------------------


def test_driver_node_shows_neither_the_reserved_key_nor_label() -> None:
    node = from_driver(driver_node(7, ["_Arcgraph", "Movie", "Film"], _arcgraph_id="m1", title="Heat"))
    assert node == Node("4:x:7", "m1", ("Film", "Movie"), {"title": "Heat"})


def test_driver_node_that_we_did_not_load_is_called_by_its_element_id() -> None:
    assert from_driver(driver_node(7, ["Movie"], title="Heat")) == Node("4:x:7", "4:x:7", ("Movie",), {"title": "Heat"})


def test_driver_path_and_what_is_nested_in_lists_and_maps() -> None:
    one, two = driver_node(1, ["_Arcgraph", "A"], _arcgraph_id="a"), driver_node(2, ["_Arcgraph"], _arcgraph_id="b")
    path = from_driver({"found": [driver_path(one, ("R", two))]})["found"][0]
    assert path == Path(
        (Node("4:x:1", "a", ("A",), {}), Node("4:x:2", "b", (), {})),
        (Edge("5:x:0", "R", "4:x:1", "4:x:2", {"w": 0}),),
    )


def test_reserved_names_are_hidden_in_lists_of_keys_and_labels_and_in_maps() -> None:
    assert from_driver([["_arcgraph_id", "name"], ["_Arcgraph", "Person"]]) == [["name"], ["Person"]]
    assert from_driver({"_arcgraph_id": "p", "name": "Ann"}) == {"name": "Ann"}


@pytest.mark.parametrize(
    "value", [Date(2020, 1, 2), Time(1, 2, 3), Duration(1, 2, 3, 4), WGS84Point((1, 2)), b"x", 0.5]
)
def test_driver_values_of_the_domain_stay(value: Any) -> None:
    assert from_driver(value) == value
    assert type(from_driver(value)) is type(value)


# --- what is bulky -----------------------------------------------------------------------------------------------

VECTOR = [0.25] * 64


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (VECTOR, Omitted("vector", 64)),
        (VECTOR[:63], None),
        ([1] * 64, None),
        ([0.5] * 63 + [1], None),
        (["x"] * 1000, None),
        (["x"] * 1001, Omitted("list", 1001)),
        ("x" * 20_000, None),
        ("x" * 20_001, Omitted("text", 20_001)),
        (b"x" * 1000, None),
        (b"x" * 1001, Omitted("bytes", 1001)),
        ({"a": 1}, None),
        (None, None),
    ],
)
def test_what_is_omitted(value: Any, expected: Omitted | None) -> None:
    assert omitted(value) == expected


def over_the_pipe(value: Any) -> Any:
    return from_engine(trim(value, 1000))


@pytest.mark.parametrize("read", [from_driver, from_engine, over_the_pipe])
def test_bulky_values_are_cut_wherever_they_are_nested(read: Any) -> None:
    value = {"rows": [{"embedding": VECTOR, "text": "t" * 30_000, "ok": "passage"}], "names": ["a"] * 2000}
    assert read(value) == {
        "rows": [{"embedding": Omitted("vector", 64), "text": Omitted("text", 30_000), "ok": "passage"}],
        "names": Omitted("list", 2000),
    }


def test_bulky_values_are_cut_in_nodes_and_paths() -> None:
    node = driver_node(1, ["Chunk"], embedding=[0.1] * 1536, text="short")
    assert from_driver(node).properties == {"embedding": Omitted("vector", 1536), "text": "short"}
    path = from_driver(driver_path(node, ("NEXT", driver_node(2, ["Chunk"]))))
    assert path.nodes[0].properties["embedding"] == Omitted("vector", 1536)


def test_the_limit_can_be_set() -> None:
    assert from_driver([1, 2, 3], max_items=2) == Omitted("list", 3)
    assert from_engine("x" * 41, max_items=2) == Omitted("text", 41)


class Vector:
    """As :class:`neo4j.vector.Vector` of driver 6, whose name is what is looked at since driver 5 lacks it."""

    def __init__(self, values: list[float]):
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def to_native(self) -> list[float]:
        return self._values


def test_driver_vectors() -> None:
    assert from_driver(Vector([0.5] * 384)) == Omitted("vector", 384)
    assert from_driver(Vector([0.5, 1.0])) == [0.5, 1.0]


def test_real_driver_vectors_where_the_driver_has_them() -> None:
    vector = pytest.importorskip("neo4j.vector", reason="driver 5 has no vectors")
    assert from_driver(vector.Vector([0.5] * 384, "f32")) == Omitted("vector", 384)


# --- from the embedded engine ------------------------------------------------------------------------------------


def engine_node(number: int, labels: list[str], **properties: Any) -> dict[str, Any]:
    invented = {"id": number, "title": f"{labels[0]}_{number}", "type": labels[0]}
    return {"id": number, "labels": labels, "properties": {**properties, **invented}}


def engine_edge(number: int, start: int, end: int, **properties: Any) -> dict[str, Any]:
    return {"id": number, "start": start, "end": end, "type": "R", "properties": properties}


def test_engine_node_loses_what_was_invented_and_keeps_what_was_stored() -> None:
    node = engine_node(3, ["_Arcgraph", "Movie"], _arcgraph_id="m1", _arc_title="Heat", _arc__arc_id=1, year=1995)
    assert from_engine(node) == Node("3", "m1", ("Movie",), {"title": "Heat", "_arc_id": 1, "year": 1995})


def test_engine_node_without_title_has_none() -> None:
    assert from_engine(engine_node(3, ["_Arcgraph"], _arcgraph_id="m1")) == Node("3", "m1", (), {})


def test_engine_edge_and_path() -> None:
    a, b = engine_node(0, ["_Arcgraph"], _arcgraph_id="a"), engine_node(1, ["_Arcgraph"], _arcgraph_id="b")
    edge = engine_edge(0, 0, 1, _arc_type="t")
    path = from_engine([{"nodes": [a, b], "relationships": [edge]}])[0]
    assert path == Path((Node("0", "a", (), {}), Node("1", "b", (), {})), (Edge("0", "R", "0", "1", {"type": "t"}),))


def test_a_map_with_the_keys_of_a_node_stays_a_map() -> None:
    value = {"id": 3, "labels": ["_Arcgraph", "A"], "properties": {"_arc_name": "Ann", "_arcgraph_id": "a", "id": 3}}
    assert from_engine(value) == {"id": 3, "labels": ["A"], "properties": {"name": "Ann"}}


def test_maps_that_a_query_made_keep_their_keys() -> None:
    assert from_engine({"id": 1, "name": "x", "title": None}) == {"id": 1, "name": "x", "title": None}


def test_keys_of_a_node() -> None:
    assert from_engine(["_arc_name", "_arcgraph_id", "born", "id"]) == ["name", "born"]
    assert from_engine(["id", "name"]) == ["id", "name"]


def test_engine_temporal_values_become_the_drivers() -> None:
    assert from_engine(date(2020, 1, 2)) == Date(2020, 1, 2)
    assert from_engine(datetime(2020, 1, 2, 3, 4, 5, 6)) == DateTime(2020, 1, 2, 3, 4, 5, 6000)
    assert from_engine(time(1, 2, 3, tzinfo=UTC)) == Time(1, 2, 3, tzinfo=UTC)
    assert from_engine({"months": 14, "days": 3, "seconds": 5}) == Duration(months=14, days=3, seconds=5)
    assert from_engine({"months": 0, "days": 0, "seconds": -6, "nanoseconds": 999_999_993}) == Duration(
        seconds=-5, nanoseconds=-7
    )
    assert from_engine({"latitude": 52.5, "longitude": 13.4}) == WGS84Point((13.4, 52.5))


def test_named_zones_survive_pickle() -> None:
    value = from_engine(datetime(2020, 6, 1, tzinfo=ZoneInfo("Europe/Berlin")))
    assert value == BERLIN.localize(DateTime(2020, 6, 1))
    assert pickle.loads(pickle.dumps(value)) == value


# --- parameters --------------------------------------------------------------------------------------------------

OTHER_SYSTEM = Point((1.0, 2.0))
OTHER_SYSTEM.srid = 3857


@pytest.mark.parametrize(
    "value",
    [
        date(2020, 1, 1),
        datetime(2020, 1, 1, 1, 2, 3),
        time(1, 2, 3),
        Date(2020, 1, 1),
        DateTime(2020, 1, 1, tzinfo=UTC),
        Duration(days=2, seconds=5),
        BERLIN.localize(DateTime(2020, 6, 1)),
    ],
)
def test_what_the_engine_knows_is_not_marked(value: Any) -> None:
    assert not isinstance(to_engine(value), str)


class Colour(StrEnum):
    RED = "red"


class Number(Enum):
    ONE = 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Colour.RED, "red"),
        (Number.ONE, 1),
        (UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        ((1, 2), [1, 2]),
        ({2, 1}, [1, 2]),
        (np.int64(5), 5),
        (np.float64(0.5), 0.5),
        (np.str_("x"), "x"),
        (np.array([1.0, 2.0]), [1.0, 2.0]),
    ],
)
@pytest.mark.parametrize("write", [to_engine, to_driver])
def test_less_usual_parameters(write: Any, value: Any, expected: Any) -> None:
    written = write(value)
    assert written == expected
    assert type(written) is type(expected)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (2**63, "64 bits"),
        ({"a": [-(2**63) - 1]}, "64 bits"),
        (Decimal("1.5"), "Decimal"),
        (object(), "object"),
        ({1: "x"}, "texts as keys"),
        (Omitted("vector", 5), "was cut"),
        (Node("1", "1", (), {}), "give its id"),
    ],
)
@pytest.mark.parametrize("write", [to_engine, to_driver])
def test_parameters_that_cannot_be(write: Any, value: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        write(value)


def test_a_point_without_reference_system_cannot_be_stored() -> None:
    with pytest.raises(UsageError, match="reference system"):
        to_engine(Point((1.0, 2.0)))


def test_driver_parameters_stay() -> None:
    value = {"a": [date(2020, 1, 1), WGS84Point((1, 2)), Duration(1), b"x"], "b": None}
    assert to_driver(value) == value


# --- points and durations as parameters --------------------------------------------------------------------------


def test_lift_calls_the_function_for_points_and_durations_and_leaves_the_rest() -> None:
    lifted = lift(
        "MATCH (n {`$p`: '$p', x: \"$p\"}) // $p\nWHERE n.at = $p AND n.d IN $ds AND n.k = $key /* $p */ RETURN $p",
        {"p": WGS84Point((13.4, 52.5)), "ds": [Duration(months=1)], "key": "k", "far": CartesianPoint((1, 2))},
    )
    assert lifted.query == (
        "MATCH (n {`$p`: '$p', x: \"$p\"}) // $p\nWHERE n.at = point($p) AND n.d IN ([_x IN $ds | duration(_x)]) "
        "AND n.k = $key /* $p */ RETURN point($p)"
    )
    assert lifted.params == {
        "p": {"longitude": 13.4, "latitude": 52.5},
        "ds": [{"months": 1, "days": 0, "seconds": 0, "nanoseconds": 0}],
        "key": "k",
        "far": to_engine(CartesianPoint((1, 2))),
    }
    assert lifted.written("distance(n.at, point($p))") == "distance(n.at, $p)"


def test_lift_does_not_touch_points_of_three_dimensions_and_mixed_lists() -> None:
    params = {"p": WGS84Point((1, 2, 3)), "ps": [WGS84Point((1, 2)), 5], "none": []}
    lifted = lift("RETURN $p, $ps, $none", params)
    assert lifted == ("RETURN $p, $ps, $none", to_engine(params), {})


def test_restorable_names_the_keys_of_nested_points_and_durations() -> None:
    rows = [{"id": "a", "props": {"at": WGS84Point((1, 2)), "far": CartesianPoint((1, 2)), "many": [Duration(1)]}}]
    assert list(restorable(to_engine([*rows, {"props": {"d": Duration(months=1)}}]))) == [
        ("at", "point"),
        ("d", "duration"),
    ]


def test_restoring_quotes_the_key() -> None:
    (nodes, _), (edges, _) = restoring("a`b", "duration")
    assert nodes.startswith("MATCH (x) WHERE x.`a``b` STARTS WITH $mark SET x.`a``b` = duration({months: toInteger(")
    assert edges.startswith("MATCH ()-[x]->() WHERE x.`a``b`")


# --- to JSON -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Date(2020, 1, 2), "2020-01-02"),
        (date(2020, 1, 2), "2020-01-02"),
        (DateTime(2020, 1, 2, 3, 4, 5), "2020-01-02T03:04:05"),
        (datetime(2020, 1, 2, 3, 4, 5, 120_000), "2020-01-02T03:04:05.12"),
        (DateTime(2020, 1, 2, 3, 4, 5, 123_456_789, tzinfo=UTC), "2020-01-02T03:04:05.123456789Z"),
        (DateTime(2020, 1, 2, tzinfo=timezone(timedelta(hours=-5, minutes=-30))), "2020-01-02T00:00:00-05:30"),
        (BERLIN.localize(DateTime(2020, 6, 1)), "2020-06-01T00:00:00+02:00[Europe/Berlin]"),
        (datetime(2020, 6, 1, tzinfo=ZoneInfo("Europe/Berlin")), "2020-06-01T00:00:00+02:00[Europe/Berlin]"),
        (Time(1, 2, 3, 500_000_000), "01:02:03.5"),
        (time(1, 2, 3, tzinfo=UTC), "01:02:03Z"),
        (Duration(), "PT0S"),
        (Duration(months=14, days=3, hours=4, minutes=5, seconds=6, nanoseconds=500_000_000), "P1Y2M3DT4H5M6.5S"),
        (Duration(hours=36), "PT36H"),
        (Duration(months=-14), "P-1Y-2M"),
        (Duration(seconds=-65, nanoseconds=-500_000_000), "PT-1M-5.5S"),
        (timedelta(days=1, seconds=3), "P1DT3S"),
        (WGS84Point((13.4, 52.0)), "SRID=4326;POINT(13.4 52)"),
        (CartesianPoint((1, 2.5, -3)), "SRID=9157;POINT Z (1 2.5 -3)"),
        (OTHER_SYSTEM, "SRID=3857;POINT(1 2)"),
        (Omitted("vector", 1536), "<vector of 1536 omitted>"),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
        (b"abc", "YWJj"),
        (Node("4:x:1", "m1", ("Movie",), {}), "m1"),
        (Edge("5:x:1", "ACTED_IN", "1", "2", {}), "ACTED_IN"),
        (Path((Node("1", "a", (), {}), Node("2", "b", (), {})), (Edge("5", "R", "1", "2", {}),)), ["a", "R", "b"]),
        ({"a": [Date(2020, 1, 1), (1, None)], 5: True}, {"a": ["2020-01-01", [1, None]], "5": True}),
        (Colour.RED, "red"),
        (Decimal("1.5"), "1.5"),
        (FilePath("g.arc"), "g.arc"),
        (np.array([1, 2]), [1, 2]),
    ],
    ids=repr,
)
def test_to_plain(value: Any, plain: Any) -> None:
    assert to_plain(value) == plain
    assert json.loads(json.dumps(to_plain(value), allow_nan=False)) == plain
