"""Compiles a :class:`~arcgraph.graph.pattern.Pattern` to one parameterised, read-only Cypher query per dialect.

Every label, type and key is quoted by construction and every value is a parameter, so no text of a graph or a question
can become syntax. All hops stand in one MATCH: Cypher then uses no edge twice.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from neo4j.time import Duration

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL
from arcgraph.graph.names import quote, stored_key
from arcgraph.graph.pattern import (
    Aggregate,
    Aside,
    Binding,
    Calculation,
    Descriptor,
    Difference,
    Direction,
    Entity,
    Expression,
    Filter,
    Grouped,
    Having,
    Hop,
    Measure,
    Operand,
    Order,
    Part,
    Pattern,
    PatternNode,
    Projection,
    Property,
    Yardstick,
)

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_AGGREGATES = frozenset({"count", "sum", "avg", "min", "max", "collect", "exists"})
_ORDERS = frozenset(("<", "<=", ">", ">="))
_MOMENT = "localdatetime('1970-01-01T00:00:00')"
_DENIED = {"not contains": "CONTAINS", "not starts with": "STARTS WITH", "not ends with": "ENDS WITH"}
_COMPARISONS = frozenset(
    {"=", "<>", "<", "<=", ">", ">=", "in", "contains", "starts with", "ends with", "overlaps", *_DENIED}
)
_NULL_TESTS = frozenset({"is null", "is not null"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between engines: how a property key is stored, and how an element id is compared."""

    name: str
    key: Callable[[str], str]
    id_test: Callable[[str, str], str]
    """(variable, parameter holding a list of element ids) -> condition."""
    id_one: Callable[[str, str], str]
    """(variable, parameter holding one element id) -> condition."""
    id_text: Callable[[str], str] = "elementId({})".format
    """Variable -> the element id as a text."""
    tests_type_by_label: bool = True
    """Whether ``r:TYPE`` is a condition on a relationship."""
    indexes_under_reserved: bool = False
    """Whether indexes of ordinary properties are kept under the reserved label, too."""
    repeats_labels: bool = False
    """Whether a bound node that begins another branch is written with its labels again: the embedded engine would
    otherwise begin at the branch's other end, and join every node there."""
    tells_edges_apart: bool = False
    """Whether a part of several hops needs a condition: without one the embedded engine takes a shortcut that misses
    what an edge from a node to itself completes."""


DIALECTS = {
    "neo4j": Dialect("neo4j", str, lambda v, p: f"elementId({v}) IN {p}", lambda v, p: f"elementId({v}) = {p}"),
    # elementId() came to Memgraph only in mid-2026; id() is an integer there, ours are strings.
    "memgraph": Dialect(
        "memgraph",
        str,
        lambda v, p: f"id({v}) IN [_i IN {p} | toInteger(_i)]",
        lambda v, p: f"id({v}) = toInteger({p})",
        "toString(id({}))".format,
        tests_type_by_label=False,
    ),
    "embedded": Dialect(
        "embedded",
        stored_key,
        lambda v, p: f"elementId({v}) IN {p}",
        lambda v, p: f"elementId({v}) = {p}",
        indexes_under_reserved=True,
        repeats_labels=True,
        tells_edges_apart=True,
    ),
}


def compile_pattern(pattern: Pattern, dialect: str = "neo4j") -> tuple[str, dict[str, Any]]:
    """Query text and parameters; raises ``ValueError`` naming what is malformed in the pattern."""
    if dialect not in DIALECTS:
        raise ValueError(f"unknown dialect {dialect!r}; there are {', '.join(DIALECTS)}")
    validate(pattern)
    writer = _Writer(DIALECTS[dialect])
    lines = writer.yardstick(pattern.yardstick) if pattern.yardstick is not None else []
    match = writer.match(pattern)
    where = writer.where(pattern)
    # What is held against a yardstick is so as well where nothing matches.
    lines.append(f"{'OPTIONAL ' if _calculation(pattern) else ''}MATCH {match}")
    if where:
        lines.append("WHERE " + " AND ".join(where))
    lines += [f"OPTIONAL MATCH {writer.found(part)}" for part in pattern.optional]
    lines += writer.grouped(pattern)
    lines += [line for aside in pattern.asides for line in writer.aside(pattern, aside)]
    lines += writer.tail(pattern)
    return "\n".join(lines), writer.params


@dataclass
class _Writer:
    dialect: Dialect
    params: dict[str, Any] = field(default_factory=dict)
    carried: dict[Operand, str] = field(default_factory=dict)
    """What was worked out before, by the variable that stands for it."""

    def param(self, value: Any) -> str:
        name = f"p{len(self.params)}"
        self.params[name] = value
        return f"${name}"

    # --- before the match ----------------------------------------------------------------------------------------

    def yardstick(self, yardstick: Yardstick) -> list[str]:
        """A value that the match is compared with."""
        match, name = f"MATCH {self.found(yardstick.part)}", _measured(yardstick.name)
        made = self._expression(yardstick.aggregate)
        self.carried[Measure(yardstick.name)] = name
        return [match, f"WITH {made} AS {name}"]

    # --- MATCH ---------------------------------------------------------------------------------------------------

    def match(self, pattern: Pattern) -> str:
        return self._part(pattern.nodes, pattern.hops, pattern.bindings)

    def _part(self, nodes: Sequence[PatternNode], hops: Sequence[Hop], bindings: Sequence[Binding]) -> str:
        """Paths over some nodes and hops; nodes of another part are written by their name alone."""
        labels = {node.name: self._labels(node, bindings) for node in nodes}
        written: set[str] = set()

        def node(name: str, *, begins: bool = False) -> str:
            again = begins and self.dialect.repeats_labels
            shown = () if name in written and not again else labels.get(name, ())
            suffix = "".join(":" + quote(label) for label in shown)
            written.add(name)
            return f"({name}{suffix})"

        parts = [self._chain(chain, node) for chain in _chains(hops)]
        parts += [node(n.name) for n in nodes if n.name not in written]
        return ", ".join(parts)

    def _chain(self, chain: Iterable[Hop], node: Callable[..., str]) -> str:
        text = ""
        for hop in chain:
            text = (text or node(hop.start, begins=True)) + self._edge(hop) + node(hop.end)
        return text

    def _labels(self, node: PatternNode, bindings: Iterable[Binding]) -> tuple[str, ...]:
        keys = [b.key for b in bindings if b.node == node.name and b.key is not None]
        indexed = RESERVED_KEY in keys or (keys and self.dialect.indexes_under_reserved)
        return ((RESERVED_LABEL,) if indexed else ()) + node.labels

    def _edge(self, hop: Hop) -> str:
        types = "|".join(quote(t) for t in dict.fromkeys(d.type for d in hop.descriptors))
        inner = f"[{hop.name}:{types}]" if types else f"[{hop.name}]"
        left, right = {Direction.OUT: ("-", "->"), Direction.IN: ("<-", "-"), Direction.BOTH: ("-", "-")}[hop.direction]
        return left + inner + right

    # --- WHERE ---------------------------------------------------------------------------------------------------

    def where(self, pattern: Pattern) -> list[str]:
        absent = [f"NOT EXISTS {{ MATCH {self.found(part)} }}" for part in pattern.absent]
        return self._conditions(pattern) + absent + [self._choice(parts) for parts in pattern.choices]

    def _conditions(self, part: Pattern | Part) -> list[str]:
        conditions = [self._binding(b) for b in part.bindings]
        conditions += [c for hop in part.hops if (c := self._descriptors(hop))]
        return conditions + [self._filter(f) for f in part.filters]

    def found(self, part: Part) -> str:
        """A part with its conditions, as it stands behind MATCH."""
        match, conditions = self._part(part.nodes, part.hops, part.bindings), self._conditions(part)
        if self.dialect.tells_edges_apart and not conditions and len(part.hops) > 1:
            conditions = [f"{part.hops[0].name} <> {part.hops[1].name}"]
        return match + (f" WHERE {' AND '.join(conditions)}" if conditions else "")

    def _choice(self, parts: Iterable[Part]) -> str:
        tests = [
            f"EXISTS {{ MATCH {self.found(part)} }}" if part.hops else f"({' AND '.join(self._conditions(part))})"
            for part in parts
        ]
        return f"({' OR '.join(tests)})"

    def _binding(self, binding: Binding) -> str:
        if binding.key is None:
            if len(binding.values) == 1:
                return self.dialect.id_one(binding.node, self.param(binding.values[0]))
            return self.dialect.id_test(binding.node, self.param(list(binding.values)))
        left = self._property(Property(binding.node, binding.key))
        if len(binding.values) == 1:
            return f"{left} = {self.param(binding.values[0])}"
        return f"{left} IN {self.param(list(binding.values))}"

    def _descriptors(self, hop: Hop) -> str:
        """The condition that edge types alone do not express; empty where they do."""
        valued = [d for d in hop.descriptors if d.key is not None]
        if not valued:
            return ""
        homes = {(d.type, d.key) for d in hop.descriptors}
        if len(homes) == 1:
            left = self._property(Property(hop.name, valued[0].key or ""))
            values = [d.value for d in valued]
            return f"{left} = {self.param(values[0])}" if len(values) == 1 else f"{left} IN {self.param(values)}"
        return "(" + " OR ".join(self._descriptor(hop.name, d) for d in hop.descriptors) + ")"

    def _descriptor(self, hop: str, descriptor: Descriptor) -> str:
        if self.dialect.tests_type_by_label:
            test = f"{hop}:{quote(descriptor.type)}"
        else:
            test = f"type({hop}) = {self.param(descriptor.type)}"
        if descriptor.key is None:
            return test
        return f"({test} AND {self._property(Property(hop, descriptor.key))} = {self.param(descriptor.value)})"

    def _filter(self, condition: Filter) -> str:
        left = self._operand(condition.left)
        if condition.operator in _NULL_TESTS:
            return f"{left} {condition.operator.upper()}"
        right = condition.right
        if condition.operator == "overlaps":
            return f"any(_i IN {left} WHERE _i IN {self.param(list(right))})"
        if isinstance(right, Property | Entity | Measure):
            return _tested(left, condition.operator, self._operand(right))
        if condition.operator in _ORDERS and isinstance(right, Duration | timedelta):
            # Cypher orders moments, and no durations: what is as long after one moment is.
            left, told = f"{_MOMENT} + {left}", f"{_MOMENT} + {self.param(right)}"
            return _tested(left, condition.operator, told)
        return _tested(left, condition.operator, self.param(right))

    def _operand(self, operand: Operand) -> str:
        if operand in self.carried:
            return self.carried[operand]
        assert not isinstance(operand, Measure)
        return self._property(operand) if isinstance(operand, Property) else operand.owner

    def _property(self, prop: Property) -> str:
        key = prop.key if prop.key == RESERVED_KEY else self.dialect.key(prop.key)
        plain = f"{prop.owner}.{quote(key)}"
        if prop.part == "year":
            return f"toInteger(substring(toString({plain}), 0, 4))"
        if prop.part == "month":
            return f"substring(toString({plain}), 0, 7)"
        return f"toFloat({plain})" if prop.numeric else plain

    # --- RETURN --------------------------------------------------------------------------------------------------

    def grouped(self, pattern: Pattern) -> list[str]:
        """The first grouping, where there is one."""
        first = pattern.grouped
        if first is None:
            return []
        keys = [p.expression for p in pattern.returns if isinstance(p.expression, Property | Entity)]
        handed: dict[Operand, str] = {
            key: f"key_{i}" for i, key in enumerate(dict.fromkeys(keys)) if key.owner not in first.by
        }
        made = [f"{self._operand(key)} AS {name}" for key, name in handed.items()]
        made += [f"{self._expression(m.expression)} AS {_measured(m.name)}" for m in first.measures]
        conditions = [_tested(_measured(h.column), h.operator, self.param(h.value)) for h in first.having]
        self.carried = handed | {Measure(m.name): _measured(m.name) for m in first.measures}
        lines = ["WITH " + ", ".join([*first.by, *made])]
        return lines + (["WHERE " + " AND ".join(conditions)] if conditions else [])

    def aside(self, pattern: Pattern, aside: Aside) -> list[str]:
        """One more branch, aggregated for each group that there is so far."""
        assert pattern.grouped is not None
        match = f"MATCH {self.found(aside.part)}"
        made = [f"{self._expression(m.expression)} AS {_measured(m.name)}" for m in aside.measures]
        handed = [*pattern.grouped.by, *self.carried.values()]
        self.carried |= {Measure(m.name): _measured(m.name) for m in aside.measures}
        return [match, "WITH " + ", ".join([*handed, *made])]

    def calculation(self, column: Calculation, name: str) -> list[str]:
        """What an aggregate of the match is beside the yardstick."""
        left, right = _measured("left"), self.carried[column.right]
        made = {
            "/": f"CASE WHEN {right} = 0 THEN null ELSE toFloat({left}) / {right} END",
            "percent of": f"CASE WHEN {right} = 0 THEN null ELSE 100.0 * {left} / {right} END",
        }.get(column.operator, f"{left} {column.operator} {right}")
        return [f"WITH {right}, {self._expression(column.left)} AS {left}", f"RETURN {made} AS {quote(name)}"]

    def tail(self, pattern: Pattern) -> list[str]:
        if (column := _calculation(pattern)) is not None:
            return [*self.calculation(column, pattern.returns[0].name), *self._cut(pattern)]
        columns = ", ".join(f"{self._expression(p.expression)} AS {quote(p.name)}" for p in pattern.returns)
        distinct = "DISTINCT " if pattern.distinct else ""
        # The alias is repeated because the embedded engine would otherwise mangle a quoted column's name.
        names = ", ".join(f"{quote(p.name)} AS {quote(p.name)}" for p in pattern.returns if not p.hidden)
        cut = self._cut(pattern)
        if pattern.having or any(p.hidden for p in pattern.returns):
            conditions = " AND ".join(self._having(h) for h in pattern.having)
            lines = [f"WITH {distinct}{columns}"] + ([f"WHERE {conditions}"] if conditions else [])
            if any(p.hidden for p in pattern.returns):
                # What is not returned can order rows only before they are returned.
                return [lines[0], *cut, *lines[1:], f"RETURN {names}"] if not (cut and conditions) else [
                    *lines, f"WITH {self._again(pattern)}", *cut, f"RETURN {names}"
                ]  # fmt: skip
            return [*lines, f"RETURN {distinct}{names}", *cut]
        return [f"RETURN {distinct}{columns}", *cut]

    def _again(self, pattern: Pattern) -> str:
        return ", ".join(f"{quote(p.name)} AS {quote(p.name)}" for p in pattern.returns)

    def _cut(self, pattern: Pattern) -> list[str]:
        """Order, skip and limit."""
        lines: list[str] = []
        if pattern.order:
            counts = {p.name for p in pattern.returns if _never_null(p.expression)}
            lines.append("ORDER BY " + ", ".join(self._order(o, o.column in counts) for o in pattern.order))
        if pattern.skip:
            lines.append(f"SKIP {int(pattern.skip)}")
        if pattern.limit is not None:
            lines.append(f"LIMIT {int(pattern.limit)}")
        return lines

    def _expression(self, expression: Expression) -> str:
        assert not isinstance(expression, Calculation)
        if isinstance(expression, Difference):
            return f"{self._property(expression.left)} - {self._property(expression.right)}"
        if not isinstance(expression, Aggregate):
            return self._operand(expression)
        if expression.function == "exists":
            return "count(*) > 0"
        if expression.of is None:
            return "count(*)"
        distinct = "DISTINCT " if expression.distinct else ""
        return f"{expression.function}({distinct}{self._operand(expression.of)})"

    def _having(self, having: Having) -> str:
        if having.operator in _NULL_TESTS:
            return f"{quote(having.column)} {having.operator.upper()}"
        return _tested(quote(having.column), having.operator, self.param(having.value))

    def _order(self, order: Order, never_null: bool) -> str:
        column = quote(order.column)
        if not order.descending:
            return column
        # Cypher sorts nulls first when descending: the top of a list would be what nobody knows.
        return f"{column} DESC" if never_null else f"{column} IS NULL, {column} DESC"


def _chains(hops: Iterable[Hop]) -> list[deque[Hop]]:
    """Hops as few paths, each as long as it gets: an engine that joins paths node by node has little left to join."""
    chains: list[deque[Hop]] = []
    for hop in hops:
        last = chains[-1] if chains else None
        if last is not None and hop.start == last[-1].end:
            last.append(hop)
        elif last is not None and hop.start == last[0].start and all(hop.end not in (h.start, h.end) for h in last):
            last.appendleft(_turned(hop))
        else:
            chains.append(deque((hop,)))
    return chains


def _turned(hop: Hop) -> Hop:
    return replace(hop, start=hop.end, end=hop.start, direction=hop.direction.opposite)


def _calculation(pattern: Pattern) -> Calculation | None:
    """The calculation that is a pattern's only column, if it is one."""
    first = pattern.returns[0].expression if pattern.returns else None
    return first if isinstance(first, Calculation) else None


def _measured(name: str) -> str:
    return quote(f"measure {name}")


def _never_null(expression: Expression) -> bool:
    return isinstance(expression, Aggregate) and expression.function in ("count", "exists")


# --- validity ----------------------------------------------------------------------------------------------------


def validate(pattern: Pattern) -> None:
    """Raises ``ValueError`` with every reason why a pattern cannot be compiled."""
    faults = list(_faults(pattern))
    if faults:
        raise ValueError("malformed pattern: " + "; ".join(faults))


def _faults(pattern: Pattern) -> Iterable[str]:
    if not pattern.nodes:
        yield "it has no node"
    yield from _part_faults(pattern)
    outer = _names(pattern.nodes), _names(pattern.hops)
    for part in pattern.absent:
        if not part.hops and not (part.nodes and part.filters):
            yield "what must be absent has neither a hop nor a node with a condition"
        yield from _part_faults(part, *outer)
    for parts in pattern.choices:
        if len(parts) < 2:
            yield "a choice has less than two parts"
        for part in parts:
            if not part.hops and (part.nodes or not (part.filters or part.bindings)):
                yield "a part of a choice has neither hop nor condition"
            yield from _part_faults(part, *outer)
    optional: set[str] = set()
    for part in pattern.optional:
        if not part.hops:
            yield "what is optional has no hop"
        yield from _part_faults(part, *outer)
        own = {*_names(part.nodes), *_names(part.hops)}
        if own & optional:
            yield "two elements bear the same variable name"
        optional |= own
    known = {*outer[0], *outer[1], *optional}
    yield from _yardstick_faults(pattern)
    if pattern.grouped is not None:
        yield from _group_faults(pattern.grouped, known, optional)
    yield from _aside_faults(pattern)
    # Engines differ in whether what is not there is a group of its own.
    for projection in pattern.returns:
        if isinstance(projection.expression, Property | Entity) and projection.expression.owner in optional:
            yield f"column {projection.name!r} returns what is optional; only aggregates may"
    yield from _return_faults(pattern, known)
    yield from _calculation_faults(pattern)


def _names(elements: Iterable[PatternNode | Hop]) -> list[str]:
    return [element.name for element in elements]


def _part_faults(
    part: Pattern | Part, outer_nodes: Sequence[str] = (), outer_hops: Sequence[str] = ()
) -> Iterable[str]:
    """What is wrong with nodes, hops and conditions, beside which those of an outer part can be spoken of."""
    nodes, own = [*outer_nodes, *_names(part.nodes)], [*_names(part.nodes), *_names(part.hops)]
    known = {*nodes, *outer_hops, *own}
    if len(known) != len(outer_nodes) + len(outer_hops) + len(own):
        yield "two elements bear the same variable name"
    yield from (f"{name!r} is no variable name" for name in own if not _VARIABLE.match(name))
    for hop in part.hops:
        yield from (f"hop {hop.name!r} ends at unknown node {n!r}" for n in (hop.start, hop.end) if n not in nodes)
    yield from (f"binding of unknown node {b.node!r}" for b in part.bindings if b.node not in nodes)
    yield from (f"binding of {b.node!r} to nothing" for b in part.bindings if not b.values)
    yield from _condition_faults(part.filters, known)


def _tested(left: str, operator: str, right: str) -> str:
    """Two operands compared."""
    if operator in _DENIED:
        return f"NOT ({left} {_DENIED[operator]} {right})"
    return f"{left} {operator.upper()} {right}"


def _condition_faults(filters: Iterable[Filter], known: set[str]) -> Iterable[str]:
    for condition in filters:
        for operand in (condition.left, condition.right):
            if isinstance(operand, Property | Entity) and operand.owner not in known:
                yield f"filter on unknown element {operand.owner!r}"
        if condition.operator not in _COMPARISONS | _NULL_TESTS:
            yield f"unknown operator {condition.operator!r}"
        if condition.operator == "overlaps" and not isinstance(condition.right, list | tuple):
            yield "'overlaps' compares with a list of values"
        if condition.operator in _COMPARISONS and condition.right is None:
            yield f"{condition.operator!r} compares with nothing; use 'is null' or 'is not null'"


def _yardstick_faults(pattern: Pattern) -> Iterable[str]:
    """What is wrong with the value that is known before, and with conditions that compare with it."""
    yardstick = pattern.yardstick
    measures = [m.name for m in pattern.grouped.measures] if pattern.grouped is not None else []
    around = [*pattern.absent, *(part for parts in pattern.choices for part in parts), *pattern.optional]
    around += [aside.part for aside in pattern.asides]
    if yardstick is not None:
        if yardstick.name in measures:
            yield "two measures bear the same name"
        if not yardstick.part.nodes:
            yield "the yardstick has no node"
        if yardstick.aggregate.of is None:
            yield "the yardstick aggregates nothing"
        around.append(yardstick.part)
        yield from _part_faults(yardstick.part)
        own = {*_names(yardstick.part.nodes), *_names(yardstick.part.hops)}
        yield from _expression_faults(Projection(yardstick.aggregate, yardstick.name), own, ())
    for condition in pattern.filters:
        if isinstance(condition.right, Measure) and (yardstick is None or condition.right.name != yardstick.name):
            yield f"a condition compares with unknown yardstick {condition.right.name!r}"
    if any(isinstance(condition.right, Measure) for part in around for condition in part.filters):
        yield "what is around a match is compared with a yardstick; only the match itself may be"


def _calculation_faults(pattern: Pattern) -> Iterable[str]:
    """What is wrong with a column that is held against the yardstick."""
    for projection in pattern.returns:
        column = projection.expression
        if not isinstance(column, Calculation):
            continue
        if pattern.yardstick is None or pattern.yardstick.name != column.right.name:
            yield f"column {projection.name!r} is held against unknown yardstick {column.right.name!r}"
        if column.left.of is None or column.left.function in ("exists", "collect"):
            yield f"column {projection.name!r} calculates with what is no number of elements or values"
        more = (pattern.grouped, pattern.optional, pattern.asides, pattern.having, pattern.order)
        if len(pattern.returns) > 1 or projection.hidden or any(more):
            yield f"column {projection.name!r} is a calculation beside which nothing can be"


def _group_faults(first: Grouped, known: set[str], optional: set[str]) -> Iterable[str]:
    """What is wrong with a first grouping."""
    yield from (f"grouping by unknown element {name!r}" for name in first.by if name not in known)
    yield from (f"grouping by {name!r}, which is optional" for name in first.by if name in optional)
    names = [m.name for m in first.measures]
    if len(set(names)) != len(names):
        yield "two measures bear the same name"
    for measure in first.measures:
        if not isinstance(measure.expression, Aggregate) or isinstance(measure.expression.of, Measure):
            yield f"measure {measure.name!r} is no aggregate of matches"
        else:
            yield from _expression_faults(measure, known, ())
    yield from (f"a condition on unknown measure {h.column!r}" for h in first.having if h.column not in names)


def _aside_faults(pattern: Pattern) -> Iterable[str]:
    """What is wrong with branches that are aggregated by themselves, and with the columns beside them."""
    if not pattern.asides:
        return
    if pattern.grouped is None:
        yield "a branch is aggregated by itself, and nothing was grouped before"
        return
    by = pattern.grouped.by
    nodes = [name for name in _names(pattern.nodes) if name in by]
    hops = [name for name in _names(pattern.hops) if name in by]
    taken = {*_names(pattern.nodes), *_names(pattern.hops)}
    names = [m.name for m in pattern.grouped.measures]
    for aside in pattern.asides:
        own = [*_names(aside.part.nodes), *_names(aside.part.hops)]
        if not aside.part.hops:
            yield "a branch that is aggregated by itself has no hop"
        if taken & set(own):
            yield "two elements bear the same variable name"
        yield from _part_faults(aside.part, nodes, hops)
        for measure in aside.measures:
            if not isinstance(measure.expression, Aggregate) or isinstance(measure.expression.of, Measure):
                yield f"measure {measure.name!r} is no aggregate of a branch"
            else:
                yield from _expression_faults(measure, {*by, *own}, ())
        taken |= set(own)
        names += [m.name for m in aside.measures]
    if len(set(names)) != len(names):
        yield "two measures bear the same name"
    for column in pattern.returns:
        expression = column.expression
        is_handed = isinstance(expression, Measure) or (
            isinstance(expression, Property | Entity) and expression.owner in by
        )
        if not is_handed:
            yield f"column {column.name!r} is neither a measure nor of what was grouped by"


def _return_faults(pattern: Pattern, known: set[str]) -> Iterable[str]:
    columns = [p.name for p in pattern.returns]
    if all(p.hidden for p in pattern.returns):
        yield "it returns nothing"
    if len(set(columns)) != len(columns):
        yield "two columns bear the same name"
    first = pattern.grouped
    measures = [*(first.measures if first else ()), *(m for aside in pattern.asides for m in aside.measures)]
    names = [m.name for m in measures]
    for projection in pattern.returns:
        if isinstance(projection.expression, Measure) and not pattern.asides:
            yield f"column {projection.name!r} is a measure that nothing aggregates"
        yield from _expression_faults(projection, known, names, first)
    sorted_or_kept: list[Having | Order] = [*pattern.having, *pattern.order]
    for part in sorted_or_kept:
        if part.column not in columns:
            yield f"{type(part).__name__.lower()} by unknown column {part.column!r}"
    if pattern.skip < 0 or (pattern.limit is not None and pattern.limit < 0):
        yield "skip and limit must not be negative"


def _expression_faults(
    projection: Projection, known: set[str], measures: Sequence[str], first: Grouped | None = None
) -> Iterable[str]:
    expression = projection.expression
    if isinstance(expression, Calculation):
        yield from _expression_faults(Projection(expression.left, projection.name), known, ())
        return
    if isinstance(expression, Difference):
        owners = (expression.left.owner, expression.right.owner)
        yield from (f"column {projection.name!r} compares unknown element {o!r}" for o in owners if o not in known)
        if first is not None:
            yield f"column {projection.name!r} compares what was grouped before"
        return
    operand = expression.of if isinstance(expression, Aggregate) else expression
    if isinstance(operand, Measure):
        if operand.name not in measures:
            yield f"column {projection.name!r} aggregates unknown measure {operand.name!r}"
    elif operand is not None and operand.owner not in known:
        yield f"column {projection.name!r} returns unknown element {operand.owner!r}"
    elif operand is not None and isinstance(expression, Aggregate) and first and operand.owner not in first.by:
        yield f"column {projection.name!r} aggregates {operand.owner!r}, by which nothing was grouped"
    if isinstance(expression, Aggregate):
        if expression.function not in _AGGREGATES:
            yield f"unknown aggregate {expression.function!r}"
        if operand is None and expression.function not in ("count", "exists"):
            yield f"{expression.function!r} aggregates nothing"
