"""Each layer against writes with the ones before it switched off, and the recorded harm of the evasions repeated."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest
from conftest import Server, can_start_neo4j, local_neo4j
from evasion_probe import APOC_CONF, PARAMETERS, EmbeddedProbe, ServerProbe, corpus, did_harm, harms
from queries import READS, mutants

from arcgraph.errors import QueryError, Refused
from arcgraph.graph.base import Explained
from arcgraph.graph.embedded import EmbeddedGraph
from arcgraph.graph.guard import check
from arcgraph.graph.neo4j import Neo4jGraph

HARMFUL = [entry for entry in corpus() if harms(entry)]
# Every tenth in CI; ARCGRAPH_TEST_EVASIONS=all repeats the whole recording in some four minutes.
SOME = HARMFUL if os.environ.get("ARCGRAPH_TEST_EVASIONS") == "all" else HARMFUL[::10]
WRITES = [
    "CREATE (:X)",
    "MATCH (n:P) SET n.k = 9",
    "MATCH (n) DETACH DELETE n",
    "MERGE (:X {k: 1})",
    "MATCH (n:P) REMOVE n.k",
    "FOREACH (x IN [1] | CREATE (:X))",
]
WRITES_NEO4J = [
    *WRITES,
    "CALL { CREATE (:X) }",
    "CALL apoc.create.node(['X'], {})",
    "CALL apoc.cypher.doIt('CREATE (:X)', {})",
    "CALL apoc.periodic.iterate('RETURN 1 AS x', 'CREATE (:X)', {})",
    "CREATE INDEX evil FOR (n:X) ON (n.k)",
]
COUNT = "MATCH (n) RETURN count(n) AS nodes, sum(n.k) AS total"


# --- Neo4j --------------------------------------------------------------------------------------------------------


class WithoutGate(Neo4jGraph):
    """EXPLAIN and READ access are left."""

    def _admit(self, query: str) -> None:
        pass


class WithoutGateAndPlan(WithoutGate):
    """READ access is left."""

    def _plan(self, *_query: Any, **_options: Any) -> Explained:
        return Explained(reads_only=True)


def graph_of(kind: type[Neo4jGraph], server: Server) -> Neo4jGraph:
    driver = neo4j.GraphDatabase.driver(server.uri, auth=(server.user or "", server.password or ""))
    return kind(driver, address=server.uri)


@pytest.mark.live
@pytest.mark.parametrize("query", WRITES_NEO4J)
def test_each_layer_of_neo4j_holds_alone(query: str, neo4j_graph: Any, live_neo4j: Server) -> None:
    neo4j_graph.write("CREATE (:P {k: 1})-[:R]->(:Q {k: 2})")
    if "apoc." in query and not neo4j_graph.server().extensions.get("apoc"):
        pytest.skip("this server has no APOC")
    before = neo4j_graph.read(COUNT).records
    with pytest.raises(Refused) as caught:
        neo4j_graph.run(query)
    assert caught.value.verdict.reasons[0].rule in ("write", "procedure", "not-understood")
    with graph_of(WithoutGate, live_neo4j) as ungated:
        with pytest.raises(Refused, match="plans more than a read") as refused:
            ungated.run(query)
        assert [reason.rule for reason in refused.value.verdict.reasons] == ["plan"]
    with graph_of(WithoutGateAndPlan, live_neo4j) as open_, pytest.raises(QueryError) as denied:
        open_.run(query)
    assert denied.value.code.startswith("Neo.ClientError")
    assert neo4j_graph.read(COUNT).records == before
    # The same text does change the graph where nothing holds it, so the refusals above mean something.
    driver = neo4j.GraphDatabase.driver(live_neo4j.uri, auth=(live_neo4j.user or "", live_neo4j.password or ""))
    with driver, driver.session() as session:
        session.run(query).consume()
        session.run("DROP INDEX evil IF EXISTS").consume()
    assert neo4j_graph.read(COUNT).records != before or "INDEX" in query


# --- the embedded engine ------------------------------------------------------------------------------------------


class OpenFile(EmbeddedGraph):
    """The read-only file is left."""

    def _admit(self, query: str) -> str:
        return query

    def _plan(self, *_query: Any, **_options: Any) -> Explained:
        return Explained(reads_only=True)


class PlannedFile(EmbeddedGraph):
    """The engine's plan and the read-only file are left."""

    def _admit(self, query: str) -> str:
        return query


@pytest.mark.parametrize("query", WRITES)
def test_each_layer_of_a_file_holds_alone(query: str, tmp_path: Path) -> None:
    path = tmp_path / "g.arc"
    with EmbeddedGraph(path, create=True) as graph:
        graph.write("CREATE (:P {k: 1})-[:R]->(:Q {k: 2})")
    with EmbeddedGraph(path) as graph, pytest.raises(Refused) as caught:
        graph.run(query)
    assert caught.value.verdict.reasons[0].rule == "write"
    # A file that is open for writing plans writes; one for reading does not even do that.
    with PlannedFile(path, write=True) as graph, pytest.raises((Refused, QueryError)):
        graph.run(query)
    for write in (True, False):
        with OpenFile(path, write=write) as graph:
            with pytest.raises(QueryError):
                graph.run(query)
            assert graph.read(COUNT).records == [(2, 3)]
    with EmbeddedGraph(path, write=True) as graph:
        graph.write(query)
        assert graph.read(COUNT).records != [(2, 3)]


# --- the recording ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server_probe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProbe]:
    """A server of its own: its users, data and files are harmed, and its APOC may reach files."""
    if not can_start_neo4j():
        pytest.skip("Java 17 and Maven are needed to start a server that may be harmed")
    home = tmp_path_factory.mktemp("neo4j-evasions") / "home"
    (home / "conf").mkdir(parents=True)
    (home / "conf" / "apoc.conf").write_text(APOC_CONF)
    with local_neo4j(home, brief=True) as server:
        probe = ServerProbe(server.uri, server.password or "", home)
        yield probe
        probe.close()


@pytest.mark.live
@pytest.mark.parametrize("entry", [e for e in SOME if did_harm(e["neo4j"]["alone"])], ids=lambda entry: entry["id"])
def test_the_harm_on_neo4j_is_as_recorded(entry: dict[str, Any], server_probe: ServerProbe) -> None:
    assert server_probe.record(entry["query"]) == entry["neo4j"]


@pytest.fixture(scope="module")
def embedded_probe() -> Iterator[EmbeddedProbe]:
    probe = EmbeddedProbe()
    yield probe
    probe.close()


@pytest.mark.parametrize("entry", [e for e in SOME if did_harm(e["embedded"]["alone"])], ids=lambda entry: entry["id"])
def test_the_harm_on_a_file_is_as_recorded(entry: dict[str, Any], embedded_probe: EmbeddedProbe) -> None:
    assert embedded_probe.record(entry["query"]) == entry["embedded"]


# --- what passes --------------------------------------------------------------------------------------------------


def plan(graph: Any, query: str) -> str:
    """``read``, ``more``, or why the server cannot plan it: types, procedures and indexes that it lacks."""
    try:
        return "read" if graph.explain(query, PARAMETERS).reads_only else "more"
    except QueryError as error:
        return str(error.code)


@pytest.mark.live
def test_what_the_gate_accepts_the_server_plans_as_a_read(neo4j_graph: Any) -> None:
    accepted = [query for query in (*READS, *mutants()) if check(query).accepted]
    assert len(accepted) > 100
    plans = {query: plan(neo4j_graph, query) for query in accepted}
    assert [query for query, found in plans.items() if found == "more"] == []
    assert {found for found in plans.values() if not found.startswith("Neo.ClientError.")} == {"read"}
    assert list(plans.values()).count("read") > 0.8 * len(accepted)
