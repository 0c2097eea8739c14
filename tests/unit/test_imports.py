"""Imports point one way. The rooms of the house, from the ground up; a room imports itself and what lies below it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent.parent / "arcgraph"

FLOORS = (
    {"domain", "errors"},
    {"settings", "resources"},
    {"graph", "llm", "search", "reach", "tracing"},
    {"interpret"},
    {"arcrag", "dotrag", "graphtrace", "answer", "construct"},
    {"agent", "loop", "build", "demo"},
    {"evaluate", "serve", "cli", "__main__", "__init__"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# Rooms of one floor do not see each other, but for the protocols and nouns of the waists, and at the top.
WAISTS, TOP = 2, 5
PROTOCOLS = {
    "graph.base",
    "graph.pattern",
    "graph.names",
    "graph.values",
    "llm.base",
    "search.base",
    "reach.base",
    "tracing",
}
# The real servers and engines: chosen in build.py, known to nobody else. Their inner parts stay in their room.
BACK_ENDS = {"graph.bolt", "graph.neo4j", "graph.memgraph", "graph.embedded", "llm.openai"}
INNER = {"graph.bolt_errors", "graph.embedded_errors", "graph.worker", "graph.worker_process", "llm.openai_errors"}


def modules():
    """Every module of the package by its dotted name without ``arcgraph.``."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts), path


NAMES = {name for name, _ in modules()}


def imported(path: Path) -> set[str]:
    """The modules of ours that a file imports, wherever in the file, by their longest real name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            # ``from a import b`` may name a module or something in it.
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    ours = {name.removeprefix("arcgraph.") for name in found if name.startswith("arcgraph.")}
    return {name if name in NAMES else name.rpartition(".")[0] or "__init__" for name in ours}


def fault(importer: str, target: str) -> str | None:
    """Why ``importer`` must not import ``target``; ``None`` if it may."""
    room, other = importer.split(".")[0], target.split(".")[0]
    if target in BACK_ENDS and importer not in BACK_ENDS | {"build"}:
        return "only build.py knows the real servers and engines"
    if target in INNER and room not in (target.split(".")[0], "build"):
        return "an inner part of a back end"
    if room == other:
        return None
    if FLOOR[other] > FLOOR[room]:
        return f"{other} lies above {room}"
    if FLOOR[other] == FLOOR[room]:
        allowed = FLOOR[room] >= TOP or (FLOOR[room] == WAISTS and target in PROTOCOLS)
        return None if allowed else f"{room} and {other} are neighbours; they share only protocols"
    return None


@pytest.mark.parametrize(
    ("importer", "path"), list(modules()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_imports_point_downwards(importer, path):
    faults = {target: reason for target in imported(path) if (reason := fault(importer, target))}
    assert not faults


def test_every_module_has_a_room():
    assert {name.split(".")[0] for name in NAMES} <= set(FLOOR)


@pytest.mark.parametrize(
    ("importer", "target"),
    [
        ("errors", "settings"),
        ("graph.load", "agent"),
        ("search.store", "graph.load"),
        ("arcrag.plan", "dotrag.rank"),
        ("answer.result", "graph.neo4j"),
        ("agent", "llm.openai"),
        ("arcrag.plan", "llm.openai_errors"),
        ("cli.doctor", "graph.bolt"),
        ("graph.load", "graph.embedded"),
        ("agent", "graph.worker"),
        ("build", "cli.common"),
    ],
)
def test_the_rule_forbids(importer, target):
    assert fault(importer, target)


@pytest.mark.parametrize(
    ("importer", "target"),
    [("build", "graph.neo4j"), ("graph.neo4j", "graph.bolt"), ("search.store", "graph.base"), ("cli.ask", "agent")],
)
def test_the_rule_allows(importer, target):
    assert fault(importer, target) is None
