"""The agent: a question in, an answer with its evidence out. Readable top to bottom."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from arcgraph.answer import compose
from arcgraph.answer import tables as tables_answer
from arcgraph.answer.evidence import MOST_EDGES, citations, elements, joined, passages_of
from arcgraph.answer.neighbourhood import MOST_EDGES as MOST_AROUND
from arcgraph.answer.neighbourhood import Neighbourhood, neighbourhood
from arcgraph.answer.result import Alternative, Answer, Attempt, Citation, QueryRecord, Status, Usage, Witness
from arcgraph.domain import Node, Schema
from arcgraph.errors import QueryError, UsageError
from arcgraph.graph.base import Graph
from arcgraph.interpret.assemble import THING, Reading, bound, collecting, match_of, witnessing
from arcgraph.interpret.confidence import confidence, holds
from arcgraph.interpret.execute import Run, Runner
from arcgraph.interpret.gather import Gatherer
from arcgraph.interpret.reader import Interpretation, Reader
from arcgraph.interpret.tables import ranking
from arcgraph.interpret.tables.execute import TableRun, TableRunner
from arcgraph.interpret.tables.reading import TableReader, TableReading, asks_beyond_paths, serves
from arcgraph.search.local import NameIndex, Report, open_or_build
from arcgraph.search.passages import open_or_build_passages
from arcgraph.search.values import open_or_build_values
from arcgraph.settings import Settings
from arcgraph.tracing import Event, Recorder, Trace

_WITNESS_ROWS = 200
_NEAR_NAMES = 5
# Of nodes of one name so many are described with what lies around them.
_DESCRIBED = 3
_ALTERNATIVES = 5
_PASSAGES = 10
# The graph is asked at most so often whether it changed. Where it changes all the time, reading it anew must not take
# more than a small share of the time, so an expensive one is kept for a while.
_FRESH_SECONDS = 1.0
_REFRESH_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What answering needs that depends on the graph alone."""

    schema: Schema
    index: NameIndex
    reader: Reader
    runner: Runner
    gatherer: Gatherer | None
    tables: TableReader | None
    notices: tuple[str, ...]
    check_at: float


class Agent:
    """Answers questions over one graph. Thread-safe; keep one for many questions.

    ``settings`` default to the environment's. ``recorders`` receive every event of every question.
    """

    def __init__(self, graph: Graph, *, settings: Settings | None = None, recorders: Sequence[Recorder] = ()):
        self._graph = graph
        self._settings = settings or Settings.load()
        self._recorders = tuple(recorders)
        self._lock = threading.Lock()
        self._prepared: _Prepared | None = None

    # --- the public face -----------------------------------------------------------------------------------------

    def ask(self, question: str) -> Answer:
        """Answer one question.

        Raises :class:`~arcgraph.errors.UsageError` for a question that is empty or too long, and
        :class:`~arcgraph.errors.ConnectError` where the graph cannot be reached; everything else is a status.
        """
        return self._answer(question, Trace(*self._recorders))

    async def aask(self, question: str) -> Answer:
        """As :meth:`ask`, without blocking the event loop."""
        return await asyncio.to_thread(self.ask, question)

    def stream(self, question: str) -> Iterator[Event | Answer]:
        """The events of answering as they happen, then the answer itself. Raises as :meth:`ask` does."""
        inbox: queue.SimpleQueue[Event | Answer | BaseException] = queue.SimpleQueue()

        def work() -> None:
            try:
                inbox.put(self._answer(question, Trace(_Inbox(inbox), *self._recorders)))
            except BaseException as error:
                inbox.put(error)

        threading.Thread(target=work, name="arcgraph-ask", daemon=True).start()
        while True:
            item = inbox.get()
            if isinstance(item, BaseException):
                raise item
            yield item
            if isinstance(item, Answer):
                return

    async def astream(self, question: str) -> AsyncIterator[Event | Answer]:
        """As :meth:`stream`, without blocking the event loop."""
        events = self.stream(question)
        while (item := await asyncio.to_thread(next, events, None)) is not None:
            yield item

    def prepare(self, progress: Report | None = None) -> NameIndex:
        """Read the schema and build or open the index now rather than with the first question."""
        with self._lock:
            if self._prepared is None:
                self._prepared = self._prepare(None, progress)
            return self._prepared.index

    # --- the loop ------------------------------------------------------------------------------------------------

    def _answer(self, question: str, trace: Trace) -> Answer:
        question = self._checked(question)
        with trace.stage("prepare"):
            ready = self._ready()
        if not ready.schema.nodes.value:
            empty = self._nothing(question, "the graph is empty: load data into it first", ())
            trace.note("answer", str(empty.status), text=empty.text)
            return self._finished(empty, trace)
        with trace.stage("interpret"):
            tables, interpretation = self._read(question, ready)
        self._note_tables(trace, tables)
        if interpretation is not None:
            self._note_interpretation(trace, interpretation)
        answer: Answer | None = None
        if tables and ranking.leads(tables, interpretation):
            answer = self._from_tables(question, trace, ready, tables)
            if answer.status != Status.ANSWERED and interpretation is not None and interpretation.readings:
                second = self._from_paths(question, trace, ready, interpretation)
                answer = second if _is_better(second, answer) else answer
        elif interpretation is not None:
            answer = self._from_paths(question, trace, ready, interpretation)
            if tables and answer.status != Status.ANSWERED:
                second = self._from_tables(question, trace, ready, tables)
                is_surer = second.status == Status.INSUFFICIENT and second.confidence > answer.confidence
                is_better = is_surer and not tables[0].doubts.lost
                answer = second if second.status == Status.ANSWERED or is_better else answer
        assert answer is not None
        if interpretation is not None:
            with trace.stage("passages"):
                answer = self._with_passages(answer, ready, interpretation)
        trace.note("answer", str(answer.status), text=answer.text)
        return self._finished(answer, trace)

    def _read(self, question: str, ready: _Prepared) -> tuple[list[TableReading], Interpretation | None]:
        """The readings of a question: as tables first where it asks for what no path can say, else as paths first.

        What the first way settles is not read the second way.
        """
        if ready.tables is None:
            return [], ready.reader.read(question)
        if asks_beyond_paths(question):
            tables = ready.tables.read(question)
            return tables, None if ranking.is_clear(tables) else ready.reader.read(question)
        paths = ready.reader.read(question)
        return [] if ranking.settles(paths) else ready.tables.read(question), paths

    def _from_paths(self, question: str, trace: Trace, ready: _Prepared, interpretation: Interpretation) -> Answer:
        if not interpretation.readings:
            return self._unread(question, ready, interpretation)
        with trace.stage("execute"):
            runs = ready.runner.run(interpretation.readings, interpretation.candidates, trace)
        return self._from_runs(question, trace, ready, interpretation, runs)

    def _checked(self, question: str) -> str:
        longest = self._settings.ask.max_question
        if not question.strip():
            raise UsageError('the question is empty: ask something, for example "Who founded the harbour museum?"')
        if len(question) > longest:
            raise UsageError(
                f"the question has {len(question):,} characters and the limit is {longest:,}: shorten it, "
                "or raise ARCGRAPH_ASK_MAX_QUESTION"
            )
        return question.strip()

    def _ready(self) -> _Prepared:
        with self._lock:
            ready = self._prepared
            if ready is not None and time.monotonic() < ready.check_at:
                return ready
            self._prepared = self._prepare(ready)
            return self._prepared

    def _prepare(self, ready: _Prepared | None, progress: Report | None = None) -> _Prepared:
        """What is ``ready`` where the graph is still the same, else all of it anew."""
        began = time.monotonic()
        schema = self._graph.schema()
        if ready is not None and schema.fingerprint == ready.schema.fingerprint:
            return replace(ready, check_at=time.monotonic() + _FRESH_SECONDS)
        index = open_or_build(self._graph, schema, self._settings, progress=progress)
        reader = Reader(self._graph, schema, index, index.embed_words, self._settings.ask, self._settings.cache.dir)
        runner = Runner(self._graph, schema, self._settings.ask, self._settings.graph.timeout)
        values = open_or_build_values(self._graph, schema, self._settings) if serves(schema) else None
        tables = TableReader(schema, index, values, index.embed_words) if values is not None else None
        passages = open_or_build_passages(self._graph, schema, self._settings, progress=progress)
        gatherer = (
            Gatherer(self._graph, schema, passages, index.embed_words, self._settings.ask)
            if passages is not None
            else None
        )
        lacking = [notice for one in (index, values, passages) if one is not None for notice in one.notices]
        now = time.monotonic()
        check_at = now + max(_FRESH_SECONDS, (now - began) / _REFRESH_SHARE)
        return _Prepared(schema, index, reader, runner, gatherer, tables, tuple(dict.fromkeys(lacking)), check_at)

    # --- outcomes ------------------------------------------------------------------------------------------------

    def _from_runs(
        self, question: str, trace: Trace, ready: _Prepared, interpretation: Interpretation, runs: list[Run]
    ) -> Answer:
        tried = tuple(_tried(run) for run in runs)
        queries = tuple(_record(run) for run in runs)
        best = next((run for run in runs if run.found), None)
        alternatives = self._alternatives(ready, interpretation, best)
        if best is None or best.rows is None:
            failed = all(run.error for run in runs) and bool(runs)
            return Answer(
                question,
                Status.FAILED if failed else Status.NO_EVIDENCE,
                _no_evidence_text(interpretation, failed),
                queries=queries,
                alternatives=alternatives,
                reason=runs[-1].error if failed else "the graph holds nothing for any likely reading of the question",
                tried=tried,
                partial=trace.elapsed > self._settings.ask.deadline,
            )
        sure = confidence(best.reading, interpretation.readings)
        if not holds(best.reading, interpretation.readings, is_open=interpretation.is_open):
            return Answer(
                question,
                Status.INSUFFICIENT,
                "No reading explains the question well enough. Did you mean: "
                + "; or: ".join([best.reading.words(), *(a.reading for a in alternatives[:2])])
                + "?",
                queries=queries,
                confidence=sure,
                alternatives=alternatives,
                reason="the question's words match nothing in the graph closely enough",
                tried=tried,
            )
        return self._grounded(question, trace, ready, best, queries, alternatives, sure)

    def _grounded(
        self,
        question: str,
        trace: Trace,
        ready: _Prepared,
        run: Run,
        queries: tuple[QueryRecord, ...],
        alternatives: tuple[Alternative, ...],
        sure: float,
    ) -> Answer:
        assert run.rows is not None
        with trace.stage("evidence"):
            around = self._around(ready, run)
            whole = len(around) == len(run.rows) and all(n.witness.edges for n in around.values())
            witness = Witness() if around and whole else self._witness(ready, run, trace)
            for near in around.values():
                witness = joined(witness, near.witness)
            passages = passages_of(self._graph, ready.schema, witness, timeout=self._settings.graph.timeout)
        found = compose.entities(run.rows, ready.schema)
        table = compose.table(run.reading, run.rows, ready.schema)
        return Answer(
            question,
            Status.ANSWERED,
            compose.text(run.reading, run.rows, found, ready.schema, {i: n.links for i, n in around.items()}),
            entities=found,
            columns=table.columns,
            rows=compose.plain_rows(table),
            table=table,
            witness=witness,
            citations=citations(witness, passages, ready.schema, len(queries)),
            queries=queries + witness.queries,
            confidence=sure,
            alternatives=alternatives,
            partial=run.rows.truncated,
        )

    def _with_passages(self, answer: Answer, ready: _Prepared, interpretation: Interpretation) -> Answer:
        """The answer with what the graph's passages say of the question, where edges lead to passages.

        An answer by a relation that tells exactly what it means needs no more than its own passages; one over an open
        vocabulary, whose relations are worded in thousands of ways, and a question that no reading answers do.
        """
        sure = answer.status == Status.ANSWERED and not ready.reader.explores
        if ready.gatherer is None or sure or answer.status == Status.FAILED:
            return answer
        room = max(0, MOST_EDGES - len(answer.witness.edges))
        found = ready.gatherer.gather(interpretation.question, interpretation.candidates, most_edges=room)
        record = QueryRecord(found.query, found.params, "pattern", "edges around the question", ())
        edges = {e.element_id: e for e in found.edges}
        more = Witness(found.nodes, edges, (), (record,) if edges else (), {("edge", i): 0 for i in edges})
        witness = joined(answer.witness, more)
        own = [c for c in answer.citations if c.kind == "passage"]
        known = {c.id for c in own}
        passages = [Citation("passage", p.id, p.text, 0) for p in ready.gatherer.passages(found.passages)]
        passages = own + [p for p in passages if p.id not in known]
        before = len(answer.queries) - len(answer.witness.queries)
        cited = [c for c in citations(witness, (), ready.schema, before) if c.kind == "edge"]
        near = "" if answer.status == Status.ANSWERED else compose.nearest(cited)
        return replace(
            answer,
            text=answer.text + near,
            witness=witness,
            citations=(*cited, *passages[:_PASSAGES]),
            queries=answer.queries[:before] + witness.queries,
        )

    def _witness(self, ready: _Prepared, run: Run, trace: Trace) -> Witness:
        """The subgraph behind the answer; an error here leaves the answer standing without one.

        Few matches come row by row, with their paths; of many every node and edge once.
        """
        few = run.matches is not None and run.matches <= _WITNESS_ROWS
        shape = collecting if run.matches is not None and not few else partial(witnessing, limit=_WITNESS_ROWS)
        query, params = shape(run.match).to_cypher(self._graph.dialect)
        try:
            rows = self._graph.read(query, params, timeout=self._settings.graph.timeout, limit=_WITNESS_ROWS)
        except QueryError as error:
            trace.note("evidence", "error", error=str(error))
            return Witness()
        nodes, edges, paths = elements(rows)
        named = ready.runner.named(run.reading, match_of(run.reading), run.candidates)
        shown, shown_params = shape(named).to_cypher("neo4j")
        record = QueryRecord(shown, shown_params, "pattern", "the evidence", (Attempt(len(rows), rows.seconds),))
        found_by = {("node", i): 0 for i in nodes} | {("edge", i): 0 for i in edges}
        return Witness(nodes, edges, tuple(paths), (record,), found_by)

    def _around(self, ready: _Prepared, run: Run) -> dict[str, Neighbourhood]:
        """What lies around the first described nodes, by element id; nothing where none is described."""
        reading, anchor = run.reading, run.reading.described
        if anchor is None or run.rows is None:
            return {}
        nodes = [n for n in run.rows.column(THING) if isinstance(n, Node)]
        match = match_of(reading)
        named = ready.runner.named(reading, match, run.candidates)
        found = {}
        for node in nodes[:_DESCRIBED]:
            one = replace(anchor, ids=(node.id,), element_ids=(node.element_id,))
            tied = bound(match, [one], loaded=ready.schema.loaded)
            found[node.element_id] = neighbourhood(
                self._graph,
                ready.schema,
                node,
                (tied, named if len(nodes) == 1 else tied),
                timeout=self._settings.graph.timeout,
                most=MOST_AROUND // min(len(nodes), _DESCRIBED),
            )
        return found

    def _alternatives(
        self, ready: _Prepared, interpretation: Interpretation, best: Run | None
    ) -> tuple[Alternative, ...]:
        others: list[Reading] = [r for r in interpretation.readings if best is None or r is not best.reading]
        return tuple(
            Alternative(
                r.words(),
                ready.runner.shown(r, match_of(r), interpretation.candidates)[0],
                confidence(r, interpretation.readings),
            )
            for r in others[:_ALTERNATIVES]
        )

    def _unread(self, question: str, ready: _Prepared, interpretation: Interpretation) -> Answer:
        """No reading at all: nothing in the question is the name of anything, or no pattern leaves what it names."""
        near = ready.index.near_names(question, _NEAR_NAMES)
        if interpretation.candidates:
            names = ", ".join(dict.fromkeys(c.anchor.name for c in interpretation.candidates))
            return self._nothing(question, f"nothing in the graph leads on from {names}", tuple(near))
        hint = f"; near names: {', '.join(dict.fromkeys(near))}" if near else ""
        return self._nothing(question, f"the question names nothing that is in the graph{hint}", tuple(near))

    def _nothing(self, question: str, reason: str, near: tuple[str, ...]) -> Answer:
        tried = tuple(f"near name: {n}" for n in dict.fromkeys(near))
        return Answer(question, Status.NO_EVIDENCE, f"No answer: {reason}.", reason=reason, tried=tried)

    # --- tables ------------------------------------------------------------------------------------------------------

    def _from_tables(self, question: str, trace: Trace, ready: _Prepared, readings: list[TableReading]) -> Answer:
        sure = ranking.confidence(readings[0], readings)
        runner = TableRunner(self._graph, self._settings.ask, self._settings.graph.timeout)
        alternatives = self._other_tables(readings, None)
        if sure < ranking.LEAST_SURE:
            return Answer(
                question,
                Status.INSUFFICIENT,
                "No reading explains the question well enough. Did you mean: "
                + "; or: ".join(r.words() for r in readings[:3])
                + "?",
                confidence=sure,
                alternatives=alternatives,
                reason="the question's words match nothing in the graph closely enough",
                tried=tuple(f"not sure enough: {r.words()}" for r in readings[:3]),
            )
        with trace.stage("execute"):
            runs, best = runner.run(readings, trace)
        tried = tuple(f"{r.reading.words()}: {r.error or f'{len(r.rows or ())} rows'}" for r in runs)
        queries = tuple(_table_record(run) for run in runs)
        if best is None or best.rows is None:
            failed = all(run.error for run in runs)
            return Answer(
                question,
                Status.FAILED if failed else Status.NO_EVIDENCE,
                "No answer: the database failed on every query for this question."
                if failed
                else f"No answer: nothing in the graph fits ({readings[0].words()}).",
                queries=queries,
                confidence=sure,
                alternatives=alternatives,
                reason=runs[-1].error if failed else "the graph holds nothing for any likely reading of the question",
                tried=tried,
            )
        return self._tabled(question, trace, ready, readings, best, queries, tried)

    def _tabled(
        self,
        question: str,
        trace: Trace,
        ready: _Prepared,
        readings: list[TableReading],
        best: TableRun,
        queries: tuple[QueryRecord, ...],
        tried: tuple[str, ...],
    ) -> Answer:
        assert best.rows is not None
        with trace.stage("evidence"):
            witness = self._table_witness(best, trace)
        shown = tables_answer.table(best.reading, best.rows, ready.schema)
        said = tables_answer.text(best.reading, shown)
        if best.reading is not readings[0]:
            said += f"; the likelier reading found nothing: {readings[0].words()}"
        return Answer(
            question,
            Status.ANSWERED,
            said,
            entities=tables_answer.found_entities(best.reading, best.rows, ready.schema),
            columns=shown.columns,
            rows=compose.plain_rows(shown),
            table=shown,
            witness=witness,
            citations=citations(witness, [], ready.schema),
            queries=queries + witness.queries,
            confidence=ranking.confidence(best.reading, readings),
            alternatives=self._other_tables(readings, best),
            tried=tried if best.reading is not readings[0] else (),
            partial=best.rows.truncated,
        )

    def _table_witness(self, run: TableRun, trace: Trace) -> Witness:
        shape = witnessing(run.reading.pattern, _WITNESS_ROWS)
        try:
            query, params = shape.to_cypher(self._graph.dialect)
            rows = self._graph.read(query, params, timeout=self._settings.graph.timeout, limit=_WITNESS_ROWS)
        except QueryError as error:
            trace.note("evidence", "error", error=str(error))
            return Witness()
        nodes, edges, paths = elements(rows)
        shown, shown_params = shape.to_cypher("neo4j")
        record = QueryRecord(shown, shown_params, "pattern", "the evidence", (Attempt(len(rows), rows.seconds),))
        found_by = {("node", i): 0 for i in nodes} | {("edge", i): 0 for i in edges}
        return Witness(nodes, edges, tuple(paths), (record,), found_by)

    def _other_tables(self, readings: list[TableReading], best: TableRun | None) -> tuple[Alternative, ...]:
        others = [r for r in readings if best is None or r is not best.reading]
        return tuple(
            Alternative(r.words(), r.pattern.to_cypher("neo4j")[0], ranking.confidence(r, readings))
            for r in others[:_ALTERNATIVES]
        )

    def _note_tables(self, trace: Trace, readings: list[TableReading]) -> None:
        if readings:
            trace.note(
                "interpret", "tables", best=[{"reading": r.words(), "score": r.score} for r in readings[:_ALTERNATIVES]]
            )

    def _finished(self, answer: Answer, trace: Trace) -> Answer:
        notices = self._prepared.notices if self._prepared else ()
        usage = Usage(seconds=trace.elapsed, stages=dict(trace.seconds))
        return replace(answer, usage=usage, trace=tuple(trace.events), notices=notices)

    def _note_interpretation(self, trace: Trace, interpretation: Interpretation) -> None:
        trace.note(
            "interpret",
            "anchors",
            anchors=[
                {"name": c.anchor.name, "labels": list(c.anchor.labels), "how": c.anchor.how, "strength": c.strength}
                for c in interpretation.candidates
            ],
        )
        trace.note(
            "interpret",
            "readings",
            considered=interpretation.considered,
            best=[{"reading": r.words(), "score": r.score} for r in interpretation.readings[:_ALTERNATIVES]],
        )


def _is_better(second: Answer, first: Answer) -> bool:
    """Whether the second way of reading a question has an answer where the first found nothing, or is surer of none."""
    if second.status == Status.ANSWERED:
        return first.status == Status.NO_EVIDENCE
    same = first.status == second.status == Status.INSUFFICIENT
    return same and second.confidence > first.confidence


class _Inbox:
    """A recorder that hands events to the thread that streams them."""

    def __init__(self, inbox: queue.SimpleQueue[Event | Answer | BaseException]):
        self._inbox = inbox

    def record(self, event: Event) -> None:
        self._inbox.put(event)


def _tried(run: Run) -> str:
    outcome = run.error or f"{len(run.rows) if run.rows is not None else 0} rows"
    return f"{run.reading.words()}: {outcome}"


def _record(run: Run) -> QueryRecord:
    attempt = Attempt(len(run.rows) if run.rows else 0, run.rows.seconds if run.rows else 0.0, run.error)
    return QueryRecord(run.cypher, run.params, "pattern", run.reading.words(), (attempt,))


def _table_record(run: TableRun) -> QueryRecord:
    attempt = Attempt(len(run.rows) if run.rows else 0, run.rows.seconds if run.rows else 0.0, run.error)
    return QueryRecord(run.cypher, run.params, "pattern", run.reading.words(), (attempt,))


def _no_evidence_text(interpretation: Interpretation, failed: bool) -> str:
    if failed:
        return "No answer: the database failed on every query for this question."
    names = ", ".join(dict.fromkeys(c.anchor.name for c in interpretation.candidates[:3]))
    return f"No answer: the graph knows {names}, but holds nothing that answers this about it."
