"""The loop around a question where a model is named: retrieve, answer, judge, follow up; at most six passes.

::

    question -> offline reading -> sure?  yes: one answer call
                                   no: a pass of arcgraph.arcrag (choose, else explore, plan, generate)
             -> findings accumulate -> answer call over all of them -> sufficient?  yes: the answer, claims grounded
                                                                      no: its follow-up question begins the next pass

A finding is an answer to the question of its pass, with rows, witness and queries. Without evidence there is no answer
call. Where the model fails, or is not satisfied by what the offline reading is sure of, the offline answer stands, and
the trace says so. After the deadline the best so far comes back, marked as partial.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from arcgraph.answer.conclude import conclude, gathered
from arcgraph.answer.from_paths import PathAnswers
from arcgraph.answer.from_patterns import PatternAnswers, PatternRun
from arcgraph.answer.from_tables import TableAnswers
from arcgraph.answer.judge import Evidence, Judged, evidence_of, judge, known_lines
from arcgraph.answer.result import Answer, Status
from arcgraph.arcrag.context import Asked, Context, Readings
from arcgraph.arcrag.gaps import content_words, gaps
from arcgraph.arcrag.generate import WRITING
from arcgraph.arcrag.interface import Interface
from arcgraph.arcrag.plan import PLANNED
from arcgraph.arcrag.query import Outcome
from arcgraph.arcrag.retrieve import retrieve
from arcgraph.domain import Anchor
from arcgraph.interpret.assemble import Reading, match_of
from arcgraph.interpret.execute import Run
from arcgraph.interpret.tables.execute import TableRun
from arcgraph.interpret.tables.reading import TableReading
from arcgraph.interpret.verbalise import split_name
from arcgraph.llm.reason import Decision
from arcgraph.search.text import fold

# After so many passes in a row that bring nothing new, none is begun.
_MOST_VAIN = 2
# Evidence without results that explains less than the rest of a question's words is about something else.
_MOST_BESIDE = 0.5
_INSUFFICIENT = "the model did not find the evidence sufficient"
# How sure an answer still is with which the model was not satisfied.
_DOUBTED = 0.75


class Unaided(NamedTuple):
    """What is made of a question without a model: the answer, and the readings behind it."""

    answer: Answer
    readings: Readings


class Makers(NamedTuple):
    """What makes answers of queries that were run."""

    paths: PathAnswers
    tables: TableAnswers
    patterns: PatternAnswers


@dataclass(slots=True)
class _State:
    """What has come together over the passes of one question."""

    findings: list[Answer] = field(default_factory=list)
    interface: Interface = field(default_factory=Interface)
    tried: list[Outcome] = field(default_factory=list)
    vain: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    offline: Answer | None = None
    chosen: list[Answer] = field(default_factory=list)
    objected: bool = False
    is_led: bool = False
    vain_passes: int = 0

    def shared(self) -> frozenset[str]:
        """The names of which it is known that several nodes have them."""
        return frozenset(a.name for a in self.interface.anchors if len(a.ids) > 1)


class Loop:
    """Answers one question."""

    def __init__(self, context: Context, makers: Makers, offline: Callable[[str], Unaided]):
        self._context = context
        self._makers = makers
        self._offline = offline
        self._settings = context.settings.arcrag
        self._trace = context.trace

    def run(self, question: str) -> Answer:
        """The answer."""
        state = _State()
        text, why = question, _INSUFFICIENT
        for number in range(1, self._settings.passes + 1):
            self._trace.note("pass", "begin", number=number, asked=text)
            before = len(state.findings)
            self._pass(question, text, state)
            is_new = len(state.findings) > before
            state.vain_passes = 0 if is_new else state.vain_passes + 1
            if not is_new:
                state.vain.append(text)
            evidence = self._evidence(state)
            refused = bool(_refused(state)) and not evidence.results
            if not evidence or refused or self._is_beside(question, evidence, state):
                return self._nothing(question, state)
            if self._context.left() <= 0 or state.vain_passes >= _MOST_VAIN:
                break
            decision = self._judged(question, text, evidence, state)
            judged = decision.value
            if judged is None:
                return self._offline_stands(question, state, decision.why)
            if judged.sufficient:
                concluded = conclude(question, judged, evidence, self._context.schema)
                if concluded.answer is not None:
                    return self._accepted(question, concluded.answer, state)
                self._trace.note("answer", "unsupported", why=concluded.why, text=judged.answer)
            why = concluded.why if judged.sufficient else _INSUFFICIENT
            text = judged.follow_up.strip()
            if not text or fold(text) in map(fold, state.asked):
                break
        return self._unsatisfied(question, state, why)

    # --- one pass ------------------------------------------------------------------------------------------------

    def _pass(self, question: str, text: str, state: _State) -> None:
        """What the offline reading or a pass of ArcRAG finds, added to the findings."""
        state.asked.append(text)
        offline = self._offline(text)
        is_first = len(state.asked) == 1
        if is_first:
            state.offline = offline.answer
        namesakes = frozenset(a.name for a in _named(offline) if len(a.ids) > 1)
        if self._is_sure(offline.answer) and not namesakes:
            self._trace.note("pass", "sure", confidence=round(offline.answer.confidence, 4))
            _add(state, offline.answer)
            return
        known = known_lines(state.findings, self._context.schema, state.shared() | namesakes)
        asked = Asked(question, text, known)
        found = retrieve(asked, self._context, offline.readings, state.interface)
        state.interface = found.interface
        state.tried += found.tried
        state.is_led = state.is_led or found.is_led
        state.objected = state.objected or (is_first and found.objected)
        for outcome in found.outcomes:
            finding = self._finding(asked.text, outcome, offline)
            _add(state, finding)
            # A path of a plan leads towards an answer; whether it is one, only a judgement can say.
            if is_first and found.by == "model" and outcome.draft.origin != PLANNED:
                state.chosen.append(finding)
        if not found.outcomes or offline.answer.status != Status.ANSWERED:
            _add(state, offline.answer)
        if found.facts:
            _add(state, self._makers.patterns.facts(asked.text, list(map(_ran, found.facts)), self._trace))

    def _is_sure(self, answer: Answer) -> bool:
        return answer.status == Status.ANSWERED and answer.confidence >= self._settings.sure

    def _finding(self, text: str, outcome: Outcome, offline: Unaided) -> Answer:
        """An outcome as an answer to the question of its pass: in the words of the way in which it was read."""
        reading, trace = outcome.draft.reading, self._trace
        sure = math.exp(outcome.draft.likelihood)
        cypher, params = outcome.draft.text()
        paths, tables = offline.readings.paths, offline.readings.tables
        if (
            isinstance(reading, Reading)
            and paths is not None
            and reading in paths.readings
            and outcome.rows is not None
        ):
            match = replace(match_of(reading), bindings=outcome.draft.pattern.bindings if outcome.draft.pattern else ())
            run = Run(reading, match, cypher, params, outcome.rows, paths.candidates)
            return self._makers.paths.grounded(
                text, trace, run, [run], self._makers.paths.alternatives(paths, run), sure
            )
        if isinstance(reading, TableReading) and reading in tables and outcome.rows is not None:
            made = TableRun(reading, cypher, params, outcome.rows)
            # What was chosen comes first, whatever is likelier by its wording.
            ordered = (reading, *(t for t in tables if t is not reading))
            return self._makers.tables.grounded(text, ordered, made, [made], trace)
        return self._makers.patterns.answer(text, _ran(outcome), min(0.5, sure) or 0.5, trace)

    # --- judging -------------------------------------------------------------------------------------------------

    def _evidence(self, state: _State) -> Evidence:
        return evidence_of(state.findings, self._context.schema, self._settings.evidence_tokens, state.shared())

    def _is_beside(self, question: str, evidence: Evidence, state: _State) -> bool:
        """Whether what was found lies around the names of a question and touches next to nothing else that it says.

        A model that is shown such evidence would have to invent. Passages may say it in other words, and so may what
        lies where the model wanted to look.
        """
        if evidence.results or state.is_led or any(p.citation.kind == "passage" for p in evidence.pieces.values()):
            return False
        names = {word for a in state.interface.anchors for word in split_name(a.name)}
        said = [w for w in content_words(question) if w not in names]
        missing = gaps(question, state.interface, (p.text for p in evidence.pieces.values()))
        unexplained = [w for w in said if w in missing]
        self._trace.note("answer", "gaps", words=list(missing))
        return bool(unexplained) and len(unexplained) > _MOST_BESIDE * len(said)

    def _judged(self, question: str, text: str, evidence: Evidence, state: _State) -> Decision[Judged | None]:
        with self._trace.stage("judge"):
            decision = judge(self._context.reasoner, question, text, evidence, state.vain)
        if decision.value is not None:
            self._trace.note(
                "answer",
                "judged",
                sufficient=decision.value.sufficient,
                result=decision.value.result,
                follow_up=decision.value.follow_up,
            )
        return decision

    # --- endings -------------------------------------------------------------------------------------------------

    def _accepted(self, question: str, answer: Answer, state: _State) -> Answer:
        """The model's answer, unless the offline one is another, and surer than the model's word weighs: of a list that
        a query gave whole, a weak model often names a part.
        """
        offline = state.offline
        assert offline is not None
        took_another = bool(state.chosen) and not _same(state.chosen[0], offline)
        is_sure = offline.status == Status.ANSWERED and _log_odds(offline.confidence) >= self._settings.trust
        if is_sure and not took_another and not _same(answer, offline):
            self._trace.note("answer", "offline stands", why="the model's answer is less likely", text=answer.text)
            return self._ended(
                question, replace(offline, confidence=_DOUBTED * offline.confidence), state, partial=False
            )
        if answer.unsupported:
            self._trace.note("answer", "claims", unsupported=list(answer.unsupported))
        return answer

    def _nothing(self, question: str, state: _State) -> Answer:
        """No evidence at all: the offline answer says so, unless what was asked for was refused."""
        refused = _refused(state)
        assert state.offline is not None
        if refused is not None:
            text = f"Refused: {refused.error}"
            return Answer(question, Status.REFUSED, text, reason=refused.error, tried=_tried(state))
        return replace(state.offline, tried=(*state.offline.tried, *_tried(state)))

    def _offline_stands(self, question: str, state: _State, why: str) -> Answer:
        """The model did not judge: what it chose before, else the offline answer."""
        assert state.offline is not None
        best = state.chosen[0] if state.chosen else state.offline
        self._trace.note("answer", "choice stands" if state.chosen else "offline stands", why=why)
        return self._ended(question, best, state, partial=self._context.left() <= 0)

    def _unsatisfied(self, question: str, state: _State, why: str) -> Answer:
        """The model was never satisfied, or what it answers is not borne out, or time is up: the offline answer
        stands, less sure, unless the model objected to all options when it chose and its word weighs more; then the
        question is left open."""
        assert state.offline is not None
        late = self._context.left() <= 0
        why = "time is up" if late else why
        best = state.offline
        if best.status != Status.ANSWERED:
            best = _open(state.chosen[0], why) if state.chosen else best
        elif not late:
            outweighed = state.objected and _log_odds(best.confidence) < self._settings.trust
            best = _open(best, why) if outweighed else replace(best, confidence=_DOUBTED * best.confidence)
        stands = best.status == Status.ANSWERED
        self._trace.note("answer", "offline stands" if stands else "open", why=why)
        return self._ended(question, best, state, partial=late)

    def _ended(self, question: str, answer: Answer, state: _State, *, partial: bool) -> Answer:
        others = [f for f in state.findings if f.queries is not answer.queries]
        whole = gathered(answer, [answer, *others])
        tried = answer.tried if answer.status == Status.ANSWERED else (*answer.tried, *_tried(state))
        tried = tuple(dict.fromkeys(tried))
        return replace(whole, question=question, tried=tried, partial=answer.partial or partial)


def _named(offline: Unaided) -> Iterator[Anchor]:
    """The anchors of the likeliest reading; several nodes of one name are not told apart by it."""
    paths = offline.readings.paths
    yield from paths.readings[0].anchors if paths and paths.readings else ()


def _refused(state: _State) -> Outcome | None:
    """A query meant to answer that wanted more than to read; a look around that did is merely left out."""
    return next((o for o in state.tried if o.draft.origin == "cypher" and set(o.refused) & WRITING), None)


def _add(state: _State, finding: Answer) -> None:
    """A finding that brings something that no other has."""
    key = _key(finding)
    if (finding.rows or finding.citations) and all(_key(f) != key for f in state.findings):
        state.findings.append(finding)


def _key(finding: Answer) -> tuple[object, ...]:
    return (repr(finding.rows), tuple((c.kind, c.id) for c in finding.citations))


def _ran(outcome: Outcome) -> PatternRun:
    cypher, params = outcome.draft.text()
    draft = outcome.draft
    return PatternRun(
        draft.words, cypher, params, draft.source, outcome.rows, outcome.error, draft.pattern, draft.shown
    )


def _tried(state: _State) -> tuple[str, ...]:
    """A line for each query that did not do."""
    lines = (f"{o.draft.cypher or o.draft.words}: {o.fault}" for o in state.tried if not o.acceptable)
    return tuple(dict.fromkeys(lines))


def _same(one: Answer, other: Answer) -> bool:
    """Whether two answers hold the same values."""
    return _values(one) == _values(other)


def _values(answer: Answer) -> set[str]:
    return {fold(str(value)) for row in answer.rows for value in row.values() if value is not None}


def _log_odds(confidence: float) -> float:
    """How much speaks for an answer, in natural logarithms, as a model's word is weighed."""
    return math.log(max(confidence, 1e-9) / max(1 - confidence, 1e-9))


def _open(answer: Answer, why: str) -> Answer:
    """An answer that is no more than what may be meant."""
    return replace(
        answer,
        status=Status.INSUFFICIENT,
        text=f"No answer that the evidence bears out. Nearest: {answer.text}",
        entities=(),
        columns=(),
        rows=[],
        table=None,
        confidence=answer.confidence / 2,
        reason=why,
    )
