"""Edits: the changes to an offered pattern that a model can ask for, each over names of the interface alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

from neo4j.time import Date
from pydantic import BaseModel, create_model

from arcgraph.arcrag.interface import Interface, Key, Move, turned
from arcgraph.arcrag.query import Draft
from arcgraph.domain import Schema
from arcgraph.graph.iso import parse_datetime
from arcgraph.graph.pattern import (
    Aggregate,
    Entity,
    Filter,
    Hop,
    Order,
    Pattern,
    PatternNode,
    Projection,
    Property,
)
from arcgraph.interpret.assemble import PATHS, THING, answering
from arcgraph.interpret.question import Intent
from arcgraph.llm.data import named, quoted
from arcgraph.llm.reason import Unusable
from arcgraph.llm.schema import one_of

EXTENDING, FILTERING, PLAIN = ("extend",), ("filter",), ("shorten", "count")
OF_PROPERTY, RANKING = ("show", "sum", "avg", "min", "max"), ("highest", "lowest")
OPERATORS = (
    "=", "<>", "<", "<=", ">", ">=", "contains", "starts with", "ends with", "not contains", "not starts with",
    "not ends with", "is null", "is not null",
)  # fmt: skip
MOST_EDITS = 4


class Edit(BaseModel):
    """One change. What a change does not need is empty."""

    change: str
    relation: str = ""
    property: str = ""
    operator: str = ""
    value: str = ""


def edit_form(interface: Interface) -> Any:
    """The type of the edits that an interface allows: for each kind of change only what it needs, so that none can be
    said without."""
    relation, key = list(interface.move_ids()), list(interface.key_ids())
    forms = [create_model("Plain", change=(one_of(PLAIN), ...))]
    if relation:
        forms.append(create_model("Extension", change=(one_of(EXTENDING), ...), relation=(one_of(relation), ...)))
    if key:
        of_key: dict[str, Any] = {"property": (one_of(key), ...)}
        forms += [
            create_model("OfProperty", change=(one_of(OF_PROPERTY), ...), **of_key),
            create_model("Ranked", change=(one_of(RANKING), ...), **of_key, value=(str, "")),
            create_model(
                "Condition",
                change=(one_of(FILTERING), ...),
                **of_key,
                operator=(one_of(OPERATORS), ...),
                value=(str, ""),
            ),
        ]
    return reduce(or_, forms)


@dataclass(frozen=True, slots=True)
class Editor:
    """Changes drafts by the names of an interface."""

    interface: Interface
    schema: Schema
    most_rows: int

    def edited(self, draft: Draft, edits: Sequence[Edit]) -> Draft:
        """The draft with all edits, in order; raises :class:`Unusable` for one that cannot be made."""
        for edit in edits[:MOST_EDITS]:
            draft = self._one(draft, edit)
        return draft

    def _one(self, draft: Draft, edit: Edit) -> Draft:
        if draft.pattern is None or draft.shown is None:
            raise Unusable("only a pattern can be edited")
        change = self._change(draft.pattern, edit)
        words = f"{draft.words}, {self._words(edit)}"
        made = Draft(words, change(draft.pattern), change(draft.shown), likelihood=draft.likelihood, origin="edit")
        try:
            made.text()
        except ValueError as error:
            raise Unusable(f"{edit.change} cannot be done there: {error}") from None
        return made

    def _change(self, pattern: Pattern, edit: Edit) -> Callable[[Pattern], Pattern]:
        if edit.change == "extend":
            return self._extension(pattern, self._move(edit))
        if edit.change == "shorten":
            return self._shortened
        if edit.change == "count":
            return lambda p: p.returning(Projection(Aggregate("count", Entity(asked(p)), distinct=True), "count"))
        prop = self._property(pattern, edit)
        if edit.change == "filter":
            condition = self._condition(prop, edit)
            return lambda p: replace(p, filters=(*p.filters, condition))
        if edit.change == "show":
            return lambda p: _showing(p, prop)
        if edit.change in ("highest", "lowest"):
            most = _whole(edit.value)
            return lambda p: _ranked(_showing(p, prop), prop, most, descending=edit.change == "highest")
        function: Any = edit.change
        return lambda p: p.returning(Projection(Aggregate(function, prop), f"{edit.change} {prop.key}"))

    def _words(self, edit: Edit) -> str:
        """What an edit does, without the fields that it has no use for."""
        key = self.interface.key_ids().get(edit.property)
        name, value = named(key.key) if key else "", quoted(edit.value) if edit.value else ""
        match edit.change:
            case "extend":
                parts = [self._move(edit).words()]
            case "shorten" | "count":
                parts = []
            case "filter":
                parts = [name, edit.operator, value if "null" not in edit.operator else ""]
            case "highest" | "lowest":
                parts = [str(_whole(edit.value)), "by", name]
            case _:
                parts = [name]
        return " ".join(part for part in (edit.change, *parts) if part)

    # --- hops ----------------------------------------------------------------------------------------------------

    def _move(self, edit: Edit) -> Move:
        move = self.interface.move_ids().get(edit.relation)
        if move is None:
            raise Unusable(f"{edit.change} needs a relation")
        return move

    def _extension(self, pattern: Pattern, move: Move) -> Callable[[Pattern], Pattern]:
        at = asked(pattern)
        labels = next(n.labels for n in pattern.nodes if n.name == at)
        leaving = leading(move, labels)
        if leaving is None:
            raise Unusable(f"the relation does not leave {', '.join(map(named, labels))}")
        name, hop = f"y{len(pattern.hops)}", f"r{len(pattern.hops)}"
        far = PatternNode(name, (leaving.end,) if leaving.end else ())

        def extended(p: Pattern) -> Pattern:
            hops = (*p.hops, Hop(hop, at, name, self.interface.meaning(leaving.descriptor), leaving.direction))
            return listing_of(replace(p, nodes=(*p.nodes, far), hops=hops), name, self.most_rows)

        return extended

    def _shortened(self, pattern: Pattern) -> Pattern:
        if len(pattern.hops) < 2:
            raise Unusable("there is no hop to leave out")
        *hops, last = pattern.hops
        at = asked(pattern)
        if at not in (last.start, last.end):
            raise Unusable("what is asked for is not at the end")
        near = last.start if last.end == at else last.end
        nodes = tuple(n for n in pattern.nodes if n.name != at)
        filters = tuple(f for f in pattern.filters if at not in (f.left.owner, getattr(f.right, "owner", "")))
        bindings = tuple(b for b in pattern.bindings if b.node != at)
        shorter = replace(pattern, nodes=nodes, hops=tuple(hops), filters=filters, bindings=bindings)
        return listing_of(shorter, near, self.most_rows)

    # --- properties ----------------------------------------------------------------------------------------------

    def _property(self, pattern: Pattern, edit: Edit) -> Property:
        key = self.interface.key_ids().get(edit.property)
        if key is None:
            raise Unusable(f"{edit.change} needs a property")
        return Property(_owner(pattern, key), key.key)

    def _condition(self, prop: Property, edit: Edit) -> Filter:
        operator: Any = edit.operator
        if operator not in OPERATORS:
            raise Unusable("filter needs an operator")
        if operator in ("is null", "is not null"):
            return Filter(prop, operator)
        key = self.interface.key_ids()[edit.property]
        kind = self.schema.labels[key.owner].properties[key.key].type
        return Filter(prop, operator, typed(edit.value, kind))


def asked(pattern: Pattern) -> str:
    """The node variable that a pattern asks for."""
    columns = {p.name: p.expression for p in pattern.returns if not p.hidden}
    first = columns.get(THING) or next(iter(columns.values()), None)
    of = first.of if isinstance(first, Aggregate) else first
    nodes = [n.name for n in pattern.nodes]
    if isinstance(of, Property | Entity) and of.owner in nodes:
        return of.owner
    return THING if THING in nodes else nodes[-1]


def listing_of(pattern: Pattern, node: str, most: int) -> Pattern:
    """The match as a list of one of its nodes, with the number of ways to each."""
    listed = answering(pattern, Intent.LIST, most)
    return replace(listed, returns=(Projection(Entity(node), THING), Projection(Aggregate("count"), PATHS)))


def leading(move: Move, labels: Sequence[str]) -> Move | None:
    """A move as it can leave a node with these labels, as far as they tell: turned where it fits only so."""
    ways = (move, turned(move))
    return next((way for way in ways if not way.start or not labels or way.start in labels), None)


def _owner(pattern: Pattern, key: Key) -> str:
    """The node of a pattern that bears a property: the asked one if it can, else the last that can."""
    at = asked(pattern)
    bearers = [n.name for n in pattern.nodes if not n.labels or key.owner in n.labels]
    if not bearers:
        raise Unusable(f"nothing in it is a {named(key.owner)}")
    return at if at in bearers else bearers[-1]


def _showing(pattern: Pattern, prop: Property) -> Pattern:
    """The pattern with a column for a property, beside the entity where it lists some."""
    kept = tuple(p for p in pattern.returns if not isinstance(p.expression, Aggregate))
    if any(p.expression == prop for p in kept):
        return pattern
    taken = {p.name for p in kept}
    name = prop.key if prop.key not in taken else f"{prop.owner} {prop.key}"
    return pattern.returning(*kept, Projection(prop, name), distinct=True)


def _ranked(pattern: Pattern, prop: Property, most: int, *, descending: bool) -> Pattern:
    column = next(p.name for p in pattern.returns if p.expression == prop)
    known = Filter(prop, "is not null")
    filters = pattern.filters if known in pattern.filters else (*pattern.filters, known)
    return replace(pattern, filters=filters, order=(Order(column, descending),), limit=most)


def _whole(text: str) -> int:
    return int(text) if text.isdigit() and int(text) > 0 else 1


def typed(text: str, kind: str) -> Any:
    """A text as a value of a property's type; raises :class:`Unusable` where it is none."""
    try:
        match kind:
            case "integer":
                return int(text) if text.lstrip("-").isdigit() else float(text)
            case "float":
                return float(text)
            case "boolean":
                return {"true": True, "false": False}[text.lower()]
            case "date":
                return Date.from_iso_format(text if text.count("-") == 2 else f"{int(text):04d}-01-01")
            case "datetime" | "localdatetime":
                return parse_datetime(text)
            case _:
                return text
    except (ValueError, KeyError, TypeError):
        raise Unusable(f"{quoted(text)} is no {kind}") from None
