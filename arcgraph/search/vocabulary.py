"""The different tokens of an index: look-up by hash, and near spellings by shared letter trigrams."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Hashes = NDArray[np.uint64]

_BUCKETS = 1 << 16
_BEGIN, _END = "\x02", "\x03"
# Shorter words have too many neighbours for a near spelling to mean anything.
SHORTEST_FUZZY = 5
_CANDIDATES = 32


@lru_cache(maxsize=1 << 16)
def token_hash(token: str) -> int:
    """64 bits that are the same in every process."""
    return int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def hashes(words: Sequence[str]) -> Hashes:
    """One hash a word."""
    return np.fromiter(map(token_hash, words), np.uint64, len(words))


class Texts:
    """Many strings in one block of UTF-8; ``offsets`` int64 (n + 1)."""

    def __init__(self, blob: Array, offsets: NDArray[np.int64]):
        self._blob = blob
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, at: int) -> str:
        return self._blob[self._offsets[at] : self._offsets[at + 1]].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return (self[at] for at in range(len(self)))

    @staticmethod
    def pack(texts: Iterable[str]) -> tuple[Array, NDArray[np.int64]]:
        """Blob and offsets of some strings."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(piece) for piece in encoded], out=offsets[1:])
        return np.frombuffer(b"".join(encoded), np.uint8), offsets


class Column:
    """Strings packed as they come, for a collection too large to be held as objects."""

    def __init__(self) -> None:
        self._blob = bytearray()
        self._offsets = array("q", [0])

    def add(self, text: str) -> None:
        """Append one string."""
        self._blob += text.encode("utf-8", "surrogatepass")
        self._offsets.append(len(self._blob))

    def arrays(self, name: str) -> dict[str, Array]:
        """What :class:`Texts` takes, stored as ``{name}_blob`` and ``{name}_offsets``."""
        blob = np.frombuffer(self._blob, np.uint8)
        return {f"{name}_blob": blob, f"{name}_offsets": np.frombuffer(self._offsets, np.int64)}


class Correction(NamedTuple):
    """A token of the vocabulary and by how many edits it differs from the word looked up."""

    term: int
    text: str
    edits: int


class Vocabulary:
    """Tokens numbered in order of their hash."""

    def __init__(self, arrays: Mapping[str, Array]):
        self._keys: Hashes = arrays["vocabulary_keys"]
        self._texts = Texts(arrays["vocabulary_blob"], arrays["vocabulary_offsets"])
        self._starts = arrays["trigram_starts"]
        self._words = arrays["trigram_words"]

    @staticmethod
    def arrays(words: Sequence[str]) -> tuple[dict[str, Array], NDArray[np.int32]]:
        """What is stored of the distinct ``words``, and the number that each was given, in their order."""
        keys = hashes(words)
        order = np.argsort(keys, kind="stable")
        numbers = np.empty(len(words), np.int32)
        numbers[order] = np.arange(len(words), dtype=np.int32)
        ordered = [words[i] for i in order]
        blob, offsets = Texts.pack(ordered)
        starts, postings = _trigram_postings(ordered)
        stored = {
            "vocabulary_keys": keys[order],
            "vocabulary_blob": blob,
            "vocabulary_offsets": offsets,
            "trigram_starts": starts,
            "trigram_words": postings,
        }
        return stored, numbers

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, term: int) -> str:
        return self._texts[term]

    def term(self, word: str) -> int:
        """The number of a token, or -1."""
        at = int(np.searchsorted(self._keys, np.uint64(token_hash(word))))
        return at if at < len(self._keys) and self._texts[at] == word else -1

    def corrections(self, word: str, edits: int) -> list[Correction]:
        """Tokens within so many edits of ``word``, itself included, nearest first."""
        buckets = _buckets(_BEGIN + word + _END)
        shared = [self._words[self._starts[b] : self._starts[b + 1]] for b in buckets]
        terms, counts = np.unique(np.concatenate(shared), return_counts=True)
        # An edit spoils three trigrams, an exchange of neighbours four.
        likely = counts >= max(1, len(buckets) - 3 * edits - 1)
        terms, counts = terms[likely], counts[likely]
        nearest = terms[np.argsort(-counts, kind="stable")[:_CANDIDATES]]
        found = [Correction(int(t), text, edit_distance(word, text, edits)) for t in nearest if (text := self[int(t)])]
        return sorted((c for c in found if c.edits <= edits), key=lambda c: (c.edits, c.text))


def allowed_edits(word: str) -> int:
    """How many edits a word may be away from what was meant: none below five letters, two from nine."""
    if len(word) < SHORTEST_FUZZY or not word.isalpha():
        return 0
    return 1 if len(word) < 9 else 2


def edit_distance(a: str, b: str, most: int) -> int:
    """Insertions, deletions, substitutions and exchanges of neighbours; ``most + 1`` stands for more than ``most``.

    Optimal string alignment, as in B. J. Oommen, R. K. S. Loke: Pattern recognition of strings with substitutions,
    insertions, deletions and generalized transpositions. Pattern Recognition 30(5), 1997.
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    if a == b:
        return 0
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i] + [most + 1] * len(b)
        # Cells further than ``most`` from the diagonal cannot matter.
        for j in range(max(1, i - most), min(len(b), i + most) + 1):
            y = b[j - 1]
            cost = last[j - 1] if x == y else 1 + min(last[j - 1], last[j], row[j - 1])
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row[j] = cost
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)


def _trigram_postings(words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    long_enough = [i for i, word in enumerate(words) if len(word) >= SHORTEST_FUZZY - 1]
    padded = [_BEGIN + words[i] + _END for i in long_enough]
    codes = _codes("".join(padded))
    owner = np.repeat(np.arange(len(padded)), [len(word) for word in padded])
    within = owner[:-2] == owner[2:] if len(owner) > 2 else np.zeros(0, bool)
    pairs = np.unique(codes[within].astype(np.int64) * max(len(padded), 1) + owner[: len(within)][within])
    bucket, word = np.divmod(pairs, max(len(padded), 1))
    starts = np.concatenate(([0], np.cumsum(np.bincount(bucket, minlength=_BUCKETS)))).astype(np.int64)
    return starts, np.array(long_enough, np.int32)[word] if len(pairs) else np.zeros(0, np.int32)


def _buckets(padded: str) -> list[int]:
    return [int(code) for code in np.unique(_codes(padded))]


def _codes(text: str) -> NDArray[np.uint32]:
    """A bucket for the trigram at every place but the last two."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    if len(points) < 3:
        return np.zeros(0, np.uint32)
    mixed = (points[:-2] * np.uint32(2654435761)) ^ (points[1:-1] * np.uint32(2246822519))
    mixed = (mixed ^ (points[2:] * np.uint32(3266489917))) * np.uint32(668265263)
    return np.asarray(mixed >> np.uint32(16))
