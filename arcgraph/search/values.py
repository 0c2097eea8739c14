"""The index of values: texts of properties that questions filter by ("female", "red", a postcode), and no names.

Values that many nodes share and values that tell nodes apart are both here, each with the label or type and the key
that hold it and how many do. It stands on the index of names: every different text is one entry there, found the same
way, and beside it lies who holds the text. Numbers, dates and booleans are not listed, only their extents are known.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from datetime import time as clock
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arcgraph.domain import Schema
from arcgraph.graph.base import Graph
from arcgraph.search.base import Embedder, Entry
from arcgraph.search.cache import open_or_make, place
from arcgraph.search.embed import choose_embedder, say_once
from arcgraph.search.holders import (
    Extent,
    Holder,
    Reader,
    Side,
    Values,
    ranged_holders,
    text_holders,
)
from arcgraph.search.lexicon import How, Mention
from arcgraph.search.local import NameIndex, build_index
from arcgraph.search.store import Array, Store, Streamed, in_memory
from arcgraph.search.text import fold
from arcgraph.settings import SearchSettings, Settings

FORMAT = 1
# So short a value ("A", "No") has to stand there letter for letter, or quoted.
_SHORT = 2
_MOST_NEAR = 40

Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Column:
    """One property with values: ``side`` says whether nodes with the label or edges of the type ``owner`` carry it.

    ``complete`` is true where the index holds all its values; ``is_list`` where they are lists.
    """

    side: Side
    owner: str
    key: str
    complete: bool = True
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class ValueMention:
    """Characters ``start:end`` of a question that may mean values of one property.

    ``values`` are these values as they were loaded, the most frequent first, and ``count`` how many nodes or edges have
    one of them. ``is_piece`` says that they are items of lists, or parts of texts that enumerate ("red" of "red,
    green"), so that a filter has to ask for membership. ``how`` and ``score`` are those of
    :class:`~arcgraph.search.lexicon.Mention`, as are ``quoted``, ``capitalised``, ``initial``, ``function_words`` and
    ``maximal``.
    """

    start: int
    end: int
    text: str
    column: Column
    values: tuple[str, ...]
    count: int
    how: How
    score: float
    is_piece: bool = False
    quoted: bool = False
    capitalised: bool = False
    initial: bool = False
    function_words: bool = False
    maximal: bool = True

    @property
    def owner(self) -> str:
        """The label or relationship type."""
        return self.column.owner

    @property
    def key(self) -> str:
        """The property key, as loaded."""
        return self.column.key


class Known(NamedTuple):
    """A value of a property, how many nodes or edges have it, and whether it is one of several there."""

    value: str
    owners: int
    is_piece: bool = False


# --- building ----------------------------------------------------------------------------------------------------


@dataclass
class _Holdings:
    """Who holds which text: parallel columns, one row for every property and text."""

    texts: dict[str, int] = field(default_factory=dict)
    columns: list[Column] = field(default_factory=list)
    rows: list[tuple[int, int, int, bool]] = field(default_factory=list)

    def add(self, values: Values) -> None:
        number = len(self.columns)
        holder = values.holder
        self.columns.append(Column(holder.side, holder.owner, holder.key, values.complete, values.is_list))
        for counts, is_piece in ((values.whole, False), (values.pieces, True)):
            for text, count in counts.items():
                self.rows.append((self.texts.setdefault(text, len(self.texts)), number, count, is_piece))

    def arrays(self) -> dict[str, Array | Streamed]:
        table = np.array(self.rows, np.int64).reshape(-1, 4)
        table = table[np.lexsort((-table[:, 2], table[:, 1], table[:, 0]))]
        starts = np.searchsorted(table[:, 0], np.arange(len(self.texts) + 1)).astype(np.int64)
        return {
            "holding_starts": starts,
            "holding_texts": table[:, 0].astype(np.int32),
            "holding_columns": table[:, 1].astype(np.int32),
            "holding_counts": table[:, 2],
            "holding_pieces": table[:, 3].astype(np.uint8),
        }


def _built(
    graph: Graph, schema: Schema, settings: SearchSettings, report: Report
) -> tuple[dict[str, Any], dict[str, Array | Streamed]]:
    reader = Reader(graph, settings)
    holders = text_holders(schema, settings)
    holdings = _Holdings()
    # Few different values first: what people filter by most is read even where the budget does not reach for all.
    for done, holder in enumerate(sorted(holders, key=lambda one: one.info.distinct.value)):
        report(done, len(holders))
        holdings.add(reader.values(holder))
    report(len(holders), len(holders))
    extents = _extents(reader, ranged_holders(schema, settings))
    return _packed(holdings, extents)


def _packed(
    holdings: _Holdings, extents: Mapping[Column, Extent]
) -> tuple[dict[str, Any], dict[str, Array | Streamed]]:
    entries = (Entry("", "", (), "", text) for text in holdings.texts)
    meta, arrays = build_index([entries], None, lambda _: None, len(holdings.texts))
    described = [(c.side, c.owner, c.key, c.complete, c.is_list) for c in holdings.columns]
    ends = [(c.side, c.owner, c.key, *map(_frozen, (e.low, e.high))) for c, e in extents.items()]
    return {**meta, "columns": described, "extents": ends, "format": FORMAT}, {**arrays, **holdings.arrays()}


def _extents(reader: Reader, holders: Sequence[Holder]) -> dict[Column, Extent]:
    found: dict[Column, Extent] = {}
    for (side, owner), group in itertools.groupby(holders, key=lambda one: (one.side, one.owner)):
        for holder, extent in reader.extents(side, owner, list(group)):
            found[Column(side, owner, holder.key)] = extent
    return found


_MOMENTS: dict[str, type[date] | type[clock]] = {"date": date, "datetime": datetime, "time": clock}


def _frozen(value: Any) -> Any:
    """A number as it is, a moment as its type and ISO text."""
    kind = next((name for name in ("datetime", "date", "time") if isinstance(value, _MOMENTS[name])), None)
    return [kind, value.isoformat()] if kind else value


def _thawed(value: Any) -> Any:
    return _MOMENTS[value[0]].fromisoformat(value[1]) if isinstance(value, list) else value


# --- the index ---------------------------------------------------------------------------------------------------


class ValueIndex:
    """All values of a graph's properties. Thread-safe; reads only.

    ``columns`` are the properties that it knows of. ``notices``, ``path`` and ``built`` are as those of
    :class:`~arcgraph.search.local.NameIndex`.
    """

    def __init__(
        self,
        store: Store,
        *,
        words: Embedder | None = None,
        settings: SearchSettings | None = None,
        notices: Sequence[str] = (),
        path: Path | None = None,
        built: bool = True,
    ):
        self.notices = tuple(notices)
        self.path = path
        self.built = built
        self._texts = NameIndex(store, words=words, settings=settings)
        self.columns = tuple(Column(*described) for described in store.meta["columns"])
        self._extents = {tuple(d[:3]): Extent(_thawed(d[3]), _thawed(d[4])) for d in store.meta["extents"]}
        a = store.arrays
        self._starts, self._owners, self._counts = a["holding_starts"], a["holding_columns"], a["holding_counts"]
        self._pieces, self._of = a["holding_pieces"], a["holding_texts"]
        self._by_column = np.argsort(self._owners, kind="stable")
        self._bounds = np.searchsorted(self._owners[self._by_column], np.arange(len(self.columns) + 1))
        self._numbers: dict[tuple[str, str], list[int]] = {(c.owner, c.key): [] for c in self.columns}
        for number, column in enumerate(self.columns):
            self._numbers[column.owner, column.key].append(number)

    @classmethod
    def of(cls, values: Iterable[Values], *, settings: SearchSettings | None = None) -> ValueIndex:
        """An index in memory."""
        holdings = _Holdings()
        for one in values:
            holdings.add(one)
        return cls(in_memory(*_packed(holdings, {})), settings=settings)

    def __len__(self) -> int:
        """How many different texts there are."""
        return len(self._texts)

    def find(self, question: str) -> list[ValueMention]:
        """Mentions of values in a question, one for each stretch, way of matching and property.

        The longest stretches come first, the surer before the less sure. A text that several properties hold is given
        for each of them.
        """
        return [found for mention in self._texts.find(question) for found in self._held(mention)]

    def lookup(self, owner: str, key: str, text: str) -> list[Known]:
        """The values of a property that a text is, but for case, accents and punctuation; the exact one first.

        A value that is one by itself and a piece of others is given twice.
        """
        wanted = fold(text)
        found = [known for mention in self._texts.find(f'"{text}"') for known in self._of_property(mention, owner, key)]
        same = {known for known in found if fold(known.value) == wanted}
        return sorted(same, key=lambda known: (known.value != text, known.is_piece, -known.owners, known.value))

    def near(self, text: str, k: int = 5) -> list[ValueMention]:
        """What may have been meant where a text is no value: similar ones, the nearest first, with their properties."""
        found: list[ValueMention] = []
        for hit in self._texts.near(text, min(k, _MOST_NEAR)):
            mention = Mention(0, len(text), text, (hit.id,), "fuzzy", hit.score, 1, 0)
            found += self._held(mention)
        return found

    def near_values(self, text: str, k: int = 5) -> list[str]:
        """The texts of :meth:`near`, none twice."""
        return list(dict.fromkeys(mention.values[0] for mention in self.near(text, k)))

    def column(self, owner: str, key: str) -> Column | None:
        """What is known of a property; ``None`` where it has no values here."""
        numbers = self._numbers.get((owner, key))
        return self.columns[numbers[0]] if numbers else None

    @property
    def holds_all(self) -> bool:
        """Whether no property has texts that were left out."""
        return all(column.complete for column in self.columns)

    def values(self, owner: str, key: str) -> list[Known]:
        """All values that are known of a property, the most frequent first; whole ones before pieces."""
        found = [known for number in self._numbers.get((owner, key), ()) for known in self._known(number)]
        return sorted(found, key=lambda known: (known.is_piece, -known.owners, known.value))

    def extent(self, owner: str, key: str) -> Extent | None:
        """The least and greatest value of a property that holds numbers or moments."""
        sides: tuple[Side, ...] = ("node", "relationship")
        return next((e for side in sides if (e := self._extents.get((side, owner, key)))), None)

    def _known(self, column: int) -> Iterator[Known]:
        for at in self._by_column[self._bounds[column] : self._bounds[column + 1]]:
            yield Known(self._text(int(self._of[at])), int(self._counts[at]), bool(self._pieces[at]))

    def _text(self, number: int) -> str:
        return self._texts.text(number)

    def _holdings(self, mention: Mention) -> dict[tuple[int, bool], list[Known]]:
        """The values that a mention may mean, by property and by whether they are pieces there."""
        found: dict[tuple[int, bool], list[Known]] = {}
        for text in mention.entries:
            value = self._text(text)
            if not _is_meant(mention, value):
                continue
            for at in range(self._starts[text], self._starts[text + 1]):
                is_piece = bool(self._pieces[at])
                known = Known(value, int(self._counts[at]), is_piece)
                found.setdefault((int(self._owners[at]), is_piece), []).append(known)
        return found

    def _of_property(self, mention: Mention, owner: str, key: str) -> Iterator[Known]:
        numbers = self._numbers.get((owner, key), ())
        for (number, _), known in self._holdings(mention).items():
            if number in numbers:
                yield from known

    def _held(self, mention: Mention) -> Iterator[ValueMention]:
        for (number, is_piece), known in self._holdings(mention).items():
            known.sort(key=lambda one: (-one.owners, one.value))
            yield ValueMention(
                start=mention.start,
                end=mention.end,
                text=mention.text,
                column=self.columns[number],
                values=tuple(one.value for one in known),
                count=sum(one.owners for one in known),
                how=mention.how,
                score=mention.score,
                is_piece=is_piece,
                quoted=mention.quoted,
                capitalised=mention.capitalised,
                initial=mention.initial,
                function_words=mention.function_words,
                maximal=mention.maximal,
            )


def _is_meant(mention: Mention, value: str) -> bool:
    """Whether the wording is enough for so short a value."""
    return len(value.strip()) > _SHORT or mention.how == "exact" or mention.quoted or not mention.tokens


# --- on disk -----------------------------------------------------------------------------------------------------


def open_or_build_values(
    graph: Graph,
    schema: Schema,
    settings: Settings | None = None,
    *,
    refresh: bool = False,
    progress: Report | None = None,
) -> ValueIndex:
    """The index of a graph's values: the stored one where it fits graph, schema and settings, else a new one.

    It lies beside the index of names. ``progress`` is called with how many properties are read, and of how many.
    Raises what the graph raises.
    """
    settings = settings or Settings.load()
    words = choose_embedder(settings.search, "words").embedder
    notices: list[str] = []
    path = values_path(graph, schema, settings)
    report = progress or (lambda _done, _total: None)

    def make() -> tuple[dict[str, Any], dict[str, Array | Streamed]]:
        meta, arrays = _built(graph, schema, settings.search, report)
        return {**meta, "graph": graph.name, "fingerprint": schema.fingerprint}, arrays

    opened = open_or_make(path, FORMAT, make, notices, refresh=refresh)
    say_once(notices)
    return ValueIndex(
        opened.store,
        words=words,
        settings=settings.search,
        notices=notices,
        path=opened.path,
        built=opened.built,
    )


def values_path(graph: Graph, schema: Schema, settings: Settings) -> Path:
    """Where the index lies: beside the index of names, a file for each state of the graph and choice of settings."""
    search = settings.search
    chosen = (search.include_labels, search.exclude_labels, search.include_properties, search.exclude_properties)
    state = (FORMAT, schema.fingerprint, chosen, search.max_values, search.max_values_per_property)
    return place(settings.cache.dir, graph.name, state, ".values")
