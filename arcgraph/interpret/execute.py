"""Runs readings, best first, until one of them holds in the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from arcgraph.domain import Anchor, Rows, Schema
from arcgraph.errors import QueryError, QueryTimeout
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import Pattern
from arcgraph.interpret.anchors import Candidate
from arcgraph.interpret.assemble import PATHS, Reading, answering, bound, bound_by_name, listing, match_of
from arcgraph.interpret.confidence import MARGIN
from arcgraph.interpret.question import Intent
from arcgraph.settings import AskSettings
from arcgraph.tracing import Trace

# The share of a query's time that the full answer may take before a simpler one is tried.
_FIRST_TRY = 0.5
# Beyond so many matches their nodes and edges are not collected: only the first matches are shown.
_MOST_COLLECTED = 50_000


@dataclass(frozen=True, slots=True)
class Run:
    """One reading that was run: its bound match, the query as shown to people, and what came back."""

    reading: Reading
    match: Pattern
    cypher: str
    params: dict[str, object]
    rows: Rows | None
    candidates: tuple[Candidate, ...] = ()
    error: str = ""

    @property
    def matches(self) -> int | None:
        """How many matches stand behind the rows; ``None`` where so many that they were not all counted."""
        if self.rows is None or self.rows.truncated:
            return None
        if PATHS in self.rows.columns:
            total = sum(self.rows.column(PATHS))
            return total if total <= _MOST_COLLECTED else None
        return len(self.rows) if self.reading.intent in (Intent.YES_NO, Intent.DESCRIBE) else None

    @property
    def found(self) -> bool:
        """Whether the graph answers this reading."""
        if self.rows is None:
            return False
        if self.reading.intent in (Intent.LIST, Intent.DESCRIBE):
            return len(self.rows) > 0
        return True


class Runner:
    """Runs readings against one graph, within the settings' budgets."""

    def __init__(self, graph: Graph, schema: Schema, settings: AskSettings, timeout: float):
        self._graph = graph
        self._schema = schema
        self._settings = settings
        self._timeout = timeout

    def run(self, readings: Sequence[Reading], candidates: Sequence[Candidate], trace: Trace) -> list[Run]:
        """The runs made, in order; the last one is ``found`` if any is."""
        runs: list[Run] = []
        for reading in self._worth_running(readings):
            left = self._settings.deadline - trace.elapsed
            if left <= 0:
                trace.note("execute", "deadline", seconds=trace.elapsed)
                break
            run = self._one(reading, candidates, min(self._timeout, left))
            trace.note("execute", "query", reading=reading.words(), rows=_size(run), error=run.error)
            runs.append(run)
            if run.found:
                break
        return runs

    def _worth_running(self, readings: Sequence[Reading]) -> Iterator[Reading]:
        best = readings[0].score if readings else -math.inf
        for reading in readings[: self._settings.max_executed]:
            if reading.score >= best - MARGIN:
                yield reading

    def _one(self, reading: Reading, candidates: Sequence[Candidate], timeout: float) -> Run:
        match = match_of(reading)
        tied = bound(match, reading.anchors, loaded=self._schema.loaded)
        cypher, shown = self.shown(reading, match, candidates)
        try:
            rows = self._read(answering, tied, reading.intent, timeout * _FIRST_TRY)
        except QueryTimeout as error:
            if reading.intent != Intent.LIST:
                return Run(reading, tied, cypher, shown, None, tuple(candidates), str(error))
            return self._first_found(reading, tied, match, candidates, timeout * (1 - _FIRST_TRY))
        except QueryError as error:
            return Run(reading, tied, cypher, shown, None, tuple(candidates), str(error))
        return Run(reading, tied, cypher, shown, rows, tuple(candidates))

    def _first_found(
        self, reading: Reading, tied: Pattern, match: Pattern, candidates: Sequence[Candidate], timeout: float
    ) -> Run:
        """Answers in the order in which they are found, where counting the ways to each would take too long."""
        named = self.named(reading, match, candidates)
        cypher, shown = listing(named, reading.intent, self._settings.max_rows).to_cypher("neo4j")
        try:
            rows = self._read(listing, tied, reading.intent, timeout)
        except QueryError as error:
            return Run(reading, tied, cypher, shown, None, tuple(candidates), str(error))
        return Run(reading, tied, cypher, shown, rows, tuple(candidates))

    def _read(
        self, shape: Callable[[Pattern, Intent, int], Pattern], tied: Pattern, intent: Intent, timeout: float
    ) -> Rows:
        most = self._settings.max_rows
        # One row more than is kept tells whether there are more.
        query, params = shape(tied, intent, most + 1).to_cypher(self._graph.dialect)
        return self._graph.read(query, params, timeout=timeout, limit=most)

    def shown(self, reading: Reading, match: Pattern, candidates: Sequence[Candidate]) -> tuple[str, dict[str, object]]:
        """The answering query in Neo4j's dialect, with names as loaded."""
        named = self.named(reading, match, candidates)
        return answering(named, reading.intent, self._settings.max_rows).to_cypher("neo4j")

    def named(self, reading: Reading, match: Pattern, candidates: Sequence[Candidate]) -> Pattern:
        """The match tied to names where a name is enough."""
        labels = {n.name: n.labels for n in match.nodes}
        unique = [
            self._is_text(anchor)
            and not any(
                c.anchor.name == anchor.name
                and c.anchor.labels != anchor.labels
                and set(labels[f"a{i}"]) <= set(c.anchor.labels)
                for c in candidates
            )
            for i, anchor in enumerate(reading.anchors)
        ]
        return bound_by_name(match, reading.anchors, unique, loaded=self._schema.loaded)

    def _is_text(self, anchor: Anchor) -> bool:
        """Whether the anchor's name stands as it is in one property: not in a list, and not as a number."""
        infos = [self._schema.labels[label] for label in anchor.labels or ("",) if label in self._schema.labels]
        types = {t for info in infos if anchor.key in info.properties for t in info.properties[anchor.key].types}
        return types <= {"string", "text"}


def _size(run: Run) -> int:
    return len(run.rows) if run.rows is not None else 0
