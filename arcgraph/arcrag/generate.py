"""Generate: a model chooses among previewed patterns, edits one, or writes a query where no pattern reaches.

A result that is not acceptable is refined, five attempts and two more, no query twice. Each attempt changes what can be
chosen: error text alone helps a small model little, so the fault comes with other options. What was acceptable before
stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from pydantic import BaseModel

from arcgraph.arcrag.context import Asked, Context
from arcgraph.arcrag.edit import MOST_EDITS, Edit, Editor, edit_form
from arcgraph.arcrag.interface import Interface
from arcgraph.arcrag.options import preview
from arcgraph.arcrag.query import Draft, Executor, Outcome
from arcgraph.arcrag.schema_view import schema_view
from arcgraph.graph.pattern import Direction, Filter, Operator, Pattern, Property
from arcgraph.interpret.terms import shared_stem
from arcgraph.interpret.verbalise import split_name
from arcgraph.llm.base import system, user
from arcgraph.llm.data import block, fitting, named, quoted, rules
from arcgraph.llm.reason import Ask, Unusable
from arcgraph.llm.schema import at_most, narrowed, one_of
from arcgraph.llm.stages import Stage
from arcgraph.resources import prompt

NONE, WRITTEN = "none", "cypher"
_FRESH = 6
# So many queries of its own a model has before anything was looked at.
_AT_ONCE = 2
_HISTORY = 4
_MOST_PARAMETERS = 8
_SAME = 0.75
_FENCED = re.compile(r"```[\w-]*\s*\n?(.*?)```", re.S)


class Choice(BaseModel):
    """Which option answers, changed how; ``none`` where none can."""

    why: str = ""
    option: str
    edits: list[Edit] = []


class Parameter(BaseModel):
    """A value that a query refers to by name."""

    name: str
    value: str | int | float | bool


class Written(BaseModel):
    """A query of the model's own, where there is nothing to choose from; empty where it knows none."""

    why: str = ""
    cypher: str = ""
    parameters: list[Parameter] = []


class FreeChoice(Choice):
    """A choice that may be a query of the model's own: the option ``cypher``."""

    cypher: str = ""
    parameters: list[Parameter] = []


Reply = Choice | Written


@dataclass(frozen=True, slots=True)
class Generated:
    """What was chosen and run: ``outcome`` is acceptable or ``None``, ``by`` who chose, ``objected`` to all options."""

    outcome: Outcome | None
    by: str = "offline"
    objected: bool = False


class _Attempts(NamedTuple):
    """How often a query may be tried, and how often more where it fails by finding nothing."""

    most: int
    extra: int


@dataclass(frozen=True, slots=True)
class _Pick:
    """What a reply comes to: a draft to run, an outcome that is there already, or an objection to all.

    ``invented`` are values of its conditions that nothing said.
    """

    draft: Draft | None = None
    outcome: Outcome | None = None
    objected: bool = False
    invented: tuple[str, ...] = ()


class Generator:
    """Chooses and refines for one pass."""

    def __init__(
        self, context: Context, executor: Executor, asked: Asked, interface: Interface, tried: Iterable[Outcome] = ()
    ):
        self._context = context
        self._executor = executor
        self._asked = asked
        self._interface = interface
        self._editor = Editor(interface, context.schema, context.settings.ask.max_rows)
        self._tried = {outcome.draft.key: outcome for outcome in tried}

    @property
    def tried(self) -> tuple[Outcome, ...]:
        """All that was offered or run, in order."""
        return tuple(self._tried.values())

    def choose(self, options: Sequence[Outcome], *, was_objected: bool = False, may_write: bool = False) -> Generated:
        """One call over the options; without a model the first acceptable one is taken.

        Where the model has objected to them before, none of them is.
        """
        self._note(options)
        best = None if was_objected else _first_acceptable(options)
        ask = self._ask("choose", options, (), may_write=may_write)
        decision = self._context.reasoner.decide(
            ask, _Pick(outcome=best), lambda reply: self._weighed(self._picked(reply, options, may_write), options)
        )
        pick = decision.value
        if pick.objected:
            return Generated(None, decision.by, objected=True)
        if pick.draft is None:
            return Generated(pick.outcome, decision.by)
        is_own = pick.draft.origin == WRITTEN
        survivor = None if is_own else best
        most = self._attempts_left(was_objected=was_objected) if is_own else self._attempts
        made = self._refined(pick.draft, survivor, options, decision.by, most, may_write=may_write)
        # Who writes a query instead finds none of the options right.
        return replace(made, objected=is_own and made.outcome is None)

    def execute(self, draft: Draft) -> Generated:
        """A draft that is decided upon, run and refined as long as it is not acceptable."""
        return self._refined(draft, None, (), "model", self._attempts, may_write=False)

    @property
    def _attempts(self) -> _Attempts:
        settings = self._context.settings.arcrag
        return _Attempts(settings.attempts, settings.extra_attempts)

    def may_write(self, *, was_objected: bool) -> bool:
        """Whether the model has attempts left for a query of its own.

        One that it writes at once is refined less often than one written after looking around; together they are as
        many as any query has.
        """
        return self._attempts_left(was_objected=was_objected).most > 0

    def _attempts_left(self, *, was_objected: bool) -> _Attempts:
        most, more = self._attempts
        written = sum(outcome.draft.origin == WRITTEN for outcome in self._tried.values())
        return _Attempts(most - written, more) if was_objected else _Attempts(min(most, _AT_ONCE) - written, 0)

    # --- the refinement loop -------------------------------------------------------------------------------------

    def _refined(
        self,
        draft: Draft,
        survivor: Outcome | None,
        options: Sequence[Outcome],
        by: str,
        most: _Attempts,
        *,
        may_write: bool,
    ) -> Generated:
        attempts: list[Outcome] = []
        outcome = self._run(draft, attempts)
        while not outcome.acceptable and not _is_final(outcome):
            more = most.extra if not outcome.error else 0
            if len(attempts) >= most.most + more or not self._context.reasoner.thinks:
                break
            fresh = self._fresh(outcome, options)
            if not fresh and not may_write:
                break
            picked = self._revised(attempts, fresh, may_write=may_write)
            if picked.draft is not None:
                outcome = self._run(picked.draft, attempts)
            elif picked.outcome is not None:
                outcome = picked.outcome
                attempts.append(outcome)
            else:
                break
        if outcome.acceptable:
            return Generated(outcome, by)
        # A correct earlier candidate survives what came of changing it.
        return Generated(survivor, "offline" if survivor else by)

    def _revised(self, attempts: Sequence[Outcome], fresh: Sequence[Outcome], *, may_write: bool) -> _Pick:
        """One call more, with other options than before."""
        default = _Pick(outcome=_first_acceptable(fresh))
        ask = self._ask("refine", fresh, attempts, may_write=may_write, sample=len(attempts))
        decision = self._context.reasoner.decide(ask, default, lambda reply: self._picked(reply, fresh, may_write))
        return decision.value

    def _run(self, draft: Draft, attempts: list[Outcome]) -> Outcome:
        outcome = self._executor.run(draft, timeout=self._context.left())
        self._note([outcome], draft)
        attempts.append(outcome)
        self._context.trace.note(
            "generate",
            "query",
            query=draft.text()[0],
            origin=draft.origin,
            rows=len(outcome.rows or ()),
            fault=outcome.fault,
            repaired=outcome.repaired,
        )
        return outcome

    def _note(self, outcomes: Iterable[Outcome], draft: Draft | None = None) -> None:
        for outcome in outcomes:
            self._tried.setdefault(outcome.draft.key, outcome)
            if draft is not None:
                self._tried.setdefault(draft.key, outcome)

    # --- what is asked -------------------------------------------------------------------------------------------

    def _ask(
        self,
        name: str,
        options: Sequence[Outcome],
        attempts: Sequence[Outcome],
        *,
        may_write: bool,
        sample: int = 0,
    ) -> Ask[Any]:
        context, settings = self._context, self._context.settings.arcrag
        budget = settings.schema_tokens * (1 + len(attempts))
        labels = (*self._interface.labels(), *(label for o in options for label in _labels(o)))
        text = prompt(
            name,
            question=quoted(self._asked.question, len(self._asked.question)),
            asked=quoted(self._asked.text, len(self._asked.text)) if self._asked.text != self._asked.question else "",
            known=block(fitting(self._asked.known, settings.evidence_tokens // 2)) if self._asked.known else "",
            options=block(self._option_lines(options)) if options else "",
            interface=block(fitting(self._interface.lines(context.schema), budget)),
            schema=block(schema_view(context.schema, labels, budget)) if may_write else "",
            attempts=block(_attempt_lines(attempts)) if attempts else "",
            relation_key=named(context.schema.relations.key) if context.schema.relations.kind == "property" else "",
        )
        return Ask(
            Stage.GENERATE,
            (system(rules()), user(text)),
            self._form(options, may_write=may_write),
            sample,
        )

    def _form(self, options: Sequence[Outcome], *, may_write: bool) -> type[Choice] | type[Written]:
        ids = [*_ids(options), NONE, *([WRITTEN] if may_write else [])]
        edits = at_most(MOST_EDITS, edit_form(self._interface))
        if not may_write:
            return narrowed(Choice, option=one_of(ids), edits=edits)
        parameters = at_most(_MOST_PARAMETERS, Parameter)
        if not options:
            return narrowed(Written, parameters=parameters)
        return narrowed(FreeChoice, option=one_of(ids), edits=edits, parameters=parameters)

    def _option_lines(self, options: Sequence[Outcome]) -> Iterator[str]:
        for name, outcome in _ids(options).items():
            yield f"{name} {quoted(outcome.draft.words, 300)} -> {preview(outcome, self._context.name_of)}"

    # --- what comes back -----------------------------------------------------------------------------------------

    def _picked(self, reply: Reply, options: Sequence[Outcome], may_write: bool) -> _Pick:
        if isinstance(reply, Written):
            return _Pick(draft=self._new(_written(reply))) if reply.cypher.strip() else _Pick(objected=True)
        # A model that takes no option and writes a query all the same means the query.
        is_written = isinstance(reply, FreeChoice) and (reply.option == WRITTEN or bool(reply.cypher.strip()))
        if isinstance(reply, FreeChoice) and is_written and reply.option in (WRITTEN, NONE) and may_write:
            return _Pick(draft=self._new(_written(reply)))
        if reply.option == NONE:
            return _Pick(objected=True)
        chosen = _ids(options).get(reply.option)
        if chosen is None:
            raise Unusable(f"there is no option {reply.option}")
        if not reply.edits:
            return _Pick(outcome=chosen)
        edits = [Edit(**edit.model_dump()) for edit in reply.edits]
        return _Pick(draft=self._new(self._editor.edited(chosen.draft, edits)), invented=tuple(self._invented(edits)))

    def _invented(self, edits: Sequence[Edit]) -> Iterator[str]:
        """The values of conditions of which neither question nor findings have a word, in any form."""
        told = split_name(" ".join((self._asked.question, self._asked.text, *self._asked.known)))
        for edit in edits:
            words = split_name(edit.value) if edit.change == "filter" else []
            if words and not any(
                word == other or shared_stem(word, other) >= _SAME for word in words for other in told
            ):
                yield edit.value

    def _new(self, draft: Draft) -> Draft:
        if draft.key in self._tried:
            raise Unusable("that query was run before")
        return draft

    def _weighed(self, pick: _Pick, options: Sequence[Outcome]) -> _Pick:
        """A choice against what was seen: one that finds nothing, or that is far less likely, is none; each
        condition on a value that nothing said makes it less likely.
        """
        best = _first_acceptable(options)
        chosen = pick.draft or (pick.outcome.draft if pick.outcome else None)
        if chosen is None or best is None or pick.outcome is best or chosen.origin == WRITTEN:
            return pick
        if pick.outcome is not None and not pick.outcome.acceptable:
            raise Unusable(f"the choice is contradicted by the graph: {pick.outcome.fault}")
        behind = max(0.0, best.draft.likelihood - chosen.likelihood) + len(pick.invented)
        trust = self._context.settings.arcrag.trust
        if behind > trust or not trust:
            told = f" (nothing says {', '.join(map(quoted, pick.invented))})" if pick.invented else ""
            raise Unusable(f"the choice is {behind:.1f} less likely than the first reading, more than it weighs{told}")
        return pick

    # --- other options -------------------------------------------------------------------------------------------

    def _fresh(self, failed: Outcome, options: Sequence[Outcome]) -> list[Outcome]:
        """Options that were not run before: repairs of what failed; and those acceptable that were not chosen."""
        new = (d for d in self.repairs(failed.draft) if d.key not in self._tried)
        run = [self._executor.run(d, timeout=self._context.left()) for d in islice(new, _FRESH)]
        self._note(run)
        others = [o for o in options if o.acceptable and o.draft.key != failed.draft.key]
        return [*(o for o in run if o.acceptable), *others, *(o for o in run if not o.acceptable)][: 2 * _FRESH]

    def repairs(self, draft: Draft) -> Iterator[Draft]:
        """The same traversal with other predicates and bindings: values where the graph holds them, directions as the
        data have them, a condition less, a hop less."""
        if draft.pattern is None or draft.shown is None:
            return
        yield from self._values_elsewhere(draft)
        for at, hop in enumerate(draft.pattern.hops):
            if hop.direction != Direction.BOTH:
                yield _changed(draft, "hops", at, replace(hop, direction=Direction.BOTH), "either way")
        for at in range(len(draft.pattern.filters)):
            yield _changed(draft, "filters", at, None, "a condition less")
        if len(draft.pattern.hops) > 1:
            try:
                yield self._editor.edited(draft, [Edit(change="shorten")])
            except Unusable:
                return

    def _values_elsewhere(self, draft: Draft) -> Iterator[Draft]:
        """A text that no element has under one property, under the properties that do have it."""
        assert draft.pattern is not None
        if self._context.values is None:
            return
        labels = {n.name: n.labels for n in draft.pattern.nodes}
        for at, condition in enumerate(draft.pattern.filters):
            left = condition.left
            if not isinstance(left, Property) or not isinstance(condition.right, str):
                continue
            for held in self._context.values.near(condition.right):
                is_same = (held.key, held.values[0]) == (left.key, condition.right)
                if held.owner in labels.get(left.owner, ()) and not is_same:
                    operator: Operator = "contains" if held.is_piece else "="
                    moved = Filter(Property(left.owner, held.key), operator, held.values[0])
                    yield _changed(draft, "filters", at, moved, f"with {held.key} {quoted(held.values[0])}")


def _changed(draft: Draft, part: str, at: int, by: object, words: str) -> Draft:
    """The draft with one element of a tuple exchanged, or left out."""
    assert draft.pattern is not None
    assert draft.shown is not None

    def change(pattern: Pattern) -> Pattern:
        items = list(getattr(pattern, part))
        items[at : at + 1] = [by] if by is not None else []
        changes: dict[str, Any] = {part: tuple(items)}
        return replace(pattern, **changes)

    told = f"{draft.words} ({words})"
    return Draft(told, change(draft.pattern), change(draft.shown), likelihood=draft.likelihood, origin="repair")


def _ids(options: Sequence[Outcome]) -> dict[str, Outcome]:
    return {f"O{i}": outcome for i, outcome in enumerate(options, 1)}


def _labels(outcome: Outcome) -> Iterator[str]:
    for node in outcome.draft.pattern.nodes if outcome.draft.pattern else ():
        yield from node.labels


def _first_acceptable(options: Iterable[Outcome]) -> Outcome | None:
    return next((o for o in options if o.acceptable), None)


def _is_final(outcome: Outcome) -> bool:
    """Whether nothing is to be tried again: what wanted to write is not helped to."""
    return bool(set(outcome.refused) & WRITING)


WRITING = frozenset(("write", "administration", "load-csv", "in-transactions", "procedure"))


def _attempt_lines(attempts: Sequence[Outcome]) -> list[str]:
    lines = []
    for outcome in attempts[-_HISTORY:]:
        draft = outcome.draft
        text = quoted(draft.cypher or draft.words, 600) + (f" with {quoted(draft.params)}" if draft.params else "")
        remarks = "".join(f"; the database remarks: {quoted(n)}" for n in outcome.notices[:3])
        lines.append(f"{text} -> {quoted(outcome.fault, 400)}{remarks}")
    return lines


def _written(reply: FreeChoice | Written) -> Draft:
    """A query of the model's own, out of its fences, with its parameters."""
    fenced = _FENCED.findall(reply.cypher)
    cypher = (fenced[-1] if fenced else reply.cypher).strip().rstrip(";").strip()
    if not cypher:
        raise Unusable("the query is empty")
    params = {p.name.strip().removeprefix("$"): p.value for p in reply.parameters}
    return Draft("a query that the model wrote", cypher=cypher, params=params, origin="cypher")
