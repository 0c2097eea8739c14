"""Which patterns the endpoint triples of a schema allow: hops, and walks of several hops."""

from __future__ import annotations

from collections.abc import Iterable

from arcgraph.domain import Schema
from arcgraph.graph.syntax import Bounds

Demands = list[frozenset[str]]
"""For each label expression that a pattern demands: the names of which an element must bear one."""

# Walks that must or may be longer are left to the database.
_LONGEST = 64


class Triples:
    """The endpoint triples of a schema. A triple that was not probed may exist, so it counts as if it did."""

    def __init__(self, schema: Schema):
        self._types = tuple(schema.types)
        self._ends: dict[str, set[tuple[str, str]]] = {name: set() for name in schema.types}
        for endpoint in schema.endpoints:
            self._ends.setdefault(endpoint.type, set()).add((endpoint.start, endpoint.end))
        unprobed = {endpoint.type for endpoint in schema.endpoints if not endpoint.probed}
        # Where something was left out, and nothing says what, any triple may be missing.
        self._unsure = unprobed if schema.complete or unprobed else set(schema.types)

    def of(self, kinds: Demands) -> list[str]:
        """The relationship types that meet all demands."""
        return [name for name in self._types if all(name in kind for kind in kinds)]

    def ends(self, kinds: Demands) -> set[tuple[str, str, str]]:
        """The triples whose type is named in the demands."""
        return {(s, t, e) for t, pairs in self._ends.items() if any(t in kind for kind in kinds) for s, e in pairs}

    def are_sure(self, kinds: Demands) -> bool:
        """Whether introspection looked at everything that these types join."""
        return not any(name in self._unsure for name in self.of(kinds))

    def possible(self, start: Demands, kinds: Demands, end: Demands) -> bool:
        """Whether there is an edge of one of the types between nodes of these labels."""
        return any(self.joins(start, name, end) for name in self.of(kinds))

    def joins(self, start: Demands, type_: str, end: Demands) -> bool:
        """Whether there is an edge of this type between nodes of these labels."""
        pairs = self._ends[type_]
        every = frozenset(label for pair in pairs for label in pair)
        return bool(pairs) and all(
            any(s in a and e in b for s, e in pairs) for a in (start or [every]) for b in (end or [every])
        )

    def walkable(self, start: Demands, kinds: Demands, end: Demands, bounds: Bounds, *, both_ways: bool) -> bool:
        """Whether a walk of that many edges of the types leads from such a node to such a node.

        Walks of labels: a node between two edges may bear several, so there are never fewer than in the graph.
        """
        if bounds.least == 0 or bounds.least > _LONGEST:
            return True
        pairs = {pair for name in self.of(kinds) for pair in self._ends[name]}
        if both_ways:
            pairs |= {(e, s) for s, e in pairs}
        every = frozenset(label for pair in pairs for label in pair)
        return bool(pairs) and all(_leads(pairs, a, b, bounds) for a in (start or [every]) for b in (end or [every]))


def _leads(pairs: Iterable[tuple[str, str]], start: frozenset[str], end: frozenset[str], bounds: Bounds) -> bool:
    reached = start
    seen: set[frozenset[str]] = set()
    most = _LONGEST + bounds.least if bounds.most is None else bounds.most
    for hop in range(1, most + 1):
        reached = frozenset(e for s, e in pairs if s in reached)
        if hop >= bounds.least and reached & end:
            return True
        if not reached or (hop >= bounds.least and reached in seen):
            return False
        if hop > _LONGEST + bounds.least:
            return True
        if hop >= bounds.least:
            seen.add(reached)
    return most < bounds.least or bounds.most is None
