"""What the graph holds right around an anchor: asked of the graph, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, Anchor
from arcgraph.graph.base import Graph
from arcgraph.graph.compile import DIALECTS
from arcgraph.graph.names import quote
from arcgraph.graph.pattern import Direction

# One query asks for so many types at once, and looks at so many of an anchor's nodes.
_TYPES_A_QUERY = 60
_NODES = 20

Move = tuple[str, Direction]


def first_moves(graph: Graph, anchor: Anchor, options: Sequence[Move], *, loaded: bool, timeout: float) -> set[Move]:
    """Which of the (type, direction) options leave a node of the anchor.

    Each is an existence test, so that a hub costs no more than a leaf.
    """
    found: set[Move] = set()
    for begin in range(0, len(options), _TYPES_A_QUERY):
        part = options[begin : begin + _TYPES_A_QUERY]
        query, params = _existence_query(graph, anchor, part, loaded=loaded)
        for record in graph.read(query, params, timeout=timeout, limit=_NODES):
            found |= {move for move, exists in zip(part, record, strict=True) if exists}
    return found


def _existence_query(
    graph: Graph, anchor: Anchor, options: Iterable[Move], *, loaded: bool
) -> tuple[str, dict[str, list[str]]]:
    tests = ", ".join(
        f"EXISTS {{ (a)-[:{quote(t)}]->() }} AS c{i}"
        if direction == Direction.OUT
        else f"EXISTS {{ (a)<-[:{quote(t)}]-() }} AS c{i}"
        for i, (t, direction) in enumerate(options)
    )
    if loaded:
        match = f"MATCH (a:{RESERVED_LABEL}) WHERE a.{RESERVED_KEY} IN $ids"
        return f"{match} RETURN {tests}", {"ids": list(anchor.ids[:_NODES])}
    by_id = DIALECTS[graph.dialect].id_test("a", "$ids")
    return f"MATCH (a) WHERE {by_id} RETURN {tests}", {"ids": list(anchor.element_ids[:_NODES])}
