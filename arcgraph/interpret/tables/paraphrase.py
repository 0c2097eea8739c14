"""Values that are phrases, said in other words: "marked as complete with no suspect found" for "Investigation complete;
no suspect identified"."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from arcgraph.interpret.english import FUNCTION_WORDS
from arcgraph.interpret.tables.catalog import Holder, begin_alike
from arcgraph.interpret.tables.english import RELATIVE_PRONOUNS
from arcgraph.interpret.terms import shared_stem
from arcgraph.interpret.verbalise import split_name
from arcgraph.search.values import ValueIndex

# Of a property with more different values none is looked for in other words; shorter ones have to be said.
_MOST_VALUES, _FEWEST_WORDS = 64, 3
# So much of a phrase's weight has to be said, by so many of its words, with so many others in between.
_LEAST_SAID, _LEAST_WORDS, _BETWEEN = 0.5, 2, 2
# A word stands for another with so much of its stem.
_FORM = 0.7
# A word's weight in a phrase where all of a property's phrases have it.
_COMMON = 0.2
# Words that stand in phrases as they are.
_TELLING = frozenset(("no", "not", "without", "under", "un"))


class Phrase(NamedTuple):
    """A value that is a phrase: what holds it, its words, and the weight of each."""

    holder: Holder
    value: str
    words: tuple[str, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """Words ``first:last`` that say a value otherwise; ``share`` is what of it they say."""

    first: int
    last: int
    holder: Holder
    value: str
    share: float


class Paraphrases:
    """The phrases among a graph's values. Thread-safe."""

    def __init__(self, values: ValueIndex):
        self._values = values

    @cached_property
    def _phrases(self) -> list[Phrase]:
        found: list[Phrase] = []
        for column in self._values.columns:
            known = [one.value for one in self._values.values(column.owner, column.key) if not one.is_piece]
            if column.complete and not column.is_list and 1 < len(known) <= _MOST_VALUES:
                found += _weighed(Holder(column.side, column.owner, column.key), known)
        return found

    def find(self, words: Sequence[str]) -> Iterator[Paraphrase]:
        """Of each property the phrase that a stretch of a question says most of, where no other comes near."""
        by_holder: dict[Holder, list[Paraphrase]] = {}
        for phrase in self._phrases:
            if (said := _said(words, phrase)) is not None:
                by_holder.setdefault(phrase.holder, []).append(said)
        for found in by_holder.values():
            found.sort(key=lambda one: -one.share)
            if len(found) == 1 or found[0].share > found[1].share:
                yield found[0]


def _weighed(holder: Holder, values: Sequence[str]) -> Iterator[Phrase]:
    """The phrases among the values of a property: a word that many have weighs less."""
    words = {value: tuple(dict.fromkeys(map(str.lower, split_name(value)))) for value in values}
    telling = {value: tuple(w for w in own if w not in FUNCTION_WORDS or w in _TELLING) for value, own in words.items()}
    counts = Counter(word for own in telling.values() for word in own)
    for value, own in telling.items():
        if len(own) >= _FEWEST_WORDS and _is_phrase(value):
            weights = [_COMMON + math.log(len(values) / counts[word]) for word in own]
            yield Phrase(holder, value, own, tuple(weight / sum(weights) for weight in weights))


def _is_phrase(value: str) -> bool:
    """Whether a text is written as words are, and no name."""
    words = value.split()
    return len(words) > 1 and all(word[0].islower() or not word[0].isalpha() for word in words[1:])


def _said(words: Sequence[str], phrase: Phrase) -> Paraphrase | None:
    """The stretch of a question that says most of a phrase."""
    matched: dict[int, int] = {}
    for n, part in enumerate(phrase.words):
        at = next((i for i, word in enumerate(words) if i not in matched and _is_form(word, part)), None)
        if at is not None:
            matched[at] = n
    best: Paraphrase | None = None
    for stretch in _stretches(sorted(matched), words):
        share = sum(phrase.weights[matched[i]] for i in stretch)
        if len(stretch) >= _LEAST_WORDS and share >= _LEAST_SAID and (best is None or share > best.share):
            best = Paraphrase(stretch[0], stretch[-1] + 1, phrase.holder, phrase.value, share)
    return best


def _stretches(places: Sequence[int], words: Sequence[str]) -> Iterator[list[int]]:
    """Places that stand near each other."""
    run = list(places[:1])
    for before, at in pairwise(places):
        # A clause between the two says something else of the first ("the crime that the vehicle").
        if at - before > _BETWEEN + 1 or RELATIVE_PRONOUNS.intersection(words[before:at]):
            yield run
            run = []
        run.append(at)
    if run:
        yield run


def _is_form(word: str, part: str) -> bool:
    if word in FUNCTION_WORDS or part in FUNCTION_WORDS:
        return word == part
    return begin_alike(word, part) and shared_stem(word, part) >= _FORM
