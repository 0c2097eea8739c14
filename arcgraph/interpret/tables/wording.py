"""Relations that a question words with more than their names: by the words behind initials ("lives with": KNOWS_LW), by
the words of a name with others in between ("knows the phone number of": KNOWS_PHONE), and by phrases for living
together and knowing each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from arcgraph.interpret.english import ARTICLES, COPULAS, POSSESSIVES, PREPOSITIONS
from arcgraph.interpret.tables.catalog import are_same
from arcgraph.interpret.tables.english import (
    COHABITING_PHRASES,
    DWELLING_VERBS,
    KNOWING_PHRASES,
    RELATIVE_PRONOUNS,
    TAIL_NOUNS,
)
from arcgraph.interpret.verbalise import content, relation_words

# Initials of so many words are looked for.
_FEWEST, _MOST = 2, 4
_VOWELS = frozenset("aeiouy")
# Between the words of one name stand at most so many others, and only such.
_BETWEEN = 3
_GLUE = ARTICLES | COPULAS | POSSESSIVES | PREPOSITIONS | TAIL_NOUNS
# What people say for those whom they live with.
_TOGETHER = ("live", "with")
# What those are called who know each other.
_KNOWING = (("knows",), ("know",), ("acquainted", "with"))


@dataclass(frozen=True, slots=True)
class Worded:
    """Words ``first:last`` that say a relation."""

    first: int
    last: int
    relation: str


def worded(words: Sequence[str], relations: Iterable[str], nouns: frozenset[str]) -> Iterator[Worded]:
    """The relations that words of a question say so; ``nouns`` are the words of labels, which alone say none."""
    for relation in relations:
        name = relation_words(relation)
        yield from _by_initials(words, relation, name, nouns)
        yield from _scattered(words, relation, content(name), nouns)
        if name in _KNOWING:
            yield from _by_phrases(words, relation, KNOWING_PHRASES)
        if are_same(content(name), content(_TOGETHER)) or any(_spells(part, _TOGETHER) for part in name):
            yield from _by_phrases(words, relation, COHABITING_PHRASES)


def _by_initials(words: Sequence[str], relation: str, name: Sequence[str], nouns: frozenset[str]) -> Iterator[Worded]:
    """Verbs with a preposition whose initials a part of the name is."""
    for part in name:
        if not _FEWEST <= len(part) <= _MOST or _VOWELS & set(part):
            continue
        for i in range(len(words) - len(part) + 1):
            said = [_plain(word) for word in words[i : i + len(part)]]
            is_verb = words[i] not in nouns and _looks_like_a_verb(words, i)
            if is_verb and said[-1] in PREPOSITIONS and not PREPOSITIONS & set(said[:-1]) and _spells(part, said):
                yield Worded(i, i + len(part), relation)


def _looks_like_a_verb(words: Sequence[str], at: int) -> bool:
    word, before = words[at], "".join(words[max(0, at - 1) : at])
    return word in DWELLING_VERBS or word.endswith(("ed", "ing")) or before in RELATIVE_PRONOUNS | {"to"}


def _spells(part: str, words: Sequence[str]) -> bool:
    return part == "".join(word[0] for word in words)


def _plain(word: str) -> str:
    return "live" if word in DWELLING_VERBS else word


def _by_phrases(words: Sequence[str], relation: str, phrases: Iterable[tuple[str, ...]]) -> Iterator[Worded]:
    for i in range(len(words)):
        for phrase in phrases:
            end = i + len(phrase)
            if tuple(words[i:end]) == phrase:
                yield Worded(i, end + (words[end : end + 1] == ["with"]), relation)


def _scattered(words: Sequence[str], relation: str, name: Sequence[str], nouns: frozenset[str]) -> Iterator[Worded]:
    """Two words of a name with little in between, in either order; those side by side are a phrase of their own."""
    if len(name) != 2 or all(part in nouns for part in name):
        return
    first = [i for i, word in enumerate(words) if are_same((word,), (name[0],))]
    second = [i for i, word in enumerate(words) if are_same((word,), (name[1],))] if first else []
    for i, j in (sorted(pair) for pair in product(first, second)):
        if 2 <= j - i <= _BETWEEN + 1 and all(word in _GLUE for word in words[i + 1 : j]):
            end = j + 1
            while end < len(words) and words[end] in TAIL_NOUNS:
                end += 1
            yield Worded(i, end, relation)
