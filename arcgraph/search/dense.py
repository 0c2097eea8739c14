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


class DenseIndex:
    """Ranks by cosine. ``vectors`` is ``(n, d)`` of unit rows, float32 or float16; rows of zeros are never returned."""

    def __init__(self, vectors: StoredVectors, embedder: Embedder):
        self._vectors = vectors
        self._embedder = embedder

    def search(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """See :class:`~arcgraph.search.base.TextIndex`; scores are cosines."""
        allowed = positions(within)
        ids = np.arange(len(self._vectors)) if allowed is None else allowed
        cosines = self.cosines(text, allowed)
        keep = cosines != 0
        return best(ids[keep], cosines[keep], k)

    def cosines(self, text: str, rows: Ids | None = None) -> Vectors:
        """The cosine of ``text`` with every row, or with ``rows`` only; all 0 for a text without any known token."""
        vector = self._embedder.embed([fold(text) or text])[0]
        if not vector.any():
            return np.zeros(len(self._vectors) if rows is None else len(rows), np.float32)
        return self._cosines(vector, rows)

    def _cosines(self, vector: Vectors, allowed: Ids | None) -> Vectors:
        if allowed is not None:
            return np.asarray(self._vectors[allowed].astype(np.float32) @ vector)
        if self._vectors.dtype == np.float32:
            return np.asarray(self._vectors @ vector)
        if not len(self._vectors):
            return np.zeros(0, np.float32)
        parts = [self._vectors[i : i + _ROWS].astype(np.float32) @ vector for i in range(0, len(self._vectors), _ROWS)]
        return np.concatenate(parts)
