"""Finds the names of a graph in a question: every stretch of words that is some entry's name, and how it matched.

All stretches are looked up at once in sorted hash tables that lie on disk: the folded tokens in order, the content
tokens in any order, and the tokens written together. What no table holds is compared by near spelling. Overlapping
mentions are all reported; which of them is meant is for those to say who know what the graph supports.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcgraph.search.lexical import Postings
from arcgraph.search.text import GLUE, Token, content, is_symbol, is_unspaced, tokenize, tokens
from arcgraph.search.vocabulary import (
    SHORTEST_FUZZY,
    Correction,
    Hashes,
    Vocabulary,
    allowed_edits,
    edit_distance,
    hashes,
)

Array = NDArray[Any]
Entries = NDArray[np.int32]
How = Literal["exact", "folded", "tokens", "inflected", "alias", "fuzzy", "partial", "dense"]

# An odd multiplier makes the sequence hash depend on order; any odd one does.
_BASE = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
# One mention carries at most this many entries; the rest are counted.
MOST_ENTRIES = 256
_LONGEST_JOINED = 4
# So many words of a question may be one that a name writes together.
_MOST_JOINED = 6
_MOST_ALIGNED = 300
_MOST_PARTIAL = 32
_MOST_CORRECTIONS = 8
_MOST_MISSPELT = 32
_BEFORE_CAPITAL = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_QUOTED = re.compile(
    r"“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|‹([^›]+)›|「([^」]+)」|『([^』]+)』|《([^》]+)》|‘([^’]+)’(?!\w)"
    r'|"([^"]+)"|`([^`]+)`|(?<!\w)\'(.+?)\'(?!\w)',
    re.DOTALL,
)


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """The characters between each pair of quotation marks, of any language's kind."""
    return [m.span(m.lastindex or 0) for m in _QUOTED.finditer(text)]


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of a question that may name entries.

    ``start:end`` are characters of the question and ``text`` is what stands there. ``entries`` are positions in the
    index, at most ``MOST_ENTRIES`` of ``total``.

    ``how``: ``exact`` character for character; ``folded`` but for case, accents and punctuation; ``tokens`` the same
    content words, with or without function words; ``inflected`` with a plural ending more or less; ``alias`` by a
    property that does not name the node; ``fuzzy`` by near spelling; ``partial`` by some of the name's words;
    ``dense`` by meaning.

    ``score`` (0 to 1) already allows for what the features say: ``tokens`` the number of words; ``capitalised``
    whether the content words begin upper-case; ``initial`` whether it stands first in the question, where a capital
    says nothing; ``quoted`` whether it stands in quotation marks; ``function_words`` whether it consists of nothing
    else; ``same_case`` whether case agrees with the name; ``maximal`` whether no longer match contains it.
    """

    start: int
    end: int
    text: str
    entries: tuple[int, ...]
    how: How
    score: float
    total: int
    tokens: int
    capitalised: bool = False
    initial: bool = False
    quoted: bool = False
    function_words: bool = False
    same_case: bool = True
    maximal: bool = True


class Reading(NamedTuple):
    """What a lexicon makes of a question: mentions, and those of nothing (``entries`` empty) that look like a name."""

    mentions: list[Mention]
    unexplained: list[Mention]


class Names(NamedTuple):
    """What the lexicon needs to know of the entries: their texts, and which of them are aliases."""

    text: Callable[[int], str]
    is_alias: Callable[[int], bool]


class _Table:
    """Sorted hashes and the entry behind each."""

    def __init__(self, arrays: Mapping[str, Array], name: str):
        self._keys: Hashes = arrays[f"{name}_keys"]
        self._entries: NDArray[np.int32] = arrays[f"{name}_entries"]

    @staticmethod
    def arrays(name: str, keys: Hashes, entries: NDArray[np.int32]) -> dict[str, Array]:
        order = np.argsort(keys, kind="stable")
        return {f"{name}_keys": keys[order], f"{name}_entries": entries[order]}

    def find(self, wanted: Hashes) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """For every hash that is there: its place in ``wanted``, and the entries, ascending."""
        left = np.searchsorted(self._keys, wanted, "left")
        hit = np.flatnonzero(left < len(self._keys))
        hit = hit[self._keys[left[hit]] == wanted[hit]]
        right = np.searchsorted(self._keys, wanted[hit], "right")
        for place, end in zip(hit, right, strict=True):
            yield int(place), self._entries[left[place] : end]


class _Match(NamedTuple):
    """Question tokens ``first:last``, characters ``start:end``, that may name one of ``total`` entries."""

    first: int
    last: int
    start: int
    end: int
    entry: int
    total: int
    how: How
    score: float


class _Stretch(NamedTuple):
    """Question tokens ``first:last``; ``words`` are theirs, or what they would be with another ending."""

    first: int
    last: int
    words: tuple[str, ...]


def lexicon_arrays(vocabulary: Sequence[str], terms: NDArray[np.int32], lengths: NDArray[np.int64]) -> dict[str, Array]:
    """What is stored so that names can be found; the names are given as one flat array of term numbers."""
    ends = np.cumsum(lengths)
    starts = ends - lengths
    filled = np.flatnonzero(lengths).astype(np.int32)
    word_hashes = hashes(vocabulary)
    has_content = np.array([bool(content([word])) for word in vocabulary], bool)
    flat = word_hashes[terms] if len(terms) else np.zeros(0, np.uint64)
    place = np.arange(len(terms)) - np.repeat(starts, lengths)
    powers = _powers(int(lengths.max(initial=0)))
    sequence = _sums(flat * powers[place], starts[filled])
    contained = has_content[terms] if len(terms) else np.zeros(0, bool)
    counts = _sums(contained.astype(np.uint64), starts[filled])
    sets = _sums(np.where(contained, flat, np.uint64(0)), starts[filled])
    short = filled[lengths[filled] <= _LONGEST_JOINED]
    joined = ["".join(vocabulary[t] for t in terms[starts[i] : ends[i]]) for i in short]
    return {
        **_Table.arrays("sequence", sequence, filled),
        **_Table.arrays("set", sets[counts > 0], filled[counts > 0]),
        **_Table.arrays("joined", hashes(joined), short),
        "name_lengths": np.unique(lengths[filled]).astype(np.int32),
        "wordless": np.flatnonzero(lengths == 0).astype(np.int32),
    }


def _powers(count: int) -> Hashes:
    powers = [1]
    for _ in range(count):
        powers.append(powers[-1] * _BASE & _MASK)
    return np.array(powers, np.uint64)


def _sums(values: Hashes, starts: NDArray[np.int64]) -> Hashes:
    return np.add.reduceat(values, starts) if len(starts) else np.zeros(0, np.uint64)


class _Question:
    """A question's tokens with what is asked of them again and again."""

    def __init__(self, text: str):
        self.text = text
        self.tokens = tokenize(text)
        self.words = [token.text for token in self.tokens]
        self.hashes = hashes(self.words)
        self.prefixes: Hashes | None = None
        self._looked_at: set[tuple[int, int, int]] = set()
        self.is_content = [not t.is_function_word and not is_symbol(t.text[0]) for t in self.tokens]

    def __len__(self) -> int:
        return len(self.tokens)

    def span(self, stretch: _Stretch) -> tuple[int, int]:
        """Characters of a stretch, without the 's that it does not count."""
        token = self.tokens[stretch.last - 1]
        possessive = token.owner != token.text and stretch.words[-1] != token.text
        return self.tokens[stretch.first].start, token.end - 2 * possessive

    def fresh(self, stretch: _Stretch, entries: Entries) -> list[int]:
        """Of the first entries those not looked at before for the same tokens."""
        found = [int(entry) for entry in entries[:MOST_ENTRIES]]
        fresh = [entry for entry in found if (stretch.first, stretch.last, entry) not in self._looked_at]
        self._looked_at.update((stretch.first, stretch.last, entry) for entry in fresh)
        return fresh

    def original(self, at: int) -> str:
        token = self.tokens[at]
        return self.text[token.start : token.end]

    def is_capitalised(self, at: int) -> bool:
        first = self.original(at)[0]
        return first.isupper() or first.istitle()

    @cached_property
    def quotes(self) -> list[tuple[int, int]]:
        """Character spans inside quotation marks."""
        return quoted_spans(self.text)

    def is_quoted(self, first: int, last: int) -> bool:
        """Whether a pair of quotation marks holds exactly these tokens."""
        start, end = self.tokens[first].start, self.tokens[last - 1].end
        before = self.tokens[first - 1].end if first else 0
        after = self.tokens[last].start if last < len(self) else len(self.text)
        return any(before <= s <= start and end <= e <= after for s, e in self.quotes)

    def is_inside_quotes(self, at: int) -> bool:
        """Whether a token stands between quotation marks."""
        token = self.tokens[at]
        return any(start <= token.start and token.end <= end for start, end in self.quotes)

    @cached_property
    def name_runs(self) -> list[tuple[int, int]]:
        """Stretches that look like a name by their capitals or quotation marks, the first word apart."""
        runs = [run for run in self._capital_runs() if run[0] > 0]
        for start, end in self.quotes:
            inside = [i for i, t in enumerate(self.tokens) if start <= t.start and t.end <= end]
            if inside:
                runs.append((inside[0], inside[-1] + 1))
        return runs

    def _capital_runs(self) -> Iterator[tuple[int, int]]:
        first: int | None = None
        last = 0
        for at in range(len(self)):
            name_like = self.is_content[at] and self.is_capitalised(at)
            glue = first is not None and not self.is_content[at]
            if name_like:
                first, last = at if first is None else first, at + 1
            elif first is not None and not glue:
                yield first, last
                first = None
        if first is not None:
            yield first, last


class Lexicon:
    """All names of an index, and the mentions of them in a question. ``is_ordinary`` tells everyday words from names.

    An everyday word in lower case is not taken for a misspelt name.
    """

    def __init__(
        self,
        arrays: Mapping[str, Array],
        names: Names,
        vocabulary: Vocabulary,
        postings: Postings,
        is_ordinary: Callable[[str], bool] = lambda _: False,
    ):
        self._names = names
        self._vocabulary = vocabulary
        self._postings = postings
        self._is_ordinary = is_ordinary
        self._sequences = _Table(arrays, "sequence")
        self._sets = _Table(arrays, "set")
        self._joined = _Table(arrays, "joined")
        self._lengths = arrays["name_lengths"].astype(np.int64)
        self._powers = _powers(int(self._lengths.max(initial=0)))
        self._wordless = arrays["wordless"]

    def find(self, question: str) -> list[Mention]:
        """All mentions: those that no longer one contains first, the surer before the less sure."""
        return self.read(question).mentions

    def read(self, question: str) -> Reading:
        """All mentions, and the stretches that look like a name and are none."""
        asked = _Question(question)
        found: list[_Match] = []
        for look_up in (self._in_order, self._inflected, self._any_order, self._written_together):
            found += look_up(asked)
        found += self._misspelt(asked, _covered(asked, found))
        found += self._partial(asked, _covered(asked, found))
        mentions = _maximal_first([*self._mentions(asked, _widest(found)), *self._symbols(question)])
        return Reading(mentions, list(_unexplained(asked, mentions)))

    # --- look-ups ------------------------------------------------------------------------------------------------

    def _in_order(self, asked: _Question) -> Iterator[_Match]:
        """The name's tokens in their order."""
        lengths = self._lengths[self._lengths <= len(asked)]
        counts = len(asked) - lengths + 1
        length = np.repeat(lengths, counts)
        first = _ranges(counts)
        for place, entries in self._sequences.find(self._prefixes(asked)[length, first]):
            start, last = int(first[place]), int(first[place] + length[place])
            yield from self._same_words(asked, _Stretch(start, last, tuple(asked.words[start:last])), entries, 0.95)

    def _prefixes(self, asked: _Question) -> Hashes:
        """At ``[n, i]``: the hash of the ``n`` tokens from ``i`` on."""
        if asked.prefixes is None:
            size, longest = len(asked), min(len(asked), int(self._lengths.max(initial=0)))
            asked.prefixes = np.zeros((longest + 1, size + 1), np.uint64)
            for n in range(1, longest + 1):
                fresh = asked.hashes[n - 1 :] * self._powers[n - 1]
                asked.prefixes[n, : size - n + 1] = asked.prefixes[n - 1, : size - n + 1] + fresh
        return asked.prefixes

    def _inflected(self, asked: _Question) -> Iterator[_Match]:
        """The name's tokens in their order, the last one with another ending in the question: 's, or a plural."""
        endings = [
            (at, ending, score)
            for at, token in enumerate(asked.tokens)
            for ending, score in _endings(token, asked.is_content[at])
        ]
        fitting = [self._lengths[self._lengths <= at + 1] for at, _, _ in endings]
        which = np.repeat(np.arange(len(endings)), [len(lengths) for lengths in fitting])
        length = _joined(fitting)
        first = np.array([at + 1 for at, _, _ in endings], np.int64)[which] - length
        last = hashes([ending for _, ending, _ in endings])[which] * self._powers[length - 1]
        for place, entries in self._sequences.find(self._prefixes(asked)[length - 1, first] + last):
            at, ending, score = endings[which[place]]
            start = int(first[place])
            stretch = _Stretch(start, at + 1, (*asked.words[start:at], ending))
            yield from self._same_words(asked, stretch, entries, score)

    def _same_words(self, asked: _Question, stretch: _Stretch, entries: Entries, score: float) -> Iterator[_Match]:
        for entry in asked.fresh(stretch, entries):
            name = self._names.text(entry)
            if tuple(tokens(name)) != stretch.words:
                continue  # another name with the same hash
            start, end = asked.span(stretch)
            how: How = "folded" if score >= 0.9 else "inflected"
            if literal := _literal(asked.text, name, start, end):
                (start, end), how = literal, "exact"
            worth = 1.0 if how == "exact" else score
            if self._names.is_alias(entry) and how != "inflected":
                how, worth = "alias", worth * 0.95
            yield _Match(stretch.first, stretch.last, start, end, int(entry), len(entries), how, worth)

    def _any_order(self, asked: _Question) -> Iterator[_Match]:
        """The name's content words, in any order, whatever glue stands among them."""
        at = np.array([i for i, word in enumerate(asked.words) if content([word])], np.int64)
        sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(asked.hashes[at], dtype=np.uint64)))
        counts = len(at) - np.arange(min(len(at), int(self._lengths.max(initial=0))))
        size = np.repeat(np.arange(len(counts)) + 1, counts)
        i = _ranges(counts)
        last = at[i + size - 1]
        owned = hashes([token.owner for token in asked.tokens])
        keys = sums[i + size] - sums[i]
        # The last word as it stands, then without a possessive ending.
        for ending in (asked.hashes, owned):
            changed = np.arange(len(keys)) if ending is asked.hashes else np.flatnonzero((owned != asked.hashes)[last])
            tails = ending[last[changed]] - asked.hashes[last[changed]]
            for place, entries in self._sets.find(keys[changed] + tails):
                start, end = int(at[i[changed[place]]]), int(last[changed[place]])
                word = asked.words[end] if ending is asked.hashes else asked.tokens[end].owner
                yield from self._same_content(asked, _Stretch(start, end + 1, (*asked.words[start:end], word)), entries)

    def _same_content(self, asked: _Question, stretch: _Stretch, entries: Entries) -> Iterator[_Match]:
        given = content(list(stretch.words))
        for entry in asked.fresh(stretch, entries):
            named = tokens(self._names.text(entry))
            wanted = content(named)
            # The characters of an unspaced script in another order are other words.
            if sorted(wanted) != sorted(given) or (wanted != given and is_unspaced(wanted[0][0])):
                continue
            # A leading article is no difference, other glue is some.
            differing = abs(len(_strip_leading(named)) - len(stretch.words))
            score = (0.9 if wanted == given else 0.7) * 0.8**differing
            yield _Match(stretch.first, stretch.last, *asked.span(stretch), int(entry), len(entries), "tokens", score)

    def _written_together(self, asked: _Question) -> Iterator[_Match]:
        """ "Spiderman" for "Spider-Man", and the other way round."""
        stretches = [
            _Stretch(first, last, tuple(asked.words[first:last]))
            for first in range(len(asked))
            for last in range(first + 1, min(first + _MOST_JOINED, len(asked)) + 1)
        ]
        keys = hashes(["".join(stretch.words) for stretch in stretches])
        for place, entries in self._joined.find(keys):
            stretch = stretches[place]
            together = "".join(stretch.words)
            start, end = asked.span(stretch)
            for entry in asked.fresh(stretch, entries):
                name = self._names.text(entry)
                # Words that only a blank separates are joined by chance more often: "the rapist".
                by_blank = any(map(str.isspace, asked.text[start:end] + name.strip()))
                if "".join(tokens(name)) != together:
                    continue
                # Where a name's own capitals part it as the blanks do, it is no chance.
                is_parted = by_blank and _parted(name) == stretch.words
                if is_parted or len(together) >= (6 if by_blank else 2):
                    score = 0.7 if by_blank and not is_parted else 0.9
                    yield _Match(stretch.first, stretch.last, start, end, int(entry), len(entries), "folded", score)

    # --- near spellings ------------------------------------------------------------------------------------------

    def _misspelt(self, asked: _Question, covered: Sequence[bool]) -> Iterator[_Match]:
        """Names that a stretch differs from by a few letters; only where nothing better explains the words."""
        budget = _MOST_ALIGNED
        doubtful = (i for i, is_covered in enumerate(covered) if not is_covered and asked.is_content[i])
        for at in islice(doubtful, _MOST_MISSPELT):
            for correction in self._corrections(asked, at):
                entries = self._holding(asked, at, correction)
                budget -= len(entries)
                if budget < 0:
                    return
                for entry in entries:
                    match = self._align(asked, at, correction, int(entry))
                    if match and _fills_its_runs(asked, match, covered):
                        yield match

    def _corrections(self, asked: _Question, at: int) -> list[Correction]:
        """What a word may have been meant to be: itself, too, where another word of its name is the misspelt one."""
        word = asked.tokens[at].owner
        edits = allowed_edits(word)
        says_name = (asked.is_capitalised(at) and at > 0) or asked.is_inside_quotes(at)
        if not edits or (not says_name and self._is_ordinary(word)):
            return []
        known = self._vocabulary.term(word)
        if known < 0 or says_name:
            return self._vocabulary.corrections(word, edits)[:_MOST_CORRECTIONS]
        # A word that stands in few names points at them; one that stands in many is no typing error.
        row = self._postings.of(known)
        return [Correction(known, word, 0)] if row.stop - row.start <= _MOST_PARTIAL else []

    def _holding(self, asked: _Question, at: int, correction: Correction) -> Entries:
        """Entries that hold the corrected word; where they are many, only with a neighbour of the word as well."""
        entries = self._postings.entries[self._postings.of(correction.term)]
        if len(entries) <= _MOST_ALIGNED // 4:
            return entries
        beside = [asked.words[i] for i in (at - 1, at + 1) if 0 <= i < len(asked) and asked.is_content[i]]
        terms = [term for term in map(self._vocabulary.term, beside) if term >= 0]
        near = [np.intersect1d(entries, self._postings.entries[self._postings.of(term)]) for term in terms]
        single = self._sequences.find(hashes([correction.text]))
        return np.concatenate([np.zeros(0, np.int32), *near, *(alone for _, alone in single)])[:_MOST_ALIGNED]

    def _align(self, asked: _Question, at: int, correction: Correction, entry: int) -> _Match | None:
        """Lay the name over the question so that the corrected word meets its place, and count the edits."""
        named = tokens(self._names.text(entry))
        for words in (named, _strip_leading(named)):
            for place in (i for i, word in enumerate(words) if word == correction.text):
                first, last = at - place, at - place + len(words)
                if first < 0 or last > len(asked):
                    continue
                edits = _edits(asked.tokens[first:last], words)
                if edits and self._is_close(asked, at, words, edits):
                    stretch = _Stretch(first, last, tuple(words))
                    score = 0.9 * (1 - edits / sum(map(len, words)))
                    return _Match(first, last, *asked.span(stretch), entry, 1, "fuzzy", score)
        return None

    def _is_close(self, asked: _Question, at: int, words: Sequence[str], edits: int) -> bool:
        if len(words) > 1:
            return edits <= max(1, sum(map(len, words)) // 6)
        # A single word in lower case is as likely to be another word as a misspelt name.
        sure = asked.is_capitalised(at) or asked.is_inside_quotes(at)
        return sure or (edits == 1 and len(words[0]) > SHORTEST_FUZZY)

    def _partial(self, asked: _Question, covered: Sequence[bool]) -> Iterator[_Match]:
        """Names of which the question gives some words: a capitalised or quoted stretch, all of it in the name."""
        for first, last in asked.name_runs:
            given = [asked.tokens[i].owner for i in range(first, last) if asked.is_content[i]]
            if any(covered[first:last]) or not given or min(map(len, given)) < 3:
                continue
            terms = [self._vocabulary.term(word) for word in given]
            if min(terms) < 0:
                continue
            rows = [self._postings.entries[self._postings.of(term)] for term in terms]
            entries = _intersection(rows)
            if not 0 < len(entries) <= _MOST_PARTIAL:
                continue
            stretch = _Stretch(first, last, (*asked.words[first : last - 1], given[-1]))
            for entry in entries:
                share = len(given) / max(len(content(tokens(self._names.text(entry)))), 1)
                score = 0.5 * min(1.0, share) ** 0.5
                yield _Match(first, last, *asked.span(stretch), int(entry), len(entries), "partial", score)

    # --- mentions ------------------------------------------------------------------------------------------------

    def _mentions(self, asked: _Question, found: Iterable[_Match]) -> Iterator[Mention]:
        """One mention for all entries that a stretch names in the same way."""
        groups: dict[tuple[int, int, How, float], list[_Match]] = defaultdict(list)
        for match in found:
            groups[match.start, match.end, match.how, round(match.score, 6)].append(match)
        for matches in groups.values():
            entries = tuple(dict.fromkeys(match.entry for match in matches))[:MOST_ENTRIES]
            total = max(len(entries), matches[0].total)
            yield _describe(asked, matches[0], entries, total, self._names.text(entries[0]))

    def _symbols(self, question: str) -> Iterator[Mention]:
        """Names without any letter, digit or symbol, such as "!!!": as they stand."""
        for entry in self._wordless[:MOST_ENTRIES]:
            name = self._names.text(entry).strip()
            start = question.find(name) if name else -1
            if start >= 0:
                end = start + len(name)
                quoted = any(m.span(m.lastindex or 0) == (start, end) for m in _QUOTED.finditer(question))
                score = 0.9 if quoted else 0.5 if len(name) > 2 else 0.1
                yield Mention(start, end, name, (int(entry),), "exact", score, 1, 0, quoted=quoted)


def _joined(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _ranges(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """``0..counts[0]-1, 0..counts[1]-1, ...``"""
    ends = np.cumsum(counts)
    return np.arange(int(counts.sum())) - np.repeat(ends - counts, counts)


def _parted(name: str) -> tuple[str, ...]:
    """The words of a name that capitals part: ``fishingBoat``."""
    return tuple(tokens(_BEFORE_CAPITAL.sub(" ", name)))


def _strip_leading(words: list[str]) -> list[str]:
    """Without the glue that a name begins with, if anything is left then."""
    first = next((i for i, word in enumerate(words) if word not in GLUE), 0)
    return words[first:]


def _endings(token: Token, is_content: bool) -> Iterator[tuple[str, float]]:
    """What a token may stand for, with what that is worth."""
    if token.owner != token.text:
        yield token.owner, 0.94
    word = token.owner
    if not is_content or len(word) < 4 or not word.isalpha() or is_unspaced(word[0]):
        return
    if word.endswith("ies"):
        yield word[:-3] + "y", 0.75
    if word.endswith("es"):
        yield word[:-2], 0.75
    if word.endswith("s") and not word.endswith("ss"):
        yield word[:-1], 0.75
    else:
        yield word + "s", 0.75


def _literal(question: str, name: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the name stands character for character, punctuation at its ends included, around ``start:end``."""
    at = question.find(name, max(0, end - len(name)), start + len(name))
    return (at, at + len(name)) if at >= 0 and at <= start and end <= at + len(name) else None


def _edits(asked: Sequence[Token], words: Sequence[str]) -> int | None:
    """Edits between two stretches, word by word; ``None`` where a word is another one."""
    total = 0
    for token, word in zip(asked, words, strict=True):
        if word in (token.text, token.owner):
            continue
        most = min(allowed_edits(token.owner), allowed_edits(word)) if word.isalpha() else 0
        edits = edit_distance(token.owner, word, most) if most else 1
        if edits > most:
            return None
        total += edits
    return total


def _intersection(rows: Sequence[Entries]) -> Entries:
    common = min(rows, key=len)
    for row in rows:
        common = np.intersect1d(common, row)
    return common


def _widest(found: Sequence[_Match]) -> list[_Match]:
    """Without the matches that a longer and no less sure one for the same entry contains."""
    by_entry: dict[int, list[_Match]] = defaultdict(list)
    for match in found:
        by_entry[match.entry].append(match)

    def is_spare(m: _Match) -> bool:
        return any(
            o.first <= m.first and m.last <= o.last and o.last - o.first > m.last - m.first and o.score >= m.score
            for o in by_entry[m.entry]
        )

    return [match for match in found if not is_spare(match)]


def _covered(asked: _Question, found: Iterable[_Match]) -> list[bool]:
    """Which tokens some likely match explains."""
    covered = [False] * len(asked)
    for match in found:
        if match.score >= 0.5 and any(asked.is_content[match.first : match.last]):
            covered[match.first : match.last] = [True] * (match.last - match.first)
    return covered


def _fills_its_runs(asked: _Question, match: _Match, covered: Sequence[bool]) -> bool:
    """Whether no content word of a name-like stretch is left over: "Taken" is no spelling of "Token Arcade".

    What is left over beside several words may be a name of its own.
    """
    rest = [
        i
        for first, last in asked.name_runs
        if first < match.last and match.first < last
        for i in range(first, last)
        if asked.is_content[i] and not match.first <= i < match.last
    ]
    return all(covered[i] and match.last - match.first > 1 for i in rest)


def _unexplained(asked: _Question, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Stretches that look like a name and that no mention touches, as mentions of nothing yet."""
    taken = [(m.start, m.end) for m in mentions if not m.function_words]
    for first, last in dict.fromkeys(asked.name_runs):
        words = (*asked.words[first : last - 1], asked.tokens[last - 1].owner)
        start, end = asked.span(_Stretch(first, last, words))
        if any(asked.is_content[first:last]) and not any(s < end and start < e for s, e in taken):
            yield _describe(asked, _Match(first, last, start, end, -1, 0, "dense", 0.0), (), 0, asked.text[start:end])


def _describe(asked: _Question, match: _Match, entries: tuple[int, ...], total: int, name: str) -> Mention:
    inside = range(match.first, match.last)
    worded = [i for i in inside if asked.is_content[i]]
    surface = asked.text[match.start : match.end]
    mention = Mention(
        match.start,
        match.end,
        surface,
        entries,
        match.how,
        match.score,
        total,
        tokens=len(inside),
        capitalised=all(asked.is_capitalised(i) for i in worded or inside),
        initial=match.first == 0,
        quoted=asked.is_quoted(match.first, match.last),
        function_words=not worded,
        same_case=not (surface.islower() and not name.islower()),
    )
    return replace(mention, score=match.score * _plausibility(mention))


def _plausibility(mention: Mention) -> float:
    """How likely such wording means a name rather than itself."""
    if mention.quoted:
        return 1.0
    if len(mention.text) == 1 and is_unspaced(mention.text):
        return 0.4
    says_name = mention.capitalised and mention.same_case and not mention.initial
    if mention.function_words:
        return 0.6 if says_name and mention.how == "exact" else 0.25
    if mention.tokens > 1 or says_name:
        return 1.0
    if len(mention.text) <= 2:
        return 0.5
    return 0.9 if mention.same_case else 0.65


def _maximal_first(mentions: Iterable[Mention]) -> list[Mention]:
    found = list(mentions)
    sure = [(m.start, m.end, m.tokens) for m in found if m.score >= 0.5 and m.how not in ("fuzzy", "partial", "dense")]
    start, end, size = np.array(sure, np.int64).reshape(-1, 3).T

    def is_inside(m: Mention) -> bool:
        return bool(np.any((start <= m.start) & (m.end <= end) & (m.tokens < size)))

    marked = [replace(m, maximal=False) if is_inside(m) else m for m in found]
    return sorted(marked, key=lambda m: (not m.maximal, -m.score, m.start - m.end, m.start))
