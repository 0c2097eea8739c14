"""The agent: a question in, an answer with its evidence out. Readable top to bottom."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from arcgraph.answer import compose
from arcgraph.answer.evidence import MOST_EDGES, citations, joined, name_of
from arcgraph.answer.from_paths import PathAnswers
from arcgraph.answer.from_patterns import PatternAnswers
from arcgraph.answer.from_tables import TableAnswers
from arcgraph.answer.result import Answer, Citation, QueryRecord, Status, Usage, Witness
from arcgraph.answer.runs import ALTERNATIVES
from arcgraph.arcrag.context import Context, Readings
from arcgraph.build import connect_llm
from arcgraph.domain import Schema
from arcgraph.errors import QueryError, StorageError, UsageError
from arcgraph.graph.base import Graph
from arcgraph.interpret.execute import Runner
from arcgraph.interpret.gather import Gatherer
from arcgraph.interpret.reader import Interpretation, Reader
from arcgraph.interpret.tables import ranking
from arcgraph.interpret.tables.reading import TableReader, TableReading, asks_beyond_paths, serves, unsaid_by_paths
from arcgraph.llm.base import LLM
from arcgraph.llm.layers import Observed, observed
from arcgraph.llm.reason import Model
from arcgraph.llm.usage import Meter
from arcgraph.loop import Loop, Makers, Unaided
from arcgraph.search.local import NameIndex, Report, open_or_build
from arcgraph.search.lookup import look_up_in_graph
from arcgraph.search.passages import open_or_build_passages
from arcgraph.search.retrieve import Retrieved, Retriever, open_retriever
from arcgraph.search.values import ValueIndex, ValueMention, open_or_build_values
from arcgraph.settings import Settings
from arcgraph.tracing import Event, Recorder, Trace

_NEAR_NAMES = 5
_PASSAGES = 10
# The graph is asked at most so often whether it changed. Where it changes all the time, reading it anew must not take
# more than a small share of the time, so an expensive one is kept for a while.
_FRESH_SECONDS = 1.0
_REFRESH_SHARE = 0.05
# So long the database may look for a text that no index holds.
_LOOK_UP_SECONDS = 1.0
# What a path has to be sure by where a graph holds values.
_LEAST_SURE = 0.25


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What answering needs that depends on the graph alone."""

    schema: Schema
    index: NameIndex
    reader: Reader
    tables: TableReader | None
    path_answers: PathAnswers
    table_answers: TableAnswers
    gatherer: Gatherer | None
    values: ValueIndex | None
    texts: _Texts
    notices: tuple[str, ...]
    check_at: float


class Agent:
    """Answers questions over one graph. Thread-safe; keep one for many questions.

    ``settings`` default to the environment's. ``recorders`` receive every event of every question. A language model
    takes part where ``settings.llm.model`` names one, or ``llm`` is one (then it stays yours to close).
    """

    def __init__(
        self,
        graph: Graph,
        *,
        settings: Settings | None = None,
        recorders: Sequence[Recorder] = (),
        llm: LLM | None = None,
    ):
        self._graph = graph
        self._llm = llm
        self._closing: Callable[[], object] | None = None
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

    def close(self) -> None:
        """Let go of the model that the settings named; one that was given stays open. The graph does, too."""
        with self._lock:
            if self._closing is not None:
                self._closing()
                self._closing = self._llm = None

    # --- the loop ------------------------------------------------------------------------------------------------

    def _answer(self, question: str, trace: Trace) -> Answer:
        question = checked(question, self._settings)
        with trace.stage("prepare"):
            ready = self._ready()
        if not ready.schema.nodes.value:
            empty = self._nothing(question, "the graph is empty: load data into it first")
            trace.note("answer", str(empty.status), text=empty.text)
            return self._finished(empty, trace)
        if (model := self._asked_model(trace)) is None:
            answer = self._without_model(question, ready, trace).answer
        else:
            answer = self._with_model(question, ready, trace, model)
        trace.note("answer", str(answer.status), text=answer.text)
        return self._finished(answer, trace, model.meter if model else None)

    def _without_model(self, question: str, ready: _Prepared, trace: Trace) -> Unaided:
        """The answer that readings give, best first, and these readings."""
        readings = self._readings(question, ready, trace)
        tables, interpretation = readings.tables, readings.paths
        answer: Answer | None = None
        if interpretation is not None and (more := ranking.overlooked(tables, interpretation)):
            interpretation = replace(interpretation, unsaid=(*interpretation.unsaid, *more))
        if tables and readings.tables_lead:
            answer = ready.table_answers.answer(question, tables, trace)
            if answer.status != Status.ANSWERED and interpretation is not None and interpretation.readings:
                second = self._from_paths(question, trace, ready, interpretation)
                # A path that leaves out a condition is no answer because nothing meets the condition.
                is_kept = answer.status == Status.NO_EVIDENCE and not tables[0].is_path
                is_kept = is_kept and ranking.leaves_out(interpretation, question)
                answer = second if _is_better(second, answer) and not is_kept else answer
        elif tables and interpretation is not None and not interpretation.readings and not tables[0].doubts.unknown:
            # Nothing is named, and no name is asked for that could be told with near ones.
            answer = ready.table_answers.answer(question, tables, trace)
        elif interpretation is not None:
            answer = self._from_paths(question, trace, ready, interpretation)
            if tables and answer.status != Status.ANSWERED:
                second = ready.table_answers.answer(question, tables, trace)
                is_surer = second.status == Status.INSUFFICIENT and second.confidence > answer.confidence
                is_better = is_surer and not tables[0].doubts.lost
                answer = second if second.status == Status.ANSWERED or is_better else answer
        assert answer is not None
        if interpretation is not None:
            answer = self._with_near_names(answer, ready, interpretation)
            with trace.stage("passages"):
                answer = self._with_passages(answer, ready, interpretation)
        return Unaided(answer, readings._replace(taken=_taken(answer)))

    def _readings(self, question: str, ready: _Prepared, trace: Trace) -> Readings:
        """How a question can be read; nothing is run."""
        with trace.stage("interpret"):
            tables, interpretation = self._read(question, ready)
        if interpretation is not None:
            self._note_interpretation(trace, interpretation)
        self._note_tables(trace, tables)
        lead = bool(tables) and ranking.leads(tables, interpretation)
        return Readings(interpretation, tuple(tables), lead)

    def _with_model(self, question: str, ready: _Prepared, trace: Trace, model: Observed) -> Answer:
        """The answer of a loop in which a model chooses, judges and asks on; see :mod:`arcgraph.loop`."""
        settings = self._settings
        deadline = time.monotonic() + settings.arcrag.deadline * settings.llm.stretch
        context = Context(
            self._graph,
            ready.schema,
            ready.index,
            ready.values,
            Runner(self._graph, ready.schema, settings.ask, settings.graph.timeout),
            lambda text: self._readings(text, ready, trace.lap()),
            lambda node: str(name_of(node, ready.schema)),
            settings,
            Model(model.llm, trace, deadline),
            trace,
            deadline,
            ready.texts,
        )
        makers = Makers(ready.path_answers, ready.table_answers, PatternAnswers(self._graph, ready.schema, settings))
        return Loop(context, makers, lambda text: self._without_model(text, ready, trace.lap())).run(question)

    def _asked_model(self, trace: Trace) -> Observed | None:
        """The model for one question; ``None`` where the settings name none and none was given."""
        with self._lock:
            if self._llm is None and (llm := connect_llm(self._settings)) is not None:
                self._llm = llm
                # Closed with the agent, or when nobody has it any more.
                self._closing = weakref.finalize(self, llm.close)
        return observed(self._llm, trace, repairs=self._settings.llm.repairs) if self._llm else None

    def _read(self, question: str, ready: _Prepared) -> tuple[list[TableReading], Interpretation | None]:
        """The readings of a question: as tables first where it asks for what no path can say, else as paths first.

        What the first way settles is not read the second way.
        """
        if ready.tables is None:
            return [], self._paths(question, ready)
        if asks_beyond_paths(question):
            tables = ready.tables.read(question)
            return tables, None if ranking.is_clear(tables) else self._paths(question, ready)
        paths = self._paths(question, ready)
        return [] if ranking.settles(paths) else ready.tables.read(question), paths

    def _paths(self, question: str, ready: _Prepared) -> Interpretation:
        found = ready.reader.read(question)
        unsaid = unsaid_by_paths(question, found.candidates)
        unsaid += ready.tables.texts_within(question) if ready.tables is not None else []
        return replace(found, unsaid=tuple(unsaid))

    def _from_paths(self, question: str, trace: Trace, ready: _Prepared, found: Interpretation) -> Answer:
        if not found.readings:
            return self._unread(question, found)
        # Where a question might be asked of values as well, a path that is one of many is a guess.
        least = _LEAST_SURE if ready.tables is not None else 0.0
        return ready.path_answers.answer(question, found, trace, least)

    def _table_reader(self, schema: Schema, index: NameIndex, values: ValueIndex) -> TableReader:
        """A reader that asks the database for texts where the index does not hold all values."""
        known = [(one.owner, one.key) for one in values.columns if one.complete]
        if values.holds_all:
            return TableReader(schema, index, values, index.embed_words)

        def look_up(text: str, start: int) -> list[ValueMention]:
            seconds = min(_LOOK_UP_SECONDS, self._settings.graph.timeout)
            return look_up_in_graph(self._graph, schema, text, seconds, skip=known, start=start)

        return TableReader(schema, index, values, index.embed_words, look_up=look_up)

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
        values = open_or_build_values(self._graph, schema, self._settings) if serves(schema) else None
        tables = self._table_reader(schema, index, values) if values is not None else None
        passages = open_or_build_passages(self._graph, schema, self._settings, progress=progress)
        gatherer = (
            Gatherer(self._graph, schema, passages, index.embed_words, self._settings.ask)
            if passages is not None
            else None
        )
        lacking = [notice for one in (index, values, passages) if one is not None for notice in one.notices]
        now = time.monotonic()
        check_at = now + max(_FRESH_SECONDS, (now - began) / _REFRESH_SHARE)
        return _Prepared(
            schema,
            index,
            reader,
            tables,
            PathAnswers(self._graph, schema, self._settings),
            TableAnswers(self._graph, schema, self._settings),
            gatherer,
            values,
            _Texts(partial(open_retriever, self._graph, schema, self._settings, passages=passages)),
            tuple(dict.fromkeys(lacking)),
            check_at,
        )

    # --- outcomes ------------------------------------------------------------------------------------------------

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
        before = len(answer.own_queries)
        cited = [c for c in citations(witness, (), ready.schema, before) if c.kind == "edge"]
        near = "" if answer.status == Status.ANSWERED else compose.nearest(cited)
        return replace(
            answer,
            text=answer.text + near,
            witness=witness,
            citations=(*cited, *passages[:_PASSAGES]),
            queries=answer.queries[:before] + witness.queries,
        )

    def _unread(self, question: str, interpretation: Interpretation) -> Answer:
        """No reading at all: nothing in the question is the name of anything, or no pattern leaves what it names."""
        if interpretation.candidates:
            names = ", ".join(dict.fromkeys(c.anchor.name for c in interpretation.candidates))
            return self._nothing(question, f"nothing in the graph leads on from {names}")
        return self._nothing(question, "the question names nothing that is in the graph")

    def _nothing(self, question: str, reason: str) -> Answer:
        return Answer(question, Status.NO_EVIDENCE, f"No answer: {reason}.", reason=reason)

    def _with_near_names(self, answer: Answer, ready: _Prepared, interpretation: Interpretation) -> Answer:
        """The answer; where there is none, and the question names nothing or nothing leads on, with names to try."""
        is_open = answer.status in (Status.NO_EVIDENCE, Status.INSUFFICIENT)
        if not is_open or (interpretation.candidates and interpretation.readings):
            return answer
        near = tuple(dict.fromkeys(ready.index.near_names(answer.question, _NEAR_NAMES)))
        if not near:
            return answer
        names = ", ".join(near)
        tried = (*answer.tried, *(f"near name: {name}" for name in near))
        text, reason = f"{answer.text} Near names: {names}.", f"{answer.reason}; near names: {names}"
        return replace(answer, text=text, reason=reason, tried=tried)

    def _note_tables(self, trace: Trace, readings: list[TableReading]) -> None:
        if readings:
            trace.note(
                "interpret", "tables", best=[{"reading": r.words(), "score": r.score} for r in readings[:ALTERNATIVES]]
            )

    def _finished(self, answer: Answer, trace: Trace, meter: Meter | None = None) -> Answer:
        notices = self._prepared.notices if self._prepared else ()
        usage = Usage(seconds=trace.elapsed, stages=dict(trace.seconds))
        if meter is not None:
            cost = meter.total
            usage = replace(usage, calls=cost.calls, tokens=cost.tokens.total, models=dict(meter.stages))
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
            best=[{"reading": r.words(), "score": r.score} for r in interpretation.readings[:ALTERNATIVES]],
        )


def checked(question: str, settings: Settings) -> str:
    """The question without blanks around it; raises :class:`~arcgraph.errors.UsageError` where it cannot be asked."""
    longest = settings.ask.max_question
    if not question.strip():
        raise UsageError('the question is empty: ask something, for example "Who founded the harbour museum?"')
    if len(question) > longest:
        raise UsageError(
            f"the question has {len(question):,} characters and the limit is {longest:,}: shorten it, "
            "or raise ARCGRAPH_ASK_MAX_QUESTION"
        )
    return question.strip()


def _taken(answer: Answer) -> str:
    """The words of the reading that an answer is of; empty where there is none."""
    own = answer.own_queries
    return own[-1].reading if own and answer.status == Status.ANSWERED else ""


def _is_better(second: Answer, first: Answer) -> bool:
    """Whether the second way of reading a question has an answer where the first found nothing, or is surer of none."""
    if second.status == Status.ANSWERED:
        return first.status == Status.NO_EVIDENCE
    same = first.status == second.status == Status.INSUFFICIENT
    return same and second.confidence > first.confidence


class _Texts:
    """The texts of a graph as a store, opened when they are first searched; without any where they cannot be."""

    def __init__(self, open_store: Callable[[], Retriever | None]):
        self._open = open_store
        self._lock = threading.Lock()
        self._opened: list[Retriever | None] = []

    def retrieve(self, question: str, phrases: Sequence[str] = (), k: int = 10) -> Retrieved | None:
        """What a question and its phrases lead to."""
        with self._lock:
            if not self._opened:
                self._opened.append(self._tried())
            retriever = self._opened[0]
        return retriever.retrieve(question, phrases, k) if retriever is not None else None

    def _tried(self) -> Retriever | None:
        try:
            return self._open()
        except (QueryError, StorageError):
            # They only hint where to look.
            return None


class _Inbox:
    """A recorder that hands events to the thread that streams them."""

    def __init__(self, inbox: queue.SimpleQueue[Event | Answer | BaseException]):
        self._inbox = inbox

    def record(self, event: Event) -> None:
        self._inbox.put(event)
