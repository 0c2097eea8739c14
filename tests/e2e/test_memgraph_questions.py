"""From the schema to the answer on the double of a Memgraph, beside the same graph in a file; and the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from memgraph_server import MemgraphServer, memgraph_server

from arcgraph import Agent, connect
from arcgraph.answer.result import Status
from arcgraph.demo import QUESTIONS
from arcgraph.errors import Refused
from arcgraph.settings import Settings

DESIGNER = "Who designed Kittiwake Light?"


@pytest.fixture(scope="module")
def demo() -> Iterator[Any]:
    with connect("demo:") as graph:
        yield graph


@pytest.fixture
def server(demo: Any) -> Iterator[MemgraphServer]:
    with memgraph_server(demo) as running:
        yield running


def open_(server: MemgraphServer, settings: Settings) -> Any:
    return connect(f"memgraph://{server.address}", settings=settings)


# --- schema ------------------------------------------------------------------------------------------------------

WAYS = {
    "told": {"schema_info": True},
    "one pass": {"schema_info": False},
}


@pytest.mark.parametrize("way", WAYS)
def test_the_schema_is_that_of_the_file_however_it_is_read(
    server: MemgraphServer, demo: Any, settings: Settings, way: str
) -> None:
    server.schema_info = WAYS[way]["schema_info"]
    expected = demo.schema()
    with open_(server, settings) as graph:
        seen = graph.schema(refresh=True)
    assert {name: info.count for name, info in seen.labels.items()} == {
        name: info.count for name, info in expected.labels.items()
    }
    assert {name: info.count for name, info in seen.types.items()} == {
        name: info.count for name, info in expected.types.items()
    }
    assert set(seen.endpoints) == set(expected.endpoints)
    for name, info in expected.labels.items():
        assert {k: p.count for k, p in seen.labels[name].properties.items()} == {
            k: p.count for k, p in info.properties.items()
        }
        assert seen.labels[name].naming == info.naming
    assert (seen.passages, seen.relations, seen.complete) == (expected.passages, expected.relations, True)
    counted = [query for query in server.queries if "labels(n) AS labels, count(*)" in query]
    assert bool(counted) is (way == "one pass")


def test_the_schema_is_read_anew_when_the_server_tells_of_a_change(server: MemgraphServer, settings: Settings) -> None:
    with open_(server, settings) as graph:
        first = graph.schema()
        assert graph.schema() is first
        told = {"nodes": [{"labels": ["New"], "count": 1, "properties": []}], "edges": []}
        server.scripted["SHOW SCHEMA INFO"] = (["schema"], [[json.dumps(told)]])
        assert set(graph.schema().labels) == {"New"}


# --- answers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("schema_info", [True, False])
def test_an_answer_is_that_of_the_file(
    server: MemgraphServer, demo: Any, settings: Settings, schema_info: bool
) -> None:
    server.schema_info = schema_info
    expected = Agent(demo).ask(DESIGNER)
    with open_(server, settings) as graph:
        answer = Agent(graph).ask(DESIGNER)
        assert answer.replay(graph).holds
    assert (answer.status, answer.rows) == (Status.ANSWERED, expected.rows)
    assert [c.kind for c in answer.citations] == [c.kind for c in expected.citations]
    assert [e.name for e in answer.entities] == [e.name for e in expected.entities]


def test_the_questions_of_the_tour_are_answered_as_on_the_file(
    server: MemgraphServer, demo: Any, settings: Settings
) -> None:
    with open_(server, settings) as graph:
        here, there = Agent(graph), Agent(demo)
        for question in QUESTIONS:
            seen, expected = here.ask(question), there.ask(question)
            assert (seen.status, sorted(map(str, seen.rows))) == (expected.status, sorted(map(str, expected.rows)))


def test_what_the_graph_does_not_hold_is_no_evidence(server: MemgraphServer, settings: Settings) -> None:
    with open_(server, settings) as graph:
        assert Agent(graph).ask("Who designed Nowhere Light?").status == Status.NO_EVIDENCE


def test_everything_that_was_sent_only_reads(server: MemgraphServer, settings: Settings) -> None:
    with open_(server, settings) as graph:
        Agent(graph).ask(DESIGNER)
        with pytest.raises(Refused):
            graph.run("MATCH (n) DETACH DELETE n")
    assert all(message.fields[0]["mode"] == "r" for message in server.of("BEGIN"))
    assert not [query for query in server.queries if "DELETE" in query]


# --- the command line --------------------------------------------------------------------------------------------


def cli(server: MemgraphServer, cache: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "MEMGRAPH_"))}
    environ |= {"MEMGRAPH_URI": f"bolt://{server.address}", "ARCGRAPH_CACHE_DIR": str(cache), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-m", "arcgraph.cli", *arguments],
        input=given,
        capture_output=True,
        text=True,
        env=environ,
        timeout=60,
    )


def test_the_doctor_says_what_the_server_enforces(server: MemgraphServer, tmp_path: Path) -> None:
    server.schema_info = False
    done = cli(server, tmp_path, "doctor", "--json")
    assert done.returncode == 0, done.stderr
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["server"]["detail"] == "Memgraph 3.6.0"
    assert "gate is the lock" in checks["caution"]["detail"]
    assert checks["schema"]["state"] == "optional"
    assert "--schema-info-enabled=true" in checks["schema"]["remedy"]
    assert checks["modules"]["detail"] == "43 procedures, none of them needed"
    assert checks["content"]["detail"] == "142 nodes"
    assert "apoc" not in checks
    assert done.stderr.count("gate is the lock") == 1


def test_ask_answers_and_check_refuses(server: MemgraphServer, tmp_path: Path) -> None:
    asked = cli(server, tmp_path, "ask", DESIGNER, "--json")
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout)["rows"] == [{"person": "Edda Brisk"}]
    assert "gate is the lock" in asked.stderr
    queries = ["MATCH (n) SET n.x = 1", "MATCH (n:Person) RETURN toSet(labels(n)) AS l", "MATCH (n:Nobody) RETURN n"]
    lines = "".join(json.dumps({"query": query}) + "\n" for query in queries)
    checked = cli(server, tmp_path, "check", "--jsonl", "--graph", f"memgraph://{server.address}", given=lines)
    assert checked.returncode == 1
    assert [json.loads(line)["accepted"] for line in checked.stdout.splitlines()] == [False, True, False]
