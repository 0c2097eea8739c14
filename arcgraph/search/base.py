"""The search waist: rankings, what can rank texts, and what turns texts into vectors."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]
Ids: TypeAlias = NDArray[np.int64]


class Hit(NamedTuple):
    """One ranked entry: its position in the index, and a score that only compares within its own ranking."""

    id: int
    score: float


Ranking: TypeAlias = tuple[Hit, ...]
"""Hits, best first; ties stand in order of id."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One text under which a node can be found.

    ``property`` is the loaded key that holds the text; ``alias`` is true where that is not the property that names the
    node. ``id`` is what the node was called in the file it was loaded from, else its element id.
    """

    element_id: str
    id: str
    labels: tuple[str, ...]
    property: str
    text: str
    alias: bool = False


class TextIndex(Protocol):
    """Ranks its texts against a text."""

    def search(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """The ``k`` best entries; where ``within`` is given, only these are ranked at all."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. ``name`` tells two embedders apart whose vectors cannot be compared."""

    @property
    def name(self) -> str:
        """Kind and model, as the index records it."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """``(len(texts), dimension)`` float32 of unit length; a text without any known token gives zeros."""
        ...


def best(ids: Ids, scores: NDArray[np.floating], k: int) -> Ranking:
    """The ``k`` highest scores as a ranking; ``ids`` and ``scores`` run in parallel."""
    if k <= 0 or not len(ids):
        return ()
    if len(ids) > k:
        threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
        keep = scores >= threshold
        ids, scores = ids[keep], scores[keep]
    order = np.lexsort((ids, -scores))[:k]
    return tuple(Hit(int(ids[i]), float(scores[i])) for i in order)


def positions(within: Collection[int] | None) -> Ids | None:
    """``within`` as a sorted array without repeats."""
    if within is None:
        return None
    return np.unique(np.fromiter(within, dtype=np.int64, count=len(within)))
