"""The edges around nodes, a fair number of each, within one budget of time: a hub hides nothing of its neighbours."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from arcgraph.domain import Schema
from arcgraph.errors import QueryError
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import Direction
from arcgraph.interpret.spelling import Spelling

# Nodes looked at in one query. Together they show about so many edges, but each so many at least.
NODES_A_LOOK = 60
EDGES_A_LOOK = 4_000
LEAST_OF_A_NODE = 300
# A node that shows its whole share is looked at again without its most frequent relations, so many of them.
_MOST_HIDDEN = 50
# No query may take longer, however much time is left.
_SECONDS = 4.0


class Deadline:
    """Seconds that run from now on."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._end = clock() + seconds

    @property
    def left(self) -> float:
        """Seconds, at least 0."""
        return max(0.0, self._end - self._clock())


class Seen(NamedTuple):
    """One edge as seen from a node that was looked at, by the node's id: what it means, and the values asked for."""

    node: str
    relation: Any
    values: tuple[Any, ...]


class Surroundings:
    """Looks around nodes of one graph. Edges that only lead to passages are no surroundings. Thread-safe."""

    def __init__(self, graph: Graph, schema: Schema):
        self._graph = graph
        self._spelling = Spelling(graph, schema)
        # Where relations are values of a property, edges of other types are not looked at in any case.
        by_type = schema.passages is not None and schema.relations.kind != "property"
        self._hidden: tuple[Any, ...] = schema.passages.mention_types if by_type and schema.passages else ()

    def of(
        self,
        nodes: Iterable[str],
        direction: Direction,
        values: Sequence[str],
        deadline: Deadline,
        *,
        within: Sequence[str] | None = None,
        looks: int = 1,
    ) -> Iterator[Seen]:
        """The edges of some nodes, by id; with ``within`` only those to one of these nodes.

        ``values`` are expressions over the node ``n``, the edge ``r`` and its other end ``m``. A node that shows as
        many edges as is its share is looked at again, up to ``looks`` times, for relations that it has not shown. A
        look that fails or takes too long shows less of the graph; what was seen so far stands.
        """
        wanted = list(dict.fromkeys(nodes))
        for at in range(0, len(wanted), NODES_A_LOOK):
            part = wanted[at : at + NODES_A_LOOK]
            share = max(LEAST_OF_A_NODE, EDGES_A_LOOK // len(part))
            seen = self._look(part, direction, values, self._hidden, within, share, deadline)
            yield from _worded(seen)
            for node, own in _full(seen, share) if looks > 1 else ():
                yield from self._again(node, direction, values, own, within, looks - 1, deadline)

    def _again(
        self,
        node: str,
        direction: Direction,
        values: Sequence[str],
        seen: list[Seen],
        within: Sequence[str] | None,
        looks: int,
        deadline: Deadline,
    ) -> Iterator[Seen]:
        """Further looks at a node that has shown its share, at what other relations it has."""
        hidden = list(self._hidden)
        for _ in range(looks):
            hidden += _frequent(seen)
            seen = self._look([node], direction, values, hidden, within, EDGES_A_LOOK, deadline)
            yield from _worded(seen)
            if len(seen) < EDGES_A_LOOK:
                return

    def _look(
        self,
        nodes: Sequence[str],
        direction: Direction,
        values: Sequence[str],
        hidden: Sequence[Any],
        within: Sequence[str] | None,
        share: int,
        deadline: Deadline,
    ) -> list[Seen]:
        timeout = min(_SECONDS, deadline.left)
        if timeout <= 0:
            return []
        query = self._query(direction, values, len(hidden), within is not None, share)
        params: dict[str, Any] = {"ids": list(nodes), **{f"h{i}": value for i, value in enumerate(hidden)}}
        if within is not None:
            params["within"] = list(within)
        try:
            rows = self._graph.read(query, params, timeout=timeout, limit=share * len(nodes))
        except QueryError:
            return []
        return [Seen(str(node), relation, tuple(rest)) for node, relation, *rest in rows]

    def _query(self, direction: Direction, values: Sequence[str], hidden: int, within: bool, share: int) -> str:
        """The limit stands in a subquery, so that it holds for each node.

        Hidden relations are compared one by one: the embedded engine stops at a limit only where no condition is about
        a list.
        """
        spelt = self._spelling
        conditions = [f"{spelt.relation('r')} <> $h{i}" for i in range(hidden)]
        conditions += [spelt.is_among("m", "$within")] if within else []
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        returned = [f"{spelt.id('n')} AS n", f"{spelt.relation('r')} AS d"]
        returned += [f"{value} AS v{i}" for i, value in enumerate(values)]
        return (
            f"MATCH {spelt.node('n')} WHERE {spelt.is_among('n', '$ids')} "
            f"CALL {{ WITH n MATCH (n){spelt.edge('r', direction)}(m){where} RETURN r, m LIMIT {share} }} "
            f"RETURN {', '.join(returned)}"
        )


def _worded(seen: Iterable[Seen]) -> Iterator[Seen]:
    """The edges that mean something: one without the property that tells its relation does not."""
    return (edge for edge in seen if edge.relation is not None)


def _full(seen: Sequence[Seen], share: int) -> Iterator[tuple[str, list[Seen]]]:
    """The nodes that showed their whole share, with the edges shown."""
    counts = Counter(edge.node for edge in seen)
    for node, count in counts.items():
        if count >= share:
            yield node, [edge for edge in seen if edge.node == node]


def _frequent(seen: Iterable[Seen]) -> list[Any]:
    counts = Counter(edge.relation for edge in _worded(seen))
    return [relation for relation, _ in counts.most_common(_MOST_HIDDEN)]
