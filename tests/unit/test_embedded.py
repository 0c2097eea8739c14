"""Graph files: the embedded engine behind the graph waist, its safeguards and its process."""

from __future__ import annotations

import math
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time as clock
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path as FilePath
from typing import Any

import kglite
import pytest
import pytz  # type: ignore[import-untyped]
from neo4j.spatial import CartesianPoint, Point, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from arcgraph.domain import Edge, Node, Omitted, Path
from arcgraph.errors import ConnectError, QueryError, QueryTimeout, Refused, ServerGone, StorageError, UsageError
from arcgraph.graph.base import Graph, Versioned, Writable
from arcgraph.graph.embedded import EmbeddedGraph
from arcgraph.graph.names import stored_key
from arcgraph.graph.values import to_plain
from arcgraph.settings import GraphSettings

BERLIN = pytz.timezone("Europe/Berlin")
NODE = "UNWIND $rows AS row MERGE (n:_Arcgraph {_arcgraph_id: row.id}) SET n:Thing SET n += row.props"


@pytest.fixture
def file(tmp_path: FilePath) -> FilePath:
    return tmp_path / "g.arc"


@pytest.fixture
def writer(file: FilePath) -> Iterator[EmbeddedGraph]:
    with EmbeddedGraph.open(file, create=True) as graph:
        graph.prepare()
        yield graph


def stored(props: dict[str, Any]) -> dict[str, Any]:
    return {stored_key(key): value for key, value in props.items()}


def add(graph: EmbeddedGraph, **nodes: dict[str, Any]) -> None:
    graph.write(NODE, {"rows": [{"id": id, "props": stored(props)} for id, props in nodes.items()]})


def one(graph: EmbeddedGraph, query: str, **params: Any) -> Any:
    ((value,),) = graph.read(query, params).records
    return value


def test_is_what_it_claims(writer: EmbeddedGraph) -> None:
    graph: Graph = writer
    assert graph.dialect == "embedded"
    assert graph.name.endswith("g.arc")
    assert isinstance(writer, Writable)
    assert isinstance(writer, Versioned)


# --- what is absent is absent ------------------------------------------------------------------------------------

FOUR = ["id", "title", "type", "name"]


# All that the engine answers whether it was stored or not.
ANSWERED = [*FOUR, "label", "node_type", "start", "end", "start_id", "end_id", "connection_type"]


@pytest.mark.parametrize("key", ANSWERED)
@pytest.mark.parametrize("present", [True, False])
def test_nodes_have_exactly_the_keys_that_were_stored(writer: EmbeddedGraph, key: str, present: bool) -> None:
    add(writer, a={key: "x", "w": 1} if present else {"w": 1})
    stored_name = stored_key(key)
    value = "x" if present else None
    assert one(writer, f"MATCH (n:Thing) RETURN n.{stored_name}") == value
    assert one(writer, f"MATCH (n:Thing) WHERE n.{stored_name} IS NULL RETURN count(n)") == (0 if present else 1)
    assert one(writer, f"MATCH (n:Thing) WHERE n.{stored_name} IS NOT NULL RETURN count(n)") == (1 if present else 0)
    assert one(writer, f"MATCH (n:Thing {{{stored_name}: 'x'}}) RETURN count(n)") == (1 if present else 0)
    expected = {"w": 1} | ({key: "x"} if present else {})
    assert one(writer, "MATCH (n:Thing) RETURN n") == Node("0", "a", ("Thing",), expected)
    assert one(writer, "MATCH (n:Thing) RETURN properties(n)") == expected
    assert sorted(one(writer, "MATCH (n:Thing) RETURN keys(n)")) == sorted(expected)


@pytest.mark.parametrize("key", ANSWERED)
@pytest.mark.parametrize("present", [True, False])
def test_edges_have_exactly_the_keys_that_were_stored(writer: EmbeddedGraph, key: str, present: bool) -> None:
    add(writer, a={}, b={})
    writer.write(
        "MATCH (a:_Arcgraph {_arcgraph_id: 'a'}) MATCH (b:_Arcgraph {_arcgraph_id: 'b'}) "
        "CREATE (a)-[r:R]->(b) SET r += $props",
        {"props": stored({key: "x", "w": 1} if present else {"w": 1})},
    )
    stored_name = stored_key(key)
    assert one(writer, f"MATCH ()-[r:R]->() RETURN r.{stored_name}") == ("x" if present else None)
    assert one(writer, f"MATCH ()-[r:R]->() WHERE r.{stored_name} IS NULL RETURN count(r)") == (0 if present else 1)
    expected = {"w": 1} | ({key: "x"} if present else {})
    assert one(writer, "MATCH ()-[r:R]->() RETURN r") == Edge("0", "R", "0", "1", expected)
    assert one(writer, "MATCH ()-[r:R]->() RETURN properties(r)") == expected
    assert sorted(one(writer, "MATCH ()-[r:R]->() RETURN keys(r)")) == sorted(expected)


def test_all_four_keys_at_once_and_a_key_that_looks_like_a_stored_one(writer: EmbeddedGraph) -> None:
    props = {"id": 1, "title": "t", "type": "y", "name": "n", "_arc_id": 2}
    add(writer, a=props)
    assert one(writer, "MATCH (n:Thing) RETURN n").properties == props
    assert one(writer, "MATCH (n:Thing) RETURN properties(n)") == props
    assert one(writer, "MATCH (n:Thing) RETURN n {._arc_name, .w}") == {"name": "n", "w": None}


def test_a_node_without_label_shows_none(writer: EmbeddedGraph) -> None:
    writer.write("MERGE (n:_Arcgraph {_arcgraph_id: 'x'})")
    assert one(writer, "MATCH (n) RETURN n") == Node("0", "x", (), {})
    assert one(writer, "MATCH (n) RETURN labels(n)") == []


def test_maps_that_a_query_makes_keep_all_keys(writer: EmbeddedGraph) -> None:
    assert one(writer, "RETURN {id: 1, name: 'n', title: 't', type: null} AS m") == {
        "id": 1,
        "name": "n",
        "title": "t",
        "type": None,
    }


def test_paths(writer: EmbeddedGraph) -> None:
    add(writer, a={"name": "A"}, b={"name": "B"})
    writer.write("MATCH (a:_Arcgraph {_arcgraph_id: 'a'}) MATCH (b:_Arcgraph {_arcgraph_id: 'b'}) CREATE (b)-[:R]->(a)")
    a, b = Node("0", "a", ("Thing",), {"name": "A"}), Node("1", "b", ("Thing",), {"name": "B"})
    assert one(writer, "MATCH p = (n {_arc_name: 'A'})--(m) RETURN p") == Path((a, b), (Edge("0", "R", "1", "0", {}),))
    assert one(writer, "MATCH p = (n {_arc_name: 'A'})--(m) RETURN nodes(p)") == [a, b]


def test_columns_are_named_as_loaded(writer: EmbeddedGraph) -> None:
    add(writer, a={"name": "A"})
    rows = writer.read("MATCH (n:Thing) RETURN n._arc_name, n._arc__arc_id, n.w AS _arc_other, count(n._arc_title)")
    assert rows.columns == ("n.name", "n._arc_id", "_arc_other", "count(n.title)")


# --- values ------------------------------------------------------------------------------------------------------

OTHER_SYSTEM = Point((1.0, 2.0))
OTHER_SYSTEM.srid = 3857

WHOLE = {
    "true": True,
    "least": -(2**63),
    "most": 2**63 - 1,
    "fraction": 0.1,
    "nan": math.nan,
    "infinity": math.inf,
    "empty": "",
    "text": "Heat \u202eabc\u202c 🙂 `'\"\n\x00",
    "looks_stored": "_arc_name",
    "looks_unusual": "人物 \u2063",
    "looks_marked": "\x1fpoint 4326 1 2",
    "no_bytes": b"",
    "bytes": b"\x00\xff",
    "first_day": Date(1, 1, 1),
    "last_day": Date(9999, 12, 31),
    "local": DateTime(2020, 1, 1, 1, 2, 3, 123_456_000),
    "nanoseconds": DateTime(2020, 1, 1, 1, 2, 3, 123_456_789),
    "offset": DateTime(2020, 1, 1, 1, 2, 3, 5000, tzinfo=timezone(-timedelta(hours=5, minutes=30))),
    "fine_offset": DateTime(2020, 1, 1, 1, 2, 3, 5, tzinfo=timezone(timedelta(hours=5, minutes=30))),
    "utc": DateTime(2020, 1, 1, 1, 2, 3, tzinfo=UTC),
    "before_year_one": DateTime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))),
    "zone": BERLIN.localize(DateTime(2020, 6, 1, 1, 2, 3)),
    "fine_zone": BERLIN.localize(DateTime(2020, 6, 1, 1, 2, 3, 7)),
    "first_two_thirty": BERLIN.localize(DateTime(2020, 10, 25, 2, 30), is_dst=True),
    "second_two_thirty": BERLIN.localize(DateTime(2020, 10, 25, 2, 30), is_dst=False),
    "time": Time(1, 2, 3, 4_000),
    "fine_time": Time(1, 2, 3, 4),
    "time_offset": Time(1, 2, 3, 4_000, tzinfo=timezone(timedelta(hours=9))),
    "no_duration": Duration(),
    "months": Duration(months=14, days=-3, seconds=5, nanoseconds=7),
    "hours": Duration(hours=36),
    "day_back": Duration(days=-1, seconds=5),
    "all_back": Duration(days=-1, seconds=-5, nanoseconds=-7000),
    "split": Duration(seconds=-5, nanoseconds=-7),
    "wgs84": WGS84Point((13.4, 52.5)),
    "height": WGS84Point((13.4, 52.5, 30.0)),
    "cartesian": CartesianPoint((1e-7, -2.0)),
    "cartesian_3d": CartesianPoint((1.0, 2.0, 3.0)),
    "other_system": OTHER_SYSTEM,
    "dates": [Date(2020, 1, 1), Date(2021, 1, 1)],
    "points": [WGS84Point((13.4, 52.5))],
    "durations": [Duration(months=1), Duration(hours=30)],
    "no_list": [],
    "mixed": [1, "x", 2.5, True, None, Date(2020, 1, 1), b"x"],
    "nested": [[1, 2], [], ["x"]],
    "passage": "word " * 4000,
}


def described(value: Any) -> Any:
    """More than equality: class, digits, offset, zone and reference system."""
    if isinstance(value, list):
        return [described(item) for item in value]
    return type(value).__name__, to_plain(value)


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedGraph]:
    path = tmp_path_factory.mktemp("values") / "g.arc"
    with EmbeddedGraph.open(path, create=True) as graph:
        graph.prepare()
        add(graph, a=WHOLE, b={})
        graph.write(
            "MATCH (a:_Arcgraph {_arcgraph_id: 'a'}) MATCH (b:_Arcgraph {_arcgraph_id: 'b'}) "
            "CREATE (a)-[r:R]->(b) SET r += $props",
            {"props": WHOLE},
        )
        assert described_map(one(graph, "MATCH (n {_arcgraph_id: 'a'}) RETURN n").properties) == described_map(WHOLE)
    with EmbeddedGraph.open(path) as graph:
        yield graph


def described_map(value: Any) -> dict[str, Any]:
    return {key: described(item) for key, item in value.items()}


def test_values_come_back_whole_from_nodes_and_edges_of_a_saved_file(values: EmbeddedGraph) -> None:
    ((node, edge),) = values.read("MATCH (a)-[r]->(b) RETURN a, r").records
    assert described_map(node.properties) == described_map(WHOLE)
    assert described_map(edge.properties) == described_map(WHOLE)


@pytest.mark.parametrize("key", sorted(WHOLE))
def test_a_parameter_comes_back_whole(values: EmbeddedGraph, key: str) -> None:
    assert described(one(values, "RETURN $p", p=WHOLE[key])) == described(WHOLE[key])


# Lists with nulls are never equal in Cypher; lists of points and durations are kept in a form of ours.
UNEQUAL = {"nan", "mixed", "points", "durations"}


@pytest.mark.parametrize("key", sorted(set(WHOLE) - UNEQUAL))
def test_a_stored_value_equals_the_same_parameter(values: EmbeddedGraph, key: str) -> None:
    query = f"MATCH (a)-[r]->() WHERE a.{key} = $p AND r.{key} = $p AND a.{key} IN $ps RETURN count(*)"
    assert one(values, query, p=WHOLE[key], ps=[WHOLE[key]]) == 1


@pytest.mark.parametrize(
    ("key", "less", "greater"),
    [
        ("first_two_thirty", BERLIN.localize(DateTime(2020, 10, 25, 1)), WHOLE["second_two_thirty"]),
        ("local", datetime(2020, 1, 1), datetime(2020, 1, 2)),
        ("utc", datetime(2020, 1, 1, 2, 2, 2, tzinfo=timezone(timedelta(hours=1))), datetime(2021, 1, 1, tzinfo=UTC)),
        ("last_day", date(2020, 1, 1), None),
        ("time", Time(1, 2, 3), Time(1, 2, 4)),
        ("most", 5, None),
        ("empty", None, "a"),
    ],
)
def test_stored_values_have_their_order(values: EmbeddedGraph, key: str, less: Any, greater: Any) -> None:
    for operator, other, expected in ((">", less, 1), ("<", less, 0), ("<", greater, 1), (">=", greater, 0)):
        if other is not None:
            assert one(values, f"MATCH (a)-->() WHERE a.{key} {operator} $p RETURN count(*)", p=other) == expected


def test_points_and_durations_are_real_ones_after_saving(values: EmbeddedGraph) -> None:
    query = (
        "MATCH (a)-[r]->() RETURN a.wgs84.latitude, distance(r.wgs84, $p) < 1, a.months.months, "
        "date('2020-01-31') + r.months = date('2021-03-28')"
    )
    assert values.read(query, {"p": WGS84Point((13.4, 52.5))}).records == [(52.5, True, 14, True)]


def test_columns_do_not_show_what_became_of_parameters(values: EmbeddedGraph) -> None:
    rows = values.read("MATCH (a)-->() RETURN distance(a.wgs84, $p)", {"p": WGS84Point((13.4, 52.5))})
    assert rows.columns == ("distance(a.wgs84, $p)",)


def test_null_in_a_map_of_properties_removes_one(writer: EmbeddedGraph) -> None:
    add(writer, a={"w": 1, "v": 2})
    add(writer, a={"w": None})
    assert one(writer, "MATCH (n:Thing) RETURN n").properties == {"v": 2}


def test_bulky_values_are_cut(writer: EmbeddedGraph) -> None:
    add(writer, a={"embedding": [0.5] * 1536, "name": "A", "story": "s" * 50_000})
    cut = {"embedding": Omitted("vector", 1536), "name": "A", "story": Omitted("text", 50_000)}
    assert one(writer, "MATCH (n:Thing) RETURN n").properties == cut
    assert one(writer, "MATCH (n:Thing) RETURN [{node: n}]")[0]["node"].properties == cut
    assert one(writer, "MATCH p = (n:Thing) RETURN p").nodes[0].properties == cut


def test_where_values_count_as_bulky_can_be_set(file: FilePath) -> None:
    with EmbeddedGraph.open(file, create=True, settings=GraphSettings(max_value_items=10)) as graph:
        assert one(graph, "RETURN range(1, 11)") == Omitted("list", 11)


def test_a_number_beyond_64_bits_is_refused_with_a_sentence(writer: EmbeddedGraph) -> None:
    with pytest.raises(UsageError, match="64 bits"):
        add(writer, a={"w": 2**63})


# --- rows --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "count", "truncated"), [(3, 3, True), (5, 5, False), (None, 5, False), (0, 0, True)])
def test_limit(writer: EmbeddedGraph, limit: int | None, count: int, truncated: bool) -> None:
    rows = writer.read("UNWIND range(1, 5) AS x RETURN x", limit=limit)
    assert (rows.column("x"), rows.truncated) == (list(range(1, count + 1)), truncated)
    assert rows.notifications == ()


@pytest.mark.parametrize(("timeout", "limit"), [(0, 1), (-1, 1), (1, -1)])
def test_limits_that_cannot_be(writer: EmbeddedGraph, timeout: float, limit: int) -> None:
    with pytest.raises(UsageError, match="timeout must be above 0"):
        writer.read("RETURN 1", timeout=timeout, limit=limit)


def test_warnings_are_notifications_and_never_printed(writer: EmbeddedGraph, capfd: pytest.CaptureFixture[str]) -> None:
    add(writer, a={})
    rows = writer.read("MATCH (n:Nowhere) RETURN n._arc_name")
    assert rows.records == []
    assert "Nowhere" in rows.notifications[0]
    assert capfd.readouterr() == ("", "")


def test_wrong_counts_of_an_optimiser_pass_do_not_happen(writer: EmbeddedGraph) -> None:
    """Grouping by an end that has edges of other types as well: the pass in question counts those, too."""
    rng = random.Random(3)
    add(writer, **{f"n{i}": {"w": i % 3} for i in range(30)})
    edges = [(rng.randrange(30), rng.choice("RST"), rng.randrange(30)) for _ in range(120)]
    for kind in "RST":
        writer.write(
            "UNWIND $rows AS row MATCH (a:_Arcgraph {_arcgraph_id: row[0]}) MATCH (b:_Arcgraph {_arcgraph_id: row[1]}) "
            f"CREATE (a)-[:{kind}]->(b)",
            {"rows": [[f"n{a}", f"n{b}"] for a, k, b in edges if k == kind]},
        )
    got = dict(
        writer.read("MATCH (a:Thing)-[:R]->(b:Thing) WHERE b.w = 1 RETURN a._arcgraph_id AS a, count(b)").records
    )
    expected: dict[str, int] = {}
    for a, kind, b in edges:
        if kind == "R" and b % 3 == 1:
            expected[f"n{a}"] = expected.get(f"n{a}", 0) + 1
    assert got == expected


def test_errors_carry_code_and_position(writer: EmbeddedGraph) -> None:
    with pytest.raises(QueryError) as caught:
        writer.read("MATCH (n)\nRETURN n.x +* 2")
    assert caught.value.code == "CypherSyntaxError"
    assert caught.value.position is not None
    assert caught.value.position.line == 2
    assert caught.value.position.offset == 10 + caught.value.position.column - 1
    with pytest.raises(QueryError, match="division by zero") as caught:
        writer.read("RETURN 1 / 0")
    assert caught.value.code == "CypherExecutionError"
    assert caught.value.position is None


def test_error_texts_name_keys_as_loaded(writer: EmbeddedGraph) -> None:
    with pytest.raises(QueryError) as caught:
        writer.read("RETURN nope(_arc_name)")
    assert "_arc_" not in str(caught.value)


# --- deadlines ---------------------------------------------------------------------------------------------------

# The engine does not look at its clock in here.
STUBBORN = (
    "MATCH (a:N), (b:N) WHERE a.i < 200 AND b.i > 200 MATCH p = allShortestPaths((a)-[*..8]-(b)) RETURN count(p) AS c"
)
OBEDIENT = "MATCH (a:N), (b:N), (c:N) WHERE a.i + b.i + c.i = 3 RETURN count(*) AS c"
STEADY = "MATCH (a:N), (b:N), (c:N) WHERE a.i < 4 AND a.i + b.i + c.i = 3 RETURN count(*) AS c"


@pytest.fixture(scope="module")
def tangle(tmp_path_factory: pytest.TempPathFactory) -> FilePath:
    """400 nodes with 4,000 edges at random."""
    path, rng = tmp_path_factory.mktemp("tangle") / "g.arc", random.Random(1)
    with EmbeddedGraph.open(path, create=True) as graph:
        graph.prepare()
        graph.write("UNWIND range(0, 399) AS i MERGE (n:_Arcgraph {_arcgraph_id: toString(i)}) SET n:N SET n.i = i")
        graph.write(
            "UNWIND $rows AS row MATCH (a:_Arcgraph {_arcgraph_id: row[0]}) MATCH (b:_Arcgraph {_arcgraph_id: row[1]}) "
            "CREATE (a)-[:R]->(b)",
            {"rows": [[str(rng.randrange(400)), str(rng.randrange(400))] for _ in range(4000)]},
        )
    return path


@pytest.fixture
def reader(tangle: FilePath) -> Iterator[EmbeddedGraph]:
    with EmbeddedGraph.open(tangle) as graph:
        yield graph


def pid(graph: EmbeddedGraph) -> int:
    worker = graph._worker()
    return worker.pid


def test_a_query_that_obeys_its_deadline(reader: EmbeddedGraph) -> None:
    before, started = pid(reader), clock.monotonic()
    with pytest.raises(QueryTimeout, match=r"more than 0\.3 s"):
        reader.read(OBEDIENT, timeout=0.3)
    assert clock.monotonic() - started < 2.3
    assert pid(reader) == before


def test_a_query_that_does_not_is_killed_and_the_next_one_works(reader: EmbeddedGraph) -> None:
    before, started = pid(reader), clock.monotonic()
    with pytest.raises(QueryTimeout, match=r"more than 0\.3 s"):
        reader.read(STUBBORN, timeout=0.3)
    assert clock.monotonic() - started < 2.3
    assert one(reader, "MATCH (n) RETURN count(n)") == 400
    assert pid(reader) != before
    assert is_gone(before)


def test_neighbours_of_a_killed_query_are_run_again(reader: EmbeddedGraph) -> None:
    def late() -> int:
        clock.sleep(0.6)  # the kill comes at 0.8
        return int(one(reader, STEADY))

    before = pid(reader)
    with ThreadPoolExecutor() as pool:
        neighbours = [pool.submit(late) for _ in range(2)]
        with pytest.raises(QueryTimeout):
            reader.read(STUBBORN, timeout=0.3)
        assert [neighbour.result() for neighbour in neighbours] == [10] * 2
    assert pid(reader) != before


def test_a_reader_that_is_killed_from_outside_is_replaced(reader: EmbeddedGraph) -> None:
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(one, reader, STEADY)
        clock.sleep(0.1)
        os.kill(pid(reader), signal.SIGKILL)
        assert answer.result() == 10
    assert one(reader, "RETURN 1") == 1


def test_a_reader_that_is_killed_again_and_again_gives_up_with_a_sentence(reader: EmbeddedGraph) -> None:
    done = threading.Event()

    def assassin() -> None:
        while not done.is_set():
            os.kill(pid(reader), signal.SIGKILL)
            clock.sleep(0.05)

    killer = threading.Thread(target=assassin)
    killer.start()
    try:
        with pytest.raises(ServerGone, match="3 times"):
            reader.read(OBEDIENT, timeout=20)
    finally:
        done.set()
        killer.join()
    assert one(reader, "RETURN 1") == 1


def test_too_many_slow_queries_make_the_next_one_wait_no_longer_than_its_deadline(reader: EmbeddedGraph) -> None:
    with ThreadPoolExecutor(8) as pool:
        slow = [pool.submit(reader.read, OBEDIENT, timeout=1.5) for _ in range(8)]
        clock.sleep(0.3)
        with pytest.raises(QueryTimeout, match="other queries"):
            reader.read("RETURN 1", timeout=0.2)
        for query in slow:
            with pytest.raises(QueryTimeout):
                query.result()
    assert one(reader, "RETURN 1") == 1


def test_many_threads(reader: EmbeddedGraph) -> None:
    def ask(number: int) -> list[int]:
        return [one(reader, "MATCH (n:N {i: $i}) RETURN n.i", i=(number + k) % 400) for k in range(20)]

    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(ask, range(32)))
    assert answers == [[number + k for k in range(20)] for number in range(32)]


def test_a_small_query_runs_beside_a_slow_one(reader: EmbeddedGraph) -> None:
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(reader.read, OBEDIENT, timeout=2)
        clock.sleep(0.2)
        assert one(reader, "RETURN 1") == 1
        assert not slow.done()
        with pytest.raises(QueryTimeout):
            slow.result()


# --- the process -------------------------------------------------------------------------------------------------


def is_gone(number: int, patience: float = 5.0) -> bool:
    deadline = clock.monotonic() + patience
    while True:
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        if clock.monotonic() >= deadline:
            return False
        clock.sleep(0.02)


def test_close_ends_the_process_and_can_be_repeated(tangle: FilePath) -> None:
    graph = EmbeddedGraph.open(tangle)
    number = pid(graph)
    graph.close()
    graph.close()
    assert is_gone(number, patience=0)
    with pytest.raises(UsageError, match="is closed"):
        graph.read("RETURN 1")


def test_a_forgotten_graph_ends_its_process(tangle: FilePath) -> None:
    graph = EmbeddedGraph.open(tangle)
    number = pid(graph)
    del graph
    assert is_gone(number)


SCRIPT = """
import sys
from arcgraph.graph.embedded import EmbeddedGraph
graph = EmbeddedGraph.open({path!r})
print(graph._worker().pid, graph.read("MATCH (n) RETURN count(n)").records[0][0], flush=True)
{then}
"""


def run_script(path: FilePath, then: str, cwd: FilePath) -> subprocess.Popen[str]:
    """A program without ``if __name__ == "__main__"``, in a folder with files named like modules."""
    (cwd / "kglite.py").write_text("raise SystemExit('not me')")
    (cwd / "program.py").write_text(SCRIPT.format(path=str(path), then=then))
    return subprocess.Popen(
        [sys.executable, "-P", "program.py"], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_works_from_a_plain_script_and_leaves_nothing_behind(tangle: FilePath, tmp_path: FilePath) -> None:
    with run_script(tangle, "", tmp_path) as program:
        out, err = program.communicate()
    number, count = map(int, out.split())
    assert (count, err, program.returncode) == (400, "", 0)
    assert is_gone(number)


def test_the_process_ends_when_its_parent_is_killed(tangle: FilePath, tmp_path: FilePath) -> None:
    with run_script(tangle, "sys.stdin.read()\nimport time; time.sleep(60)", tmp_path) as program:
        assert program.stdout is not None
        number = int(program.stdout.readline().split()[0])
        program.kill()
        assert is_gone(number)


# --- opening -----------------------------------------------------------------------------------------------------


def refused(path: FilePath, **options: Any) -> str:
    with pytest.raises((UsageError, ConnectError)) as caught:
        EmbeddedGraph.open(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_no_graph_is_refused_with_a_sentence(tmp_path: FilePath) -> None:
    (tmp_path / "notes.txt").write_text("not a graph at all")
    (tmp_path / "empty.arc").write_bytes(b"")
    assert "there is no graph at" in refused(tmp_path / "nowhere.arc")
    assert "there is no graph at" in refused(tmp_path / "nowhere.arc", write=True)
    assert "is a folder" in refused(tmp_path)
    assert "is a folder" in refused(tmp_path, create=True)
    assert "there is no folder" in refused(tmp_path / "no" / "g.arc", create=True)
    for options in ({}, {"write": True}, {"create": True}):
        assert "is no graph file" in refused(tmp_path / "notes.txt", **options)
        assert "is no graph file" in refused(tmp_path / "empty.arc", **options)
    assert not (tmp_path / "nowhere.arc").exists()


def test_a_damaged_file_is_refused(tangle: FilePath, tmp_path: FilePath) -> None:
    whole = tangle.read_bytes()
    (tmp_path / "half.arc").write_bytes(whole[: len(whole) // 2])
    assert "damaged" in refused(tmp_path / "half.arc")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_file_that_cannot_be_read_is_refused(tangle: FilePath, tmp_path: FilePath) -> None:
    path = tmp_path / "g.arc"
    path.write_bytes(tangle.read_bytes())
    path.chmod(0)
    assert "cannot be read" in refused(path)


def test_a_file_that_arcgraph_did_not_write_is_refused(tmp_path: FilePath) -> None:
    graph = kglite.open(str(tmp_path / "foreign.kgl"))
    graph.cypher("CREATE (:Person {name: 'Ann'})")
    graph.save()
    graph.close()
    assert "arcgraph did not write" in refused(tmp_path / "foreign.kgl")


def test_a_file_of_a_newer_arcgraph_is_refused(tmp_path: FilePath) -> None:
    graph = kglite.open(str(tmp_path / "newer.arc"))
    graph.set_schema_version(2)
    graph.save()
    graph.close()
    assert "newer arcgraph" in refused(tmp_path / "newer.arc")


def test_a_reader_never_writes_beside_its_file(tangle: FilePath, tmp_path: FilePath) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    path = folder / "g.arc"
    path.write_bytes(tangle.read_bytes())
    before = path.stat()
    with EmbeddedGraph.open(path) as graph:
        assert one(graph, "MATCH (n) RETURN count(n)") == 400
        with pytest.raises(QueryError, match="read-only") as caught:
            graph.read("MATCH (n) SET n.i = 1")
        assert caught.value.code == "ReadOnlyError"
        for write in (graph.save, graph.prepare, lambda: graph.write("CREATE (n:X)")):
            with pytest.raises(UsageError, match="write=True"):
                write()
    assert [path.name for path in folder.iterdir()] == ["g.arc"]
    assert path.stat()[: stat.ST_ATIME] == before[: stat.ST_ATIME]


# --- writing -----------------------------------------------------------------------------------------------------


def test_a_new_graph_is_there_at_once(file: FilePath) -> None:
    with EmbeddedGraph.open(file, create=True), EmbeddedGraph.open(file) as reader:
        assert one(reader, "MATCH (n) RETURN count(n)") == 0


def test_create_opens_what_exists(file: FilePath) -> None:
    for number in range(2):
        with EmbeddedGraph.open(file, create=True) as graph:
            graph.prepare([("Thing", "name"), ("Other", "name"), ("Thing", "w")])
            add(graph, **{f"n{number}": {"name": "x"}})
    with EmbeddedGraph.open(file) as graph:
        assert one(graph, "MATCH (n:Thing) RETURN count(n)") == 2


def test_writing_the_same_rows_again_changes_nothing(writer: EmbeddedGraph) -> None:
    for _ in range(2):
        add(writer, a={"name": "A"}, b={"name": "B"})
    assert one(writer, "MATCH (n) RETURN count(n)") == 2


def test_readers_follow_what_a_writer_saves(writer: EmbeddedGraph, file: FilePath) -> None:
    with EmbeddedGraph.open(file) as reader:
        versions = [reader.data_version()]
        add(writer, a={"name": "A"})
        assert one(reader, "MATCH (n) RETURN count(n)") == 0
        assert reader.data_version() == versions[0]
        writer.save()
        assert one(reader, "MATCH (n) RETURN count(n)") == 1
        assert reader.data_version() != versions[0]
        assert reader.data_version() == writer.data_version()
        add(writer, b={"name": "B"})
        assert reader.data_version() != writer.data_version()


def test_queries_that_run_while_the_file_changes_are_finished(writer: EmbeddedGraph, file: FilePath) -> None:
    add(writer, **{f"n{i}": {"i": i} for i in range(60)})
    writer.save()
    slow = "MATCH (a:Thing), (b:Thing), (c:Thing) WHERE a.i + b.i + c.i = 3 RETURN count(*)"
    with EmbeddedGraph.open(file) as reader, ThreadPoolExecutor() as pool:
        answer = pool.submit(one, reader, slow)
        clock.sleep(0.05)
        add(writer, extra={"i": 0})
        writer.save()
        assert one(reader, "MATCH (n) RETURN count(n)") == 61
        assert answer.result() == 10


def test_two_writers_at_once_are_refused(writer: EmbeddedGraph, file: FilePath) -> None:
    assert f"process {pid(writer)} is writing" in refused(file, write=True)
    writer.close()
    EmbeddedGraph.open(file, write=True).close()


def test_close_saves(file: FilePath) -> None:
    graph = EmbeddedGraph.open(file, create=True)
    add(graph, a={"name": "A"})
    graph.close()
    with EmbeddedGraph.open(file) as reader:
        assert one(reader, "MATCH (n) RETURN n") == Node("0", "a", ("Thing",), {"name": "A"})


def test_a_killed_writer_loses_nothing(file: FilePath) -> None:
    graph = EmbeddedGraph.open(file, create=True)
    graph.prepare()
    add(graph, a={"name": "saved"})
    graph.save()
    add(graph, b={"name": "only logged", "at": WGS84Point((1, 2))})
    os.kill(pid(graph), signal.SIGKILL)
    with EmbeddedGraph.open(file) as reader:
        assert one(reader, "MATCH (n) RETURN collect(n._arc_name)") == ["saved"]
    assert one(graph, "MATCH (n) RETURN collect(n._arc_name)") == ["saved", "only logged"]
    graph.close()
    with EmbeddedGraph.open(file) as reader:
        assert one(reader, "MATCH (n {_arcgraph_id: 'b'}) RETURN n").properties == {
            "name": "only logged",
            "at": WGS84Point((1, 2)),
        }


def test_a_write_whose_process_dies_is_reported_and_not_sent_again(writer: EmbeddedGraph) -> None:
    add(writer, a={"w": 0})
    slow = "MATCH (n:Thing) UNWIND range(1, 3000000) AS x SET n.w = n.w + 1"
    with ThreadPoolExecutor() as pool:
        write = pool.submit(writer.write, slow)
        clock.sleep(0.2)
        os.kill(pid(writer), signal.SIGKILL)
        with pytest.raises(ServerGone, match="may or may not"):
            write.result()
    assert one(writer, "MATCH (n:Thing) RETURN n.w") in (0, 3_000_000)
    add(writer, b={})
    assert one(writer, "MATCH (n) RETURN count(n)") == 2


def test_a_stubborn_read_of_a_writer_costs_no_writes(tangle: FilePath, tmp_path: FilePath) -> None:
    path = tmp_path / "g.arc"
    path.write_bytes(tangle.read_bytes())
    with EmbeddedGraph.open(path, write=True) as graph:
        add(graph, extra={"name": "A"})
        with pytest.raises(QueryTimeout):
            graph.read(STUBBORN, timeout=0.3)
        assert one(graph, "MATCH (n:Thing) RETURN n._arc_name") == "A"


def test_the_reads_of_a_writer_cannot_write(writer: EmbeddedGraph) -> None:
    add(writer, a={"w": 1})
    for query in ("CREATE (n:_Arcgraph)", "MATCH (n) SET n.w = 2", "MATCH (n) DETACH DELETE n", "DROP INDEX x"):
        with pytest.raises(QueryError):
            writer.read(query)
    assert one(writer, "MATCH (n) RETURN collect(n.w)") == [1]


def test_a_disk_that_cannot_be_written_is_reported(tmp_path: FilePath) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    graph = EmbeddedGraph.open(folder / "g.arc", create=True)
    add(graph, a={})
    shutil.rmtree(folder)
    with pytest.raises(StorageError, match="kept in the log"):
        graph.close()
    graph.close()


def test_close_saves_though_the_process_died(file: FilePath) -> None:
    graph = EmbeddedGraph.open(file, create=True)
    add(graph, a={})
    os.kill(pid(graph), signal.SIGKILL)
    graph.close()
    with EmbeddedGraph.open(file) as reader:
        assert one(reader, "MATCH (n) RETURN count(n)") == 1


def test_a_failing_write_is_an_error_and_changes_nothing(writer: EmbeddedGraph) -> None:
    add(writer, a={"w": 1})
    with pytest.raises(QueryError, match=r"UNIQUE"):
        writer.write("UNWIND ['b', 'a'] AS id CREATE (n:_Arcgraph {_arcgraph_id: id})")
    assert one(writer, "MATCH (n) RETURN count(n)") == 1


def test_names_are_found_by_index(writer: EmbeddedGraph) -> None:
    writer.prepare([("Thing", "name")])
    rows = writer.read("SHOW INDEXES").dicts()
    assert ("_Arcgraph._arc_name", ["name"]) in [(row["name"], row["properties"]) for row in rows]


# --- queries that somebody wrote ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedGraph]:
    path = tmp_path_factory.mktemp("people") / "g.arc"
    with EmbeddedGraph.open(path, create=True) as graph:
        graph.prepare([("Thing", "name")])
        add(graph, a={"name": "Ann", "type": "x"}, b={"title": "Dr"})
    with EmbeddedGraph.open(path) as graph:
        yield graph


@pytest.mark.parametrize("key", FOUR)
def test_null_tests_in_free_queries(people: EmbeddedGraph, key: str) -> None:
    missing = {"id": 2, "title": 1, "type": 1, "name": 1}[key]
    query = f"MATCH (n:Thing) WHERE n.{key} IS NULL RETURN count(n) AS c"
    assert people.run(query).records == [(missing,)]


def test_free_queries_speak_names_as_loaded(people: EmbeddedGraph) -> None:
    rows = people.run("MATCH (n:Thing {name: 'Ann'}) RETURN n.name, n.type, n.id, n")
    assert rows.columns == ("n.name", "n.type", "n.id", "n")
    assert rows.records == [("Ann", "x", None, Node("0", "a", ("Thing",), {"name": "Ann", "type": "x"}))]


def test_free_queries_take_maps_and_points(people: EmbeddedGraph) -> None:
    params = {"ann": {"name": "Ann", "at": [WGS84Point((1, 2))]}, "p": WGS84Point((1, 2)), "rows": [{"id": 5}]}
    query = "MATCH (n:Thing) WHERE n.name = $ann.name RETURN n.name AS name, $ann AS map, $p AS p, $rows[0].id AS id"
    assert people.run(query, params).records == [("Ann", params["ann"], params["p"], 5)]


@pytest.mark.parametrize("query", ["MATCH (n) SET n.x = 1", "LOAD CSV FROM 'file:///etc/passwd' AS r RETURN r"])
def test_free_queries_pass_the_gate(people: EmbeddedGraph, query: str) -> None:
    ask: list[Callable[[str], Any]] = [people.run, people.explain]
    for how in ask:
        with pytest.raises(Refused):
            how(query)


def test_explain(people: EmbeddedGraph) -> None:
    explained = people.explain("MATCH (n:Nowhere {name: $x}) RETURN n", {"x": "Ann"})
    assert explained.reads_only
    assert "Nowhere" in explained.notifications[0]


def test_schema(people: EmbeddedGraph) -> None:
    schema = people.schema(refresh=True)
    assert set(schema.labels) == {"Thing"}
    assert set(schema.labels["Thing"].properties) == {"name", "type", "title"}
