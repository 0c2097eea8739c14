"""Values that no index holds, looked up in the database itself: by equality, where they could stand, within a time."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from arcgraph.domain import Schema
from arcgraph.errors import QueryError, ServerGone
from arcgraph.graph.base import Graph
from arcgraph.search.holders import Holder, all_holders, match_owner, property_of
from arcgraph.search.lexicon import How
from arcgraph.search.values import Column, ValueMention

_MOST_ROWS = 50
# Less alike to a property's samples than this, a text is looked for only through an index.
_LEAST_LIKENESS = 0.3


class _Candidate(NamedTuple):
    """A property that may hold the text; ``likeness`` (0 to 1) is how much its samples are written the same way."""

    holder: Holder
    likeness: float

    @property
    def is_indexed(self) -> bool:
        return self.holder.info.indexed or self.holder.info.unique


def look_up_in_graph(
    graph: Graph,
    schema: Schema,
    text: str,
    timeout: float,
    *,
    skip: Collection[tuple[str, str]] = (),
    start: int = 0,
) -> list[ValueMention]:
    """The properties of which ``text`` is a value, but for the case of letters, the likeliest first.

    Properties that the database has an index on are asked first, one by one; the others by one query a label or type,
    those first whose samples are written like the text. What does not answer within ``timeout`` seconds, all queries
    together, is left out. ``skip`` are properties, as (label or type, key), whose values are known already;
    ``start`` is where the text stands in the question.
    """
    deadline = time.monotonic() + timeout
    known = frozenset(skip)
    candidates = [one for one in _candidates(schema, text) if (one.holder.owner, one.holder.key) not in known]
    found: list[ValueMention] = []
    for group in _groups(candidates):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        found += [_mention(text, start, one, values) for one, values in _ask(graph, group, text, left)]
    return sorted(found, key=lambda mention: (mention.how != "exact", -mention.score, -mention.count))


def _candidates(schema: Schema, text: str) -> list[_Candidate]:
    holders = [holder for holder in all_holders(schema) if {"string", "list", "text"} & set(holder.info.types)]
    likely = [_Candidate(holder, likeness(text, _texts(holder.info.samples))) for holder in holders]
    kept = [one for one in likely if one.is_indexed or one.likeness >= _LEAST_LIKENESS]
    return sorted(kept, key=lambda one: (not one.is_indexed, -one.likeness, one.holder.owner, one.holder.key))


def _texts(samples: Iterable[Any]) -> list[str]:
    items = [item for sample in samples for item in (sample if isinstance(sample, (list, tuple)) else [sample])]
    return [item for item in items if isinstance(item, str)]


def _groups(candidates: Sequence[_Candidate]) -> Iterator[list[_Candidate]]:
    """Indexed properties alone, the others by their owner, in order of the likeliest of each."""
    yield from ([one] for one in candidates if one.is_indexed)
    rest = [one for one in candidates if not one.is_indexed]
    best: dict[tuple[str, str], float] = {}
    for one in rest:
        owner = one.holder.side, one.holder.owner
        best[owner] = max(best.get(owner, 0.0), one.likeness)

    def of_owner(one: _Candidate) -> tuple[float, str, str]:
        owner = one.holder.side, one.holder.owner
        return (-best[owner], *owner)

    for _, group in groupby(sorted(rest, key=of_owner), key=of_owner):
        yield list(group)


def _ask(
    graph: Graph, group: Sequence[_Candidate], text: str, seconds: float
) -> Iterator[tuple[_Candidate, Counter[str]]]:
    """For each property of one owner the values found, with how many have them."""
    params = {"text": text, "texts": _spellings(text)}
    try:
        rows = graph.read(_query(graph.dialect, group), params, timeout=seconds, limit=_MOST_ROWS)
    except ServerGone:
        raise
    except QueryError:
        # A server may be too slow for one property, or forbid it, and answer for the next.
        return
    for at, candidate in enumerate(group):
        values: Counter[str] = Counter()
        for record in rows:
            if record[at] is not None:
                values[record[at]] += int(record[-1])
        if values:
            yield candidate, values


def _spellings(text: str) -> list[str]:
    return list(dict.fromkeys((text, text.strip(), text.upper(), text.lower(), text.capitalize(), text.title())))


def _query(dialect: str, group: Sequence[_Candidate]) -> str:
    first = group[0].holder
    tests = [_test(one.holder, property_of(one.holder.key, dialect)) for one in group]
    columns = [f"CASE WHEN {test} THEN {value} END AS c{i}" for i, (test, value) in enumerate(tests)]
    any_of = " OR ".join(test for test, _ in tests)
    joint = "AND" if " WHERE " in first.match else "WHERE"
    return f"{match_owner(first.side, first.owner)} {joint} ({any_of}) RETURN {', '.join(columns)}, count(*) AS owners"


def _test(holder: Holder, value: str) -> tuple[str, str]:
    """A condition that a property has the text, and what to return of it then."""
    if holder.info.type == "list":
        return f"$text IN {value}", "$text"
    return f"{value} IN $texts", value


def _mention(text: str, start: int, candidate: _Candidate, values: Counter[str]) -> ValueMention:
    holder = candidate.holder
    how: How = "exact" if text in values else "folded"
    return ValueMention(
        start=start,
        end=start + len(text),
        text=text,
        column=Column(holder.side, holder.owner, holder.key, complete=False, is_list=holder.info.type == "list"),
        values=tuple(value for value, _ in values.most_common()),
        count=values.total(),
        how=how,
        score=1.0 if how == "exact" else 0.95,
        is_piece=holder.info.type == "list",
    )


# --- likeness ----------------------------------------------------------------------------------------------------

_RUN = re.compile(r"(.)\1+")


def likeness(text: str, samples: Sequence[str]) -> float:
    """How much a text is written like a property's samples, 0 to 1.

    1 for the same pattern of letters, figures and signs as one of them; less for the same pattern but for lengths, for
    the same kinds of characters, for a part of these kinds. Without samples nothing is known: a half.
    """
    if not samples:
        return 0.5
    return max(_alike(text, sample) for sample in samples)


class _Written(NamedTuple):
    """How a text is written: its pattern, the same without repetitions, and the kinds of characters in it."""

    pattern: str
    shape: str
    kinds: frozenset[str]


@lru_cache(maxsize=20_000)
def _written(text: str) -> _Written:
    whole = pattern(text)
    return _Written(whole, _RUN.sub(r"\1", whole), frozenset(whole.casefold()))


def _alike(text: str, sample: str) -> float:
    mine, theirs = _written(text), _written(sample)
    if mine.pattern == theirs.pattern:
        return 1.0
    if mine.shape == theirs.shape:
        return 0.9
    if len(text) == len(sample) and mine.kinds == theirs.kinds:
        return 0.8
    if len(text) > 4 * len(sample) or ("9" in mine.kinds) != ("9" in theirs.kinds):
        return 0.1
    if mine.kinds == theirs.kinds:
        return 0.5
    return 0.3 if mine.kinds <= theirs.kinds or theirs.kinds <= mine.kinds else 0.1


def pattern(text: str) -> str:
    """A text with ``9`` for every figure, ``A`` and ``a`` for letters, other characters as they are."""
    return "".join("9" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c for c in text)
