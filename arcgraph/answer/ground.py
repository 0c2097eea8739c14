"""Ties the claims of a written answer to the evidence that says them, without a model.

A claim is supported by evidence in which its telling words stand: figures, and words with capitals but for one that
merely begins a sentence, those aside that the question itself names; and with them, in any form, those of its other
words that the evidence has at all. A claim without telling words needs most of its words there.
Evidence that a model names is looked at first; where that does not say it, the rest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from arcgraph.answer.judge import Evidence, Said
from arcgraph.interpret.english import FUNCTION_WORDS
from arcgraph.interpret.terms import shared_stem
from arcgraph.search.text import fold

_WORD = re.compile(r"[^\W_]+(?:['’.,:-][^\W_]+)*")
_MOST_PIECES = 5
# Of a claim without figures and names so many of its content words have to stand in the evidence.
_MOST_WORDS = 0.6
_SAME = 0.75


class Ground:
    """The evidence of a question, word by word, so that many claims can be held against it.

    Pieces are bits of a number: a word stands in some pieces where its number and theirs have a bit in common.
    """

    def __init__(self, question: str, evidence: Evidence):
        self._names = evidence.names()
        self._asked = _words(question)
        self._holders: dict[str, int] = {}
        for at, name in enumerate(self._names):
            for word in _words(evidence.text_of(name)):
                self._holders[word] = self._holders.get(word, 0) | 1 << at
        self._forms = [word for word in self._holders if word.isalpha()]
        self._loose: dict[str, int] = {}

    def support(self, said: Said) -> tuple[str, ...]:
        """The identifiers of the evidence that says a claim; empty where nothing does."""
        claim = self._claim(said.text)
        named = [name for name in dict.fromkeys(said.evidence) if name in self._names]
        if named and self._left(claim, sum(1 << self._names.index(name) for name in named)) <= claim.spare:
            return tuple(named)
        return self._found(claim)

    def _claim(self, text: str) -> _Claim:
        telling = _telling(text)
        names = [w for w in telling if not _stands(w, self._asked)] or telling
        plain = [w for w in map(fold, _WORD.findall(text)) if w and w not in FUNCTION_WORDS and w not in telling]
        if names:
            # Words that the evidence has nowhere are the answer's own; those that it has must stand where it is cited.
            everywhere = (1 << len(self._names)) - 1
            told = (w for w in plain if self._is_in(w, everywhere, loosely=True))
            return _Claim(tuple(names), tuple(dict.fromkeys(told)), 0)
        return _Claim((), tuple(dict.fromkeys(plain)), int((1 - _MOST_WORDS) * len(set(plain))))

    def _left(self, claim: _Claim, pieces: int) -> int:
        """How many words of a claim do not stand in some pieces; all of them and one where it has none."""
        if not claim.names and not claim.words:
            return claim.spare + 1
        missing = sum(not self._is_in(w, pieces) for w in claim.names)
        return missing + sum(not self._is_in(w, pieces, loosely=True) for w in claim.words)

    def _is_in(self, word: str, pieces: int, *, loosely: bool = False) -> bool:
        """Whether some pieces hold a word, or all its parts; ``loosely`` in another form."""
        if all(self._holders.get(part, 0) & pieces for part in word.split()) or self._holders.get(word, 0) & pieces:
            return True
        return loosely and word.isalpha() and bool(self._holders_of_forms(word) & pieces)

    def _holders_of_forms(self, word: str) -> int:
        if (known := self._loose.get(word)) is None:
            known = 0
            for form in self._forms:
                if shared_stem(word, form) >= _SAME:
                    known |= self._holders[form]
            self._loose[word] = known
        return known

    def _found(self, claim: _Claim) -> tuple[str, ...]:
        """The fewest pieces of evidence that together say a claim, taken greedily; empty where all of them do not."""
        rest = list(range(len(self._names)))
        chosen: list[str] = []
        pieces = 0
        left = self._left(claim, pieces)
        while left > claim.spare and len(chosen) < _MOST_PIECES and rest:
            best = min(rest, key=lambda at: self._left(claim, pieces | 1 << at))
            if self._left(claim, pieces | 1 << best) >= left:
                return ()
            rest.remove(best)
            pieces |= 1 << best
            left = self._left(claim, pieces)
            chosen.append(self._names[best])
        return tuple(chosen) if left <= claim.spare else ()


@dataclass(frozen=True, slots=True)
class _Claim:
    """What evidence has to say of a claim: ``names`` as they stand, other ``words`` in any form; of these ``spare`` may
    be missing.
    """

    names: tuple[str, ...]
    words: tuple[str, ...]
    spare: int


def holds_value(value: str, evidence: Evidence) -> tuple[str, ...]:
    """The evidence in which a value stands, word for word."""
    wanted = fold(value)
    if not wanted:
        return ()
    return tuple(name for name in evidence.names() if f" {wanted} " in f" {fold(evidence.text_of(name))} ")


def _telling(claim: str) -> list[str]:
    """Figures, and words with a capital that no sentence gives them."""
    found = []
    begins = True
    for match in _WORD.finditer(claim):
        word = match.group()
        is_figure = any(c.isdigit() for c in word)
        if is_figure or (word[0].isupper() and not begins):
            found.append(fold(word))
        begins = claim[match.end() :].lstrip(" \"'”’)").startswith((".", "!", "?", ":"))
    return list(dict.fromkeys(w for w in found if w and w not in FUNCTION_WORDS))


def _words(text: str) -> set[str]:
    return {w for word in _WORD.findall(text.replace("_", " ")) for w in (fold(word), *fold(word).split()) if w}


def _stands(word: str, stock: Collection[str]) -> bool:
    """Whether a word is in a stock of words, or all its parts are."""
    return word in stock or all(part in stock for part in word.split())


def sentences(text: str) -> Sequence[str]:
    """A text in sentences, for claims that nobody listed."""
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+(?=[^\W\d_])", text) if s.strip()]
