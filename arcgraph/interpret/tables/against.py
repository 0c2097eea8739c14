"""Two aggregates held against each other: "how many more locks has Ann passed than Ben", "is the average depth of
rivers greater than that of canals", "which has more piers, Ys or Ulm", "what share of the ships is grey".

No draft says two aggregates. So such a question is turned into two plain ones, "how many locks has Ann passed" and the
same of Ben, which are read as any other is; then the one's pattern is held against the other's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal, NamedTuple

from arcgraph.graph.pattern import (
    Aggregate,
    Calculation,
    Entity,
    Measure,
    Order,
    Part,
    Pattern,
    Projection,
    Property,
    Yardstick,
)
from arcgraph.interpret.english import (
    ARTICLES,
    COPULAS,
    FUNCTION_WORDS,
    POSSESSIVES,
    PREPOSITIONS,
    YES_NO_STARTS,
)
from arcgraph.interpret.operators import SUPERLATIVES
from arcgraph.interpret.tables.asked import Asked, Condition, carries_meaning
from arcgraph.interpret.tables.catalog import Catalog, Holder
from arcgraph.interpret.tables.english import (
    DOING_WORDS,
    GREATER_WORDS,
    LESSER_WORDS,
    PERCENT_WORDS,
    RELATIVE_PRONOUNS,
    SHARE_WORDS,
)
from arcgraph.interpret.verbalise import phrase

_How = Literal["-", "/", "percent of", ">", "<", "most", "least"]
_YARDSTICK = "other"
# From this logarithm on words are a value.
_VALUE = -0.9
# Where "more" stands in "how many more".
_HOW_MANY = 2
# Words of "which of the two has", that say no verb.
_OF_THE_TWO = frozenset("of the two has have".split())
# What a question asks for is among so many words.
_OPENING = 6
# The other of two values stands so soon behind "than"; so many pairs are looked at.
_SOON, _MOST_PAIRS = 4, 2
# What the answer is called, of an aggregate in words.
_NAMES: dict[_How, str] = {
    "-": "difference in {}", "/": "share", "percent of": "percentage", ">": "whether {} is greater",
    "<": "whether {} is less",
}  # fmt: skip


class Sides(NamedTuple):
    """Two questions, empty where none can be made, and ``how`` the answer to the first is held against that to the
    second. Where one of two things is asked for, ``other`` is the one that the first question does not name."""

    left: str
    right: str
    how: _How
    other: Condition | None = None
    holders: tuple[Holder, ...] = ()


class _Value(NamedTuple):
    first: int
    last: int
    holders: tuple[Holder, ...]
    condition: Condition


def sides(asked: Asked, catalog: Catalog) -> Iterator[Sides]:
    """The pairs of questions that a question may hold against each other."""
    words = [unit.text for unit in asked.units]
    yield from _shares(asked, words, catalog)
    at = next((i for i, word in enumerate(words) if _way(word)), None)
    if at is None:
        return
    than = next((i for i in range(at + 1, len(words)) if words[i] == "than"), None)
    if than is not None:
        for one, other in _pairs(asked, range(than), range(than + 1, len(words))):
            yield from _compared(asked, words, at, than, one, other)
    elif words[0] in ("which", "who", "what"):
        either = next((i for i in range(len(words) - 1, at, -1) if words[i] == "or"), None)
        for one, other in _pairs(asked, range(either), range(either + 1, len(words))) if either is not None else ():
            # "Which larger towns are in Kent or Essex" compares neither.
            if one.first > at and words[one.first - 1] not in PREPOSITIONS:
                yield from _chosen(asked, words, at, one, other)


def _way(word: str) -> Literal[">", "<"] | None:
    """Which way a word compares amounts."""
    superlative = word[:-2] + "est" if word.endswith("er") else ""
    if word in GREATER_WORDS or (superlative and SUPERLATIVES.get(superlative, ("",))[0] == "desc"):
        return ">"
    if word in LESSER_WORDS or (superlative and SUPERLATIVES.get(superlative, ("",))[0] == "asc"):
        return "<"
    return None


def _pairs(asked: Asked, before: range, behind: range) -> Iterator[tuple[_Value, _Value]]:
    """Two values of one property, the first of the one stretch of words and the last of the other."""
    others = (value for value in _values(asked, behind) if value.first <= behind.start + _SOON)
    pairs = (
        (one._replace(holders=both), other._replace(holders=both))
        for other in others for one in reversed(list(_values(asked, before)))
        if (both := tuple(h for h in one.holders if h in other.holders)) and one.condition != other.condition
    )  # fmt: skip
    return islice(pairs, _MOST_PAIRS)


def _values(asked: Asked, inside: range) -> Iterator[_Value]:
    """Single values in a stretch of words, none within a longer one."""
    found = [
        _Value(s.first, s.last, sense.holders, sense.conditions[0])
        for at in inside for s in asked.stretches.get(at, ()) for sense in s.senses
        if sense.kind == "value" and sense.log >= _VALUE and s.last <= inside.stop and len(sense.conditions) == 1
        and sense.conditions[0].operator == "="
    ]  # fmt: skip
    return (
        v for v in found
        if not any(o.first <= v.first and v.last <= o.last and o.last - o.first > v.last - v.first for o in found)
    )  # fmt: skip


def _compared(asked: Asked, words: Sequence[str], at: int, than: int, one: _Value, other: _Value) -> Iterator[Sides]:
    """ "How many more … than", "did … more … than", "is the average … higher than"."""
    way = _way(words[at])
    assert way is not None
    said = _Said(asked)
    one = one._replace(last=_end_of_compound(asked, one.last))
    other = other._replace(last=_end_of_compound(asked, other.last))
    # "More left-footed than right-footed players": what follows belongs to both.
    tail = said.of(range(other.last, len(words)))
    parts: list[str | range]
    how: _How = way
    if words[0] == "how" and words[1] in ("many", "much") and at == _HOW_MANY:
        how, parts = "-", [f"how {words[1]}", range(at + 1, than), tail]
        one, other = (one, other) if way == ">" else (other, one)
    elif words[0] not in YES_NO_STARTS:
        return
    elif not any(carries_meaning(word) for word in words[at + 1 : than]):
        parts = ["what is", range(1, at), tail]
    elif words[1] == "there":
        parts = ["how many", range(at + 1, than), tail, "are there"]
    else:
        ends = next((i for i in range(at + 1, than) if words[i] in FUNCTION_WORDS or i == one.first), than)
        asks = "how much" if _is_mass(words[ends - 1]) else "how many"
        parts = [asks, range(at + 1, ends), range(at), range(ends, than), tail]
    there = min(one, other)
    yield Sides(said.swapped(parts, there, one), said.swapped(parts, there, other), how)


def _end_of_compound(asked: Asked, last: int) -> int:
    """Where a word ends that a hyphen ties to a value ("right-footed")."""
    while last < len(asked.units) and asked.text[asked.units[last - 1].end : asked.units[last].start] == "-":
        last += 1
    return last


def _chosen(asked: Asked, words: Sequence[str], at: int, one: _Value, other: _Value) -> Iterator[Sides]:
    """ "Which sold more tickets, A or B": how many tickets each of them sold."""
    said = _Said(asked)
    ends = next((i for i in range(at + 1, one.first) if words[i] in FUNCTION_WORDS), one.first)
    nouns, verbs = range(at + 1, ends), range(1, at)
    how: _How = "most" if _way(words[at]) == ">" else "least"
    if not any(carries_meaning(words[i]) for i in nouns):
        yield Sides("", "", how, other.condition, one.holders)
        return
    asks = "how much" if _is_mass(words[nouns[-1]]) else "how many"
    told = " ".join(said.of(range(i, i + 1)) for i in verbs if words[i] not in _OF_THE_TWO)
    text = " ".join(part for part in (asks, said.of(nouns), told, said.of(range(one.first, one.last))) if part)
    yield Sides(text, "", how, other.condition, one.holders)


def _shares(asked: Asked, words: Sequence[str], catalog: Catalog) -> Iterator[Sides]:
    """ "What share of the … are …": how many are, of how many there are."""
    asked_for = (i for i, w in enumerate(words[:_OPENING]) if w in SHARE_WORDS | PERCENT_WORDS)
    at = next((i for i in asked_for if words[i + 1 : i + 2] == ["of"]), None)
    is_opening = at is not None and not any(carries_meaning(word) for word in words[:at])
    if at is None or not is_opening or any(m.kind == "property" for m in catalog.called(words[at])):
        return
    begins = at + 2
    while begins < len(words) and words[begins] in ARTICLES | POSSESSIVES | {"all"}:
        begins += 1
    verbs = [
        i for i in range(begins + 1, len(words))
        if words[i] in COPULAS | DOING_WORDS and words[i - 1] not in RELATIVE_PRONOUNS
    ]  # fmt: skip
    labels = [
        s.last for i in range(begins, len(words)) for s in asked.stretches.get(i, ()) for sense in s.senses
        if sense.kind == "label"
    ]  # fmt: skip
    ends = verbs[0] if verbs else min(labels, default=None)
    if ends is None or ends >= len(words):
        return
    said = _Said(asked)
    whole = said.of(range(begins, ends))
    how: _How = "percent of" if words[at] in PERCENT_WORDS else "/"
    yield Sides(f"how many {whole} {said.of(range(ends, len(words)))}", f"how many {whole} are there", how)


def _is_mass(noun: str) -> bool:
    """Whether "how much" asks for a noun: no plural."""
    return not noun.endswith("s")


class _Said:
    """Stretches of a question as they were written."""

    def __init__(self, asked: Asked):
        self._asked = asked

    def of(self, units: range) -> str:
        if not units:
            return ""
        told = self._asked.units
        return self._asked.text[told[units.start].start : told[units.stop - 1].end]

    def swapped(self, parts: Sequence[str | range], there: _Value, said: _Value) -> str:
        """Parts one behind the other, with one value in the place of another."""
        texts = (part if isinstance(part, str) else self._with(part, there, said) for part in parts)
        return " ".join(filter(None, texts))

    def _with(self, units: range, there: _Value, said: _Value) -> str:
        if not (units.start <= there.first and there.last <= units.stop) or there == said:
            return self.of(units)
        parts = (range(units.start, there.first), range(said.first, said.last), range(there.last, units.stop))
        return " ".join(filter(None, map(self.of, parts)))


def held_against(left: Pattern, right: Pattern, how: _How) -> Pattern | None:
    """The one column of a pattern held against that of another; ``None`` where one of them is no plain aggregate."""
    one, other = _aggregate(left), _aggregate(right)
    if one is None or other is None or one.function != other.function or right.absent or right.choices:
        return None
    if how not in ("-", "/", "percent of", ">", "<") or (how in ("-", ">", "<") and not _are_alike(left, right)):
        return None
    part = Part(right.nodes, right.hops, right.bindings, right.filters)
    column = Calculation(one, how, Measure(_YARDSTICK))
    name = _NAMES[how].format(left.returns[0].name)
    yardstick = Yardstick(_YARDSTICK, other, part)
    return replace(left, returns=(Projection(column, name),), distinct=False, yardstick=yardstick)


def _are_alike(left: Pattern, right: Pattern) -> bool:
    """Whether two patterns differ in values alone: else one of the two questions was not read as the other."""
    shapes = [
        (p.nodes, p.hops, [(b.node, b.key) for b in p.bindings], [(f.left, f.operator) for f in p.filters])
        for p in (left, right)
    ]
    return shapes[0] == shapes[1]


def chosen(left: Pattern, side: Sides, catalog: Catalog) -> Pattern | None:
    """Of two named things the one with more, or less, of what a pattern counts for the first of them."""
    one = _aggregate(left)
    other = side.other
    if one is None or other is None or left.absent or left.choices:
        return None
    keys = {(holder.owner, holder.key) for holder in side.holders}
    labels = {node.name: node.labels for node in left.nodes}
    at = next((i for i, b in enumerate(left.bindings) if any((label, b.key) in keys for label in labels[b.node])), None)
    if at is None or one.of == Entity(left.bindings[at].node):
        return None
    binding = left.bindings[at]
    both = replace(binding, values=(*binding.values, other.right))
    label = labels[binding.node][0]
    key = catalog.main_key(label) or str(binding.key)
    counted = left.returns[0].name
    return replace(
        left, bindings=(*left.bindings[:at], both, *left.bindings[at + 1 :]),
        returns=(Projection(Property(binding.node, key), phrase(label)), Projection(one, counted)),
        order=(Order(counted, side.how == "most"),), limit=1, distinct=False,
    )  # fmt: skip


def _aggregate(pattern: Pattern) -> Aggregate | None:
    """The aggregate that is all that a pattern returns, of its own match alone."""
    more = (pattern.grouped, pattern.optional, pattern.asides, pattern.having, pattern.order, pattern.yardstick)
    if len(pattern.returns) != 1 or any(more) or pattern.limit is not None:
        return None
    column = pattern.returns[0].expression
    if not isinstance(column, Aggregate) or column.function in ("exists", "collect") or column.of is None:
        return None
    return column
