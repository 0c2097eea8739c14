"""Ask any property graph a question, and get an answer with the edges, passages and Cypher it rests on."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arcgraph.agent import Agent
    from arcgraph.answer.result import Answer, Status
    from arcgraph.build import connect
    from arcgraph.graph.guard import Verdict, check
    from arcgraph.settings import Settings

__version__ = "0.1.0"

__all__ = ["Agent", "Answer", "Settings", "Status", "Verdict", "__version__", "check", "connect"]

# Loaded when first used: drivers, engines and numpy take seconds that `arcgraph --help` and the embedded engine's
# worker process need not spend.
_HOMES = {
    "Agent": "arcgraph.agent",
    "Answer": "arcgraph.answer.result",
    "Status": "arcgraph.answer.result",
    "connect": "arcgraph.build",
    "Settings": "arcgraph.settings",
    "Verdict": "arcgraph.graph.guard",
    "check": "arcgraph.graph.guard",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'arcgraph' has no attribute {name!r}")
