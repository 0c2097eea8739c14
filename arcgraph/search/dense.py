"""Nearest texts by cosine, exact, over vectors that may lie on disk."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcgraph.search.base import Embedder, Ids, Ranking, Vectors, best, positions
from arcgraph.search.text import fold

StoredVectors: TypeAlias = NDArray[np.floating[Any]]

# Half precision is converted this many rows at a time, so that a search needs little memory of its own.
_ROWS = 65_536
# Double precision likewise: only the best are computed in it, unless very many are as good.
_EXACT_ROWS = 8_192
# A fast product adds a row up in an order that depends on the row's place: so far from exact may a cosine be.
SLACK = 1e-5
# A cosine below this is what rounding makes of 0.
_LEAST = 1e-4


class DenseIndex:
    """Ranks by cosine. ``vectors`` is ``(n, d)`` of unit rows, float32 or float16.

    ``starts`` int64 (texts + 1) says where each text's rows begin if it has several, and the best of them counts. A
    text is ranked only where its cosine is above 0, rows of zeros therefore never. Equal vectors have equal scores.
    """

    def __init__(self, vectors: StoredVectors, embedder: Embedder, starts: Ids | None = None):
        self._vectors = vectors
        self._embedder = embedder
        self._starts = starts

    def search(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """See :class:`~arcgraph.search.base.TextIndex`; scores are cosines."""
        vector = self.vector(text)
        if vector is None or k <= 0:
            return ()
        allowed = positions(within)
        ids = np.arange(self._size) if allowed is None else allowed
        return self.settled(vector, contenders(ids, self._near(vector, allowed), k), k)

    def settled(self, vector: Vectors, ids: Ids, k: int) -> Ranking:
        """The ``k`` best of some texts by their exact cosines."""
        cosines = self._exact(vector, ids)
        return best(ids[cosines > _LEAST], cosines[cosines > _LEAST], k)

    def vector(self, text: str) -> Vectors | None:
        """The vector of a text that is searched for; ``None`` for one without any known token."""
        vector = self._embedder.embed([fold(text) or text])[0]
        return vector if vector.any() else None

    def cosines(self, text: str, allowed: Ids | None = None) -> Vectors:
        """The cosine of ``text`` with every text, or the ``allowed`` ones only; all 0 for one without known tokens.

        Right to :data:`SLACK`.
        """
        vector = self.vector(text)
        if vector is None:
            return np.zeros(self._size if allowed is None else len(allowed), np.float32)
        return self._near(vector, allowed)

    def rows(self, at: int) -> Vectors:
        """The stored vectors of one text, ``(1, d)`` or more."""
        return np.asarray(self._vectors[self._rows_of(np.array([at]))[0]], np.float32)

    @property
    def _size(self) -> int:
        return len(self._vectors) if self._starts is None else len(self._starts) - 1

    def _rows_of(self, ids: Ids) -> tuple[Ids, Ids]:
        """The rows of some texts, and where each text's begin among them."""
        if self._starts is None:
            return ids, np.arange(len(ids))
        lengths = self._starts[ids + 1] - self._starts[ids]
        begins = np.cumsum(lengths) - lengths
        return np.arange(lengths.sum()) + np.repeat(self._starts[ids] - begins, lengths), begins

    def _near(self, vector: Vectors, allowed: Ids | None) -> Vectors:
        count = self._size if allowed is None else len(allowed)
        if not count:
            return np.zeros(0, np.float32)
        if allowed is None:
            begins = None if self._starts is None else self._starts[:-1]
            return _highest(_products(self._vectors, vector), begins)
        rows, begins = self._rows_of(allowed)
        return _highest(np.asarray(self._vectors[rows].astype(np.float32) @ vector), begins)

    def _exact(self, vector: Vectors, ids: Ids) -> NDArray[np.float64]:
        if not len(ids):
            return np.zeros(0)
        rows, begins = self._rows_of(ids)
        wide = vector.astype(np.float64)
        # Each row by itself, in one order: where else it stands cannot change its sum.
        parts = [
            (self._vectors[rows[i : i + _EXACT_ROWS]].astype(np.float64) * wide).sum(axis=1)
            for i in range(0, len(rows), _EXACT_ROWS)
        ]
        return np.asarray(np.maximum.reduceat(np.concatenate(parts), begins))


def contenders(ids: Ids, cosines: Vectors, k: int) -> Ids:
    """The ids that may be among the ``k`` best where cosines are right to :data:`SLACK`."""
    least = float(np.partition(cosines, len(cosines) - k)[len(cosines) - k]) if len(cosines) > k else _LEAST
    return ids[cosines >= max(least, _LEAST) - SLACK]


def _products(vectors: StoredVectors, vector: Vectors) -> Vectors:
    if vectors.dtype == np.float32:
        return np.asarray(vectors @ vector)
    parts = [vectors[i : i + _ROWS].astype(np.float32) @ vector for i in range(0, len(vectors), _ROWS)]
    return np.concatenate(parts)


def _highest(products: Vectors, begins: Ids | None) -> Vectors:
    return products if begins is None else np.asarray(np.maximum.reduceat(products, begins))
