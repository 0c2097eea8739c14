"""Which of the names found in a question are its anchors: candidates with their strength, alternatives kept."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arcgraph.domain import Anchor
from arcgraph.interpret.english import DETERMINERS, FUNCTION_WORDS, GRAPH_WORDS, OPENING_VERBS, POLITE_WORDS
from arcgraph.interpret.terms import Vocabulary
from arcgraph.interpret.verbalise import content, split_name
from arcgraph.search.base import Entry
from arcgraph.search.lexicon import Mention, quoted_spans

# What leaving a certain mention unexplained costs, in the units of a log-likelihood.
UNEXPLAINED = 4.0
# Below this strength a mention is an accident of wording and no anchor, unless the question has no better one.
WEAKEST = 0.08
# What is left of a mention without the name's capitals in a question that writes others with theirs.
_UNLIKE = 0.5
# What is left of one plain word that stands for a name of more words than that.
_BARE = 0.4
# What is left of a word that is one of the vocabulary's own, of one that merely resembles some, and at least of several
# words in a row of which no term of the vocabulary explains all.
_OWN_WORD = 0.05
_RESEMBLING = 0.1
_SEVERAL = 0.5
# What a doubtful anchor costs where it is used, beside the log of its strength.
_DOUBT = 0.5
_LEAST = 0.02
MOST_CANDIDATES = 6
# Of a plain word right behind "which" or "how many", or in the plural, so much is left: it names a class.
_CLASS_NOUN = 0.25
# Ways of matching that leave words of the name out.
_LOOSE = frozenset(("partial", "dense", "fuzzy"))


class Names(Protocol):
    """The part of the name index that anchoring needs."""

    def find(self, question: str, *, by_meaning: bool = True) -> list[Mention]:
        """Mentions of the graph's names, maximal ones first; of names by their meaning as well, unless told not to."""
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
    """Anchors that the question may name, strongest first: one for each mention, name and set of labels.

    Where all are weak the strongest are kept.
    """
    mentions = _whole_where_quoted(question, names.find(question))
    writes_capitals = any(m.capitalised and not m.initial and m.how not in _LOOSE for m in mentions)
    strengths = {m: s for m in mentions if (s := _strength(question, m, vocabulary, writes_capitals)) > 0}
    weakest = min(WEAKEST, max(strengths.values(), default=0.0))
    found = [
        Candidate(anchor, strength)
        for mention, strength in strengths.items()
        if strength >= weakest
        for anchor in _anchors(mention, names.entries(mention.entries))
    ]
    found.sort(key=lambda c: (-c.strength, c.anchor.span[0] - c.anchor.span[1], c.anchor.span))
    return found


def _whole_where_quoted(question: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions without those of a part of a quoted text that as a whole is a name."""
    spans = [(s, e) for s, e in quoted_spans(question) if any(m.start <= s and e <= m.end for m in mentions)]
    return [
        m for m in mentions if not any(s <= m.start and m.end <= e and (m.start, m.end) != (s, e) for s, e in spans)
    ]


def _strength(question: str, mention: Mention, vocabulary: Vocabulary, writes_capitals: bool) -> float:
    """How sure a mention in its place in the question is; 0 for none at all."""
    if mention.how in _LOOSE and _has_number_beside(question, mention):
        return 0.0
    if not mention.quoted and is_command(question, mention.start, mention.end):
        return 0.0
    unlike = (_UNLIKE if writes_capitals and _is_unlike(mention) else 1.0) * (_BARE if _is_bare(mention) else 1.0)
    return mention_strength(mention, vocabulary) * unlike * (_CLASS_NOUN if _says_class(question, mention) else 1.0)


def is_command(question: str, start: int, end: int) -> bool:
    """Whether a word is the verb that a sentence of a question begins with ("List the …", "… Limit it to 5"), or what
    is asked itself ("in the database"), and so no name."""
    if question[start:end] in GRAPH_WORDS and question[:start].lower().endswith((" in the ", " in this ")):
        return True
    if question[start:end].lower() not in OPENING_VERBS:
        return False
    head = re.split(r"[.?!;:,]", question[:start])[-1]
    follows = question[end:].split()
    return all(word.lower() in POLITE_WORDS for word in head.split()) and bool(follows) and follows[0] != "of"


def _is_unlike(mention: Mention) -> bool:
    """Whether a mention is written without the capitals of the name; of weight where other names have theirs."""
    return not mention.quoted and not mention.capitalised and not mention.same_case


def _is_bare(mention: Mention) -> bool:
    """Whether a plain word is all that stands of a name that has articles and the like besides."""
    return mention.how == "tokens" and mention.tokens == 1 and not mention.quoted and not mention.capitalised


def _has_number_beside(question: str, mention: Mention) -> bool:
    """Whether a number stands right before or behind a loose match: "12 Park Avenue" is not "8 Park Avenue"."""
    before, after = question[: mention.start].split(), question[mention.end :].split()
    beside = (before[-1] if before else "") + " " + (after[0] if after else "")
    return any(c.isdigit() for c in beside)


def _says_class(question: str, mention: Mention) -> bool:
    """Whether a mention that does not look like a name stands for a class: in a number that the name has not, or right
    behind a word that asks for a noun.
    """
    if mention.quoted or mention.capitalised:
        return False
    before, after = question[: mention.start].split(), _words(question[mention.end :])
    asked = bool(before) and before[-1].lower() in DETERMINERS
    # Before a noun that is asked for it says which ones ("which harbour ships").
    qualifies = asked and bool(after) and after[0] not in FUNCTION_WORDS
    return (mention.how == "inflected" or asked) and not qualifies


def _words(text: str) -> list[str]:
    return [word.strip(".,;:?!").lower() for word in text.split()]


def mention_strength(mention: Mention, vocabulary: Vocabulary) -> float:
    """How sure a mention is: the wording's score, less where the graph's own vocabulary explains the words.

    "movies" may be the name of a node, but where a label is called so the word needs no node to explain it. Words that
    look like a name (capitals, quotation marks) are not doubted so, and several words less than one.
    """
    if mention.quoted or (mention.capitalised and not mention.initial):
        return mention.score
    if mention.function_words:
        return 0.0
    words = content(split_name(mention.text))
    return mention.score * _unexplained_share(words, vocabulary) if words else mention.score


def _unexplained_share(words: Sequence[str], vocabulary: Vocabulary) -> float:
    """How likely words mean a name rather than a term of the vocabulary: for each word the best rival counts, however
    many more the vocabulary has, and for several words together one term that explains them all.
    """
    meanings = vocabulary.meanings(words)
    nothing = meanings[:, vocabulary.null]
    rivals = meanings[:, : vocabulary.null]
    alone = float((nothing / (nothing + rivals.max(axis=1))).max())
    is_own = all(vocabulary.has_word(word) for word in words)
    share = max(alone, _OWN_WORD if is_own else _RESEMBLING)
    if len(words) == 1:
        return share
    together = float((rivals / (rivals + nothing[:, None])).min(axis=0).max())
    return max(share, _SEVERAL * (1.0 - together))


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
    """The cost of the mentions that a reading with the ``chosen`` anchors leaves unexplained, and of its own doubt."""
    spans: dict[tuple[int, int], float] = {}
    for candidate in candidates:
        left = candidate.strength * _uncovered(candidate.anchor.span, [c.anchor.span for c in chosen])
        if left > 0:
            spans[candidate.anchor.span] = max(spans.get(candidate.anchor.span, 0.0), left)
    covered: list[tuple[int, int]] = []
    cost = -_DOUBT * sum(math.log(max(c.strength, _LEAST)) for c in chosen)
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
