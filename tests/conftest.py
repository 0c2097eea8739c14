"""Fixtures: graphs on every engine, the live server, shared data."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from differences import apply_differences

from arcgraph.settings import Settings

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("ARCGRAPH_DATA", ROOT.parent / "shared" / "data"))
LIVE_REQUIRED = os.environ.get("ARCGRAPH_TEST_LIVE") == "1"
LOCAL_REQUIRED = os.environ.get("ARCGRAPH_TEST_LOCAL") == "1"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "engine_difference(engine, reason): an expected failure on one engine")
    # No test asks a real model because someone's shell names one.
    for name in [name for name in os.environ if name.startswith(("ARCGRAPH_LLM_", "OPENAI_"))]:
        del os.environ[name]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        apply_differences(item)
        if item.get_closest_marker("local") and not LOCAL_REQUIRED:
            item.add_marker(pytest.mark.skip(reason="set ARCGRAPH_TEST_LOCAL=1 to run what needs the local extra"))


# --- the live server -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Server:
    """How to reach a server; ``home`` is its folder if the tests started it."""

    uri: str
    user: str | None
    password: str | None
    home: Path | None = None

    def connect(self, **options: Any) -> Any:
        """A graph on this server."""
        from arcgraph.build import connect

        return connect(self.uri, **{"user": self.user, "password": self.password, **options})

    @property
    def pid(self) -> int:
        """The server's process."""
        assert self.home is not None
        return int((self.home / "pid").read_text())


def _unavailable(reason: str) -> None:
    if LIVE_REQUIRED:
        pytest.fail(f"ARCGRAPH_TEST_LIVE=1, but {reason}", pytrace=False)
    pytest.skip(f"no live Neo4j: {reason}")


@contextmanager
def local_neo4j(home: Path, *, brief: bool = False) -> Iterator[Server]:
    """A throw-away server in ``home`` on a free port, stopped and wiped at the end; ``brief`` if for a few queries."""
    script = [str(ROOT / "scripts" / "neo4j-local")]
    password = "a throw-away password"
    options = ["--port", "0", "--home", str(home), "--password", password, "--heap", "512m"]
    # Below some two thousand queries the optimising compiler costs more than it gains.
    quick = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"} if brief else {}
    try:
        started = subprocess.run(
            [*script, "start", *options],
            capture_output=True,
            text=True,
            timeout=600,
            start_new_session=True,
            env={**quick, **os.environ},
        )
        if started.returncode:
            _unavailable(f"scripts/neo4j-local could not start one:\n{started.stderr}")
        yield Server(f"bolt://127.0.0.1:{(home / 'port').read_text().strip()}", "neo4j", password, home)
    finally:
        subprocess.run([*script, "stop", "--home", str(home), "--port", "0", "--wipe"], capture_output=True, timeout=60)


def _docker_answers() -> bool:
    docker = shutil.which("docker")
    return bool(docker) and subprocess.run([docker, "info"], capture_output=True, timeout=30).returncode == 0


@contextmanager
def _container() -> Iterator[Server]:
    containers = pytest.importorskip(
        "testcontainers.neo4j", reason="a Docker daemon answers; pip install testcontainers"
    )
    with containers.Neo4jContainer("neo4j:5.26.12-community", password="a throw-away password") as box:
        yield Server(box.get_connection_url(), "neo4j", "a throw-away password")


def _given_server(product: str = "NEO4J") -> Server:
    """The server of NEO4J_URI or its like. The tests delete all it holds: it must be empty, or given up on purpose."""
    uri, user, password = (os.environ.get(f"{product}_{name}") for name in ("URI", "USERNAME", "PASSWORD"))
    server = Server(uri or "", user, password)
    with server.connect() as graph:
        if graph.read("MATCH (n) RETURN 1 LIMIT 1") and os.environ.get("ARCGRAPH_TEST_WIPE") != "1":
            _unavailable(
                f"the database at {product}_URI is not empty and the tests delete everything in it; "
                "name an empty one, or set ARCGRAPH_TEST_WIPE=1 if its contents may go"
            )
    return server


def can_start_neo4j() -> bool:
    """Whether this machine has what scripts/neo4j-local needs."""
    return bool(shutil.which("java") and shutil.which("mvn"))


@pytest.fixture(scope="session")
def live_neo4j(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running Neo4j: NEO4J_URI's, else one started by scripts/neo4j-local, else a container, else a skip."""
    with ExitStack() as stack:
        if os.environ.get("NEO4J_URI"):
            yield _given_server()
        elif can_start_neo4j():
            yield stack.enter_context(local_neo4j(tmp_path_factory.mktemp("neo4j") / "home"))
        elif _docker_answers():
            yield stack.enter_context(_container())
        else:
            _unavailable("NEO4J_URI is not set, Java 17 and Maven are not both installed, and no Docker daemon answers")


@pytest.fixture(scope="session")
def throwaway_neo4j(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A second server, for tests that freeze or kill it."""
    if not can_start_neo4j():
        _unavailable("Java 17 and Maven are needed to start a server that may be killed")
    with local_neo4j(tmp_path_factory.mktemp("neo4j-throwaway") / "home", brief=True) as server:
        yield server


# --- a live Memgraph ------------------------------------------------------------------------------------------------

MEMGRAPH_IMAGE = "memgraph/memgraph-mage:3.12.0"


def can_have_memgraph() -> bool:
    """Whether there may be a Memgraph here: there is no way to start one without Docker."""
    return bool(os.environ.get("MEMGRAPH_URI") or shutil.which("docker"))


@contextmanager
def _memgraph_container() -> Iterator[Server]:
    containers = pytest.importorskip(
        "testcontainers.core.container", reason="a Docker daemon answers; pip install testcontainers"
    )
    box = containers.DockerContainer(MEMGRAPH_IMAGE).with_exposed_ports(7687)
    with box.with_command("--schema-info-enabled=true --telemetry-enabled=false"):
        server = Server(f"memgraph://{box.get_container_host_ip()}:{box.get_exposed_port(7687)}", None, None)
        _await(server, seconds=60)
        yield server


def _await(server: Server, *, seconds: float) -> None:
    from arcgraph.errors import ConnectError

    deadline = time.monotonic() + seconds
    while True:
        try:
            server.connect().close()
            return
        except ConnectError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


@pytest.fixture(scope="session")
def live_memgraph() -> Iterator[Server]:
    """A running Memgraph: MEMGRAPH_URI's, else a container, else a skip."""
    with ExitStack() as stack:
        if os.environ.get("MEMGRAPH_URI"):
            yield _given_server("MEMGRAPH")
        elif _docker_answers():
            yield stack.enter_context(_memgraph_container())
        else:
            pytest.skip("no live Memgraph: MEMGRAPH_URI is not set, and no Docker daemon answers")


def wipe_memgraph(graph: Any) -> None:
    """Delete everything in ``graph``, constraints and indexes included."""
    while graph.read("MATCH (n) RETURN 1 LIMIT 1"):
        graph.write("MATCH (n) WITH n LIMIT 10000 DETACH DELETE n")
    for kind, label, keys, *_ in graph.read("SHOW CONSTRAINT INFO"):
        if kind == "unique":
            graph.write(f"DROP CONSTRAINT ON (n:`{label}`) ASSERT {', '.join(f'n.`{key}`' for key in keys)} IS UNIQUE")
    for kind, label, keys, *_ in graph.read("SHOW INDEX INFO"):
        if kind == "label+property":
            names = [keys] if isinstance(keys, str) else keys
            graph.write(f"DROP INDEX ON :`{label}`({', '.join(f'`{name}`' for name in names)})")


@pytest.fixture
def memgraph_graph(live_memgraph: Server, settings: Settings) -> Iterator[Any]:
    """An empty graph on the live Memgraph."""
    with live_memgraph.connect(settings=settings) as graph:
        wipe_memgraph(graph)
        yield graph
        wipe_memgraph(graph)


# --- graphs --------------------------------------------------------------------------------------------------------


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings whose cache is the test's own folder."""
    return Settings.load({}, cache={"dir": tmp_path / "cache"})


def wipe(graph: Any) -> None:
    """Delete everything in ``graph``, constraints and indexes included, in batches that fit a small heap."""
    while graph.read("MATCH (n) RETURN 1 LIMIT 1"):
        graph.write("MATCH (n) WITH n LIMIT 10000 DETACH DELETE n")
    for name in graph.read("SHOW CONSTRAINTS YIELD name").column("name"):
        graph.write(f"DROP CONSTRAINT `{name}` IF EXISTS")
    for name in graph.read("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name").column("name"):
        graph.write(f"DROP INDEX `{name}` IF EXISTS")


@pytest.fixture
def neo4j_graph(live_neo4j: Server, settings: Settings) -> Iterator[Any]:
    """An empty graph on the live Neo4j."""
    with live_neo4j.connect(settings=settings) as graph:
        wipe(graph)
        yield graph
        wipe(graph)


@pytest.fixture
def embedded_graph(tmp_path: Path, settings: Settings) -> Iterator[Any]:
    """An empty graph in a file."""
    from arcgraph.build import connect

    with connect(str(tmp_path / "graph.arc"), create=True, settings=settings) as graph:
        yield graph


ENGINES = ["embedded", pytest.param("neo4j", marks=pytest.mark.live)]
if can_have_memgraph():
    ENGINES.append(pytest.param("memgraph", marks=pytest.mark.live))


@pytest.fixture(params=ENGINES)
def graph(request: pytest.FixtureRequest) -> Any:
    """An empty graph on each engine in turn."""
    return request.getfixturevalue(f"{request.param}_graph")


# --- shared data ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """``shared_data("metaqa")``: a file or folder of the shared benchmark data; skips the test where it is absent."""

    def find(name: str) -> Path:
        path = DATA / name
        if not path.exists():
            pytest.skip(f"{path} is absent; ARCGRAPH_DATA names the folder of the shared data")
        return path

    return find
