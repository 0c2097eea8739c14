"""What one pass needs to know, and what it brings."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from arcgraph.arcrag.hints import Store
from arcgraph.arcrag.interface import Interface
from arcgraph.arcrag.query import Outcome
from arcgraph.domain import Node, Schema
from arcgraph.graph.base import Graph
from arcgraph.interpret.execute import Runner
from arcgraph.interpret.reader import Interpretation
from arcgraph.interpret.tables.reading import TableReading
from arcgraph.llm.reason import Reasoner
from arcgraph.search.local import NameIndex
from arcgraph.search.values import ValueIndex
from arcgraph.settings import Settings
from arcgraph.tracing import Trace


class Readings(NamedTuple):
    """How a question was read without a model: as paths, as tables, whether tables come first, and the words of the
    reading that answered it, if one did."""

    paths: Interpretation | None
    tables: tuple[TableReading, ...] = ()
    tables_lead: bool = False
    taken: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """The graph with what is known of it, the settings, and who decides.

    ``read`` reads a question, ``name_of`` says what people call a node, ``deadline`` is an instant of
    ``time.monotonic()``. ``values`` are ``None`` where the graph has no index of them, ``store`` where there are no
    texts to retrieve from.
    """

    graph: Graph
    schema: Schema
    names: NameIndex
    values: ValueIndex | None
    runner: Runner
    read: Callable[[str], Readings]
    name_of: Callable[[Node], str]
    settings: Settings
    reasoner: Reasoner
    trace: Trace
    deadline: float
    store: Store | None = None

    def left(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.monotonic()


@dataclass(frozen=True, slots=True)
class Asked:
    """The question of a pass: ``question`` is what is to be answered in the end, ``text`` what this pass asks.

    ``known`` are lines on what earlier passes found.
    """

    question: str
    text: str
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a pass brings: ``outcomes`` are results that may answer, best first; ``facts`` are results whose rows hold
    nodes and edges around the question; ``tried`` is all that was run or refused; ``by`` who chose, ``objected`` that
    the model found no reading right, ``is_led`` that facts are from where it wanted to look.
    """

    outcomes: tuple[Outcome, ...] = ()
    facts: tuple[Outcome, ...] = ()
    tried: tuple[Outcome, ...] = ()
    interface: Interface = field(default_factory=Interface)
    by: str = "offline"
    objected: bool = False
    is_led: bool = False
