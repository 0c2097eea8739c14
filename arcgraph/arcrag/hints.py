"""Retrieve: what a store of texts finds for a question, as hints where to look in the graph.

Passages say in prose what edges may say in other words; statements name the entities at both ends of an edge, which
become entities that can be explored from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arcgraph.domain import Anchor, Schema

MOST_TEXTS = 10
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


class Found(Protocol):
    """What a store found, best first: the texts, and the statements among them."""

    @property
    def texts(self) -> Sequence[str]:
        """Passages or sentences."""
        ...

    @property
    def triples(self) -> Sequence[Statement]:
        """Empty where the store holds passages."""
        ...


class Store(Protocol):
    """Texts that can be searched for a question and phrases from it."""

    def retrieve(self, question: str, phrases: Sequence[str] = (), k: int = 10) -> Found:
        """At most ``k`` texts, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Hints:
    """Where to look: texts that read like a question, and the entities that statements among them name."""

    texts: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()


def hints(store: Store | None, schema: Schema, question: str, phrases: Sequence[str] = ()) -> Hints:
    """What the store has for a question; nothing without one."""
    if store is None:
        return Hints()
    found = store.retrieve(question, phrases, MOST_TEXTS)
    ends = [end for one in found.triples for end in _ends(one, schema)]
    return Hints(tuple(found.texts)[:MOST_TEXTS], tuple(dict.fromkeys(ends))[:_MOST_ANCHORS])


def _ends(one: Statement, schema: Schema) -> tuple[Anchor, Anchor]:
    return (
        _anchor(one.start_name, one.start_labels, one.start_id, one.start, schema),
        _anchor(one.end_name, one.end_labels, one.end_id, one.end, schema),
    )


def _anchor(name: str, labels: tuple[str, ...], id_: str, element: str, schema: Schema) -> Anchor:
    return Anchor(name, labels, schema.naming(labels) or "", (id_,), (element,), (0, 0), name, "near", 0.5)
