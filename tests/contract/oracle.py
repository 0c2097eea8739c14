"""A brute-force matcher for patterns, and a generator of random graphs and patterns to hold back ends to it.

The matcher tries every assignment of edges to hops that uses no edge twice, with Cypher's three-valued comparisons. It
shares no code with the compiler.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from arcgraph.domain import Edge, Node, Path
from arcgraph.graph.pattern import (
    Aggregate,
    Aside,
    Binding,
    Calculation,
    Descriptor,
    Difference,
    Direction,
    Entity,
    Filter,
    Grouped,
    Having,
    Hop,
    Measure,
    Order,
    Part,
    Pattern,
    PatternNode,
    Projection,
    Property,
    Yardstick,
)


@dataclass(frozen=True)
class Vertex:
    id: str
    labels: frozenset[str]
    props: dict[str, Any]


@dataclass(frozen=True)
class Arc:
    serial: int
    start: str
    type: str
    end: str
    props: dict[str, Any]


@dataclass(frozen=True)
class SmallGraph:
    vertices: dict[str, Vertex]
    arcs: list[Arc]


# --- comparisons with nulls ---------------------------------------------------------------------------------------


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return type(value).__name__


def equal(a: Any, b: Any) -> bool | None:
    if a is None or b is None:
        return None
    return _kind(a) == _kind(b) and bool(a == b)


def less(a: Any, b: Any) -> bool | None:
    if a is None or b is None or _kind(a) != _kind(b):
        return None
    return bool(a < b)


def text_test(a: Any, b: Any, test: Callable[[str, str], bool]) -> bool | None:
    return test(a, b) if isinstance(a, str) and isinstance(b, str) else None


def negate(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def member(a: Any, values: list[Any]) -> bool | None:
    return None if a is None else any(equal(a, v) for v in values)


OPERATORS: dict[str, Callable[[Any, Any], bool | None]] = {
    "=": equal,
    "<>": lambda a, b: negate(equal(a, b)),
    "<": less,
    ">": lambda a, b: less(b, a),
    "<=": lambda a, b: negate(less(b, a)),
    ">=": lambda a, b: negate(less(a, b)),
    "in": member,
    "contains": lambda a, b: text_test(a, b, lambda x, y: y in x),
    "starts with": lambda a, b: text_test(a, b, str.startswith),
    "ends with": lambda a, b: text_test(a, b, str.endswith),
    "not contains": lambda a, b: negate(text_test(a, b, lambda x, y: y in x)),
    "not starts with": lambda a, b: negate(text_test(a, b, str.startswith)),
    "not ends with": lambda a, b: negate(text_test(a, b, str.endswith)),
    "overlaps": lambda a, b: any(x in b for x in a) if isinstance(a, list | tuple) else None,
    "is null": lambda a, _: a is None,
    "is not null": lambda a, _: a is not None,
}


# --- the matcher --------------------------------------------------------------------------------------------------

Row = dict[str, Any]


def _fits(descriptor: Descriptor, arc: Arc) -> bool:
    if descriptor.type != arc.type:
        return False
    return descriptor.key is None or equal(arc.props.get(descriptor.key), descriptor.value) is True


def _crossings(hop: Hop, arc: Arc) -> Iterator[tuple[str, str]]:
    if hop.direction in (Direction.OUT, Direction.BOTH):
        yield arc.start, arc.end
    if hop.direction in (Direction.IN, Direction.BOTH) and not (
        hop.direction == Direction.BOTH and arc.start == arc.end
    ):
        yield arc.end, arc.start


def _assign(row: Row, name: str, vertex: Vertex) -> Row | None:
    if name in row:
        return row if row[name] is vertex else None
    return {**row, name: vertex}


def _rows(graph: SmallGraph, pattern: Pattern) -> list[Row]:
    known = {}
    if (yardstick := pattern.yardstick) is not None:
        known = {yardstick.name: _aggregate(yardstick.aggregate, _matches(graph, yardstick.part, {}))}
    rows = _matches(graph, pattern, {"measured": known})
    rows = [row for row in rows if not any(_is_there(graph, part, row) for part in pattern.absent)]
    rows = [row for row in rows if all(any(_is_there(graph, p, row) for p in parts) for parts in pattern.choices)]
    for part in pattern.optional:
        rows = [more for row in rows for more in _where_found(graph, part, row)]
    return rows


def _matches(graph: SmallGraph, pattern: Pattern | Part, begin: Row) -> list[Row]:
    return [row for row in _grown(graph, pattern, begin) if _keeps(pattern, row)]


def _is_there(graph: SmallGraph, part: Part, row: Row) -> bool:
    return any(_keeps(part, more) for more in _grown(graph, part, row))


def _where_found(graph: SmallGraph, part: Part, row: Row) -> list[Row]:
    """The row with a part of its own, as often as it is found; with nulls where it is not."""
    return _matches(graph, part, row) or [{**row, **{element.name: None for element in (*part.nodes, *part.hops)}}]


def _grown(graph: SmallGraph, pattern: Pattern | Part, begin: Row) -> list[Row]:
    rows: list[Row] = [begin]
    own = {hop.name for hop in pattern.hops}
    for hop in pattern.hops:
        grown = []
        for row in rows:
            used = {v.serial for name, v in row.items() if isinstance(v, Arc) and name in own}
            for arc in graph.arcs:
                if arc.serial in used or (hop.descriptors and not any(_fits(d, arc) for d in hop.descriptors)):
                    continue
                for start, end in _crossings(hop, arc):
                    first = _assign(row, hop.start, graph.vertices[start])
                    both = first and _assign(first, hop.end, graph.vertices[end])
                    if both:
                        grown.append({**both, hop.name: arc})
        rows = grown
    for node in pattern.nodes:
        if not any(node.name in (h.start, h.end) for h in pattern.hops):
            rows = [{**row, node.name: v} for row in rows for v in graph.vertices.values()]
    return rows


def _value(operand: Any, row: Row) -> Any:
    if isinstance(operand, Property):
        owner = row[operand.owner]
        return None if owner is None else owner.props.get(operand.key)
    if isinstance(operand, Difference):
        left, right = _value(operand.left, row), _value(operand.right, row)
        return None if left is None or right is None else left - right
    if isinstance(operand, Measure):
        return row["measured"][operand.name]
    if isinstance(operand, Entity):
        element = row[operand.owner]
        if element is None:
            return None
        return ("node", element.id) if isinstance(element, Vertex) else ("edge", element.serial)
    return operand


def _keeps(pattern: Pattern | Part, row: Row) -> bool:
    if not all(set(n.labels) <= row[n.name].labels for n in pattern.nodes):
        return False
    for b in pattern.bindings:
        if member(row[b.node].props.get(b.key), list(b.values)) is not True:
            return False
    return all(OPERATORS[f.operator](_value(f.left, row), _value(f.right, row)) is True for f in pattern.filters)


def _aggregate(aggregate: Aggregate, rows: list[Row]) -> Any:
    if aggregate.function == "exists":
        return bool(rows)
    if aggregate.of is None:
        return len(rows)
    values = [v for row in rows if (v := _value(aggregate.of, row)) is not None]
    if aggregate.distinct:
        values = list(dict.fromkeys(values))
    match aggregate.function:
        case "count":
            return len(values)
        case "sum":
            return sum(values)
        case "avg":
            return sum(values) / len(values) if values else None
        case "min":
            return min(values, default=None)
        case "max":
            return max(values, default=None)
    return tuple(sorted(values, key=repr))


def _grouped(pattern: Pattern, rows: list[Row]) -> list[Row]:
    """One row for each group of a first grouping, with its measures beside the elements of one of its matches."""
    first = pattern.grouped
    if first is None:
        return rows
    keys = [p.expression for p in pattern.returns if not isinstance(p.expression, Aggregate | Measure)]
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        at = tuple(_value(Entity(name), row) for name in first.by), tuple(_value(key, row) for key in keys)
        groups.setdefault(at, []).append(row)
    found = []
    for members in groups.values():
        measured = {m.name: _aggregate(m.expression, members) for m in first.measures}
        if all(OPERATORS[h.operator](measured[h.column], h.value) is True for h in first.having):
            found.append({**members[0], "measured": measured})
    return found


def _beside(graph: SmallGraph, pattern: Pattern, groups: list[Row]) -> list[Row]:
    """The groups for which each branch of its own is found, with what was measured of it."""
    for aside in pattern.asides:
        assert pattern.grouped is not None
        kept = []
        for group in groups:
            begin = {name: group[name] for name in pattern.grouped.by}
            rows = _matches(graph, aside.part, begin)
            measured = group["measured"] | {m.name: _aggregate(m.expression, rows) for m in aside.measures}
            kept += [{**group, "measured": measured}] if rows else []
        groups = kept
    return groups


def _calculated(column: Calculation, left: Any, right: Any) -> Any:
    if left is None or right is None:
        return None
    match column.operator:
        case "-":
            return left - right
        case "/":
            return left / right if right else None
        case "percent of":
            return 100.0 * left / right if right else None
        case ">":
            return left > right
    return left < right


def _project(graph: SmallGraph, pattern: Pattern, rows: list[Row]) -> list[tuple[Any, ...]]:
    if isinstance(column := pattern.returns[0].expression, Calculation):
        yardstick = pattern.yardstick
        assert yardstick is not None
        right = _aggregate(yardstick.aggregate, _matches(graph, yardstick.part, {}))
        return [(_calculated(column, _aggregate(column.left, rows), right),)]
    rows = _beside(graph, pattern, _grouped(pattern, rows))
    keys = [p for p in pattern.returns if not isinstance(p.expression, Aggregate)]
    if len(keys) == len(pattern.returns):
        return [tuple(_value(p.expression, row) for p in pattern.returns) for row in rows]
    groups: dict[tuple[Any, ...], list[Row]] = {} if keys else {(): []}
    for row in rows:
        groups.setdefault(tuple(_value(p.expression, row) for p in keys), []).append(row)
    out = []
    for key, members in groups.items():
        by_name = dict(zip([p.name for p in keys], key, strict=True))
        out.append(
            tuple(
                _aggregate(p.expression, members) if isinstance(p.expression, Aggregate) else by_name[p.name]
                for p in pattern.returns
            )
        )
    return out


def all_rows(graph: SmallGraph, pattern: Pattern) -> list[tuple[Any, ...]]:
    """What the pattern returns before skip and limit; sorted where it has an order, nulls last."""
    at = {p.name: i for i, p in enumerate(pattern.returns)}
    rows = _project(graph, pattern, _rows(graph, pattern))
    rows = [r for r in rows if all(OPERATORS[h.operator](r[at[h.column]], h.value) is True for h in pattern.having)]
    if pattern.distinct:
        rows = list(dict.fromkeys(rows))
    for order in reversed(pattern.order):
        known = [r for r in rows if r[at[order.column]] is not None]
        unknown = [r for r in rows if r[at[order.column]] is None]
        rows = sorted(known, key=lambda r: r[at[order.column]], reverse=order.descending) + unknown
    return rows


def difference(graph: SmallGraph, pattern: Pattern, got: list[tuple[Any, ...]]) -> str:
    """Why ``got`` (comparable values, see :func:`comparable`) is not what the pattern returns; empty where it is."""
    full = [tuple(map(comparable, row)) for row in all_rows(graph, pattern)]
    end = None if pattern.limit is None else pattern.skip + pattern.limit
    expected = full[pattern.skip : end]
    if len(got) != len(expected):
        return f"{len(got)} rows, expected {len(expected)}"
    if Counter(got) - Counter(full):
        return f"rows that do not belong: {Counter(got) - Counter(full)}"
    keys = [i for i, p in enumerate(pattern.returns) if any(o.column == p.name for o in pattern.order)]
    if [[r[i] for i in keys] for r in got] != [[r[i] for i in keys] for r in expected]:
        return "wrong order"
    return ""


def comparable(value: Any) -> Any:
    """A back end's value in the matcher's terms."""
    if isinstance(value, Node):
        return ("node", value.id)
    if isinstance(value, Edge):
        return ("edge", value.properties["serial"])
    if isinstance(value, Path):
        return tuple(comparable(e) for e in value.edges)
    if isinstance(value, list):
        return tuple(sorted((comparable(v) for v in value), key=repr))
    # An average is summed up in whatever order an engine likes.
    return round(value, 9) if isinstance(value, float) else value


# --- random graphs and patterns -----------------------------------------------------------------------------------

LABELS = ("Alpha", "Beta", "Gam ma", "De`lta")
TYPES = ("LINKS", "knows of", "REL", "ba`ck")
NODE_KEYS: dict[str, tuple[Any, ...]] = {
    "name": ("ann", "bob", "cy", "dee"),
    "title": ("sir", "dame", "ann"),
    "id": (1, 2, 3),
    "type": ("x", "y"),
    "age": (10, 20, 30, 40),
    "score": (0.5, 1.5, 20.0),
    "live": (True, False),
    "odd `key": ("o'ne", 'tw"o', "three\nlines"),
}
TAGS = ("blue", "o'ak", "old")
EDGE_KEYS: dict[str, tuple[Any, ...]] = {
    "type": ("strong", "weak"),
    "name": ("first", "second"),
    "title": ("t",),
    "id": (7, 8),
    "since": (2000, 2010, 2020),
    "predicate": ("likes", "made by", "part of"),
}
_NUMERIC = ("age", "score", "since")


def random_graph(rng: random.Random, size: int = 12, arcs: int = 30) -> SmallGraph:
    """A graph with missing properties, nodes without label or with several, parallel edges and self-loops."""

    def props(keys: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
        return {k: rng.choice(v) for k, v in keys.items() if rng.random() < 0.6}

    def tagged() -> dict[str, Any]:
        return {"tags": rng.sample(TAGS, rng.choice((1, 2, 3)))} if rng.random() < 0.5 else {}

    vertices = {
        f"v{i}": Vertex(
            f"v{i}", frozenset(rng.sample(LABELS, rng.choice((0, 1, 1, 1, 2)))), {**props(NODE_KEYS), **tagged()}
        )
        for i in range(size)
    }
    names = list(vertices)
    edges: list[Arc] = []
    for serial in range(arcs):
        copied = serial > 3 and rng.random() < 0.15
        start, kind, end = (
            (edges[-1].start, edges[-1].type, edges[-1].end)
            if copied
            else (rng.choice(names), rng.choice(TYPES), rng.choice(names))
        )
        if rng.random() < 0.08:
            end = start
        edges.append(Arc(serial, start, kind, end, {**props(EDGE_KEYS), "serial": serial}))
    return SmallGraph(vertices, edges)


def _walk(rng: random.Random, graph: SmallGraph, length: int) -> list[tuple[Arc, bool]]:
    """A trail of arcs that exists, each with whether it is crossed forwards; shorter where it gets stuck."""
    trail: list[tuple[Arc, bool]] = []
    at = rng.choice(list(graph.vertices))
    for _ in range(length):
        options = [a for a in graph.arcs if at in (a.start, a.end) and a not in [t[0] for t in trail]]
        if not options:
            break
        arc = rng.choice(options)
        forward = arc.start == at
        trail.append((arc, forward))
        at = arc.end if forward else arc.start
    return trail


def _descriptors(rng: random.Random, arc: Arc) -> tuple[Descriptor, ...]:
    if rng.random() < 0.15:
        return ()
    own = Descriptor(arc.type)
    if "predicate" in arc.props and rng.random() < 0.4:
        own = Descriptor(arc.type, "predicate", arc.props["predicate"])
    others = [Descriptor(rng.choice(TYPES)), Descriptor(rng.choice(TYPES), "predicate", "likes")]
    return tuple(dict.fromkeys([own, *rng.sample(others, rng.choice((0, 0, 1, 2)))]))


def _condition(rng: random.Random, owner: str, element: Vertex | Arc, others: list[str]) -> Filter:
    keys = NODE_KEYS if isinstance(element, Vertex) else EDGE_KEYS
    key = rng.choice([*keys, *[k for k in _NUMERIC if k in keys] * 2])
    if "tags" in element.props and rng.random() < 0.3:
        return Filter(Property(owner, "tags"), "overlaps", rng.sample(TAGS, rng.choice((1, 2))))
    value = element.props.get(key)
    left = Property(owner, key)
    if value is None:
        return Filter(left, "is null")
    if others and rng.random() < 0.15:
        return Filter(left, rng.choice(("=", "<>")), Property(rng.choice(others), key))
    if isinstance(value, str) and rng.random() < 0.65:
        operator, right = rng.choice((("contains", value[1:2]), ("starts with", value[:1]), ("ends with", value[-1:])))
        is_denied = rng.random() < 0.4
        return Filter(left, f"not {operator}" if is_denied else operator, right or value)
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.7:
        return Filter(left, rng.choice(("<=", ">=", "<", ">")), value + rng.choice((-1, 0, 1)))
    return rng.choice(
        (
            Filter(left, "=", value),
            Filter(left, "in", [value, *rng.sample(keys[key], 1)]),
            Filter(left, "is not null"),
            Filter(left, "<>", rng.choice(keys[key])),
        )
    )


def random_pattern(rng: random.Random, graph: SmallGraph) -> Pattern:
    """A pattern generalised from a trail that exists, and now and then changed so that it may match nothing."""
    trail = _walk(rng, graph, rng.choice((0, 1, 1, 2, 2, 3)))
    seen: dict[str, str] = {}
    elements: dict[str, Vertex | Arc] = {}

    def variable(vertex_id: str) -> str:
        # The same vertex met twice is sometimes the same variable (a cycle), sometimes another.
        if vertex_id in seen and rng.random() < 0.5:
            return seen[vertex_id]
        name = f"n{len([e for e in elements.values() if isinstance(e, Vertex)])}"
        seen[vertex_id] = name
        elements[name] = graph.vertices[vertex_id]
        return name

    hops: list[Hop] = []
    if not trail:
        variable(rng.choice(list(graph.vertices)))
    at = ""
    for i, (arc, forward) in enumerate(trail):
        a, b = (arc.start, arc.end) if forward else (arc.end, arc.start)
        start = at or variable(a)
        end = start if a == b else variable(b)
        direction = rng.choice((Direction.OUT if forward else Direction.IN, Direction.BOTH))
        hop = Hop(f"r{i}", start, end, _descriptors(rng, arc), direction)
        if rng.random() < 0.1 and direction != Direction.BOTH and start != end:
            flipped = Direction.OUT if direction == Direction.IN else Direction.IN
            hop = replace(hop, start=end, end=start, direction=flipped)
        hops.append(hop)
        elements[hop.name] = arc
        at = end
    vertices = {k: v for k, v in elements.items() if isinstance(v, Vertex)}
    nodes = tuple(
        PatternNode(n, tuple(rng.sample(sorted(v.labels), min(len(v.labels), rng.choice((0, 1, 1, 2))))))
        for n, v in vertices.items()
    )
    outer = list(vertices)
    absent = (_part(rng, graph, outer)[0],) if rng.random() < 0.15 else ()
    choices = (_choice(rng, graph, outer, elements),) if rng.random() < 0.15 else ()
    pattern = Pattern(
        nodes, tuple(hops), _bindings(rng, vertices), _filters(rng, elements), absent=absent, choices=choices
    )
    if rng.random() < 0.1:
        pattern = _with_yardstick(rng, graph, pattern, elements)
    counted = elements
    if rng.random() < 0.25:
        part, more = _part(rng, graph, outer, "o")
        pattern = replace(pattern, optional=(part,))
        counted = elements | more
    pattern = _with_groups(rng, _with_returns(rng, pattern, elements, counted), counted)
    if rng.random() < 0.08:
        pattern = _with_asides(rng, graph, replace(pattern, optional=()), elements)
    elif rng.random() < 0.08:
        pattern = _with_calculation(rng, graph, pattern, elements)
    return _mutated(rng, pattern) if rng.random() < 0.25 else pattern


def _with_yardstick(
    rng: random.Random, graph: SmallGraph, pattern: Pattern, elements: dict[str, Vertex | Arc]
) -> Pattern:
    """The pattern with a number of one of its elements compared with an aggregate that is known before."""
    yardstick = _yardstick(rng, graph)
    able = [(owner, key) for owner, element in elements.items() for key in _NUMERIC if key in element.props]
    value = _aggregate(yardstick.aggregate, _matches(graph, yardstick.part, {}))
    if not able or not isinstance(value, int | float):
        return pattern
    owner, key = rng.choice(able)
    holds = less(elements[owner].props[key], value) is (rng.random() < 0.9)
    kept = Filter(Property(owner, key), "<" if holds else ">=", Measure(yardstick.name))
    return replace(pattern, filters=(*pattern.filters, kept), yardstick=yardstick)


def _yardstick(rng: random.Random, graph: SmallGraph) -> Yardstick:
    """An aggregate of what a part by itself matches."""
    begin = graph.vertices[rng.choice(list(graph.vertices))]
    start = PatternNode("y", tuple(sorted(begin.labels)[: rng.choice((0, 1))]))
    part = Part((start,), filters=_filters(rng, {start.name: begin}) if rng.random() < 0.5 else ())
    if rng.random() < 0.4:
        found, _ = _part(rng, graph, [start.name], "y")
        part = replace(found, nodes=(start, *found.nodes), filters=(*found.filters, *part.filters))
    of = rng.choice((Property(start.name, "age"), Property(start.name, "score"), Entity(start.name)))
    function = "count" if isinstance(of, Entity) else rng.choice(("avg", "min", "max", "sum"))
    return Yardstick("yard`stick", Aggregate(function, of, rng.random() < 0.3), part)


def _with_calculation(
    rng: random.Random, graph: SmallGraph, pattern: Pattern, elements: dict[str, Vertex | Arc]
) -> Pattern:
    """The pattern with one column: an aggregate held against a yardstick."""
    yardstick = pattern.yardstick or _yardstick(rng, graph)
    people = [name for name, element in elements.items() if isinstance(element, Vertex)]
    owner = rng.choice(people or list(elements))
    numbers = Aggregate(rng.choice(("sum", "avg", "min", "max")), Property(owner, "age"), rng.random() < 0.3)
    left = rng.choice((Aggregate("count", Entity(owner), rng.random() < 0.7), numbers))
    column = Calculation(left, rng.choice(("-", "/", "percent of", ">", "<")), Measure(yardstick.name))
    return replace(
        pattern, returns=(Projection(column, "calcu`lation"),), distinct=False, having=(), order=(), skip=0, limit=None,
        grouped=None, optional=(), asides=(), yardstick=yardstick,
    )  # fmt: skip


def _choice(
    rng: random.Random, graph: SmallGraph, outer: list[str], elements: dict[str, Vertex | Arc]
) -> tuple[Part, ...]:
    """Two or three parts, now and then one that is but a condition on the match."""
    parts = [_part(rng, graph, outer, f"c{i}")[0] for i in range(rng.choice((2, 2, 3)))]
    if conditions := _filters(rng, elements):
        parts[-1] = Part(filters=conditions)
    return tuple(parts)


def _part(
    rng: random.Random, graph: SmallGraph, outer: list[str], prefix: str = ""
) -> tuple[Part, dict[str, Vertex | Arc]]:
    """One or two hops from a node of the pattern, now and then to another one of it; and what they were made from."""
    hops: list[Hop] = []
    new: dict[str, Vertex | Arc] = {}
    at = rng.choice(outer)
    for i in range(rng.choice((1, 1, 2))):
        arc = rng.choice(graph.arcs)
        forward = rng.random() < 0.5
        own = f"{prefix}m{i}"
        end = rng.choice(outer) if rng.random() < 0.2 else own
        if end == own:
            new[end] = graph.vertices[arc.end if forward else arc.start]
        way = rng.choice((Direction.OUT if forward else Direction.IN, Direction.BOTH))
        hops.append(Hop(f"{prefix}q{i}", at, end, _descriptors(rng, arc), way))
        new[f"{prefix}q{i}"] = arc
        at = end
    vertices = {name: v for name, v in new.items() if isinstance(v, Vertex)}
    nodes = tuple(PatternNode(n, tuple(sorted(v.labels)[: rng.choice((0, 1))])) for n, v in vertices.items())
    return Part(nodes, tuple(hops), _bindings(rng, vertices), _filters(rng, new)), new


def _bindings(rng: random.Random, vertices: dict[str, Vertex]) -> tuple[Binding, ...]:
    found = []
    for name, vertex in vertices.items():
        key = rng.choice(("name", "title", "id"))
        if key in vertex.props and rng.random() < 0.35:
            extra = rng.sample(NODE_KEYS[key], rng.choice((0, 1)))
            found.append(Binding(name, key, tuple(dict.fromkeys((vertex.props[key], *extra)))))
    return tuple(found)


def _filters(rng: random.Random, elements: dict[str, Vertex | Arc]) -> tuple[Filter, ...]:
    conditions = []
    for name, element in elements.items():
        same = [n for n, e in elements.items() if type(e) is type(element) and n != name]
        if rng.random() < 0.3:
            conditions.append(_condition(rng, name, element, same))
        if same and rng.random() < 0.1:
            conditions.append(Filter(Entity(name), "<>", Entity(rng.choice(same))))
    return tuple(conditions)


def _random_property(rng: random.Random, elements: dict[str, Vertex | Arc]) -> Property:
    owner = rng.choice(list(elements))
    keys = NODE_KEYS if isinstance(elements[owner], Vertex) else EDGE_KEYS
    return Property(owner, rng.choice(list(keys)))


def _aggregates(rng: random.Random, elements: dict[str, Vertex | Arc]) -> Aggregate:
    owner = rng.choice(list(elements))
    number = Property(owner, rng.choice(("age", "score") if isinstance(elements[owner], Vertex) else ("since", "id")))
    return rng.choice(
        (
            Aggregate("count"),
            Aggregate("count", Entity(owner), distinct=True),
            Aggregate("count", number),
            Aggregate("sum", number),
            Aggregate("avg", number),
            Aggregate("min", number),
            Aggregate("max", number, distinct=True),
            Aggregate("collect", number, distinct=rng.random() < 0.5),
        )
    )


def _with_returns(
    rng: random.Random, pattern: Pattern, elements: dict[str, Vertex | Arc], counted: dict[str, Vertex | Arc]
) -> Pattern:
    """The pattern with columns of its elements, and now and then an aggregate of one of ``counted``."""
    shape = rng.random()
    if shape < 0.06:
        return replace(pattern, returns=(Projection(Aggregate("exists"), "answer"),))
    columns: list[Projection] = []
    if shape < 0.4:
        columns.append(Projection(Entity(rng.choice(list(elements))), "thing"))
    columns += [Projection(_random_property(rng, elements), f"col {i}") for i in range(rng.choice((0, 1, 2)))]
    people = [name for name, element in elements.items() if isinstance(element, Vertex)]
    if shape > 0.9 and people:
        ages = (Property(rng.choice(people), "age"), Property(rng.choice(people), "age"))
        columns.append(Projection(Difference(*ages), "older by"))
    having: tuple[Having, ...] = ()
    is_counting = counted is not elements
    if rng.random() < (0.7 if is_counting else 0.35) or not columns:
        of = {k: v for k, v in counted.items() if k not in elements} if is_counting and rng.random() < 0.5 else counted
        aggregate = _aggregates(rng, of)
        columns.append(Projection(aggregate, "agg`regate"))
        if aggregate.function in ("count", "sum") and rng.random() < 0.5:
            having = (Having("agg`regate", rng.choice((">", ">=", "<>")), rng.choice((0, 1, 2))),)
    sortable = [
        c.name
        for c in columns
        if isinstance(c.expression, Property)
        or (isinstance(c.expression, Aggregate) and c.expression.function != "collect")
    ]
    order = tuple(
        Order(c, rng.random() < 0.5) for c in rng.sample(sortable, min(len(sortable), rng.choice((0, 0, 1, 2))))
    )
    cut = bool(order) and rng.random() < 0.5
    return replace(
        pattern,
        returns=tuple(columns),
        distinct=rng.random() < 0.4,
        having=having,
        order=order,
        skip=rng.choice((0, 1)) if cut else 0,
        limit=rng.choice((1, 3, 10)) if cut else None,
    )


def _with_asides(rng: random.Random, graph: SmallGraph, pattern: Pattern, elements: dict[str, Vertex | Arc]) -> Pattern:
    """The pattern grouped by a node, with one or two branches that are aggregated by themselves."""
    by = rng.choice([node.name for node in pattern.nodes])
    measured = Projection(_aggregates(rng, elements), "first of all")
    asides = []
    for i in range(rng.choice((1, 1, 2))):
        part, more = _part(rng, graph, [by], f"a{i}")
        asides.append(Aside(part, (Projection(_aggregates(rng, more), f"be`side {i}"),)))
    measures = [measured, *(m for aside in asides for m in aside.measures)]
    told = [Projection(Property(by, rng.choice(("name", "title"))), "key")] if rng.random() < 0.7 else []
    columns = [*told, *(Projection(Measure(m.name), f"column {m.name}") for m in measures)]
    return replace(
        pattern, returns=tuple(columns), distinct=False, having=(), order=(), skip=0, limit=None,
        grouped=Grouped((by,), (measured,)), asides=tuple(asides),
    )  # fmt: skip


def _with_groups(rng: random.Random, pattern: Pattern, elements: dict[str, Vertex | Arc]) -> Pattern:
    """Now and then the columns' aggregates become aggregates of what a first grouping measured."""
    at = next((i for i, p in enumerate(pattern.returns) if isinstance(p.expression, Aggregate)), None)
    told = pattern.returns[at].expression if at is not None else None
    differs = any(isinstance(p.expression, Difference) for p in pattern.returns)
    if not isinstance(told, Aggregate) or told.function in ("exists", "collect") or differs or rng.random() < 0.6:
        return pattern
    aggregate = _aggregates(rng, elements)
    if aggregate.function == "collect":
        return pattern
    certain = sorted(e.name for e in (*pattern.nodes, *pattern.hops))
    by = tuple(rng.sample(certain, rng.choice((1, 1, min(2, len(certain))))))
    having = (Having("me`asure", rng.choice((">", ">=")), rng.choice((0, 1, 2))),) if rng.random() < 0.4 else ()
    function = rng.choice(("avg", "max", "min", "sum", "count"))
    if rng.random() < 0.2 and isinstance(elements[by[0]], Vertex):
        outer = Aggregate(rng.choice(("avg", "max")), Property(by[0], "age"))
    else:
        outer = Aggregate(function, Measure("me`asure"))
    returns = (*pattern.returns[:at], replace(pattern.returns[at], expression=outer), *pattern.returns[at + 1 :])
    return replace(pattern, returns=returns, grouped=Grouped(by, (Projection(aggregate, "me`asure"),), having))


def _mutated(rng: random.Random, pattern: Pattern) -> Pattern:
    if pattern.hops and rng.random() < 0.5:
        at = rng.randrange(len(pattern.hops))
        changed = replace(pattern.hops[at], descriptors=(Descriptor(rng.choice((*TYPES, "NO SUCH"))),))
        return replace(pattern, hops=(*pattern.hops[:at], changed, *pattern.hops[at + 1 :]))
    at = rng.randrange(len(pattern.nodes))
    changed_node = replace(pattern.nodes[at], labels=(rng.choice((*LABELS, "No Such")),))
    return replace(pattern, nodes=(*pattern.nodes[:at], changed_node, *pattern.nodes[at + 1 :]))


def _owner(expression: Any) -> str | None:
    of = expression.of if isinstance(expression, Aggregate) else expression
    return getattr(of, "owner", None)


def features(graph: SmallGraph, pattern: Pattern) -> set[str]:
    """Which features a pattern exercises, so that a run can be shown to have met each of them often enough."""
    found = {f"{len(pattern.hops)} hops"}
    found |= {f"direction {h.direction}" for h in pattern.hops}
    found |= {"self-loop" for h in pattern.hops if h.start == h.end}
    found |= {"any relation" for h in pattern.hops if not h.descriptors}
    found |= {"several descriptors" for h in pattern.hops if len(h.descriptors) > 1}
    found |= {"predicate descriptor" for h in pattern.hops if any(d.key for d in h.descriptors)}
    found |= {"label" for n in pattern.nodes if n.labels} | {"no label" for n in pattern.nodes if not n.labels}
    found |= {"binding" for _ in pattern.bindings} | {"several bindings" for _ in pattern.bindings[1:]}
    found |= {f"filter {f.operator.removeprefix('not ')}" for f in pattern.filters}
    found |= {"filter denied" for f in pattern.filters if f.operator.startswith("not ")}
    found |= {"filter between properties" for f in pattern.filters if isinstance(f.right, Property)}
    for p in pattern.returns:
        if isinstance(p.expression, Aggregate):
            found |= {f"aggregate {p.expression.function}"}
            found |= {"grouping"} if len(pattern.returns) > 1 else set()
        if isinstance(p.expression, Property) and p.expression.key in ("name", "title", "id", "type"):
            found.add(f"returns {p.expression.key}")
        if isinstance(p.expression, Entity):
            found.add("returns entity")
        found |= {"difference"} if isinstance(p.expression, Difference) else set()
        found |= {"calculation"} if isinstance(p.expression, Calculation) else set()
    if pattern.grouped is not None:
        found |= {"grouped"} | {"grouped with a condition" for _ in pattern.grouped.having}
    for part in pattern.absent:
        own = {n.name for n in part.nodes}
        found |= {f"absent {len(part.hops)} hops"} | {"absent filter" for _ in part.filters}
        found |= {"absent edge between nodes of the match" for h in part.hops if not own & {h.start, h.end}}
    for parts in pattern.choices:
        found |= {"choice with a condition" for part in parts if not part.hops}
    optional = {
        name for part in pattern.optional for name in (*(n.name for n in part.nodes), *(h.name for h in part.hops))
    }
    found |= {"aggregates what is optional" for p in pattern.returns if _owner(p.expression) in optional}
    parts = ("distinct", "having", "order", "skip", "limit", "absent", "choices", "optional", "asides", "yardstick")
    for name in parts:
        if getattr(pattern, name):
            found.add(name)
    if len({n for h in pattern.hops for n in (h.start, h.end)}) < len(pattern.hops) + 1 and len(pattern.hops) > 1:
        found.add("cycle")
    parallel = Counter((a.start, a.type, a.end) for a in graph.arcs)
    if any(n > 1 for n in parallel.values()) and pattern.hops:
        found.add("parallel edges in the graph")
    return found
