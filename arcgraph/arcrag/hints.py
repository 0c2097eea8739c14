"""Retrieve: what a store of texts finds for a question, as hints where to look in the graph.

Passages say in prose what edges may say in other words; statements name the entities at both ends of an edge, which
become entities that can be explored from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from arcgraph.arcrag.query import Draft
from arcgraph.domain import Anchor, Schema
from arcgraph.graph.pattern import Filter, Property

_MOST_ANCHORS = 12


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


@dataclass(frozen=True, slots=True)
class Hints:
    """Where to look: texts that read like a question, and the entities that statements among them name; ``keys`` are
    what edges call the passages that they have to come from, empty where they may come from any.
    """

    texts: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    keys: tuple[str | int, ...] = ()


def hints(store: Store | None, schema: Schema, question: str, phrases: Sequence[str] = (), k: int = 10) -> Hints:
    """What the store has for a question, at most ``k`` texts; nothing without one."""
    found = store.retrieve(question, phrases, k) if store is not None else None
    if found is None:
        return Hints()
    ends = [end for one in found.triples for end in _ends(one, schema)]
    is_bound = found.scope is not None and schema.passages is not None and schema.passages.edge_key is not None
    keys = tuple(found.scope.keys) if found.scope is not None and is_bound else ()
    return Hints(tuple(found.texts)[:k], tuple(dict.fromkeys(ends))[:_MOST_ANCHORS], keys)


def scoped(draft: Draft, schema: Schema, keys: Sequence[str | int]) -> Draft:
    """The draft over edges alone that come from some passages; as it is where there are none to come from."""
    if not keys or draft.pattern is None or draft.shown is None or schema.passages is None:
        return draft
    key = schema.passages.edge_key
    if key is None:
        return draft
    bounds = tuple(Filter(Property(hop.name, key), "overlaps", tuple(keys)) for hop in draft.pattern.hops)
    pattern = replace(draft.pattern, filters=(*draft.pattern.filters, *bounds))
    shown = replace(draft.shown, filters=(*draft.shown.filters, *bounds))
    return replace(draft, pattern=pattern, shown=shown)


def _ends(one: Statement, schema: Schema) -> tuple[Anchor, Anchor]:
    return (
        _anchor(one.start_name, one.start_labels, one.start_id, one.start, schema),
        _anchor(one.end_name, one.end_labels, one.end_id, one.end, schema),
    )


def _anchor(name: str, labels: tuple[str, ...], id_: str, element: str, schema: Schema) -> Anchor:
    return Anchor(name, labels, schema.naming(labels) or "", (id_,), (element,), (0, 0), name, "near", 0.5)
