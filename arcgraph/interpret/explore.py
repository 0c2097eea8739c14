"""What the graph holds right around an anchor: asked of the graph, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, Anchor
from arcgraph.graph.base import Graph
from arcgraph.graph.compile import DIALECTS
from arcgraph.graph.names import quote
from arcgraph.graph.pattern import Descriptor, Direction

# One query asks for so many types at once, and looks at so many of an anchor's nodes.
_TYPES_A_QUERY = 60
_NODES = 20

Move = tuple[Descriptor, Direction]


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
) -> tuple[str, dict[str, Any]]:
    params: dict[str, Any] = {}
    tests = ", ".join(
        f"{_existence(graph, descriptor, direction, f'v{i}', params)} AS c{i}"
        for i, (descriptor, direction) in enumerate(options)
    )
    if loaded:
        params["ids"] = list(anchor.ids[:_NODES])
        return f"MATCH (a:{RESERVED_LABEL}) WHERE a.{RESERVED_KEY} IN $ids RETURN {tests}", params
    params["ids"] = list(anchor.element_ids[:_NODES])
    return f"MATCH (a) WHERE {DIALECTS[graph.dialect].id_test('a', '$ids')} RETURN {tests}", params


def _existence(graph: Graph, descriptor: Descriptor, direction: Direction, name: str, params: dict[str, Any]) -> str:
    edge = f"[r:{quote(descriptor.type)}]"
    arrows = {Direction.OUT: f"(a)-{edge}->()", Direction.IN: f"(a)<-{edge}-()", Direction.BOTH: f"(a)-{edge}-()"}
    match = arrows[direction]
    if descriptor.key is None:
        return f"EXISTS {{ {match} }}"
    params[name] = descriptor.value
    key = quote(DIALECTS[graph.dialect].key(descriptor.key))
    return f"EXISTS {{ MATCH {match} WHERE r.{key} = ${name} }}"
