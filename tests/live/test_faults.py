"""What breaks underneath: a clear word about it, nothing lost, and the next question works."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import neo4j
import pytest
from conftest import ROOT, Server
from graphs import fill

from arcgraph import Agent, Settings, Status
from arcgraph.build import connect
from arcgraph.errors import QueryError
from arcgraph.graph.embedded import EmbeddedGraph
from arcgraph.graph.neo4j import Neo4jGraph
from arcgraph.tracing import Event

SLOW = os.environ.get("ARCGRAPH_TEST_SLOW") == "1"
NODES = [("s1", "Ship", {"name": "Nightjar"}), ("s2", "Ship", {"name": "Heron"}), ("p1", "Person", {"name": "Orla"})]
EDGES = [("p1", "DESIGNED", "s1"), ("p1", "DESIGNED", "s2")]
QUESTION = "Who designed the Nightjar?"


def environment(cache: Path) -> dict[str, str]:
    """What a command sees: no server and no setting of this machine's, and no model."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "ARCGRAPH_"))}
    return kept | {"ARCGRAPH_CACHE_DIR": str(cache), "ARCGRAPH_SEARCH_EMBEDDER": "none", "COLUMNS": "200"}


def names(answer: Any) -> set[str]:
    return {entity.name for entity in answer.entities}


# --- a server -----------------------------------------------------------------------------------------------------


class Once:
    """A recorder that does something at the first event, and never again."""

    def __init__(self, act: Callable[[], object]):
        self._act: Callable[[], object] | None = act

    def record(self, _event: Event) -> None:
        act, self._act = self._act, None
        if act is not None:
            act()


@pytest.mark.live
def test_a_server_killed_in_the_middle_of_a_question_and_started_again(
    throwaway_neo4j: Server, settings: Settings, tmp_path: Path
) -> None:
    home = throwaway_neo4j.home
    assert home is not None
    with throwaway_neo4j.connect(settings=settings) as graph:
        fill(graph, tmp_path, NODES, EDGES)
        assert names(Agent(graph, settings=settings).ask(QUESTION)) == {"Orla"}
        killing = Once(lambda: os.kill(throwaway_neo4j.pid, signal.SIGKILL))
        agent = Agent(graph, settings=settings, recorders=[killing])
        agent.prepare()
        answer = agent.ask(QUESTION)
        assert answer.status in (Status.FAILED, Status.NO_EVIDENCE)
        assert "went away" in answer.reason
        assert "Traceback" not in answer.reason
        script = [str(ROOT / "scripts" / "neo4j-local"), "start", "--port", "0", "--home", str(home)]
        started = subprocess.run([*script, "--heap", "512m"], capture_output=True, text=True, timeout=400, check=False)
        assert started.returncode == 0, started.stderr
        # The same agent on the same connection pool: nothing has to be opened again.
        deadline = time.monotonic() + 60
        while (again := agent.ask(QUESTION)).status != Status.ANSWERED:
            assert time.monotonic() < deadline, again.reason
            time.sleep(1)
        assert names(again) == {"Orla"}


@pytest.mark.live
def test_a_pool_without_a_free_connection_is_waited_for_and_then_named(live_neo4j: Server, settings: Settings) -> None:
    driver = neo4j.GraphDatabase.driver(
        live_neo4j.uri,
        auth=(live_neo4j.user or "", live_neo4j.password or ""),
        max_connection_pool_size=1,
        connection_acquisition_timeout=1,
    )
    with Neo4jGraph(driver, address=live_neo4j.uri, settings=settings) as graph:
        with driver.session() as session:
            session.run("RETURN 1 AS x").peek()
            holding = session.begin_transaction()
            started = time.monotonic()
            with pytest.raises(QueryError) as caught:
                graph.run("RETURN 1 AS x", timeout=8)
            assert time.monotonic() - started < 10
            assert "Traceback" not in str(caught.value)
            assert "connection" in str(caught.value)
            holding.close()
        assert graph.run("RETURN 1 AS x").records == [(1,)]


class Line:
    """A line to a server that can be held up and cut: what goes through it is passed on, both ways."""

    def __init__(self, host: str, port: int):
        self._to = (host, port)
        self._open = threading.Event()
        self._open.set()
        self._sockets: list[socket.socket] = []
        self.cut = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                ours = self._listening.accept()[0]
            except OSError:  # closed
                return
            theirs = socket.create_connection(self._to)
            self._sockets += [ours, theirs]
            for one, other in ((ours, theirs), (theirs, ours)):
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65_536):
                self._open.wait()
                other.sendall(data)

    def hold(self) -> None:
        """Pass nothing on until further notice."""
        self._open.clear()

    def go_on(self) -> None:
        self._open.set()

    def reset(self) -> None:
        """Cut every connection the hard way: the other side sees a reset."""
        self.cut += len(self._sockets)
        for one in self._sockets:
            with contextlib.suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                one.shutdown(socket.SHUT_RD)
                one.close()
        self._sockets.clear()

    def close(self) -> None:
        self.go_on()
        self._listening.close()
        self.reset()


@pytest.fixture
def line(live_neo4j: Server, neo4j_graph: Any, tmp_path: Path) -> Iterator[Line]:
    """A line to the live Neo4j, which holds a small graph."""
    fill(neo4j_graph, tmp_path, NODES, EDGES)
    host, _, port = live_neo4j.uri.rpartition("://")[2].rpartition(":")
    line = Line(host, int(port))
    yield line
    line.close()


@pytest.mark.live
def test_a_connection_that_is_reset_in_the_middle_of_a_question(
    line: Line, live_neo4j: Server, settings: Settings
) -> None:
    resetting = Once(line.reset)
    with replace(live_neo4j, uri=f"bolt://127.0.0.1:{line.port}").connect(settings=settings) as graph:
        agent = Agent(graph, settings=settings, recorders=[resetting])
        agent.prepare()
        answer = agent.ask(QUESTION)
        assert line.cut
        if answer.status != Status.ANSWERED:
            assert answer.status == Status.FAILED
            assert "Traceback" not in answer.reason
            assert "went away" in answer.reason
        assert names(agent.ask(QUESTION)) == {"Orla"}


@pytest.mark.live
def test_a_server_that_is_too_slow_for_a_question(line: Line, live_neo4j: Server, settings: Settings) -> None:
    hasty = settings.model_copy(update={"graph": settings.graph.model_copy(update={"timeout": 1.0})})
    with replace(live_neo4j, uri=f"bolt://127.0.0.1:{line.port}").connect(settings=hasty) as graph:
        agent = Agent(graph, settings=hasty, recorders=[Once(line.hold)])
        agent.prepare()
        started = time.monotonic()
        answer = agent.ask(QUESTION)
        assert time.monotonic() - started < 30
        assert answer.status == Status.FAILED
        assert "was stopped after" in answer.reason
        assert "Traceback" not in answer.reason
        line.go_on()
        assert names(agent.ask(QUESTION)) == {"Orla"}


# --- a damaged index ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [0, 10, 0.5])
def test_cut_files_of_an_index_are_made_again_and_the_question_is_answered(tmp_path: Path, keep: float) -> None:
    cache = tmp_path / "cache"
    settings = Settings.load({}, cache={"dir": cache}, search={"embedder": "none"})
    with connect(str(tmp_path / "g.arc"), create=True, settings=settings) as graph:
        fill(graph, tmp_path, NODES, EDGES)
        graph.save()
    with connect(str(tmp_path / "g.arc"), settings=settings) as graph:
        assert names(Agent(graph, settings=settings).ask(QUESTION)) == {"Orla"}
    cut = [path for path in cache.rglob("*") if path.is_file() and path.stat().st_size]
    assert cut
    for path in cut:
        whole = path.read_bytes()
        path.write_bytes(whole[: int(keep * len(whole)) if keep < 1 else int(keep)])
    with connect(str(tmp_path / "g.arc"), settings=settings) as graph:
        answer = Agent(graph, settings=settings).ask(QUESTION)
        assert names(answer) == {"Orla"}
        assert any("built again" in notice for notice in answer.notices)
        assert Agent(graph, settings=settings).ask(QUESTION).notices == ()


# --- a full disk --------------------------------------------------------------------------------------------------


def load_file(folder: Path, count: int) -> Path:
    path = folder / "nodes.jsonl"
    with path.open("w") as file:
        for i in range(count):
            node = {"id": f"n{i}", "labels": ["Ship"], "props": {"name": f"Ship {i}", "note": "x" * 60}}
            file.write(json.dumps(node) + "\n")
    return path


def arcgraph(*arguments: str, cache: Path, most_bytes: int | None = None) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        if most_bytes is not None:
            # As on a full disk, a write beyond the limit fails; the signal that comes with it is not for us.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    command = [sys.executable, "-m", "arcgraph.cli", *arguments]
    return subprocess.run(
        command, env=environment(cache), capture_output=True, text=True, timeout=200, check=False, preexec_fn=limit
    )


def test_a_disk_that_fills_up_while_loading_is_named_and_loading_again_completes(tmp_path: Path) -> None:
    source, target, cache = load_file(tmp_path, 20_000), tmp_path / "g.arc", tmp_path / "cache"
    full = arcgraph("load", str(source), "--to", str(target), cache=cache, most_bytes=400_000)
    assert full.returncode not in (0, -signal.SIGXFSZ), full.stdout
    assert "Traceback" not in full.stderr
    assert full.stderr.strip()
    done = arcgraph("load", str(source), "--to", str(target), cache=cache)
    assert done.returncode == 0, done.stderr
    with EmbeddedGraph(target) as graph:
        assert graph.read("MATCH (n:Ship) RETURN count(n) AS n").records == [(20_000,)]


def test_a_disk_that_fills_up_while_indexing_costs_the_index_not_the_answer(tmp_path: Path) -> None:
    source, target, cache = load_file(tmp_path, 5_000), tmp_path / "g.arc", tmp_path / "cache"
    assert arcgraph("load", str(source), "--to", str(target), cache=cache).returncode == 0
    full = arcgraph("ask", "--graph", str(target), "Ship 77", cache=cache, most_bytes=320_000)
    assert "Traceback" not in full.stderr
    assert full.returncode == 0, full.stderr
    assert "Ship 77" in full.stdout
    again = arcgraph("ask", "--graph", str(target), "Ship 77", cache=cache)
    assert again.returncode == 0, again.stderr


def test_a_full_folder_for_temporary_files_is_not_taken_for_a_damaged_graph(tmp_path: Path) -> None:
    source, target, cache = load_file(tmp_path, 5_000), tmp_path / "g.arc", tmp_path / "cache"
    assert arcgraph("load", str(source), "--to", str(target), cache=cache).returncode == 0
    full = arcgraph("ask", "--graph", str(target), "Ship 77", cache=cache, most_bytes=20_000)
    assert full.returncode == 3
    assert "no room to unpack" in full.stderr
    assert "damaged" not in full.stderr


# --- kill -9 ------------------------------------------------------------------------------------------------------


def killed(*arguments: str, cache: Path, after: Callable[[], bool]) -> None:
    """Start a command and kill it, with all its children, once ``after`` is true or it has ended."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arcgraph.cli", *arguments],
        env=environment(cache),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while process.poll() is None and not after():
        assert time.monotonic() < deadline
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def grown(*paths: Path, size: int) -> Callable[[], bool]:
    return lambda: any(path.exists() and path.stat().st_size > size for path in paths)


@pytest.mark.parametrize("size", [1, 500_000, 2_000_000])
def test_loading_that_was_killed_is_completed_by_loading_again(tmp_path: Path, size: int) -> None:
    source, target, cache = load_file(tmp_path, 20_000), tmp_path / "g.arc", tmp_path / "cache"
    log = tmp_path / "g.arc-wal"
    killed("load", str(source), "--to", str(target), cache=cache, after=grown(log, target, size=size))
    done = arcgraph("load", str(source), "--to", str(target), cache=cache)
    assert done.returncode == 0, done.stderr
    with EmbeddedGraph(target) as graph:
        counted = graph.read("MATCH (n:Ship) RETURN count(n) AS n, count(DISTINCT n._arcgraph_id) AS ids")
        assert counted.records == [(20_000, 20_000)]


@pytest.mark.parametrize("moment", [0.0, 0.3])
def test_indexing_that_was_killed_is_done_by_the_next_question(tmp_path: Path, moment: float) -> None:
    source, target, cache = load_file(tmp_path, 20_000), tmp_path / "g.arc", tmp_path / "cache"
    assert arcgraph("load", str(source), "--to", str(target), cache=cache).returncode == 0
    begun: list[float] = []

    def some_time_into_it() -> bool:
        if not begun and any(path.is_file() for path in cache.rglob("*")):
            begun.append(time.monotonic())
        return bool(begun) and time.monotonic() - begun[0] >= moment

    killed("index", "--graph", str(target), cache=cache, after=some_time_into_it)
    answer = arcgraph("ask", "--graph", str(target), "Ship 1234", cache=cache)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "Ship 1234" in answer.stdout


# --- many questions -----------------------------------------------------------------------------------------------


def memory() -> int:
    """Resident memory of this process and of those it started, in bytes."""
    total = 0
    for pid in [os.getpid(), *children(os.getpid())]:
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
        except OSError:  # ended meanwhile
            continue
    return total


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in found.read_text().split()] if found.exists() else []


@pytest.mark.skipif(not SLOW, reason="takes a minute; set ARCGRAPH_TEST_SLOW=1")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("engine", ["embedded", pytest.param("neo4j", marks=pytest.mark.live)])
def test_a_thousand_questions_at_once_on_one_agent(
    engine: str, request: pytest.FixtureRequest, settings: Settings, tmp_path: Path
) -> None:
    graph = request.getfixturevalue(f"{engine}_graph")
    ships = [(f"s{i}", "Ship", {"name": f"Ship Number {i}"}) for i in range(200)]
    people = [(f"p{i}", "Person", {"name": f"Builder {i}"}) for i in range(50)]
    fill(graph, tmp_path, [*ships, *people], [(f"p{i % 50}", "DESIGNED", f"s{i}") for i in range(200)])
    reader = graph
    if engine == "embedded":
        graph.save()
        reader = connect(str(graph.path), settings=settings)
    agent = Agent(reader, settings=settings)
    failed: list[str] = []

    def ask(number: int) -> None:
        ship = number % 200
        answer = agent.ask(f"Who designed Ship Number {ship}?")
        if names(answer) != {f"Builder {ship % 50}"}:
            failed.append(f"{ship}: {answer.status} {answer.reason} {names(answer)}")

    with ThreadPoolExecutor(32) as pool:
        list(pool.map(ask, range(200)))
        before = memory()
        list(pool.map(ask, range(1_000)))
        after = memory()
    assert failed == []
    assert after - before < 40_000_000
    assert threading.active_count() < 100
    if reader is not graph:
        reader.close()
