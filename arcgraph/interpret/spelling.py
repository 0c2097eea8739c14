"""How one graph's nodes and relations are spelt in queries that look around: by loaded ids or the engine's own, with
relations as types or as values of a property."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, Anchor, Schema
from arcgraph.graph.base import Graph
from arcgraph.graph.compile import DIALECTS
from arcgraph.graph.names import quote
from arcgraph.graph.pattern import Descriptor, Direction


class Spelling:
    """The parts of such queries. A variable is given by its name, a parameter with its ``$``."""

    def __init__(self, graph: Graph, schema: Schema):
        self._dialect = DIALECTS[graph.dialect]
        self._home = schema.relations
        self._loaded = schema.loaded

    def key(self, key: str) -> str:
        """A property's key as it is stored, quoted."""
        return quote(self._dialect.key(key))

    def node(self, variable: str) -> str:
        """A node that carries names, in parentheses; of a loaded graph by the label that its index is kept under."""
        return f"({variable}:{RESERVED_LABEL})" if self._loaded else f"({variable})"

    def id(self, element: str) -> str:
        """A node's id as anchors have it."""
        return f"{element}.{RESERVED_KEY}" if self._loaded else self._dialect.id_text(element)

    def is_among(self, variable: str, parameter: str) -> str:
        """The condition that a node is one of those whose ids a parameter holds."""
        if self._loaded:
            return f"{variable}.{RESERVED_KEY} IN {parameter}"
        return self._dialect.id_test(variable, parameter)

    def ids_of(self, anchor: Anchor) -> tuple[str, ...]:
        """An anchor's ids, as :meth:`id` spells them."""
        return anchor.ids if self._loaded else anchor.element_ids

    def edge(self, variable: str, direction: Direction) -> str:
        """An edge of any relation, with its arrow."""
        kind = f":{quote(self._home.type)}" if self._home.kind == "property" else ""
        return arrow(f"{variable}{kind}", direction)

    def relation(self, variable: str) -> str:
        """What an edge means, as a value."""
        return f"{variable}.{self.key(self._home.key)}" if self._home.kind == "property" else f"type({variable})"

    def descriptor(self, value: Any) -> Descriptor:
        """The descriptor that such a value stands for."""
        return (
            Descriptor(self._home.type, self._home.key, value) if self._home.kind == "property" else Descriptor(value)
        )

    def first_of(self, variable: str, keys: Iterable[str]) -> str:
        """The first of some properties that a node has, an empty text if none."""
        return f"coalesce({', '.join(f'{variable}.{self.key(key)}' for key in keys)}, '')"

    def element(self, variable: str) -> str:
        """An element's id as the engine has it."""
        return self._dialect.id_text(variable)


def arrow(inner: str, direction: Direction) -> str:
    """An edge pattern with its arrow; ``inner`` stands between the brackets."""
    return {Direction.OUT: f"-[{inner}]->", Direction.IN: f"<-[{inner}]-", Direction.BOTH: f"-[{inner}]-"}[direction]
