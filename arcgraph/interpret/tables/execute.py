"""Runs table readings, best first, until one of them holds in the graph."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from arcgraph.domain import Rows
from arcgraph.errors import QueryError
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import Aggregate, Pattern
from arcgraph.interpret.tables.reading import TableReading
from arcgraph.settings import AskSettings
from arcgraph.tracing import Trace

# A reading that is so much less likely than the best is not what was asked, even where the best finds nothing.
MARGIN = 1.5
# Nor is it where the best says "none" or "no", unless both are about as likely.
NEAR = 0.3


@dataclass(frozen=True, slots=True)
class TableRun:
    """One reading that was run: the query as people see it, and what came back."""

    reading: TableReading
    cypher: str
    params: dict[str, Any]
    rows: Rows | None
    error: str = ""

    @property
    def found(self) -> bool:
        """Whether the graph answers this reading: rows that are not all null, and no total of nothing."""
        if self.rows is None or self._is_empty_total:
            return False
        return any(value is not None for record in self.rows for value in record)

    @property
    def _is_empty_total(self) -> bool:
        """Whether all that came back are totals of zero: the database gives them where there is nothing to add."""
        columns = [p.expression for p in self.reading.pattern.returns if not p.hidden]
        are_totals = all(isinstance(e, Aggregate) and e.function == "sum" for e in columns)
        return are_totals and self.rows is not None and not any(v for record in self.rows for v in record)

    @property
    def is_zero(self) -> bool:
        """Whether all that came back is a count of nothing."""
        if not self.found or self.rows is None or len(self.rows) != 1:
            return False
        only_counts = all(
            isinstance(p.expression, Aggregate) and p.expression.function in ("count", "exists")
            for p in self.reading.pattern.returns
        )
        return only_counts and not any(self.rows.records[0])


class TableRunner:
    """Runs readings against one graph, within the settings' budgets."""

    def __init__(self, graph: Graph, settings: AskSettings, timeout: float):
        self._graph = graph
        self._settings = settings
        self._timeout = timeout

    def run(self, readings: Sequence[TableReading], trace: Trace) -> tuple[list[TableRun], TableRun | None]:
        """The runs made, in order, and the one that holds: a count of nothing only where nothing else does."""
        runs: list[TableRun] = []
        zero: TableRun | None = None
        began = time.monotonic()
        for reading in readings[: self._settings.max_executed]:
            left = self._settings.deadline - (time.monotonic() - began)
            if reading.score < readings[0].score - (NEAR if zero else MARGIN) or left <= 0:
                break
            if not readings[0].said <= reading.said:
                # That nothing fits is no reason to leave out a relation that was said.
                continue
            run = self._one(reading, min(self._timeout, left))
            trace.note("execute", "query", reading=reading.words(), rows=len(run.rows or ()), error=run.error)
            runs.append(run)
            if run.is_zero:
                zero = zero or run
            elif run.found:
                return runs, run
        return runs, zero

    def _one(self, reading: TableReading, timeout: float) -> TableRun:
        most = self._settings.max_rows
        cut = reading.pattern.limit is None or reading.pattern.limit > most
        pattern = replace(reading.pattern, limit=most + 1) if cut else reading.pattern
        shown, params = reading.pattern.to_cypher("neo4j")
        try:
            query, values = pattern.to_cypher(self._graph.dialect)
            rows = self._graph.read(query, values, timeout=timeout, limit=most)
        except QueryError as error:
            return TableRun(reading, shown, params, None, str(error))
        if not rows.records and _only_tells_whether(pattern):
            # A number of things is none that is asked about: it is not so.
            rows = replace(rows, records=[(False,)])
        return TableRun(reading, shown, params, rows)


def _only_tells_whether(pattern: Pattern) -> bool:
    """Whether a pattern asks if something is so of all matches together, so many of them at least."""
    columns = [p.expression for p in pattern.returns if not p.hidden]
    return bool(pattern.having) and all(isinstance(e, Aggregate) and e.function == "exists" for e in columns)
