"""Retrieve: what a store of texts finds for a question, as hints where to look in the graph.

Passages say in prose what edges may say in other words; statements name the entities at both ends of an edge, which
become entities that can be explored from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from arcgraph.arcrag.query import Draft
from arcgraph.domain import RESERVED_KEY, Anchor, Node, PassageHome, Schema
from arcgraph.errors import QueryError
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import (
    Binding,
    Descriptor,
    Direction,
    Entity,
    Filter,
    Hop,
    Pattern,
    PatternNode,
    Projection,
    Property,
)

_MOST_ANCHORS = 12
_MOST_MENTIONED = 1_000


class Statement(Protocol):
    """One edge as a sentence, with its ends."""

    @property
    def start(self) -> str:
        """The element id of its start."""
        ...

    @property
    def end(self) -> str:
        """The element id of its end."""
        ...

    @property
    def start_id(self) -> str:
        """The start's id as it was loaded, else its element id."""
        ...

    @property
    def end_id(self) -> str:
        """The same for its end."""
        ...

    @property
    def start_name(self) -> str:
        """The start's name."""
        ...

    @property
    def end_name(self) -> str:
        """The end's name."""
        ...

    @property
    def start_labels(self) -> tuple[str, ...]:
        """The start's labels."""
        ...

    @property
    def end_labels(self) -> tuple[str, ...]:
        """The end's labels."""
        ...


class Bounds(Protocol):
    """The passages that bound what is looked at."""

    @property
    def keys(self) -> Sequence[str | int]:
        """What edges call them."""
        ...

    @property
    def element_ids(self) -> Sequence[str]:
        """Their nodes."""
        ...


class Found(Protocol):
    """What a store found, best first: the texts, and the statements among them or the bounds that passages set."""

    @property
    def texts(self) -> Sequence[str]:
        """Passages or sentences."""
        ...

    @property
    def triples(self) -> Sequence[Statement]:
        """Empty where the store holds passages."""
        ...

    @property
    def scope(self) -> Bounds | None:
        """``None`` where the store holds statements: these only hint."""
        ...


class Store(Protocol):
    """Texts that can be searched for a question and phrases from it."""

    def retrieve(self, question: str, phrases: Sequence[str] = (), k: int = 10) -> Found | None:
        """At most ``k`` texts, best first; ``None`` where there are none to search."""
        ...


class Within(NamedTuple):
    """What passages bound: ``keys`` are what edges call those that they come from; where edges call none, ``nodes`` are
    the nodes that the passages mention. Both empty: nothing is bound.
    """

    keys: tuple[str | int, ...] = ()
    nodes: tuple[Node, ...] = ()


NOWHERE_BOUND = Within()


@dataclass(frozen=True, slots=True)
class Hints:
    """Where to look: texts that read like a question, the entities that statements among them name, and ``within``
    what passages among them bound queries.
    """

    texts: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    within: Within = NOWHERE_BOUND


def hints(
    store: Store | None, graph: Graph, schema: Schema, question: str, phrases: Sequence[str] = (), k: int = 10
) -> Hints:
    """What the store has for a question, at most ``k`` texts; nothing without one."""
    found = store.retrieve(question, phrases, k) if store is not None else None
    if found is None:
        return Hints()
    ends = [end for one in found.triples for end in _ends(one, schema)]
    within = _within(found.scope, graph, schema) if found.scope is not None else NOWHERE_BOUND
    return Hints(tuple(found.texts)[:k], tuple(dict.fromkeys(ends))[:_MOST_ANCHORS], within)


def _within(scope: Bounds, graph: Graph, schema: Schema) -> Within:
    if schema.passages is None:
        return NOWHERE_BOUND
    if schema.passages.edge_key is not None:
        return Within(keys=tuple(scope.keys))
    return Within(nodes=_mentioned(scope, schema.passages, graph))


def _mentioned(scope: Bounds, home: PassageHome, graph: Graph) -> tuple[Node, ...]:
    """The nodes that passages mention; none where they are more than a query takes, or the database fails."""
    if not home.mention_types or not scope.element_ids:
        return ()
    mention = Hop("m", "c", "n", tuple(map(Descriptor, home.mention_types)), Direction.BOTH)
    pattern = Pattern(
        (PatternNode("c", (home.label,)), PatternNode("n")),
        (mention,),
        (Binding("c", None, tuple(scope.element_ids)),),
        returns=(Projection(Entity("n"), "n"),),
        distinct=True,
    )
    try:
        rows = graph.read(*pattern.to_cypher(graph.dialect), limit=_MOST_MENTIONED)
    except QueryError:
        return ()
    return () if rows.truncated else tuple(row[0] for row in rows)


def scoped(draft: Draft, schema: Schema, within: Within) -> Draft:
    """The draft over edges alone that come from some passages, or between nodes that they mention; as it is where
    nothing bounds it.
    """
    if draft.pattern is None or draft.shown is None or schema.passages is None:
        return draft
    bound = _bounding(within, schema, draft.pattern)
    return replace(draft, pattern=bound(draft.pattern), shown=bound(draft.shown)) if bound else draft


def _bounding(within: Within, schema: Schema, pattern: Pattern) -> Callable[[Pattern], Pattern] | None:
    key = schema.passages.edge_key if schema.passages else None
    if within.keys and key is not None:
        bounds = tuple(Filter(Property(hop.name, key), "overlaps", tuple(within.keys)) for hop in pattern.hops)
        return lambda p: replace(p, filters=(*p.filters, *bounds))
    if within.nodes:
        # What a query begins at is given; all else has to be mentioned.
        given = {binding.node for binding in pattern.bindings}
        handle = RESERVED_KEY if schema.loaded else None
        values = tuple(n.id if schema.loaded else n.element_id for n in within.nodes)
        ties = tuple(Binding(n.name, handle, values) for n in pattern.nodes if n.name not in given)
        return lambda p: replace(p, bindings=(*p.bindings, *ties))
    return None


def _ends(one: Statement, schema: Schema) -> tuple[Anchor, Anchor]:
    return (
        _anchor(one.start_name, one.start_labels, one.start_id, one.start, schema),
        _anchor(one.end_name, one.end_labels, one.end_id, one.end, schema),
    )


def _anchor(name: str, labels: tuple[str, ...], id_: str, element: str, schema: Schema) -> Anchor:
    return Anchor(name, labels, schema.naming(labels) or "", (id_,), (element,), (0, 0), name, "near", 0.5)
