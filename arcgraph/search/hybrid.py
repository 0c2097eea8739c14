"""Texts ranked in two ways, by wording and by meaning, and the one formula that makes one ranking of many.

A store gives the two rankings; fusion is here, so that every store's numbers are the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arcgraph.errors import StorageError
from arcgraph.search.base import Embedder, Ids, Ranking, Vectors, best
from arcgraph.search.dense import DenseIndex
from arcgraph.search.fusion import reciprocal_rank_fusion
from arcgraph.search.lexical import Postings, Scored, SparseBM25
from arcgraph.search.store import Store
from arcgraph.search.text import FUNCTION_WORDS, tokens
from arcgraph.search.vocabulary import Texts, Vocabulary
from arcgraph.settings import SearchSettings


class Ways(Protocol):
    """Ranks the same texts in two ways; see :class:`~arcgraph.search.base.TextIndex` for the arguments."""

    def by_wording(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """By BM25, function words of ``text`` left out unless there are no others."""
        ...

    def by_meaning(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """By cosine; nothing without an embedder."""
        ...


class Both(NamedTuple):
    """What each way found for one text."""

    wording: Ranking
    meaning: Ranking


def both_ways(
    ways: Ways, text: str, k: int, settings: SearchSettings, *, within: Collection[int] | None = None
) -> Both:
    """The two rankings of a text, each at least as long as the settings' ``prefetch`` if there is as much."""
    prefetch = max(k, settings.prefetch)
    return Both(ways.by_wording(text, prefetch, within=within), ways.by_meaning(text, prefetch, within=within))


def fused(found: Iterable[Both], k: int, settings: SearchSettings) -> Ranking:
    """The ``k`` best for several texts together: all their rankings, weighed as the settings say."""
    rankings = [ranking for both in found for ranking in both]
    weights = (settings.sparse_weight, settings.dense_weight) * (len(rankings) // 2)
    return reciprocal_rank_fusion(rankings, weights=weights, k=settings.rrf_k, limit=max(k, 0))


def asked(text: str) -> list[str]:
    """The words that texts are searched for; all of them where there are function words only."""
    words = tokens(text)
    return [word for word in words if word not in FUNCTION_WORDS] or words


class Terms(NamedTuple):
    """A text's sparse vector: different terms, and a weight for each."""

    terms: NDArray[np.int32]
    weights: NDArray[np.float64]


class LocalWays:
    """The two ways over the arrays of an index: ``posting_*``, ``vocabulary_*``, ``vectors``, ``window_starts``.

    ``lacking`` says what could not be used although the index has it. Thread-safe.
    """

    def __init__(self, store: Store, embedder: Embedder | None):
        a = store.arrays
        self.size = int(store.meta["entries"])
        self._store = store
        self.postings = Postings(a["posting_starts"], a["posting_entries"], a["posting_weights"])
        self.lacking = ""
        self._term = Vocabulary(a).term
        # The library's own class would read every text again at each opening.
        self._sparse = SparseBM25(self.postings, self.size, self._term)
        has_vectors = embedder is not None and "vectors" in a
        self.dense = DenseIndex(a["vectors"], embedder, a.get("window_starts")) if embedder and has_vectors else None
        self.dimension = int(a["vectors"].shape[1]) if has_vectors else 0
        self.has_windows = "window_starts" in a

    def by_wording(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """See :class:`Ways`."""
        return self._sparse.rank(asked(text), k, within=within)

    def by_meaning(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """See :class:`Ways`; of a text of several pieces the best counts."""
        dense = self.dense
        try:
            return dense.search(text, k, within=within) if dense is not None and self.size else ()
        except StorageError as error:
            self._give_up(error)
            return ()

    def wording(self, text: str) -> Scored:
        """Every text that shares a word, and its BM25 score."""
        return self._sparse.scored(asked(text))

    def cosines(self, text: str, allowed: Ids | None) -> Vectors:
        """The cosine of every text, or the allowed ones; 0 where nothing is known."""
        count = self.size if allowed is None else len(allowed)
        if self.dense is None or not count:
            return np.zeros(count, np.float32)
        try:
            return self.dense.cosines(text, allowed)
        except StorageError as error:
            self._give_up(error)
            return np.zeros(count, np.float32)

    def _give_up(self, error: StorageError) -> None:
        """The index was made with a model that cannot be loaded any more; its words are still there."""
        self.dense = None
        self.lacking = str(error)

    # --- for stores that search elsewhere ------------------------------------------------------------------------

    def vector(self, text: str) -> Vectors | None:
        """The vector that a text is searched by; ``None`` where there is none."""
        try:
            return self.dense.vector(text) if self.dense is not None else None
        except StorageError as error:
            self._give_up(error)
            return None

    def asked_terms(self, text: str) -> Terms:
        """The sparse vector that a text is searched by: how often it has each known term."""
        numbers = [term for term in map(self._term, asked(text)) if term >= 0]
        terms, counts = np.unique(np.array(numbers, np.int32), return_counts=True)
        return Terms(terms, counts.astype(np.float64))

    def settled_wording(self, text: str, ids: Ids, k: int) -> Ranking:
        """The ``k`` best of some texts by their BM25 scores, with the numbers of :meth:`by_wording`."""
        scores, touched = np.zeros(len(ids)), np.zeros(len(ids), bool)
        for term in map(self._term, asked(text)):
            if term >= 0:
                found, weights = self._weights_of(term, ids)
                scores[found] += weights
                touched |= found
        return best(ids[touched], scores[touched], k)

    def settled_meaning(self, vector: Vectors, ids: Ids, k: int) -> Ranking:
        """The ``k`` best of some texts by their cosines, with the numbers of :meth:`by_meaning`."""
        return self.dense.settled(vector, ids, k) if self.dense is not None else ()

    def _weights_of(self, term: int, ids: Ids) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Which of the texts hold a term, and what it adds to the score of each that does."""
        row = self.postings.of(term)
        entries = self.postings.entries[row]
        at = np.minimum(np.searchsorted(entries, ids), len(entries) - 1)
        found = entries[at] == ids
        return found, np.asarray(self.postings.weights[row][at[found]])

    def sparse_rows(self) -> SparseRows:
        """The sparse vector of every text."""
        return SparseRows(self.postings, self.size)

    def digest(self) -> str:
        """What tells one content of an index from another: its texts in their order, and what its vectors are of."""
        arrays = self._store.arrays
        vectors = arrays["vectors"].dtype.str if self.dimension else ""
        told = hashlib.blake2b(
            repr((self._store.meta.get("embedder"), vectors, self.dimension)).encode(), digest_size=8
        )
        for name in sorted(name for name in arrays if name.endswith(("_blob", "_offsets"))):
            told.update(arrays[name].data)
        return told.hexdigest()


class SparseRows:
    """The sparse vector of every text, from the postings of all terms. Takes 12 bytes for each term of each text."""

    def __init__(self, postings: Postings, size: int):
        counts = np.diff(postings.starts)
        order = np.argsort(postings.entries, kind="stable")
        self._terms = np.repeat(np.arange(len(counts), dtype=np.int32), counts)[order]
        self._weights = postings.weights[order]
        self._starts = np.concatenate(([0], np.cumsum(np.bincount(postings.entries, minlength=size))))

    def __getitem__(self, at: int) -> Terms:
        row = slice(int(self._starts[at]), int(self._starts[at + 1]))
        return Terms(self._terms[row], self._weights[row])


class RankedTexts:
    """An index of texts of one ``kind`` that are ranked both ways, and what its users are told of it.

    A text is known by its position, ``0`` to ``size - 1``. ``notices`` are sentences for the user about what is
    lacking, already logged. ``path`` is the file it is mapped from, if any, and ``built`` whether it was made just now.
    ``ways`` ranks by each way alone. Thread-safe; reads only.
    """

    kind: ClassVar[str]

    def __init__(
        self,
        store: Store,
        *,
        embedder: Embedder | None = None,
        settings: SearchSettings | None = None,
        notices: Sequence[str] = (),
        path: Path | None = None,
        built: bool = True,
    ):
        self.embedder = embedder
        self.path = path
        self.built = built
        self.size = int(store.meta["entries"])
        self.ways = LocalWays(store, embedder)
        self._notices = tuple(notices)
        self._settings = settings or SearchSettings()
        self._arrays = store.arrays
        self._meta = store.meta
        self._open()

    def _open(self) -> None:
        """Map what this kind of texts has beside them."""
        raise NotImplementedError

    def _mapped(self, name: str) -> Texts:
        """The texts stored under a name."""
        return Texts(self._arrays[f"{name}_blob"], self._arrays[f"{name}_offsets"])

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences for the user about what is lacking."""
        lacking = self.ways.lacking
        alone = f"{self.kind} are searched by their words alone: {lacking}"
        return (*self._notices, alone) if lacking else self._notices

    def __len__(self) -> int:
        return self.size
