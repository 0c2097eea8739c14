"""The one place that turns targets and settings into real graphs and models."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import neo4j
from neo4j.exceptions import ServiceUnavailable

from arcgraph import demo
from arcgraph.errors import ConnectError, StorageError, UsageError
from arcgraph.graph.base import Graph
from arcgraph.graph.bolt import open_driver, server_agent, why_no_route
from arcgraph.graph.bolt_errors import WORKS_TODAY
from arcgraph.graph.embedded import EmbeddedGraph
from arcgraph.graph.load import load
from arcgraph.graph.memgraph import MemgraphGraph, is_memgraph
from arcgraph.graph.neo4j import Neo4jGraph
from arcgraph.llm.base import LLM
from arcgraph.llm.endpoint import endpoint
from arcgraph.llm.layers import shared
from arcgraph.llm.openai import OpenAILLM
from arcgraph.settings import Settings

_BOLT_SCHEMES = frozenset({"neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"})
_MEMGRAPH_SCHEMES = frozenset({"memgraph", "memgraph+s", "memgraph+ssc"})
# The driver knows Memgraph's scheme by the name of the protocol.
_BOLT = re.compile(r"^memgraph\b")
# "user:password@host" without or with a mistyped scheme: what is taken for a file is named in messages.
_LOGIN = re.compile(r":[^/\\]*@")
_NEO4J_AGENT = re.compile(r"Neo4j/(\d+)\.\d+")
_OLDEST_NEO4J = 5
_HOW_TO_NAME = (
    "name one: a Neo4j address (neo4j://localhost:7687), a Memgraph address (memgraph://localhost:7687), a graph file "
    "(g.arc) or demo: (a small graph that comes along); or set NEO4J_URI, NEO4J_USERNAME, NEO4J_PASSWORD and "
    "NEO4J_DATABASE, or MEMGRAPH_URI and its kin"
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Login:
    """How to present oneself to a server. The repr names nobody."""

    auth: Any = None
    user: str | None = None
    password: str | None = None
    database: str | None = None
    impersonated_user: str | None = None
    variables: str = "NEO4J"
    """What the names of the environment variables begin with that tell the rest."""

    def __repr__(self) -> str:
        return f"<_Login for database {self.database}>"

    def token(self) -> Any:
        """What the driver takes as ``auth``."""
        if self.auth is not None:
            return self.auth
        if self.user is None and self.password is None:
            return None
        if self.password is None:
            raise UsageError(f"user {self.user!r} needs a password; give it or set {self.variables}_PASSWORD")
        return (self.user or self.variables.lower(), self.password)


def connect(
    target: str | os.PathLike[str] | neo4j.Driver | None = None,
    *,
    auth: Any = None,
    user: str | None = None,
    password: str | None = None,
    database: str | None = None,
    impersonated_user: str | None = None,
    settings: Settings | None = None,
    create: bool = False,
) -> Graph:
    """Open a graph and see that it answers.

    ``target`` is the address of a server (``neo4j://``, ``bolt://``, ``memgraph://`` and their ``+s`` and ``+ssc``
    forms; whether a Neo4j or a Memgraph answers behind ``bolt://`` is detected), the path of a graph file (made if
    absent when ``create`` is true), ``demo:``, an open :class:`neo4j.Driver` (which stays yours to close), or ``None``
    for the environment's ``NEO4J_URI`` with ``NEO4J_USERNAME``, ``NEO4J_PASSWORD`` and ``NEO4J_DATABASE``, else its
    ``MEMGRAPH_URI`` with variables of the same endings.
    ``auth`` is any authentication object of the driver. Close the graph, or use it in a ``with``.

    Raises :class:`~arcgraph.errors.ConnectError` when it cannot be reached, :class:`~arcgraph.errors.UsageError` when
    ``target`` names no graph.
    """
    settings = settings or Settings.load()
    login = _Login(auth, user, password, database, impersonated_user)
    if target is None:
        target, variables = _target_from_environment(os.environ)
        named = os.environ.get(f"{variables}_DATABASE") or None
        login = replace(login, database=database or named, variables=variables)
    if isinstance(target, neo4j.Driver):
        return _adopt(target, login, settings)
    if not isinstance(target, str | os.PathLike):
        raise UsageError(f"a {type(target).__name__} is no graph; {_HOW_TO_NAME}")
    text = os.fspath(target)
    scheme = text.partition(":")[0].lower() if "://" in text else ""
    if scheme in _MEMGRAPH_SCHEMES:
        login = replace(login, variables="MEMGRAPH")
    if scheme in _BOLT_SCHEMES | _MEMGRAPH_SCHEMES:
        return _connect_bolt(text, login, settings)
    if scheme:
        raise UsageError(f"{scheme}:// is no kind of address that arcgraph knows; {_HOW_TO_NAME}")
    if text == "demo:":
        return _open_demo(settings)
    return _open_file(text, settings, create=create)


def _target_from_environment(environ: Mapping[str, str]) -> tuple[str, str]:
    """The address that the environment names, and what the names of its variables begin with."""
    for variables in ("NEO4J", "MEMGRAPH"):
        if environ.get(f"{variables}_URI"):
            return environ[f"{variables}_URI"], variables
    raise UsageError(f"no graph was named; {_HOW_TO_NAME}")


# --- servers -----------------------------------------------------------------------------------------------------


def _connect_bolt(uri: str, login: _Login, settings: Settings) -> Graph:
    bare, query, login = _split_uri(uri, login)
    login = _with_environment(os.environ, login)
    driver = open_driver(_BOLT.sub("bolt", bare) + query, login.token(), address=bare)
    try:
        return _verified(driver, bare, login, settings, owned=True)
    except ConnectError as error:
        driver.close()
        if bare.startswith("neo4j") and isinstance(error.__cause__, ServiceUnavailable):
            raise why_no_route(bare, login.token(), address=bare) from error
        raise
    except BaseException:
        driver.close()
        raise


def _adopt(driver: neo4j.Driver, login: _Login, settings: Settings) -> Graph:
    if login.auth is not None or login.user is not None or login.password is not None:
        raise UsageError("an open driver brings its own authentication; leave auth, user and password out")
    return _verified(driver, "the driver's server", login, settings, owned=False)


def _verified(driver: neo4j.Driver, address: str, login: _Login, settings: Settings, *, owned: bool) -> Graph:
    options: dict[str, Any] = {
        "address": address,
        "database": login.database,
        "impersonated_user": login.impersonated_user,
        "settings": settings,
    }
    agent = server_agent(driver, address=address)
    # Any server answers this first question alike, and how it does tells what it is.
    told = Neo4jGraph(driver, owned=False, **options).verify()
    if is_memgraph(agent, told):
        return _cautioned(MemgraphGraph(driver, owned=owned, **options))
    _require_neo4j(agent, address)
    return Neo4jGraph(driver, owned=owned, **options)


def _cautioned(graph: MemgraphGraph) -> MemgraphGraph:
    for caution in graph.cautions():
        _log.warning("%s: %s", graph.name, caution)
    return graph


def _require_neo4j(agent: str, address: str) -> None:
    # Others speak Bolt, too, and some answer "Neo4j/v5.11.0 compatible graph database server - …".
    version = _NEO4J_AGENT.match(agent)
    if version is None:
        raise ConnectError(f"{address} is no Neo4j (it calls itself {agent!r}) and not supported yet; {WORKS_TODAY}")
    if int(version[1]) < _OLDEST_NEO4J:
        raise ConnectError(f"{address} runs {agent}, which is too old; {WORKS_TODAY}")
    if address.startswith("memgraph"):
        raise ConnectError(f"{address} is {agent}, not Memgraph; use {_BOLT.sub('bolt', address)}")


def _split_uri(uri: str, login: _Login) -> tuple[str, str, _Login]:
    """The address without user, password and database, what follows its ``?``, and the login with what it had not."""
    try:
        parts = urlsplit(uri)
        _ = parts.port  # read once: it is checked only then
    except ValueError:
        # The library's own message quotes the address, and with it perhaps a part of a password.
        raise UsageError(
            "the address cannot be read: the port must be a number, and in a user or password "
            "the characters / : @ ? # must be percent-encoded"
        ) from None
    if not parts.hostname:
        raise UsageError(f"the address names no host; {_HOW_TO_NAME}")
    query = f"?{parts.query}" if parts.query else ""
    if query and not parts.scheme.lower().startswith("neo4j"):
        # The driver's own message quotes what may be a password.
        raise UsageError("only an address that begins with neo4j may hold ?…; leave it out")
    bare = f"{parts.scheme.lower()}://{parts.netloc.rpartition('@')[2]}"
    known = replace(
        login,
        user=login.user or _decoded(parts.username),
        password=login.password or _decoded(parts.password),
        database=login.database or _decoded(parts.path.strip("/")),
    )
    return bare, query, known


def _decoded(text: str | None) -> str | None:
    return unquote(text) if text else None


def _with_environment(environ: Mapping[str, str], login: _Login) -> _Login:
    """Fill user and password from the variables that the products' own tools read, where nothing else was given."""
    if login.auth is not None:
        return login
    return replace(
        login,
        user=login.user or environ.get(f"{login.variables}_USERNAME") or None,
        password=login.password or environ.get(f"{login.variables}_PASSWORD") or None,
    )


# --- files -------------------------------------------------------------------------------------------------------


def _open_file(text: str, settings: Settings, *, create: bool) -> Graph:
    if re.fullmatch(r"[\w.-]+:\d+", text) and not Path(text).exists():
        raise UsageError(f"there is no graph file {text}; for a server write bolt://{text}")
    if _LOGIN.search(text) and not Path(text).exists():
        raise UsageError(f"there is no graph file of that name, which looks like a login; {_HOW_TO_NAME}")
    return EmbeddedGraph(text, create=create, settings=settings)


def _open_demo(settings: Settings) -> Graph:
    """The packaged demo graph, loaded into the cache on first use and again whenever its files have changed."""
    files = demo.files()
    contents = (path.read_bytes() for path in sorted(files[0].parent.glob("*.json*")))
    digest = hashlib.sha256(b"".join(contents)).hexdigest()[:12]
    path = settings.cache.dir / f"demo-{digest}.arc"
    if not path.exists():
        _load_demo(files, path, settings)
    graph = EmbeddedGraph(path, settings=settings)
    graph.name = "the demo graph"  # not the place in the cache where it happens to lie
    return graph


def _load_demo(sources: list[Path], path: Path, settings: Settings) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Loaded beside its place and moved in one step: two first uses at once, or one that is cut short, do no harm.
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            unfinished = Path(folder) / path.name
            with EmbeddedGraph(unfinished, create=True, settings=settings) as graph:
                load(sources, graph, rejects=Path(folder) / "rejects.jsonl")
            unfinished.replace(path)
    except OSError as error:
        raise StorageError(
            f"the demo graph cannot be written to {path.parent} ({error.strerror}); "
            "set ARCGRAPH_CACHE_DIR to a folder that can be written"
        ) from error


# --- models ------------------------------------------------------------------------------------------------------


def connect_llm(settings: Settings | None = None, environ: Mapping[str, str] | None = None) -> LLM | None:
    """The language model that the settings name, with retries, cache and limits; ``None`` where they name none.

    Nothing is sent yet. Only ``llm.model`` switches a model on: a key or an address in the environment does not.
    ``environ`` is where ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY`` are looked up, for a model without an address.

    Raises :class:`~arcgraph.errors.UsageError` for settings that cannot be used and
    :class:`~arcgraph.errors.MissingExtra` where the client is not installed.
    """
    settings = settings or Settings.load()
    if not settings.llm.model.strip():
        return None
    where = endpoint(settings.llm, os.environ if environ is None else environ)
    model = OpenAILLM(where, settings.llm.model.strip(), extra=json.loads(settings.llm.extra or "{}"))
    return shared(model, settings.llm, settings.cache.dir)
