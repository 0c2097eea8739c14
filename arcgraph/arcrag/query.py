"""Queries that may answer, run within bounds, and whether what they bring is acceptable."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from arcgraph.arcrag.dialect import ungrouped
from arcgraph.domain import Node, Rows
from arcgraph.errors import QueryError, Refused
from arcgraph.graph.base import Graph
from arcgraph.graph.guard import check
from arcgraph.graph.pattern import Aggregate, Pattern
from arcgraph.interpret.assemble import Reading
from arcgraph.interpret.tables.reading import TableReading

# What asks so much of a server that it may be meant for something else than an answer.
LONGEST_CYPHER = 4_000


@dataclass(frozen=True, slots=True)
class Draft:
    """A query that may answer.

    ``pattern`` is what is run and ``shown`` the same as people write it; where there is none, ``cypher`` is what a
    model wrote, ``params`` the values that it refers to. ``likelihood`` is the logarithm of how sure the offline
    ranking is of it, minus infinity where it says nothing. ``reading`` is what it was read from, ``origin`` who made
    it: ``reading``, ``edit``, ``plan``, ``scan``, ``repair`` or ``cypher``.
    """

    words: str
    pattern: Pattern | None = None
    shown: Pattern | None = None
    cypher: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    likelihood: float = -math.inf
    reading: Reading | TableReading | None = None
    origin: str = "reading"

    @property
    def source(self) -> str:
        """``pattern`` or ``model``, as an answer's queries tell it."""
        return "model" if self.cypher else "pattern"

    def text(self) -> tuple[str, dict[str, Any]]:
        """The query in Neo4j's dialect, and its parameters."""
        if self.shown is None:
            return self.cypher, dict(self.params)
        return self.shown.to_cypher("neo4j")

    @property
    def key(self) -> str:
        """What two drafts of one query have in common: text and parameters, blanks aside."""
        text, params = (self.cypher, self.params) if self.pattern is None else self.pattern.to_cypher("neo4j")
        return " ".join(text.split()) + repr(sorted(params.items(), key=str))


@dataclass(frozen=True, slots=True)
class Outcome:
    """A draft that was run: rows, or what went wrong. ``refused`` are the gate's rules that the query breaks.

    ``notices`` are what the database said besides.
    """

    draft: Draft
    rows: Rows | None = None
    error: str = ""
    refused: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    repaired: str = ""

    @property
    def fault(self) -> str:
        """Why this is not acceptable, in words for a model; empty where it is.

        A result that was cut off is a mark; it is unacceptable only if the query is tied to nothing.
        """
        if self.error:
            return self.error
        if self.rows is None:
            return "it was not run"
        if not self.rows.records:
            return "it found no rows"
        if all(value is None for record in self.rows for value in record):
            return "all values that it found are null"
        if self.is_zero:
            return "it counted nothing"
        if self.rows.truncated and not _is_tied(self.draft):
            return "it is tied to nothing that the question names, and found more rows than are kept"
        return ""

    @property
    def is_zero(self) -> bool:
        """Whether all that came back is one row of zeros, which says less than any other result."""
        if self.rows is None or len(self.rows) != 1:
            return False
        values = self.rows.records[0]
        return _only_aggregates(self.draft) and not any(values) and any(v is not None for v in values)

    @property
    def acceptable(self) -> bool:
        """Whether the result may stand in evidence."""
        return not self.fault


def _only_aggregates(draft: Draft) -> bool:
    if draft.pattern is None:
        return False
    columns = [p.expression for p in draft.pattern.returns if not p.hidden]
    return all(isinstance(c, Aggregate) and c.function in ("count", "sum") for c in columns)


def _is_tied(draft: Draft) -> bool:
    if draft.pattern is None:
        return "where" in draft.cypher.lower() or "{" in draft.cypher
    return bool(draft.pattern.bindings or draft.pattern.filters or draft.pattern.limit)


class Executor:
    """Runs drafts against one graph. Thread-safe."""

    def __init__(self, graph: Graph, *, timeout: float, most: int):
        self._graph = graph
        self._timeout = timeout
        self._most = most

    def run(self, draft: Draft, *, timeout: float | None = None) -> Outcome:
        """The outcome; an error of the database, or the gate's refusal, is one."""
        seconds = self._timeout if timeout is None else min(timeout, self._timeout)
        if seconds <= 0:
            return Outcome(draft, error="no time was left to run it")
        if draft.pattern is None:
            return self._written(draft, seconds)
        try:
            query, params = _cut(draft.pattern, self._most).to_cypher(self._graph.dialect)
            rows = self._graph.read(query, params, timeout=seconds, limit=self._most)
        except (QueryError, ValueError) as error:
            return Outcome(draft, error=str(error))
        return Outcome(draft, rows)

    def _written(self, draft: Draft, seconds: float) -> Outcome:
        """Cypher that a model wrote: through the gate, held against the schema, with wrong arrows turned and without
        needless words of SQL."""
        if len(draft.cypher) > LONGEST_CYPHER:
            return Outcome(draft, error=f"a query of more than {LONGEST_CYPHER:,} characters is not run")
        cypher = ungrouped(draft.cypher)
        verdict = check(cypher, self._graph.schema())
        repaired = cypher if cypher != draft.cypher else ""
        if not verdict.accepted and verdict.repaired:
            repaired = verdict.repaired
        elif verdict.reasons:
            # What the operator allows beyond the gate's own list is the graph's to know: it has the last word below.
            if any(reason.rule not in ("procedure", "function") for reason in verdict.reasons):
                rules = tuple(dict.fromkeys(reason.rule for reason in verdict.reasons))
                return Outcome(draft, error="; ".join(map(str, verdict.reasons)), refused=rules)
        elif verdict.schema_faults:
            faults = (f"{f.message} (line {f.line}, column {f.column})" for f in verdict.schema_faults)
            return Outcome(draft, error="; ".join(faults))
        try:
            rows = self._graph.run(repaired or draft.cypher, draft.params, timeout=seconds, limit=self._most)
        except Refused as refused:
            rules = tuple(dict.fromkeys(reason.rule for reason in refused.verdict.reasons))
            return Outcome(draft, error=str(refused), refused=rules, repaired=repaired)
        except QueryError as error:
            place = f" (line {error.position.line}, column {error.position.column})" if error.position else ""
            return Outcome(draft, error=f"{error}{place}", repaired=repaired)
        done = replace(draft, cypher=repaired) if repaired else draft
        notices = rows.notifications if rows.records else self._remarks(done)
        return Outcome(done, rows, notices=notices, repaired=repaired)

    def _remarks(self, draft: Draft) -> tuple[str, ...]:
        """What the database has to say of a query that found nothing."""
        try:
            return self._graph.explain(draft.cypher, draft.params).notifications
        except (QueryError, Refused):
            return ()


def _cut(pattern: Pattern, most: int) -> Pattern:
    # One row more than is kept tells whether there are more.
    return replace(pattern, limit=most + 1) if pattern.limit is None or pattern.limit >= most else pattern


def entities_in(rows: Rows) -> list[Node]:
    """The nodes of a result, each once, in order."""
    found = {v.element_id: v for record in rows for v in record if isinstance(v, Node)}
    return list(found.values())
