"""Database and user reach every call to the server, and no secret reaches anything that people see or keep."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import neo4j
import pytest
from conftest import Server
from graphs import fill

from arcgraph import Agent, Settings
from arcgraph.build import connect
from arcgraph.errors import ArcgraphError, ConnectError
from arcgraph.graph import introspect
from arcgraph.graph.neo4j import Neo4jGraph
from arcgraph.tracing import Event, JsonlRecorder

pytestmark = pytest.mark.live


# --- database and user --------------------------------------------------------------------------------------------

CALLS: dict[str, Callable[[Neo4jGraph, Settings, Path], object]] = {
    "verify": lambda graph, *_: graph.verify(),
    "run": lambda graph, *_: graph.run("RETURN 1 AS x"),
    "read": lambda graph, *_: graph.read("RETURN 1 AS x"),
    "explain": lambda graph, *_: graph.explain("RETURN 1 AS x"),
    "schema": lambda graph, *_: graph.schema(refresh=True),
    "introspection": lambda graph, _, folder: introspect.read_schema(graph, cache_dir=folder, refresh=True),
    "server": lambda graph, *_: graph.server(),
    "data_version": lambda graph, *_: graph.data_version(),
    "write": lambda graph, *_: graph.write("CREATE (:Evil)"),
    "prepare": lambda graph, *_: graph.prepare([("Evil", "name")]),
    "load": lambda graph, _, folder: fill(graph, folder, [("e", "Evil", {"name": "x"})]),
    "index": lambda graph, settings, _: Agent(graph, settings=settings).prepare(),
    "ask": lambda graph, settings, _: Agent(graph, settings=settings).ask("Who is Evil?"),
}
OPTIONS = {
    "impersonated_user": ("nobody-at-all", "does not let this user act as 'nobody-at-all'"),
    "database": ("nosuchdb", "there is no database 'nosuchdb'"),
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("call", CALLS)
def test_every_call_is_made_as_that_user_on_that_database(
    call: str, option: str, live_neo4j: Server, neo4j_graph: Any, settings: Settings, tmp_path: Path
) -> None:
    value, message = OPTIONS[option]
    driver = neo4j.GraphDatabase.driver(live_neo4j.uri, auth=(live_neo4j.user or "", live_neo4j.password or ""))
    graph = Neo4jGraph(driver, address=live_neo4j.uri, settings=settings, **{option: value})  # type: ignore[arg-type]
    with graph, pytest.raises(ConnectError, match=message):
        CALLS[call](graph, settings, tmp_path)
    assert neo4j_graph.read("MATCH (n:Evil) RETURN count(n) AS n").records == [(0,)]


@pytest.mark.parametrize("option", OPTIONS)
def test_connecting_says_so_at_once(option: str, live_neo4j: Server) -> None:
    value, message = OPTIONS[option]
    with pytest.raises(ConnectError, match=message):
        live_neo4j.connect(**{option: value})


@pytest.mark.parametrize(
    "command",
    [["ask", "Who is Evil?"], ["schema"], ["index"], ["check", "RETURN 1 AS x"], ["doctor"]],
    ids=lambda c: c[0],
)
def test_every_command_asks_the_database_that_was_named(command: list[str], live_neo4j: Server, tmp_path: Path) -> None:
    done = run_cli([*command, "--graph", live_neo4j.uri, "--database", "nosuchdb"], live_neo4j, tmp_path)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "there is no database 'nosuchdb'" in " ".join((done.stdout + done.stderr).split())


def run_cli(arguments: list[str], server: Server, cache: Path) -> subprocess.CompletedProcess[str]:
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "ARCGRAPH_"))},
        "ARCGRAPH_CACHE_DIR": str(cache),
        "ARCGRAPH_SEARCH_EMBEDDER": "none",
        "NEO4J_USERNAME": server.user or "",
        "NEO4J_PASSWORD": server.password or "",
        "COLUMNS": "200",
    }
    command = [sys.executable, "-m", "arcgraph.cli", *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)


# --- secrets ------------------------------------------------------------------------------------------------------

WRONG = "hunter-two-is-no-password"
KEY = "sk-key-of-nobody-1234567890"


class Everything:
    """All that a person could see or find later, by where it was."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def add(self, where: str, *things: Any) -> None:
        self.texts[where] = " ".join(f"{thing} {thing!r}" for thing in things)

    def add_error(self, where: str, error: BaseException) -> None:
        self.add(where, error, vars(error), *traceback.format_exception(error))
        cause = error.__cause__
        while cause is not None:
            self.add(f"{where}, cause", self.texts.get(f"{where}, cause", ""), cause, vars(cause))
            cause = cause.__cause__

    def holding(self, secret: str) -> list[str]:
        return [where for where, text in self.texts.items() if secret in text]


def test_no_secret_is_seen_or_kept(
    live_neo4j: Server, neo4j_graph: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    seen = Everything()
    cache = tmp_path / "cache"
    settings = Settings.load(
        {}, cache={"dir": cache}, search={"embedder": "none", "embedder_key": KEY, "embedder_url": "http://127.0.0.1:1"}
    )
    seen.add("settings", settings, settings.model_dump(), settings.model_dump_json(), settings.search)
    nodes = [("s1", "Ship", {"name": "Nightjar"}), ("p1", "Person", {"name": "Orla Quist"})]
    fill(neo4j_graph, tmp_path, nodes, [("p1", "DESIGNED", "s1")])

    events: list[Event] = []

    class Kept:
        def record(self, event: Event) -> None:
            events.append(event)

    with live_neo4j.connect(settings=settings) as graph, closing(JsonlRecorder(tmp_path / "trace.jsonl")) as written:
        agent = Agent(graph, settings=settings, recorders=[Kept(), written])
        answer = agent.ask("Who designed the Nightjar?")
        seen.add("objects", graph, graph.name, vars(graph), agent, vars(agent), graph.server(), graph.schema())
        seen.add("answer", answer, json.dumps(answer.to_dict()), answer.cypher_script(), *answer.tried)
        seen.add("events", *events)
        for query in ("RETURN m", "RETURN 1 / 0 AS x", "CREATE (n)"):
            with pytest.raises(ArcgraphError) as caught:
                graph.run(query)
            seen.add_error(query, caught.value)
    with pytest.raises(ArcgraphError) as caught:
        graph.run("RETURN 1 AS x")
    seen.add_error("closed", caught.value)

    address = live_neo4j.uri.split("://")[1]
    attempts = {
        "wrong password": lambda: live_neo4j.connect(password=WRONG),
        "password in the address": lambda: connect(f"bolt://neo4j:{WRONG}@{address}"),
        "no server": lambda: connect("bolt://127.0.0.1:1", user="neo4j", password=WRONG),
        "no such host": lambda: connect(f"bolt://neo4j:{WRONG}@no-such-host.invalid:7687"),
        "no address": lambda: connect(f"bolt://neo4j:{WRONG}@[::1:7687"),
        "auth object": lambda: connect(live_neo4j.uri, auth=neo4j.basic_auth("neo4j", WRONG)),
    }
    for where, attempt in attempts.items():
        with pytest.raises(ArcgraphError) as caught:
            attempt()
        seen.add_error(where, caught.value)

    for command in (["ask", "Who designed the Nightjar?"], ["doctor"], ["schema"], ["index"], ["ask", "--json", "x"]):
        done = run_cli([*command, "--graph", live_neo4j.uri], live_neo4j, cache)
        seen.add(" ".join(command), done.stdout, done.stderr)

    seen.add("log", caplog.text, *(vars(record) for record in caplog.records))
    for path in tmp_path.rglob("*"):
        if path.is_file():
            seen.add(str(path.relative_to(tmp_path)), path.read_bytes().decode("latin-1"))
    assert "trace.jsonl" in seen.texts
    assert live_neo4j.password
    for secret in (live_neo4j.password, WRONG, KEY):
        assert seen.holding(secret) == []
    # The search finds what is there.
    assert "answer" in seen.holding("Orla Quist")
