"""Plan: at most four ordered subplans over the interface, one always an open neighbourhood scan.

A subplan is a chain of relations from an entity, or from what an earlier subplan found. It is held against the
interface before anything runs: a chain that does not fit together is dropped, with the reason, a relation that was
merely taken the wrong way is turned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from arcgraph.arcrag.context import Asked, Context
from arcgraph.arcrag.edit import leading
from arcgraph.arcrag.interface import Interface, Key, Move
from arcgraph.arcrag.query import Draft
from arcgraph.domain import RESERVED_KEY, Anchor, Node, Schema
from arcgraph.graph.pattern import (
    Binding,
    Descriptor,
    Entity,
    Filter,
    Hop,
    Pattern,
    PatternNode,
    Projection,
    Property,
)
from arcgraph.interpret.assemble import THING, answering
from arcgraph.interpret.question import Intent
from arcgraph.llm.base import system, user
from arcgraph.llm.data import block, fitting, named, quoted, rules
from arcgraph.llm.reason import Ask, Decision, Unusable
from arcgraph.llm.schema import at_most, narrowed, one_of
from arcgraph.llm.stages import Stage
from arcgraph.resources import prompt

ANSWERS = ("entity", "value", "count", "yes_no")
PLANNED = "plan"
MOST_HOPS = 6
_HINTS = 6
_ATTEMPTS = 2
_MOST_STARTS = 500


class Way(BaseModel):
    """One path of a plan."""

    purpose: str = ""
    start: str
    relations: list[str] = []
    property: str = ""


class Planned(BaseModel):
    """A plan as a model says it."""

    answer: str
    paths: list[Way] = []


@dataclass(frozen=True, slots=True)
class Subplan:
    """A chain of moves from ``start``, or from what subplan number ``after`` (from 1) found; ``key`` is read at the
    end. ``meanings`` are for each move all relations that mean the same.
    """

    moves: tuple[Move, ...]
    start: Anchor | None = None
    after: int = 0
    key: Key | None = None
    meanings: tuple[tuple[Descriptor, ...], ...] = ()

    def words(self) -> str:
        """The chain as a person can check it."""
        begin = quoted(self.start.name) if self.start else f"what S{self.after} found"
        steps = " ".join(move.words().partition(" ")[2] for move in self.moves)
        return f"{begin} {steps}" + (f" . {named(self.key.key)}" if self.key else "")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked for, the subplans in order, and why others were dropped."""

    answer: str = ANSWERS[0]
    subplans: tuple[Subplan, ...] = ()
    dropped: tuple[str, ...] = ()


def plan(asked: Asked, context: Context, interface: Interface, hints: Sequence[str] = ()) -> Plan:
    """One call, and one more where no path of the first can be followed; without a model there is the scan alone."""
    most = context.settings.arcrag.subplans - 1
    if most < 1 or not interface.moves or not interface.anchors:
        return Plan()
    decision: Decision[Plan] = Decision(Plan())
    for sample in range(_ATTEMPTS):
        # What was wrong with the first one is told, so that the second is not the same again.
        fault = decision.why if sample else ""
        text = _prompt(asked, context, interface, hints, most, fault)
        ask = Ask(Stage.PLAN, (system(rules()), user(text)), _form(interface, most), sample)
        decision = context.reasoner.decide(ask, Plan(), lambda reply: validated(reply, interface, most))
        context.trace.note(
            "plan",
            "subplans",
            answer=decision.value.answer,
            subplans=[s.words() for s in decision.value.subplans],
            dropped=list(decision.value.dropped),
        )
        if decision.by == "model" or not context.reasoner.thinks:
            break
    return decision.value


def _prompt(asked: Asked, context: Context, interface: Interface, hints: Sequence[str], most: int, fault: str) -> str:
    settings = context.settings.arcrag
    return prompt(
        "plan",
        question=quoted(asked.question, len(asked.question)),
        asked=quoted(asked.text, len(asked.text)) if asked.text != asked.question else "",
        known=block(fitting(asked.known, settings.evidence_tokens // 2)) if asked.known else "",
        interface=block(fitting(interface.lines(context.schema), 2 * settings.schema_tokens)),
        hints=block(quoted(hint) for hint in hints[:_HINTS]) if hints else "",
        most=most,
        fault=fault,
    )


def _form(interface: Interface, most: int) -> type[Planned]:
    way = narrowed(
        Way,
        start=one_of([*interface.anchor_ids(), *(f"S{i}" for i in range(1, most))]),
        relations=at_most(MOST_HOPS, one_of(list(interface.move_ids()))),
        property=one_of(["", *interface.key_ids()]),
    )
    return narrowed(Planned, answer=one_of(ANSWERS), paths=at_most(most, way))


def validated(reply: Planned, interface: Interface, most: int) -> Plan:
    """The paths of a reply that hold together; raises :class:`Unusable` where none does."""
    kept: list[Subplan] = []
    dropped: list[str] = []
    numbers: dict[str, int] = {}
    for number, way in enumerate(reply.paths[:most], 1):
        try:
            kept.append(_subplan(way, interface, kept, numbers))
            numbers[f"S{number}"] = len(kept)
        except Unusable as fault:
            dropped.append(f"path {number}: {fault}")
    dropped += [f"path {n}: there are more than {most}" for n in range(most + 1, len(reply.paths) + 1)]
    if not kept:
        raise Unusable("; ".join(dropped) or "there is no path in the plan")
    return Plan(reply.answer, tuple(kept), tuple(dropped))


def _subplan(way: Way, interface: Interface, before: Sequence[Subplan], numbers: dict[str, int]) -> Subplan:
    after = numbers.get(way.start, 0)
    anchor = interface.anchor_ids().get(way.start)
    if anchor is None and not after:
        anchor = _fitting_start(way, interface)
    labels = anchor.labels if anchor else _end(before[after - 1])
    moves = _chain(way, labels, interface)
    end = moves[-1].end
    key = interface.key_ids().get(way.property)
    if key is not None and end and key.owner != end:
        key = None
    meanings = tuple(interface.meaning(m.descriptor) for m in moves)
    return Subplan(moves, anchor, after, key, meanings)


def _fitting_start(way: Way, interface: Interface) -> Anchor:
    """The first entity from which a chain leads on whose own beginning is not there (a path that begins at itself)."""
    for anchor in interface.anchors:
        try:
            _chain(way, anchor.labels, interface)
        except Unusable:
            continue
        return anchor
    raise Unusable(f"there is no {way.start} to begin at")


def _chain(way: Way, labels: tuple[str, ...], interface: Interface) -> tuple[Move, ...]:
    """The moves of a path from something with these labels, each turned where it fits only so."""
    known = interface.move_ids()
    moves: list[Move] = []
    for name in way.relations[:MOST_HOPS]:
        move = leading(known[name], labels)
        if move is None:
            raise Unusable(f"{name} does not lead on from {', '.join(map(named, labels))}")
        moves.append(move)
        labels = (move.end,) if move.end else ()
    if not moves:
        raise Unusable("it follows no relation")
    return tuple(moves)


def _end(subplan: Subplan) -> tuple[str, ...]:
    end = subplan.moves[-1].end
    return (end,) if end else ()


def compiled(subplan: Subplan, answer: str, schema: Schema, starts: Sequence[Node], most: int) -> Draft | None:
    """The one query of a subplan; ``None`` where what it begins at was not found."""
    binding = _binding(subplan, schema, starts)
    if binding is None:
        return None
    nodes, hops = [PatternNode("a0")], []
    for i, move in enumerate(subplan.moves):
        name = THING if i == len(subplan.moves) - 1 else f"n{i}"
        nodes.append(PatternNode(name, (move.end,) if move.end else ()))
        hops.append(Hop(f"r{i}", nodes[-2].name, name, subplan.meanings[i], move.direction))
    match = Pattern(tuple(nodes), tuple(hops), (binding,), (Filter(Entity(THING), "<>", Entity("a0")),))
    pattern = _returning(match, subplan, answer, most)
    return Draft(subplan.words(), pattern, pattern, origin=PLANNED)


def _binding(subplan: Subplan, schema: Schema, starts: Sequence[Node]) -> Binding | None:
    handle = RESERVED_KEY if schema.loaded else None
    if subplan.start is not None:
        ids = subplan.start.ids if schema.loaded else subplan.start.element_ids
    else:
        ids = tuple(n.id if schema.loaded else n.element_id for n in starts[:_MOST_STARTS])
    return Binding("a0", handle, ids) if ids else None


def _returning(match: Pattern, subplan: Subplan, answer: str, most: int) -> Pattern:
    """A list with the number of ways to each; with a property the entity and its value; a number where one is asked."""
    if subplan.key is not None:
        shown = Projection(Property(THING, subplan.key.key), subplan.key.key)
        return match.returning(Projection(Entity(THING), THING), shown, distinct=True)
    return answering(match, Intent.COUNT if answer == "count" else Intent.LIST, most)
