"""BM25 as rank-bm25's ``BM25Okapi`` defines it: the library where a corpus is small, a sparse matrix where it is large.

A. Trotman, A. Puurula, B. Burgess: Improvements to BM25 and language models examined. ADCS 2014. The floor for terms
that stand in more than half of the texts, ``epsilon`` times the mean inverse document frequency, is rank-bm25's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcgraph.search.base import Ids, Ranking, best, positions
from arcgraph.search.text import tokens

K1 = 1.5
B = 0.75
EPSILON = 0.25
# Below this many texts the library answers in well under a millisecond.
SMALL = 1_000

Scores: TypeAlias = NDArray[np.float64]
Documents: TypeAlias = Sequence[Sequence[str]]


class Scored(NamedTuple):
    """Entries that hold at least one word of the query, ascending, and their scores."""

    ids: Ids
    scores: Scores


class BM25(Protocol):
    """What both implementations are."""

    def scored(self, words: Sequence[str]) -> Scored:
        """Score every text that holds one of ``words``; a word given twice counts twice."""
        ...

    def search(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """See :class:`~arcgraph.search.base.TextIndex`."""
        ...


class _Ranked:
    def scored(self, words: Sequence[str]) -> Scored:
        raise NotImplementedError

    def search(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """Only texts that share a word with ``text`` are ranked."""
        return self.rank(tokens(text), k, within=within)

    def rank(self, words: Sequence[str], k: int, *, within: Collection[int] | None = None) -> Ranking:
        """As :meth:`search`, for folded tokens."""
        ids, scores = self.scored(words)
        allowed = positions(within)
        if allowed is not None:
            keep = np.isin(ids, allowed, assume_unique=True)
            ids, scores = ids[keep], scores[keep]
        return best(ids, scores, k)


class OkapiBM25(_Ranked):
    """rank-bm25's own class, safe for a corpus without any word."""

    def __init__(self, documents: Documents):
        from rank_bm25 import BM25Okapi

        # The library divides by the number of texts, by their mean length and by the number of different words.
        has_words = any(len(document) for document in documents)
        self._okapi = BM25Okapi(documents, k1=K1, b=B, epsilon=EPSILON) if has_words else None

    def scored(self, words: Sequence[str]) -> Scored:
        """See :class:`BM25`."""
        if self._okapi is None or not words:
            return Scored(np.zeros(0, np.int64), np.zeros(0))
        wanted = set(words)
        ids = np.array([i for i, seen in enumerate(self._okapi.doc_freqs) if not wanted.isdisjoint(seen)], np.int64)
        return Scored(ids, np.asarray(self._okapi.get_scores(words))[ids])


class Postings(NamedTuple):
    """A sparse matrix of terms by texts, rows compressed: term ``t`` holds ``starts[t]:starts[t + 1]``.

    ``starts`` int64 (terms + 1), ``entries`` int32 ascending within a term, ``weights`` float64: what the term adds to
    the text's score.
    """

    starts: NDArray[np.int64]
    entries: NDArray[np.int32]
    weights: Scores

    def of(self, term: int) -> slice:
        """Where the term's row stands."""
        return slice(int(self.starts[term]), int(self.starts[term + 1]))


def weigh(terms: NDArray[np.int32], lengths: NDArray[np.int64], vocabulary: int) -> Postings:
    """Postings of texts given as one flat array of term ids and the number of tokens of each text."""
    size = len(lengths)
    documents = np.repeat(np.arange(size, dtype=np.int64), lengths)
    pairs, frequency = np.unique(terms.astype(np.int64) * max(size, 1) + documents, return_counts=True)
    term, entry = np.divmod(pairs, max(size, 1))
    containing = np.bincount(term, minlength=vocabulary)
    starts = np.concatenate(([0], np.cumsum(containing))).astype(np.int64)
    if not len(pairs):
        return Postings(starts, np.zeros(0, np.int32), np.zeros(0))
    norm = K1 * (1 - B + B * lengths / (lengths.sum() / size))
    weights = _idf(containing, size)[term] * (frequency * (K1 + 1) / (frequency + norm[entry]))
    return Postings(starts, entry.astype(np.int32), weights)


def _idf(containing: NDArray[np.int64], size: int) -> Scores:
    idf: Scores = np.log(size - containing + 0.5) - np.log(containing + 0.5)
    idf[idf < 0] = EPSILON * idf.mean()
    return idf


class SparseBM25(_Ranked):
    """The same numbers from precomputed postings; ``term_of`` gives a word's term, or -1."""

    def __init__(self, postings: Postings, size: int, term_of: Callable[[str], int]):
        self._postings = postings
        self._size = size
        self._term_of = term_of

    @classmethod
    def of(cls, documents: Documents) -> SparseBM25:
        """Index texts given as folded tokens."""
        vocabulary: dict[str, int] = {}
        terms = [vocabulary.setdefault(word, len(vocabulary)) for document in documents for word in document]
        lengths = np.array([len(document) for document in documents], np.int64)
        postings = weigh(np.array(terms, np.int32), lengths, len(vocabulary))
        return cls(postings, len(documents), lambda word: vocabulary.get(word, -1))

    def scored(self, words: Sequence[str]) -> Scored:
        """See :class:`BM25`."""
        rows = [self._postings.of(term) for term in map(self._term_of, words) if term >= 0]
        if not rows:
            return Scored(np.zeros(0, np.int64), np.zeros(0))
        entries = np.concatenate([self._postings.entries[row] for row in rows])
        weights = np.concatenate([self._postings.weights[row] for row in rows])
        scores = np.bincount(entries, weights, minlength=self._size)
        ids = np.flatnonzero(np.bincount(entries, minlength=self._size))
        return Scored(ids, np.asarray(scores[ids], np.float64))


def bm25(documents: Documents) -> BM25:
    """The library's class for a small corpus, the sparse matrix for a large one."""
    return OkapiBM25(documents) if len(documents) < SMALL else SparseBM25.of(documents)
