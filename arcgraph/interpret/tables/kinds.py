"""What label a noun is said for that names none: people ask for "teams" of a graph that has Clubs.

A single word tells little, so that a label is compared by all that a schema says of it: its own name, the words of its
keys, what its nodes are called ("Park Stadium" is a stadium). What is likely then is only likely: the rest of the
question has to fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from arcgraph.domain import PropertyInfo
from arcgraph.interpret.english import FUNCTION_WORDS
from arcgraph.interpret.tables.asked import singular
from arcgraph.interpret.tables.catalog import Catalog
from arcgraph.interpret.tables.english import PERSON_WORDS, PLAIN_WORDS
from arcgraph.interpret.terms import EmbedWords
from arcgraph.interpret.verbalise import content, split_name

# What the mean of the nearest words of a label's keys counts for, beside its name, and how many of them are looked at.
_KEYS, _NEAREST = 0.5, 3
# What it counts for that nodes are called so, or that a key begins with the noun ("pitchLength" of a ground).
_CALLED, _IN_KEY = 0.4, 0.3
# So great a share of the names seen has the noun, where nodes are called so.
_SHARE = 0.15
# From this likeness on a label may be meant, with those that are so near to the nearest.
_LEAST, _NEAR = 0.25, 0.1
_MOST_KNOWN = 5_000


class Kinds:
    """The labels of one graph, by nouns that are none of their names. Thread-safe."""

    def __init__(self, catalog: Catalog, embed: EmbedWords):
        self._embed = embed
        labels = [label for label in catalog.labels if split_name(label)]
        infos = [catalog.schema.labels[label] for label in labels]
        self._labels = labels
        self._keys = [sorted({w for key in info.properties for w in content(split_name(key))}) for info in infos]
        self._firsts = [{words[0] for key in info.properties if len(words := split_name(key)) > 1} for info in infos]
        self._names = [_words_of(catalog.schema.labels[label].properties, catalog.naming(label)) for label in labels]
        self._vectors = embed([" ".join(split_name(label)) for label in labels])
        self._of_keys = [embed(words) if words else None for words in self._keys]
        self.of = lru_cache(_MOST_KNOWN)(self._of)

    def _of(self, noun: str) -> tuple[tuple[str, float], ...]:
        """The labels that a noun may be said for, the likeliest first, with how like it they are."""
        one = singular(noun)
        if one in FUNCTION_WORDS | PLAIN_WORDS or noun in PERSON_WORDS or not self._labels:
            return ()
        vectors = self._embed([one])
        scores = [self._likeness(one, i, None if vectors is None else vectors[0]) for i in range(len(self._labels))]
        best = max(scores)
        found = [(label, score) for label, score in zip(self._labels, scores, strict=True) if score >= best - _NEAR]
        return tuple(sorted(found, key=lambda item: -item[1])) if best >= _LEAST else ()

    def _likeness(self, noun: str, at: int, vector: np.ndarray[tuple[int], np.dtype[np.float32]] | None) -> float:
        score = 0.0
        if vector is not None and self._vectors is not None:
            score += float(self._vectors[at] @ vector)
            keys = self._of_keys[at]
            if keys is not None:
                score += _KEYS * float(np.sort(keys @ vector)[-_NEAREST:].mean())
        names = self._names[at]
        if sum(noun in words for words in names) >= max(2, _SHARE * len(names)):
            score += _CALLED
        return score + _IN_KEY * (noun in self._firsts[at])


def _words_of(properties: Mapping[str, PropertyInfo], keys: Sequence[str]) -> list[frozenset[str]]:
    """The words of each name that is known as a sample."""
    samples = [s for key in keys for s in properties[key].samples if isinstance(s, str)]
    return [frozenset(text.casefold().split()) for text in samples]
