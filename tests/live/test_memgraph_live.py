"""Memgraph on a real server: MEMGRAPH_URI, or a container where a Docker daemon answers. Skipped elsewhere.

What arcgraph must do on every engine stands in ``tests/contract`` and runs on this server, too.
"""

from __future__ import annotations

import json
import time

import neo4j
import pytest
from neo4j.time import Date, Duration

from arcgraph import Agent
from arcgraph.demo import files
from arcgraph.domain import Edge, Node, Path
from arcgraph.errors import QueryError, QueryTimeout, Refused
from arcgraph.graph.load import load
from arcgraph.graph.memgraph import _WRITING_OPERATOR

pytestmark = pytest.mark.live

ENDLESS = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b WITH a, b WHERE a = -b RETURN count(*) AS n"


@pytest.fixture
def graph(memgraph_graph):
    memgraph_graph.write(
        "CREATE (a:Person {name: 'Ada', born: date('1815-12-10')})-[:KNOWS {since: 1833}]->"
        "(b:Person {name: 'Charles'}), (b)-[:BUILT]->(:Engine)"
    )
    return memgraph_graph


# --- what the double takes for granted ----------------------------------------------------------------------------


def test_it_is_detected_behind_bolt(live_memgraph, graph):
    assert graph.dialect == "memgraph"
    with neo4j.GraphDatabase.driver(
        live_memgraph.uri.replace("memgraph", "bolt"), auth=(live_memgraph.user or "", live_memgraph.password or "")
    ) as driver:
        summary = driver.execute_query("RETURN 1 AS x").summary
    assert {"parsing_time", "planning_time"} <= summary.metadata.keys()


def test_nodes_edges_and_paths_are_ours(graph):
    node, edge, path = graph.run("MATCH p = (a:Person {name: 'Ada'})-[r:KNOWS]->() RETURN a, r, p").records[0]
    assert isinstance(node, Node)
    assert dict(node.properties) == {"name": "Ada", "born": Date(1815, 12, 10)}
    assert isinstance(edge, Edge)
    assert edge.start == node.element_id
    assert isinstance(path, Path)
    query = "MATCH (n) WHERE id(n) = toInteger($id) RETURN n.name AS name"
    assert graph.read(query, {"id": node.element_id}).records == [("Ada",)]
    many = "MATCH (n) WHERE id(n) IN [_i IN $ids | toInteger(_i)] RETURN n.name AS name"
    assert graph.read(many, {"ids": [node.element_id, node.element_id]}).records == [("Ada",)]


def test_durations_come_back_as_they_went(graph):
    assert graph.run("RETURN $x AS x", {"x": Duration(days=2, seconds=3)}).records == [(Duration(days=2, seconds=3),)]


def test_reading_stops_at_the_limit(graph):
    started = time.monotonic()
    rows = graph.run("UNWIND range(1, 20000000) AS x RETURN x", limit=3, timeout=60)
    assert rows.records == [(1,), (2,), (3,)]
    assert rows.truncated
    assert time.monotonic() - started < 20


def test_a_deadline_is_kept_by_the_server(graph):
    started = time.monotonic()
    with pytest.raises(QueryTimeout):
        graph.run(ENDLESS, timeout=1)
    assert time.monotonic() - started < 5
    assert graph.run("RETURN 1 AS x").records == [(1,)]


def test_an_error_carries_its_place(graph):
    with pytest.raises(QueryError) as caught:
        graph.read("MATCH (n)\nRETRUN n")
    assert caught.value.position is not None
    assert caught.value.position.line == 2


def test_a_plan_tells_a_write(graph):
    assert graph.explain("MATCH (n) RETURN n").reads_only
    # The gate lets no such query come to explain(), so the plan is looked at as it is.
    plan = graph.read("EXPLAIN MATCH (n) SET n.x = 1").column("QUERY PLAN")
    assert any(_WRITING_OPERATOR.match(line) for line in plan)


# --- schema and answers -------------------------------------------------------------------------------------------


@pytest.fixture
def loaded(memgraph_graph, tmp_path):
    load(files(), memgraph_graph, rejects=tmp_path / "rejects.jsonl")
    return memgraph_graph


@pytest.fixture
def same_embedded(embedded_graph, tmp_path):
    load(files(), embedded_graph, rejects=tmp_path / "rejects.jsonl")
    return embedded_graph


def test_the_schema_is_that_of_a_file(loaded, same_embedded):
    seen, expected = loaded.schema(refresh=True), same_embedded.schema(refresh=True)
    assert {n: i.count for n, i in seen.labels.items()} == {n: i.count for n, i in expected.labels.items()}
    assert set(seen.endpoints) == set(expected.endpoints)
    assert {n: set(i.properties) for n, i in seen.labels.items()} == {
        n: set(i.properties) for n, i in expected.labels.items()
    }
    assert (seen.loaded, seen.passages, seen.relations) == (True, expected.passages, expected.relations)


def test_answers_are_those_of_a_file(loaded, same_embedded):
    for question in ("Who designed Kittiwake Light?", "Who designed Nowhere Light?"):
        seen, expected = Agent(loaded).ask(question), Agent(same_embedded).ask(question)
        assert (seen.status, seen.rows) == (expected.status, expected.rows)
        assert json.dumps([e.id for e in seen.entities]) == json.dumps([e.id for e in expected.entities])


# --- the lock -----------------------------------------------------------------------------------------------------


def test_what_writes_is_refused_by_the_gate(graph):
    for query in ("MATCH (n) DETACH DELETE n", "CREATE (:X)", "LOAD CSV FROM '/etc/passwd' NO HEADER AS r RETURN r"):
        with pytest.raises(Refused):
            graph.run(query)
    assert graph.run("MATCH (n) RETURN count(n) AS n").records == [(3,)]


def test_a_write_behind_the_gate_does_not_stay(graph, record_property):
    try:
        graph.read("CREATE (:Behind)")
    except QueryError as error:
        record_property("READ access", f"refuses a write: {error}")
    else:
        record_property("READ access", "ignored")
    assert graph.run("MATCH (n:Behind) RETURN count(n) AS n").records == [(0,)]
