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


def support(said: Said, question: str, evidence: Evidence) -> tuple[str, ...]:
    """The identifiers of the evidence that says a claim; empty where nothing does."""
    claim = _Claim.of(said.text, question, evidence)
    named = [name for name in dict.fromkeys(said.evidence) if evidence.text_of(name)]
    if named and claim.left_by(set().union(*(_words(evidence.text_of(n)) for n in named))) <= claim.spare:
        return tuple(named)
    return _found(claim, evidence)


@dataclass(frozen=True, slots=True)
class _Claim:
    """What evidence has to say of a claim: ``names`` as they stand, other ``words`` in any form; of these ``spare`` may
    be missing.
    """

    names: tuple[str, ...]
    words: tuple[str, ...]
    spare: int

    @classmethod
    def of(cls, text: str, question: str, evidence: Evidence) -> _Claim:
        asked, told = _words(question), _words("\n".join(map(evidence.text_of, evidence.names())))
        telling = _telling(text)
        names = [w for w in telling if not _stands(w, asked)] or telling
        plain = [w for w in map(fold, _WORD.findall(text)) if w and w not in FUNCTION_WORDS and w not in telling]
        if names:
            # Words that the evidence has nowhere are the answer's own; those that it has must stand where it is cited.
            return cls(tuple(names), tuple(dict.fromkeys(w for w in plain if _stands(w, told, loosely=True))), 0)
        return cls((), tuple(dict.fromkeys(plain)), int((1 - _MOST_WORDS) * len(set(plain))))

    def left_by(self, stock: set[str]) -> int:
        """How many of its words do not stand there; all of them and one where it has none."""
        if not self.names and not self.words:
            return self.spare + 1
        missing = sum(not _stands(w, stock) for w in self.names)
        return missing + sum(not _stands(w, stock, loosely=True) for w in self.words)


def _found(claim: _Claim, evidence: Evidence) -> tuple[str, ...]:
    """The fewest pieces of evidence that together say a claim, taken greedily; empty where all of them do not."""
    texts = {name: _words(evidence.text_of(name)) for name in evidence.names()}
    chosen: list[str] = []
    stock: set[str] = set()
    left = claim.left_by(stock)
    while left > claim.spare and len(chosen) < _MOST_PIECES and texts:
        best = min(texts, key=lambda name: claim.left_by(stock | texts[name]))
        if claim.left_by(stock | texts[best]) >= left:
            return ()
        stock |= texts.pop(best)
        left = claim.left_by(stock)
        chosen.append(best)
    return tuple(chosen) if left <= claim.spare else ()


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


def _stands(word: str, stock: Collection[str], *, loosely: bool = False) -> bool:
    """Whether a word is in a stock of words, or all its parts are; ``loosely`` in another form."""
    if word in stock or all(part in stock for part in word.split()):
        return True
    return loosely and word.isalpha() and any(shared_stem(word, w) >= _SAME for w in stock if w.isalpha())


def sentences(text: str) -> Sequence[str]:
    """A text in sentences, for claims that nobody listed."""
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+(?=[^\W\d_])", text) if s.strip()]
