"""Which of the names found in a question are its anchors: candidates with their strength, alternatives kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arcgraph.domain import Anchor
from arcgraph.interpret.english import DETERMINERS
from arcgraph.interpret.terms import Vocabulary
from arcgraph.interpret.verbalise import split_name
from arcgraph.search.base import Entry
from arcgraph.search.lexicon import Mention

# What leaving a certain mention unexplained costs, in the units of a log-likelihood.
UNEXPLAINED = 4.0
# Below this strength a mention is an accident of wording and no anchor.
WEAKEST = 0.08
MOST_CANDIDATES = 6
# Of a plain word right behind "which" or "how many" so much is left: it names the class that is asked for.
_CLASS_NOUN = 0.25
# Ways of matching that leave words of the name out.
_LOOSE = frozenset(("partial", "dense", "fuzzy"))


class Names(Protocol):
    """The part of the name index that anchoring needs."""

    def find(self, question: str) -> list[Mention]:
        """Mentions of the graph's names, maximal ones first."""
        ...

    def entries(self, ids: Sequence[int]) -> list[Entry]:
        """The entries behind a mention."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible anchor. ``strength`` (0 to 1) is how sure it is that the question names it."""

    anchor: Anchor
    strength: float

    def overlaps(self, other: Candidate) -> bool:
        a, b = self.anchor.span, other.anchor.span
        return a[0] < b[1] and b[0] < a[1]


def find_candidates(question: str, names: Names, vocabulary: Vocabulary) -> list[Candidate]:
    """Anchors that the question may name, strongest first: one for each mention, name and set of labels."""
    found: list[Candidate] = []
    for mention in names.find(question):
        if mention.how in _LOOSE and _has_number_beside(question, mention):
            continue
        strength = mention_strength(mention, vocabulary)
        if _asks_for_class(question, mention):
            strength *= _CLASS_NOUN
        if strength >= WEAKEST:
            found += [Candidate(a, strength) for a in _anchors(mention, names.entries(mention.entries))]
    found.sort(key=lambda c: (-c.strength, c.anchor.span[0] - c.anchor.span[1], c.anchor.span))
    return found


def _has_number_beside(question: str, mention: Mention) -> bool:
    """Whether a number stands right before or behind a loose match: "12 Park Avenue" is not "8 Park Avenue"."""
    before, after = question[: mention.start].split(), question[mention.end :].split()
    beside = (before[-1] if before else "") + " " + (after[0] if after else "")
    return any(c.isdigit() for c in beside)


def _asks_for_class(question: str, mention: Mention) -> bool:
    """Whether a mention that does not look like a name stands right behind a word that asks for a noun."""
    if mention.quoted or mention.capitalised:
        return False
    before = question[: mention.start].split()
    return bool(before) and before[-1].lower() in DETERMINERS


def mention_strength(mention: Mention, vocabulary: Vocabulary) -> float:
    """How sure a mention is: the wording's score, less where the graph's own vocabulary explains the words.

    "movies" may be the name of a node, but where a label is called so the word needs no node to explain it. Words that
    look like a name (capitals, quotation marks, several of them) are not doubted so.
    """
    if mention.quoted or (mention.capitalised and not mention.initial):
        return mention.score
    if mention.function_words:
        return 0.0
    words = split_name(mention.text)
    if not words:
        return mention.score
    nothing = vocabulary.meanings(words)[:, vocabulary.null]
    return mention.score * float(max(nothing.max(), 0.05))


def _anchors(mention: Mention, entries: Sequence[Entry]) -> list[Anchor]:
    groups: dict[tuple[str, tuple[str, ...], str], list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.text, entry.labels, entry.property].append(entry)
    return [
        Anchor(
            name=name,
            labels=labels,
            key=key,
            ids=tuple(e.id for e in members),
            element_ids=tuple(e.element_id for e in members),
            span=(mention.start, mention.end),
            surface=mention.text,
            how=mention.how,
            score=mention.score,
        )
        for (name, labels, key), members in groups.items()
    ]


def unexplained(candidates: Sequence[Candidate], chosen: Sequence[Candidate]) -> float:
    """The cost of the mentions that a reading with the ``chosen`` anchors leaves unexplained."""
    spans: dict[tuple[int, int], float] = {}
    for candidate in candidates:
        left = candidate.strength * _uncovered(candidate.anchor.span, [c.anchor.span for c in chosen])
        if left > 0:
            spans[candidate.anchor.span] = max(spans.get(candidate.anchor.span, 0.0), left)
    covered: list[tuple[int, int]] = []
    cost = 0.0
    # Of mentions that overlap each other only the strongest was meant.
    for span, strength in sorted(spans.items(), key=lambda item: -item[1]):
        if not any(span[0] < end and start < span[1] for start, end in covered):
            covered.append(span)
            cost += UNEXPLAINED * strength
    return cost


def _uncovered(span: tuple[int, int], covers: Sequence[tuple[int, int]]) -> float:
    """The share of a mention's characters that no chosen mention takes: "Al" leaves half of "Al Green" unexplained."""
    covered = sum(max(0, min(span[1], end) - max(span[0], start)) for start, end in covers)
    return 1.0 - covered / (span[1] - span[0])
