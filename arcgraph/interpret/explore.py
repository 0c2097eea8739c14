"""What the graph holds right around an anchor: asked of the graph, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arcgraph.domain import Anchor, Schema
from arcgraph.graph.base import Graph
from arcgraph.graph.names import quote
from arcgraph.graph.pattern import Descriptor, Direction
from arcgraph.interpret.spelling import Spelling, arrow

# One query asks for so many types at once, and looks at so many of an anchor's nodes.
_TYPES_A_QUERY = 60
_NODES = 20

Move = tuple[Descriptor, Direction]


def first_moves(graph: Graph, schema: Schema, anchor: Anchor, options: Sequence[Move], *, timeout: float) -> set[Move]:
    """Which of the (type, direction) options leave a node of the anchor.

    Each is an existence test, so that a hub costs no more than a leaf.
    """
    found: set[Move] = set()
    for begin in range(0, len(options), _TYPES_A_QUERY):
        part = options[begin : begin + _TYPES_A_QUERY]
        query, params = _existence_query(Spelling(graph, schema), anchor, part)
        for record in graph.read(query, params, timeout=timeout, limit=_NODES):
            found |= {move for move, exists in zip(part, record, strict=True) if exists}
    return found


def _existence_query(spelt: Spelling, anchor: Anchor, options: Iterable[Move]) -> tuple[str, dict[str, Any]]:
    params: dict[str, Any] = {"ids": list(spelt.ids_of(anchor)[:_NODES])}
    tests = ", ".join(
        f"{_existence(spelt, descriptor, direction, f'v{i}', params)} AS c{i}"
        for i, (descriptor, direction) in enumerate(options)
    )
    return f"MATCH {spelt.node('a')} WHERE {spelt.is_among('a', '$ids')} RETURN {tests}", params


def _existence(spelt: Spelling, descriptor: Descriptor, direction: Direction, name: str, params: dict[str, Any]) -> str:
    match = f"(a){arrow(f'r:{quote(descriptor.type)}', direction)}()"
    if descriptor.key is None:
        return f"EXISTS {{ {match} }}"
    params[name] = descriptor.value
    return f"EXISTS {{ MATCH {match} WHERE r.{spelt.key(descriptor.key)} = ${name} }}"
