"""The Neo4j back end on a real server: reads that only read, limits, errors, values, and a server that stops."""

from __future__ import annotations

import os
import signal
import threading
import time

import neo4j
import pytest
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from arcgraph.build import connect
from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, Edge, Node, Omitted, Path
from arcgraph.errors import ConnectError, QueryError, QueryTimeout, Refused, ServerGone
from arcgraph.graph.base import Graph, Served, Versioned, Writable

pytestmark = pytest.mark.live

ENDLESS = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b WITH a, b WHERE a = -b RETURN count(*) AS n"


@pytest.fixture
def graph(neo4j_graph):
    neo4j_graph.write(
        "CREATE (a:Person {name: 'Ada'})-[:KNOWS {since: 1833}]->(b:Person {name: 'Charles'}), (b)-[:BUILT]->(:Engine)"
    )
    return neo4j_graph


# --- reading -----------------------------------------------------------------------------------------------------


def test_rows_have_columns_in_order(graph):
    rows = graph.run("MATCH (p:Person) RETURN p.name AS name, size(p.name) AS length ORDER BY name")
    assert rows.columns == ("name", "length")
    assert rows.records == [("Ada", 3), ("Charles", 7)]
    assert not rows.truncated


def test_parameters_are_sent_as_such(graph):
    hostile = "Ada'}) DETACH DELETE n //"
    assert graph.run("RETURN $x AS x", {"x": hostile}).records == [(hostile,)]


def test_reading_stops_at_the_limit_and_does_not_wait_for_the_rest(graph):
    started = time.monotonic()
    rows = graph.run("UNWIND range(1, 2000000000) AS x RETURN x", limit=3, timeout=20)
    assert rows.records == [(1,), (2,), (3,)]
    assert rows.truncated
    assert time.monotonic() - started < 10


def test_a_result_of_just_the_limit_is_not_truncated(graph):
    assert not graph.run("UNWIND range(1, 3) AS x RETURN x", limit=3).truncated
    assert len(graph.run("UNWIND range(1, 3000) AS x RETURN x", limit=None)) == 3000


def test_nodes_edges_and_paths_are_ours(graph):
    node, edge, path = graph.run("MATCH p = (a:Person {name: 'Ada'})-[r:KNOWS]->() RETURN a, r, p").records[0]
    assert isinstance(node, Node)
    assert (node.labels, dict(node.properties)) == (("Person",), {"name": "Ada"})
    assert node.id == node.element_id
    assert isinstance(edge, Edge)
    assert (edge.type, edge.start, dict(edge.properties)) == ("KNOWS", node.element_id, {"since": 1833})
    assert isinstance(path, Path)
    assert path.edges == (edge,)
    assert path.nodes[0] == node


def test_what_was_loaded_keeps_its_id_and_hides_the_reserved_names(graph):
    graph.write(f"CREATE (:{RESERVED_LABEL}:Film {{{RESERVED_KEY}: 'f1', title: 'Heat'}})")
    (node,) = graph.read("MATCH (f:Film) RETURN f").column("f")
    assert (node.id, node.labels, dict(node.properties)) == ("f1", ("Film",), {"title": "Heat"})


VALUES = {
    "null": None,
    "boolean": True,
    "integer": 2**63 - 1,
    "float": 0.1,
    "text": "naïve ‮ 'quoted' \"\\\n☃",
    "list": [1, 2, 3],
    "date": Date(2020, 2, 29),
    "time": Time(12, 30, 15, 123456789),
    "datetime": DateTime(2020, 2, 29, 12, 30, 15, 123456789),
    "duration": Duration(months=14, days=3, seconds=5, nanoseconds=7),
    "place": WGS84Point((4.5, 52.1)),
    "flat": CartesianPoint((1.0, 2.0)),
    "solid": CartesianPoint((1.0, 2.0, 3.0)),
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_come_back_as_they_went(graph, kind):
    graph.write("CREATE (:Holder {value: $value})", {"value": VALUES[kind]})
    (value,) = graph.run("MATCH (h:Holder) RETURN h.value AS value").column("value")
    assert value == VALUES[kind]
    assert type(value) is type(VALUES[kind])


def test_a_vector_is_cut_wherever_it_hides(graph):
    graph.write("CREATE (:Chunk {text: 'short', embedding: $vector})", {"vector": [0.5] * 1536})
    row = graph.run("MATCH p = (c:Chunk) RETURN c, [c.embedding] AS inside, {v: c.embedding} AS map, p").records[0]
    node, inside, mapped, path = row
    cut = Omitted("vector", 1536)
    assert node.properties == {"text": "short", "embedding": cut}
    assert (inside, mapped) == ([cut], {"v": cut})
    assert path.nodes[0].properties["embedding"] == cut


def test_notifications_come_along(graph):
    rows = graph.run("MATCH (n:NoSuchLabel) RETURN n")
    assert any("NoSuchLabel" in note for note in rows.notifications)


def test_threads_may_share_a_graph(graph):
    seen: list[int] = []
    threads = [
        threading.Thread(target=lambda i=i: seen.append(graph.run("RETURN $i AS i", {"i": i}).records[0][0]))
        for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(8))


# --- reading only ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "CREATE (n:Evil) RETURN n",
        "MATCH (n) SET n.x = 1",
        "MATCH (n) DETACH DELETE n",
        "CREATE INDEX FOR (n:Evil) ON (n.x)",
        "MATCH (n) CALL { WITH n SET n.x = 1 } IN TRANSACTIONS",
    ],
)
def test_the_server_refuses_writes_behind_the_gate(graph, query):
    with pytest.raises(QueryError):
        graph.read(query)
    with pytest.raises(Refused):
        graph.run(query)
    assert graph.read("MATCH (n) RETURN count(n) AS n").records == [(3,)]


def test_explain_runs_nothing_and_says_what_the_server_thinks(graph):
    explained = graph.explain("MATCH (n:NoSuchLabel) RETURN n")
    assert explained.reads_only
    assert any("NoSuchLabel" in note for note in explained.notifications)
    started = time.monotonic()
    assert graph.explain(ENDLESS).reads_only
    assert time.monotonic() - started < 5


def test_explain_finds_what_the_gate_lets_pass(graph):
    with pytest.raises(QueryError) as caught:
        graph.explain("MATCH (n:Person)\nRETURN size(5) AS x")
    assert caught.value.code.startswith("Neo.ClientError.Statement.")
    assert caught.value.position.line == 2


def test_errors_carry_the_servers_code_and_the_position(graph):
    with pytest.raises(QueryError) as caught:
        graph.read("MATCH (n)\nRETURN m")
    error = caught.value
    assert error.code == "Neo.ClientError.Statement.SyntaxError"
    assert (error.position.line, error.position.column, error.position.offset) == (2, 8, 17)
    assert str(error) == "Variable `m` not defined"
    with pytest.raises(QueryError, match="/ by zero"):
        graph.run("RETURN 1 / 0 AS x")


def test_a_query_past_its_deadline_is_stopped(graph):
    started = time.monotonic()
    with pytest.raises(QueryTimeout, match="after 1 s"):
        graph.run(ENDLESS, timeout=1)
    assert time.monotonic() - started < 3
    assert graph.run("RETURN 1 AS x").records == [(1,)]
    # The server, too, gives up on it.
    deadline = time.monotonic() + 15
    while graph.read("SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery = $query", {"query": ENDLESS}):
        assert time.monotonic() < deadline, "the query still runs on the server"
        time.sleep(0.2)


# --- connecting --------------------------------------------------------------------------------------------------


def test_a_wrong_password(live_neo4j):
    with pytest.raises(ConnectError, match="refused the user or the password"):
        live_neo4j.connect(user="nobody", password="not the password")


def test_no_password(live_neo4j, monkeypatch):
    for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConnectError, match="wants a user and a password"):
        connect(live_neo4j.uri)


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_wrong_database(live_neo4j, scheme):
    _, rest = live_neo4j.uri.split("://")
    with pytest.raises(ConnectError, match="there is no database 'nosuchdb'"):
        connect(f"{scheme}://{rest}", user=live_neo4j.user, password=live_neo4j.password, database="nosuchdb")


def test_no_server(live_neo4j):
    with pytest.raises(ConnectError, match="no Neo4j answers"):
        connect("bolt://127.0.0.1:1", user=live_neo4j.user, password=live_neo4j.password)


def test_impersonation_that_the_server_refuses(live_neo4j):
    # Community has none; Enterprise has no such user.
    with pytest.raises(ConnectError, match="act as 'nobody-at-all'"):
        live_neo4j.connect(impersonated_user="nobody-at-all")


def test_an_existing_driver_is_used_and_left_open(live_neo4j):
    with neo4j.GraphDatabase.driver(live_neo4j.uri, auth=(live_neo4j.user, live_neo4j.password)) as driver:
        with connect(driver, database="neo4j") as graph:
            assert graph.run("RETURN 1 AS x").records == [(1,)]
        driver.verify_connectivity()


def test_any_auth_object_is_taken(live_neo4j):
    auth = neo4j.basic_auth(live_neo4j.user or "", live_neo4j.password or "")
    with connect(live_neo4j.uri, auth=auth) as graph:
        assert graph.run("RETURN 1 AS x").records == [(1,)]


def test_what_it_can_do(graph):
    assert isinstance(graph, Writable)
    assert isinstance(graph, Served)
    assert isinstance(graph, Versioned)
    typed: Graph = graph
    assert typed.dialect == "neo4j"


# --- writing, preparing, versions --------------------------------------------------------------------------------


def test_prepare_makes_the_id_unique_and_indexes_names_and_may_be_repeated(graph):
    for _ in range(2):
        graph.prepare([("Person", "name"), ("Odd `label`", 'odd "key"'), ("", "name")])
    indexes = graph.read(
        "SHOW INDEXES YIELD labelsOrTypes, properties, state WHERE labelsOrTypes IS NOT NULL "
        "RETURN labelsOrTypes[0] AS label, properties[0] AS key, state"
    )
    assert set(indexes.records) == {
        (RESERVED_LABEL, RESERVED_KEY, "ONLINE"),
        ("Person", "name", "ONLINE"),
        ("Odd `label`", 'odd "key"', "ONLINE"),
    }
    graph.write(f"CREATE (:{RESERVED_LABEL} {{{RESERVED_KEY}: 'x'}})")
    with pytest.raises(QueryError) as caught:
        graph.write(f"CREATE (:{RESERVED_LABEL} {{{RESERVED_KEY}: 'x'}})")
    assert caught.value.code == "Neo.ClientError.Schema.ConstraintValidationFailed"


def test_a_name_too_long_for_an_index_costs_the_index_not_the_load(graph):
    graph.write("CREATE (:Essay {name: $long})", {"long": "word " * 4000})
    graph.prepare([("Essay", "name"), ("Person", "name")])
    assert graph.read("SHOW INDEXES YIELD labelsOrTypes AS l WHERE 'Essay' IN l RETURN l").records == []
    assert graph.read("SHOW INDEXES YIELD labelsOrTypes AS l WHERE 'Person' IN l RETURN l").records
    graph.write("CREATE (:Essay {name: $long})", {"long": "word " * 4001})


def test_every_committed_write_changes_the_version_and_reading_does_not(graph, live_neo4j):
    versions = [graph.data_version()]
    for write in ("CREATE (:V {x: 1})", "MATCH (v:V) SET v.x = 2", "MATCH (v:V) DELETE v"):
        graph.write(write)
        versions.append(graph.data_version())
    assert len(set(versions)) == 4
    graph.run("MATCH (n) RETURN n")
    with live_neo4j.connect() as other:
        assert other.data_version() == graph.data_version() == versions[-1]


def test_the_server_says_what_it_is(graph):
    info = graph.server()
    assert info.product == "Neo4j"
    assert int(info.version.split(".")[0]) >= 5
    assert "db" not in info.extensions


# --- a server that stops -----------------------------------------------------------------------------------------


def test_a_frozen_server_does_not_freeze_us(throwaway_neo4j):
    with throwaway_neo4j.connect() as graph:
        os.kill(throwaway_neo4j.pid, signal.SIGSTOP)
        try:
            started = time.monotonic()
            with pytest.raises(QueryTimeout):
                graph.run("RETURN 1 AS x", timeout=1)
            assert time.monotonic() - started < 3
        finally:
            os.kill(throwaway_neo4j.pid, signal.SIGCONT)
        assert graph.run("RETURN 1 AS x", timeout=20).records == [(1,)]


def test_a_server_killed_mid_query(throwaway_neo4j):
    """The last test of this server: nothing answers there afterwards."""
    with throwaway_neo4j.connect() as graph:
        killer = threading.Timer(1.0, os.kill, (throwaway_neo4j.pid, signal.SIGKILL))
        killer.start()
        started = time.monotonic()
        with pytest.raises(ServerGone, match="went away during the query"):
            graph.run(ENDLESS, timeout=30)
        assert time.monotonic() - started < 15
        with pytest.raises(ServerGone):
            graph.run("RETURN 1 AS x")
    with pytest.raises(ConnectError, match="no Neo4j answers"):
        throwaway_neo4j.connect()
