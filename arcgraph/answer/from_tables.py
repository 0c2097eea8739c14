"""Answers to questions that were read as queries over values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arcgraph.answer import tables as shown_as
from arcgraph.answer.evidence import joined, passages_of
from arcgraph.answer.over import extent_of
from arcgraph.answer.result import Alternative, Answer, Attempt, QueryRecord, Status, Witness
from arcgraph.answer.runs import (
    ALTERNATIVES,
    UNSURE,
    WITNESS_ROWS,
    did_you_mean,
    grounded,
    nothing_found,
    tried,
    witness_of,
)  # fmt: skip
from arcgraph.domain import RESERVED_KEY, Node, Rows, Schema
from arcgraph.errors import QueryError
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import Aggregate, Binding, Entity, Filter, Pattern, Property
from arcgraph.interpret.assemble import evidencing, witnessing
from arcgraph.interpret.tables import ranking
from arcgraph.interpret.tables.execute import TableRun, TableRunner
from arcgraph.interpret.tables.reading import TableReading
from arcgraph.settings import Settings
from arcgraph.tracing import Trace

# Evidence is narrowed to the answer's own values where these are at most so many.
_MOST_VALUES = 200


class TableAnswers:
    """Runs the readings of a question and makes an answer of the one that holds."""

    def __init__(self, graph: Graph, schema: Schema, settings: Settings):
        self._graph = graph
        self._schema = schema
        self._timeout = settings.graph.timeout
        self._runner = TableRunner(graph, settings.ask, settings.graph.timeout)

    def answer(self, question: str, readings: Sequence[TableReading], trace: Trace) -> Answer:
        """The answer; ``readings`` holds at least one."""
        sure = ranking.confidence(readings[0], readings)
        if sure < ranking.LEAST_SURE:
            return Answer(
                question,
                Status.INSUFFICIENT,
                did_you_mean([r.words() for r in readings[:3]]),
                confidence=sure,
                alternatives=_others(readings, None),
                reason=UNSURE,
                tried=tuple(f"not sure enough: {r.words()}" for r in readings[:3]),
            )
        likely = [r for r in readings if r is readings[0] or ranking.confidence(r, readings) >= ranking.LEAST_SURE]
        with trace.stage("execute"):
            runs, best = self._runner.run(likely, trace)
        if best is None or best.rows is None:
            missing = f"nothing in the graph fits ({readings[0].words()})"
            return replace(
                nothing_found(question, runs, missing), confidence=sure, alternatives=_others(readings, None)
            )
        return self.grounded(question, readings, best, runs, trace)

    def grounded(
        self, question: str, readings: Sequence[TableReading], best: TableRun, runs: Sequence[TableRun], trace: Trace
    ) -> Answer:
        """The answer that a run with rows gives, cited from its evidence."""
        assert best.rows is not None
        with trace.stage("evidence"):
            witness = self._witness(best, trace)
            passages = passages_of(self._graph, self._schema, witness, timeout=self._timeout)
            over, counted = self._over(best.reading.pattern, trace)
        table = shown_as.table(best.reading, best.rows, self._schema)
        text = shown_as.text(best.reading, table, over)
        found = shown_as.found_entities(best.reading, best.rows, self._schema)
        sure, others = ranking.confidence(best.reading, readings), _others(readings, best)
        evidence, is_cut = (joined(witness, counted), passages), best.rows.truncated
        answer = grounded(question, text, table, found, evidence, runs, self._schema, sure, others, partial=is_cut)
        if best.reading is readings[0]:
            return answer
        said = f"{text}; the likelier reading found nothing: {readings[0].words()}"
        return replace(answer, text=said, tried=tried(runs))

    def _over(self, pattern: Pattern, trace: Trace) -> tuple[str, Witness]:
        """Over how many things an aggregate was taken, in words, and the query that counted them."""
        extent = extent_of(pattern)
        if extent is None:
            return "", Witness()
        shown, params = extent.pattern.to_cypher("neo4j")
        try:
            rows = self._graph.read(*extent.pattern.to_cypher(self._graph.dialect), timeout=self._timeout)
        except QueryError as error:
            trace.note("evidence", "error", error=str(error))
            return "", Witness()
        record = QueryRecord(shown, params, "pattern", "over how many", (Attempt(len(rows), rows.seconds),))
        return extent.words(rows.records[0][0]), Witness(queries=(record,))

    def _witness(self, run: TableRun, trace: Trace) -> Witness:
        """The matches behind the answer."""
        assert run.rows is not None
        found = Witness()
        for match in evidencing(narrowed(run.reading.pattern, run.rows, self._schema)):
            shape = witnessing(match, WITNESS_ROWS)
            found = joined(found, witness_of(self._graph, shape, shape, trace, timeout=self._timeout))
        return found


def narrowed(pattern: Pattern, rows: Rows, schema: Schema) -> Pattern:
    """A pattern's match, narrowed to the nodes and values that a limit or a condition on groups left.

    So the evidence of "the three oldest" and of "with at least two" is not that of all the others.
    """
    if not pattern.having and pattern.limit is None:
        return pattern
    bindings, filters = list(pattern.bindings), list(pattern.filters)
    for column in pattern.returns:
        if column.hidden or isinstance(column.expression, Aggregate):
            continue
        found = list(dict.fromkeys(_handle(value, schema) for value in rows.column(column.name)))
        is_plain = all(isinstance(value, str | int | float) for value in found)
        if not found or not is_plain or len(found) > _MOST_VALUES:
            continue
        if isinstance(column.expression, Entity):
            bindings.append(Binding(column.expression.owner, RESERVED_KEY if schema.loaded else None, tuple(found)))
        elif isinstance(column.expression, Property) and not column.expression.numeric:
            filters.append(Filter(column.expression, "in", found))
    return replace(pattern, bindings=tuple(bindings), filters=tuple(filters))


def _handle(value: Any, schema: Schema) -> Any:
    """By what a node is found again; a value is its own handle. Edges have none."""
    if isinstance(value, Node):
        return value.id if schema.loaded else value.element_id
    return value if isinstance(value, str | int | float) else None


def _others(readings: Sequence[TableReading], best: TableRun | None) -> tuple[Alternative, ...]:
    others = [r for r in readings if best is None or r is not best.reading]
    return tuple(
        Alternative(r.words(), r.pattern.to_cypher("neo4j")[0], ranking.confidence(r, readings))
        for r in others[:ALTERNATIVES]
    )
