"""What answers say of the queries that were run for them, whichever way the question was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from arcgraph.answer import compose
from arcgraph.answer.evidence import Passage, citations, read_witness
from arcgraph.answer.result import Alternative, Answer, AnswerEntity, Attempt, QueryRecord, Status, Witness
from arcgraph.domain import Rows, Schema
from arcgraph.errors import QueryError
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import Pattern
from arcgraph.tracing import Trace

# So many matches at most are shown as evidence, and so many other readings told.
WITNESS_ROWS = 200
ALTERNATIVES = 5
UNSURE = "the question's words match nothing in the graph closely enough"
_FAILED = "the database failed on every query for this question"
_NOTHING = "the graph holds nothing for any likely reading of the question"


class Worded(Protocol):
    """A reading, as people see it."""

    def words(self) -> str:
        """What was understood."""
        ...


class Ran(Protocol):
    """A reading that was run."""

    @property
    def reading(self) -> Worded:
        """What was run."""
        ...

    @property
    def cypher(self) -> str:
        """The query, in Neo4j's dialect."""
        ...

    @property
    def params(self) -> Mapping[str, Any]:
        """Its parameters."""
        ...

    @property
    def rows(self) -> Rows | None:
        """What came back; ``None`` after an error."""
        ...

    @property
    def error(self) -> str:
        """Why nothing came back."""
        ...


def tried(runs: Sequence[Ran]) -> tuple[str, ...]:
    """A line for each reading that was run, with what came of it."""
    return tuple(f"{run.reading.words()}: {run.error or f'{len(run.rows or ())} rows'}" for run in runs)


def record_of(run: Ran, source: str = "pattern") -> QueryRecord:
    """The query of a run with its one attempt; ``source`` is ``model`` where one wrote it."""
    seconds = run.rows.seconds if run.rows is not None else 0.0
    attempt = Attempt(len(run.rows or ()), seconds, run.error)
    return QueryRecord(run.cypher, dict(run.params), source, run.reading.words(), (attempt,))


def witness_of(graph: Graph, shape: Pattern, shown: Pattern, trace: Trace, *, timeout: float) -> Witness:
    """What a pattern returns, as evidence; an error leaves the answer standing without any."""
    try:
        return read_witness(graph, shape, shown, timeout=timeout, limit=WITNESS_ROWS)
    except QueryError as error:
        trace.note("evidence", "error", error=str(error))
        return Witness()


def nothing_found(question: str, runs: Sequence[Ran], missing: str) -> Answer:
    """The answer where no reading holds: ``missing`` says what the graph lacks."""
    failed = bool(runs) and all(run.error for run in runs)
    return Answer(
        question,
        Status.FAILED if failed else Status.NO_EVIDENCE,
        f"No answer: {_FAILED if failed else missing}.",
        queries=tuple(map(record_of, runs)),
        reason=runs[-1].error if failed else _NOTHING,
        tried=tried(runs),
    )


def grounded(
    question: str,
    text: str,
    table: Rows,
    entities: tuple[AnswerEntity, ...],
    evidence: tuple[Witness, Sequence[Passage]],
    runs: Sequence[Ran],
    schema: Schema,
    confidence: float,
    alternatives: tuple[Alternative, ...],
    *,
    partial: bool,
) -> Answer:
    """The answer that a reading gives, cited from its evidence; ``table`` is what people see of its rows."""
    witness, passages = evidence
    queries = tuple(map(record_of, runs))
    return Answer(
        question,
        Status.ANSWERED,
        text,
        entities=entities,
        columns=table.columns,
        rows=compose.plain_rows(table),
        table=table,
        witness=witness,
        citations=citations(witness, passages, schema, len(queries)),
        queries=queries + witness.queries,
        confidence=confidence,
        alternatives=alternatives,
        partial=partial,
    )


def did_you_mean(readings: Sequence[str]) -> str:
    """A question back, where no reading is sure."""
    return f"No reading explains the question well enough. Did you mean: {'; or: '.join(readings)}?"
