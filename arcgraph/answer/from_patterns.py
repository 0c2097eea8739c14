"""Answers and facts from queries that were chosen, edited, planned or written for a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arcgraph.answer import compose
from arcgraph.answer.describe import listed
from arcgraph.answer.evidence import citations, elements, joined, name_of, passages_of
from arcgraph.answer.from_tables import narrowed
from arcgraph.answer.result import Answer, AnswerEntity, QueryRecord, Status, Witness, row_texts
from arcgraph.answer.runs import WITNESS_ROWS, record_of, witness_of
from arcgraph.domain import Node, Path, Rows, Schema
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import Pattern
from arcgraph.interpret.assemble import PATHS, THING, evidencing, witnessing
from arcgraph.interpret.verbalise import phrase
from arcgraph.settings import Settings
from arcgraph.tracing import Trace

_SHOWN_ROWS = 5


@dataclass(frozen=True, slots=True)
class PatternRun:
    """A query that was run: what it is in words, as a pattern where it is one, as people see it, with what came back.

    ``source`` is ``pattern``, or ``model`` where one wrote it.
    """

    said: str
    cypher: str
    params: Mapping[str, Any]
    source: str
    rows: Rows | None
    error: str = ""
    pattern: Pattern | None = None
    shown: Pattern | None = None

    @property
    def reading(self) -> PatternRun:
        """What was run: nobody read it out of a question's words, so it says itself what it is."""
        return self

    def words(self) -> str:
        """See :class:`~arcgraph.answer.runs.Worded`."""
        return self.said

    def record(self) -> QueryRecord:
        """The query with its attempt."""
        return record_of(self, self.source)


class PatternAnswers:
    """Makes answers of queries over one graph."""

    def __init__(self, graph: Graph, schema: Schema, settings: Settings):
        self._graph = graph
        self._schema = schema
        self._timeout = settings.graph.timeout

    def answer(self, question: str, run: PatternRun, confidence: float, trace: Trace) -> Answer:
        """The answer that a run with rows gives, cited from its evidence."""
        assert run.rows is not None
        with trace.stage("evidence"):
            witness = self._witness(run, trace)
            passages = passages_of(self._graph, self._schema, witness, timeout=self._timeout)
        table = self._table(run)
        return Answer(
            question,
            Status.ANSWERED if table.records else Status.NO_EVIDENCE,
            f"{_told(table)} (read as: {run.said})",
            entities=compose.entities(run.rows, self._schema) or self._nodes(run.rows),
            columns=table.columns,
            rows=compose.plain_rows(table),
            table=table,
            witness=witness,
            citations=citations(witness, passages, self._schema, 1),
            queries=(run.record(), *witness.queries),
            confidence=confidence,
            partial=run.rows.truncated,
        )

    def facts(self, question: str, runs: Sequence[PatternRun], trace: Trace) -> Answer:
        """What the rows of some queries hold of nodes and edges, as evidence that answers nothing by itself."""
        witness = Witness()
        for run in runs:
            witness = joined(witness, _held(run))
        with trace.stage("evidence"):
            passages = passages_of(self._graph, self._schema, witness, timeout=self._timeout)
        text = "what lies around the question"
        cited = citations(witness, passages, self._schema, 0)
        return Answer(
            question, Status.INSUFFICIENT, text, witness=witness, citations=cited, queries=witness.queries, reason=text
        )

    def _witness(self, run: PatternRun, trace: Trace) -> Witness:
        """The matches behind a pattern's rows, or the nodes and edges that a written query returned."""
        assert run.rows is not None
        if run.pattern is None or run.shown is None:
            held = _held(run)
            return held if held.nodes or held.edges else replace(held, rows={0: row_texts(run.rows)})
        matches, shown = (evidencing(narrowed(p, run.rows, self._schema)) for p in (run.pattern, run.shown))
        found = Witness()
        for pair in zip(matches, shown, strict=True):
            match, told = (witnessing(one, WITNESS_ROWS) for one in pair)
            found = joined(found, witness_of(self._graph, match, told, trace, timeout=self._timeout))
        return found

    def _nodes(self, rows: Rows) -> tuple[AnswerEntity, ...]:
        """The nodes of a written query's rows, each once: which column is the answer, nobody knows."""
        nodes = {v.element_id: v for record in rows for v in record if isinstance(v, Node)}
        return tuple(AnswerEntity(str(name_of(n, self._schema)), n.labels, n.id, 1.0) for n in nodes.values())

    def _table(self, run: PatternRun) -> Rows:
        """The rows with nodes as their names, without the numbers of ways and rows of nothing but nulls."""
        rows = run.rows
        assert rows is not None
        kept = [i for i, name in enumerate(rows.columns) if name != PATHS]
        records = [tuple(self._named(record[i]) for i in kept) for record in rows]
        columns = tuple(self._head(rows.columns[i], run.pattern) for i in kept)
        told = [r for r in records if any(v is not None for v in r)]
        return Rows(columns, told, rows.truncated)

    def _named(self, value: Any) -> Any:
        if isinstance(value, Path):
            return [name_of(node, self._schema) for node in value.nodes]
        return name_of(value, self._schema) if isinstance(value, Node) else value

    def _head(self, column: str, pattern: Pattern | None) -> str:
        """The label of what is asked for, where the column is the entity itself."""
        if column != THING or pattern is None:
            return column
        owner = next(p.expression for p in pattern.returns if p.name == THING)
        labels = next((n.labels for n in pattern.nodes if n.name == getattr(owner, "owner", "")), ())
        return phrase(labels[0]) if labels else "name"


def _held(run: PatternRun) -> Witness:
    """The nodes and edges that a query returned, its paths included."""
    if run.rows is None:
        return Witness()
    nodes, edges, _ = elements(run.rows)
    paths = [value for record in run.rows for value in record if isinstance(value, Path)]
    found_by = {("node", i): 0 for i in nodes} | {("edge", i): 0 for i in edges}
    return Witness(nodes, edges, tuple(paths), (run.record(),), found_by)


def _told(table: Rows) -> str:
    if not table.records:
        return "Nothing"
    if len(table.columns) == 1:
        return listed([str(v) for row in compose.plain_rows(table) for v in row.values()])
    rows = [", ".join(f"{c} {v}" for c, v in row.items() if v is not None) for row in compose.plain_rows(table)]
    more = f"; and {len(rows) - _SHOWN_ROWS} more" if len(rows) > _SHOWN_ROWS else ""
    return "; ".join(rows[:_SHOWN_ROWS]) + more
