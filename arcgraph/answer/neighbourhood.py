"""What the graph says around a described node: its edges by relation, a bounded and balanced sample of them.

One query reads an ordinary node's edges, all of them. A hub is asked relation by relation for a few, so that it costs
little more than a leaf, and no relation of many edges hides one of few.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import NamedTuple

from arcgraph.answer.result import Attempt, QueryRecord, Witness
from arcgraph.domain import Edge, Node, Path, Rows, Schema
from arcgraph.errors import QueryError
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import Descriptor, Direction, Pattern, Projection, Property
from arcgraph.interpret.assemble import around
from arcgraph.interpret.roles import telling_label

# A node with more edges is a hub.
_ALL = 300
_OF_A_HUB = 10
_MOST_OPTIONS = 60
MOST_EDGES = 50
# Descriptions wait no longer for all that lies around a node.
_SECONDS = 3.0


class _Option(NamedTuple):
    """A relation to ask a hub for; an empty ``label`` is any."""

    descriptors: tuple[Descriptor, ...]
    direction: Direction
    label: str


class _Step(NamedTuple):
    """An edge at the described node, its other end, and the number of the query that returned both."""

    edge: Edge
    node: Node
    query: int


@dataclass(frozen=True, slots=True)
class Link:
    """The described node's edges of one relation and direction to nodes of one label.

    ``nodes`` are the other ends, some or all; there are ``more`` besides them, ``None`` where it is not known how many.
    """

    relation: str
    direction: Direction
    label: str
    nodes: tuple[Node, ...]
    more: int | None


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The links of one node, those of few edges first, and the same as a witness."""

    links: tuple[Link, ...]
    witness: Witness


# The match of the described node alone: tied to it on the graph asked, and as people write it.
Tied = tuple[Pattern, Pattern]


def neighbourhood(graph: Graph, schema: Schema, node: Node, tied: Tied, *, timeout: float, most: int) -> Neighbourhood:
    """What lies around ``node``, at most ``most`` edges; what there was time for, where an error or the clock stops it.

    Passages are left out.
    """
    reader = _Reading(graph, tied, time.monotonic() + min(timeout, _SECONDS))
    everything = reader.read(_Option(_facts(schema), Direction.BOTH, ""), _ALL)
    counted = len(reader.steps) + 1
    if everything is None or everything.truncated:
        for option in _options(reader, schema, node):
            reader.read(option, _OF_A_HUB)
        counted = 0 if reader.cut_short else _OF_A_HUB
    groups = _groups(schema, node, _own(schema, reader.steps))
    chosen = _balanced(list(groups.values()), most)
    return Neighbourhood(tuple(_links(groups, chosen, counted)), _witness(node, chosen, reader.records))


class _Reading:
    """The queries around one node, and what they returned."""

    def __init__(self, graph: Graph, tied: Tied, until: float):
        self._graph = graph
        self._tied = tied
        self._until = until
        self.records: list[QueryRecord] = []
        self.steps: list[_Step] = []
        self.cut_short = False

    def read(self, option: _Option, most: int) -> Rows | None:
        """At most ``most`` edges; ``None`` where there is no time left, or the query failed."""

        def shape(match: Pattern, limit: int) -> Pattern:
            return around(match, option.descriptors, option.direction, option.label, limit)

        rows = self._run(shape, most)
        if rows is not None and rows.records:
            shown, params = shape(self._tied[1], most).to_cypher("neo4j")
            kept = Attempt(len(rows), rows.seconds)
            self.steps += [_Step(edge, other, len(self.records)) for _, other, edge in rows]
            self.records.append(QueryRecord(shown, params, "pattern", "what lies around it", (kept,)))
        return rows

    def values(self, type_: str, key: str, direction: Direction) -> list[object]:
        """What edges of the type say in a property, each value once."""

        def shape(match: Pattern, limit: int) -> Pattern:
            edges = around(match, (Descriptor(type_),), direction, "", limit)
            return replace(edges, returns=(Projection(Property("r0", key), "value"),), distinct=True)

        rows = self._run(shape, _MOST_OPTIONS)
        return [] if rows is None else [value for (value,) in rows if value is not None]

    def _run(self, shape: Callable[[Pattern, int], Pattern], most: int) -> Rows | None:
        left = self._until - time.monotonic()
        # One row more than is kept tells whether there are more.
        query, params = shape(self._tied[0], most + 1).to_cypher(self._graph.dialect)
        try:
            if left > 0:
                return self._graph.read(query, params, timeout=left, limit=most)
        except QueryError:
            # A description stands without a part of its neighbourhood.
            pass
        self.cut_short = True
        return None


# --- what to ask for ---------------------------------------------------------------------------------------------


def _facts(schema: Schema) -> tuple[Descriptor, ...]:
    """The types between entities; none where there are no others: a pattern without any follows every edge."""
    if schema.passages is None:
        return ()
    passages = schema.passages.label
    types = {e.type for e in schema.endpoints if passages not in (e.start, e.end)}
    return () if types >= set(schema.types) else tuple(map(Descriptor, sorted(types)))


def _options(reader: _Reading, schema: Schema, node: Node) -> Iterator[_Option]:
    """The relations that a node of these labels may have, the most frequent first; its own where they are values."""
    home = schema.relations
    labels = set(node.labels or ("",))
    passages = schema.passages.label if schema.passages else None
    ways: dict[_Option, int] = {}
    for e in schema.endpoints:
        for own, far, direction in ((e.start, e.end, Direction.OUT), (e.end, e.start, Direction.IN)):
            if own in labels and passages not in (own, far) and (home.kind, home.type) != ("property", e.type):
                option = _Option((Descriptor(e.type),), direction, far)
                ways[option] = max(ways.get(option, 0), e.count.value)
    yield from sorted(ways, key=lambda o: -ways[o])[:_MOST_OPTIONS]
    if home.kind == "property":
        for direction in (Direction.OUT, Direction.IN):
            for value in reader.values(home.type, home.key, direction):
                yield _Option((Descriptor(home.type, home.key, value),), direction, "")


# --- what came back ----------------------------------------------------------------------------------------------


def _own(schema: Schema, steps: Iterable[_Step]) -> list[_Step]:
    """Each edge once, without those to passages."""
    passages = schema.passages.label if schema.passages else None
    once = {s.edge.element_id: s for s in reversed(list(steps))}
    return [s for s in reversed(once.values()) if passages not in s.node.labels]


_Group = tuple[str, Direction, str]


def _groups(schema: Schema, node: Node, steps: Iterable[_Step]) -> dict[_Group, list[_Step]]:
    """By relation, direction and the other end's label; those of few edges first."""
    groups: dict[_Group, list[_Step]] = {}
    for step in steps:
        direction = Direction.OUT if step.edge.start == node.element_id else Direction.IN
        groups.setdefault((schema.meaning(step.edge), direction, telling_label(step.node, schema)), []).append(step)
    return dict(sorted(groups.items(), key=lambda item: (len(item[1]), item[0])))


def _balanced(groups: Sequence[Sequence[_Step]], most: int) -> list[_Step]:
    """One of each group, then a second of each that has one, and so on."""
    return [s for s in chain.from_iterable(zip_longest(*groups)) if s is not None][:most]


def _links(groups: dict[_Group, list[_Step]], chosen: Sequence[_Step], counted: int) -> Iterator[Link]:
    """Groups of fewer than ``counted`` edges are known to be whole."""
    kept = {s.edge.element_id for s in chosen}
    for (relation, direction, label), steps in groups.items():
        every = {s.node.element_id: s.node for s in steps}
        nodes = {s.node.element_id: s.node for s in steps if s.edge.element_id in kept}
        more = len(every) - len(nodes) if len(steps) < counted else None
        if nodes:
            yield Link(relation, direction, label, tuple(nodes.values()), more)


def _witness(node: Node, steps: Sequence[_Step], records: Sequence[QueryRecord]) -> Witness:
    """The chosen edges, and of the queries those that returned them."""
    used = list(dict.fromkeys(s.query for s in steps))
    found_by = {("node", s.node.element_id): used.index(s.query) for s in reversed(steps)}
    found_by |= {("edge", s.edge.element_id): used.index(s.query) for s in steps}
    if used:
        found_by["node", node.element_id] = 0
    return Witness(
        {n.element_id: n for n in (node, *(s.node for s in steps))},
        {s.edge.element_id: s.edge for s in steps},
        tuple(Path((node, s.node), (s.edge,)) for s in steps),
        tuple(records[i] for i in used),
        found_by,
    )
