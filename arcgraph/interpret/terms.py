"""The graph's own vocabulary, and how far a question's words mean each of its terms.

A word's similarity says something only against the *other* terms of the same graph, so similarities become a
distribution over all of them, with a null class that absorbs words about nothing in the graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcgraph.interpret.direction import role_direction
from arcgraph.interpret.english import (
    ABOUT_NOTION,
    ABOUT_WORDS,
    ANYONE_WORDS,
    ARTICLES,
    CLASS_NOTION,
    CLASS_NOUNS,
    FUNCTION_WORDS,
    IRREGULAR_FORMS,
    PEOPLE_NOTION,
    RETURN_WORDS,
)
from arcgraph.interpret.verbalise import content, relation_words
from arcgraph.search.text import is_unspaced

Matrix = NDArray[np.float32]
Vector = NDArray[np.float32]
# Unit vectors of words or short phrases, (n, d); None where there is no embedder.
EmbedWords = Callable[[Sequence[str]], Matrix | None]


@dataclass(frozen=True, slots=True)
class Calibration:
    """How one embedder's cosines become a distribution: softmax temperature, the null class's similarity, and how much
    a shared stem adds. Each is flat over a broad range (see benchmarks/README.md)."""

    temperature: float = 0.1
    null: float = 0.3
    stem: float = 0.4


@dataclass(frozen=True, slots=True)
class Term:
    """A relation or a label, in words."""

    kind: Literal["relation", "label"]
    name: str
    words: tuple[str, ...]

    @property
    def phrase(self) -> str:
        return " ".join(self.words)

    @property
    def says_something(self) -> bool:
        """Whether any of the words carries meaning of its own."""
        return any(word not in FUNCTION_WORDS for word in self.words)


def relation_term(name: str) -> Term:
    return Term("relation", name, relation_words(name))


def label_term(name: str) -> Term:
    return Term("label", name, relation_words(name))


# From this share of a stem on two words are forms of one.
_SAME_WORD = 0.75
# How much a match by one word of many is worth less.
_PART = 0.15


@lru_cache(maxsize=200_000)
def shared_stem(a: str, b: str) -> float:
    """How much of the shorter word a match covers that begins at the start of one of the two; 0 below four letters.

    Finds derivations that embeddings of single words miss ("director" and "directed", "screenwriter" and "written"),
    while a free substring match would pair words that merely end alike.
    """
    a, b = IRREGULAR_FORMS.get(a, a), IRREGULAR_FORMS.get(b, b)
    if a == b or a.rstrip("s") == b.rstrip("s"):
        return 1.0
    if is_unspaced(a[0]) and is_unspaced(b[0]):
        # A run of such a script holds several words: a term counts where it stands in it.
        return float(a in b or b in a)
    best = max(_longest_from_start(a, b), _longest_from_start(b, a))
    longer = max(a, b, key=len)
    if longer.startswith(min(a, b, key=len)[:best]) and len(longer) > 2 * best + 1:
        # No ending is that long: a "goalkeeper" is no form of "goal".
        return 0.0
    return best / min(len(a), len(b)) if best >= 4 else 0.0


def _longest_from_start(a: str, b: str) -> int:
    """The longest prefix of ``a`` that occurs anywhere in ``b``."""
    size = 0
    while size < len(a) and a[: size + 1] in b:
        size += 1
    return size


_MOST_KNOWN = 50_000
# A row is as wide as the vocabulary, and few words are asked for.
_MOST_ROLES = 1_000


class Vocabulary:
    """The terms of a graph or of one query-local interface.

    ``meanings(words)`` gives an array (words, terms + 2) of probabilities; the last two columns are the round trip
    ("the same", "also") and null. Terms that hold the word which is meant (a label Order, a type ORDERS; the place and
    the cause of death) do not compete for it: probabilities are shares among different words, not among terms.
    """

    def __init__(self, terms: Sequence[Term], embed: EmbedWords, calibration: Calibration | None = None):
        self.terms = tuple(terms)
        self.column = {(t.kind, t.name): i for i, t in enumerate(self.terms)}
        self.round_trip = len(self.terms)
        self.null = len(self.terms) + 1
        self.relations = np.array([i for i, t in enumerate(self.terms) if t.kind == "relation"], dtype=np.intp)
        self.names_classes = any(t.kind == "label" for t in self.terms)
        self._calibration = calibration or Calibration()
        self._content = [content(t.words) for t in self.terms]
        # A word that is only a part of a name means it less than one that is the whole of another.
        self._whole = np.array([1.0 - _PART * (1 - 1 / len(ws)) for ws in self._content], dtype=np.float32)
        self._flat = [w for ws in self._content for w in ws]
        self._starts = np.cumsum([0, *(len(ws) for ws in self._content[:-1])], dtype=np.intp)[: len(self._content)]
        self._numbers = _numbers(self._flat)
        self._embed = embed
        self._known: dict[str, Matrix] = {}
        self._roles: dict[str, NDArray[Any]] = {}
        self._phrases = embed([t.phrase for t in self.terms])
        self._words = embed(self._flat)
        self._returns = embed(list(RETURN_WORDS))

    def meanings(self, words: Sequence[str]) -> Matrix:
        """The distribution of each word over the terms, the round trip and null. Kept for words met before."""
        # Other threads may empty the memory at any time, so the rows are taken out of it first.
        rows = {w: row for w in dict.fromkeys(words) if (row := self._known.get(w)) is not None}
        new = [w for w in dict.fromkeys(words) if w not in rows]
        if new:
            rows.update(zip(new, self._distribution(new), strict=True))
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            self._known.update((w, rows[w]) for w in new)
        return np.stack([rows[w] for w in words])

    def roles(self, words: Sequence[str]) -> NDArray[Any]:
        """(words, terms + 2): which way a last hop over a relation must point for its end to be a word; ``None``:
        untold. Kept for words met before."""
        rows = [known if (known := self._roles.get(word)) is not None else self._row_of_roles(word) for word in words]
        return np.stack(rows)

    def _row_of_roles(self, word: str) -> NDArray[Any]:
        row = np.full(len(self.terms) + 2, None, dtype=object)
        for i in self.relations:
            row[i] = role_direction(word, self.terms[i].name)
        if len(self._roles) > _MOST_ROLES:
            self._roles.clear()
        self._roles[word] = row
        return row

    def are_one_name(self, one: str, other: str, link: tuple[str, ...]) -> bool:
        """Whether two words with the function words ``link`` between them are parts of one term's name.

        They stand side by side as in the name ("release year"), or the other way round with "of" ("year of release").
        """
        turned = "of" in link
        return all(w == "of" or w in ARTICLES for w in link) and any(
            _follow(one, other, words) or (turned and _follow(other, one, words))
            for words in self._content
            if len(words) > 1
        )

    def has_word(self, word: str) -> bool:
        """Whether a word is a form of a word of some term, so that it is the graph's own and no lookalike."""
        return any(_is_form(word, own) for words in self._content for own in words)

    def _distribution(self, words: Sequence[str]) -> Matrix:
        """As :meth:`meanings`, computed; a word that stands for a notion means what the best of its nouns does."""
        senses = [_senses(word) for word in words]
        flat = [sense for group in senses for sense in group]
        starts = np.cumsum([0, *(len(group) for group in senses[:-1])])
        scores, matched = self._compared(flat)
        table = []
        for word, at, group in zip(words, starts, senses, strict=True):
            best = at + scores[at : at + len(group)].argmax(axis=0)
            columns = np.arange(scores.shape[1])
            table.append(self._shares(word, scores[best, columns], matched[best, columns]))
        return np.stack(table)

    def _shares(self, word: str, scores: Vector, matched: NDArray[np.intp]) -> Vector:
        """Each term's weight over the sum of the best weights of all matched words.

        Terms that hold the same word are alike to it, singular or plural, but for how many other words they hold. A
        name of several words tells "head keeper" from "deputy keeper", though they hold one word.
        """
        whole = np.append(self._whole, (1.0, 1.0))
        _, group = np.unique(matched, return_inverse=True)
        likeness = np.full(group.max() + 1, -np.inf)
        np.maximum.at(likeness, group, scores / whole)
        alike = scores if len(word.split()) > 1 else likeness[group] * whole
        logits = alike / self._calibration.temperature
        weights = np.exp(logits - logits.max())
        best = np.zeros(len(likeness))
        np.maximum.at(best, group, weights)
        return np.asarray(weights / best.sum(), dtype=np.float32)

    def _compared(self, words: Sequence[str]) -> tuple[Matrix, NDArray[np.intp]]:
        """(words, terms + 2) twice: how like a word is to each term, and the number of the term's word that it is most
        like."""
        m = len(self.terms)
        vectors = self._embed(list(words))
        by_term, by_word = self._stems(words)
        scores = np.full((len(words), m + 2), self._calibration.null, dtype=np.float32)
        matched = np.empty((len(words), m + 2), dtype=np.intp)
        if m:
            scores[:, :m] = self._similarity(words, vectors, by_term)
            matched[:, :m] = self._matched(vectors, by_word)
        scores[:, m] = self._round_trip(words, vectors)
        matched[:, m:] = -2, -1
        return scores, matched

    def _stems(self, words: Sequence[str]) -> tuple[Matrix, Matrix]:
        """(words, terms) and (words, words of terms): shared stems, of a word of several parts the mean over them.

        Against a term each part counts with the best of the term's words.
        """
        by_term = np.zeros((len(words), len(self.terms)), np.float32)
        by_word = np.zeros((len(words), len(self._flat)), np.float32)
        for i, word in enumerate(words if self._flat else ()):
            parts = np.array(
                [[shared_stem(part, t) for t in self._flat] for part in word.split() or [word]], np.float32
            )
            by_term[i] = np.maximum.reduceat(parts, self._starts, axis=1).mean(axis=0)
            by_word[i] = parts.mean(axis=0)
        return by_term, by_word

    def _similarity(self, words: Sequence[str], vectors: Matrix | None, stems: Matrix) -> Matrix:
        if vectors is None or self._phrases is None or self._words is None:
            # Without vectors a shared stem has to stand for a high similarity, too.
            return np.asarray((self._calibration.stem + 0.5) * stems, dtype=np.float32)
        by_phrase = vectors @ self._phrases.T
        by_word = np.maximum.reduceat(vectors @ self._words.T, self._starts, axis=1)
        parts = np.array([len(word.split()) == 1 for word in words])[:, None]
        whole = np.where(parts, self._whole, 1.0)
        return np.asarray(whole * (np.maximum(by_phrase, by_word) + self._calibration.stem * stems), dtype=np.float32)

    def _matched(self, vectors: Matrix | None, stems: Matrix) -> NDArray[np.intp]:
        """(words, terms): the number of that word of each term which a word is most like."""
        likeness = stems if vectors is None or self._words is None else vectors @ self._words.T + stems
        spans = [(begin, begin + len(own)) for begin, own in zip(self._starts, self._content, strict=True)]
        best = [begin + likeness[:, begin:end].argmax(axis=1) for begin, end in spans]
        return np.asarray(self._numbers[np.stack(best, axis=1)], dtype=np.intp)

    def _round_trip(self, words: Sequence[str], vectors: Matrix | None) -> Matrix:
        if vectors is None or self._returns is None:
            return np.array([1.0 if w in RETURN_WORDS else 0.0 for w in words], np.float32)
        return np.asarray((vectors @ self._returns.T).max(axis=1), dtype=np.float32)


def _is_form(one: str, other: str) -> bool:
    """Whether two words begin alike for most of the shorter one."""
    one, other = IRREGULAR_FORMS.get(one, one), IRREGULAR_FORMS.get(other, other)
    size = max(4, math.ceil(_SAME_WORD * min(len(one), len(other))))
    return one.rstrip("s") == other.rstrip("s") or one[:size] == other[:size]


def _senses(word: str) -> tuple[str, ...]:
    if word in ABOUT_WORDS:
        return (word, *ABOUT_NOTION)
    if word in ANYONE_WORDS:
        return (word, *PEOPLE_NOTION)
    return (word, *CLASS_NOTION) if word in CLASS_NOUNS else (word,)


def _follow(one: str, other: str, words: Sequence[str]) -> bool:
    """Whether two words are forms of neighbours in a name."""
    return any(
        shared_stem(one, first) >= _SAME_WORD and shared_stem(other, second) >= _SAME_WORD
        for first, second in pairwise(words)
    )


def _numbers(words: Sequence[str]) -> NDArray[np.intp]:
    """The same number for the same word, plural endings aside."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(w.rstrip("s"), len(numbers)) for w in words], dtype=np.intp)
