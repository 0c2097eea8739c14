"""Which properties of a graph hold values that people write in questions, and reading them, counted by the database."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from datetime import time as clock
from typing import Any, Literal

import neo4j.time

from arcgraph.domain import RESERVED_LABEL, LabelInfo, PropertyInfo, Schema
from arcgraph.errors import QueryTimeout
from arcgraph.graph.base import Graph
from arcgraph.graph.names import quote, stored_key
from arcgraph.search.collect import sources
from arcgraph.settings import SearchSettings

# Longer texts are prose: nobody writes them out in a question.
LONGEST_VALUE = 120
_SECONDS = 120.0
_QUERY_SECONDS = 30.0
_RANGED = frozenset(("integer", "float", "date", "datetime", "localdatetime", "time", "localtime"))
# A text of several pieces ("red, green"): what parts them, and how many of the values have to be made so.
_SEPARATOR = re.compile(r"\s*[,;|/]\s+|\s*[;|]\s*")
_LEAST_SEPARATED = 0.1
_LONGEST_PIECE = 40

Side = Literal["node", "relationship"]
Moment = date | datetime | clock


@dataclass(frozen=True, slots=True)
class Holder:
    """One property of the nodes with a label, or of the edges of a type: ``owner`` is that label or type.

    ``owner`` is ``""`` for nodes without a label.
    """

    side: Side
    owner: str
    key: str
    info: PropertyInfo = field(compare=False)

    @property
    def match(self) -> str:
        """A MATCH that binds one owner as ``x``."""
        return match_owner(self.side, self.owner)


def match_owner(side: Side, owner: str) -> str:
    """A MATCH that binds the nodes of a label, or the edges of a type, as ``x``."""
    if side == "relationship":
        return f"MATCH ()-[x:{quote(owner)}]->()"
    unlabelled = f"MATCH (x) WHERE all(label IN labels(x) WHERE label = '{RESERVED_LABEL}')"
    return f"MATCH (x:{quote(owner)})" if owner else unlabelled


def property_of(key: str, dialect: str) -> str:
    """``x.key`` as an engine's Cypher takes it."""
    return f"x.{quote(stored_key(key) if dialect == 'embedded' else key)}"


@dataclass(frozen=True, slots=True)
class Extent:
    """The least and the greatest value of a property, as Python numbers, dates, times and datetimes."""

    low: Any
    high: Any


@dataclass
class Values:
    """What was read of one property: how many owners have each text, alone (``whole``) or as one of several.

    ``pieces`` counts items of lists, and parts of texts that enumerate. ``complete`` is false where not all were read.
    """

    holder: Holder
    whole: Counter[str] = field(default_factory=Counter)
    pieces: Counter[str] = field(default_factory=Counter)
    is_list: bool = False
    complete: bool = True


# --- which -------------------------------------------------------------------------------------------------------


def text_holders(schema: Schema, settings: SearchSettings) -> list[Holder]:
    """Properties whose texts are values: neither names, which have an index of their own, nor prose, nor relations."""
    named = _names(schema, settings)
    return [
        holder
        for holder in _holders(schema, settings)
        if _holds_text(holder.info)
        and (holder.side, holder.owner, holder.key) not in named
        and not _is_structure(schema, holder)
    ]


def ranged_holders(schema: Schema, settings: SearchSettings) -> list[Holder]:
    """Properties that have a least and a greatest value."""
    return [holder for holder in _holders(schema, settings) if holder.info.type in _RANGED]


def all_holders(schema: Schema) -> Iterator[Holder]:
    """Every property of the graph."""
    yield from _holders(schema, SearchSettings())


def _holders(schema: Schema, settings: SearchSettings) -> Iterator[Holder]:
    def wanted(owner: str, key: str) -> bool:
        return not {key, f"{owner}.{key}"} & set(settings.exclude_properties)

    for label in sorted(schema.labels.values(), key=lambda info: info.name):
        if _is_wanted(label, settings):
            for key, info in sorted(label.properties.items()):
                if wanted(label.name, key):
                    yield Holder("node", label.name, key, info)
    for kind in sorted(schema.types.values(), key=lambda info: info.name):
        for key, info in sorted(kind.properties.items()):
            if wanted(kind.name, key):
                yield Holder("relationship", kind.name, key, info)


def _is_wanted(label: LabelInfo, settings: SearchSettings) -> bool:
    if label.name in settings.exclude_labels or label.name == RESERVED_LABEL:
        return False
    return not settings.include_labels or label.name in settings.include_labels


def _names(schema: Schema, settings: SearchSettings) -> set[tuple[Side, str, str]]:
    """What the index of names holds: names and aliases, and what identifies where nothing names."""
    found: set[tuple[Side, str, str]] = set()
    for source in sources(schema, settings):
        main = source.naming or source.identifying
        found |= {("node", source.label, key) for key in (main, *source.aliases) if key}
    return found


def _is_structure(schema: Schema, holder: Holder) -> bool:
    """Whether a property says what relation an edge stands for, or leads to passages."""
    home, passages = schema.relations, schema.passages
    relation = {
        "property": ("relationship", home.type, home.key),
        "reified": ("node", home.label, home.key),
    }.get(home.kind)
    if (holder.side, holder.owner, holder.key) == relation:
        return True
    if passages is None:
        return False
    is_edge_key = holder.side == "relationship" and holder.key == passages.edge_key
    return is_edge_key or (holder.owner == passages.label and holder.key == passages.text_key)


def _holds_text(info: PropertyInfo) -> bool:
    """Whether texts or lists are among the values, and no prose or vectors are most of them."""
    return bool({"string", "list"} & set(info.types)) and info.type not in ("text", "vector")


# --- reading -----------------------------------------------------------------------------------------------------


class Reader:
    """Reads values under a deadline and two budgets: different values of one property, and of all together."""

    def __init__(self, graph: Graph, settings: SearchSettings):
        self._graph = graph
        self._each = settings.max_values_per_property
        self._left = settings.max_values
        self._deadline = time.monotonic() + _SECONDS

    def values(self, holder: Holder) -> Values:
        """The texts of one property; nothing where there are more than the budget allows."""
        found = Values(holder)
        most = min(self._each, self._left)
        if holder.info.distinct.exact and holder.info.distinct.value > most:
            found.complete = False
            return found
        rows = self._rows(_values_query(holder, self._graph.dialect), {"most": most + 1})
        found.complete = rows is not None and len(rows) <= most
        for value, count in (rows or [])[:most]:
            _take(found, value, int(count))
        _split(found)
        self._left -= len(found.whole) + len(found.pieces)
        return found

    def extents(self, side: Side, owner: str, holders: list[Holder]) -> Iterator[tuple[Holder, Extent]]:
        """The extents of some properties of one owner, by one query."""
        names = [property_of(holder.key, self._graph.dialect) for holder in holders]
        wanted = ", ".join(f"min({name}) AS low{i}, max({name}) AS high{i}" for i, name in enumerate(names))
        rows = self._rows(f"{match_owner(side, owner)} RETURN {wanted}", {})
        for i, holder in enumerate(holders):
            low, high = (rows[0][2 * i], rows[0][2 * i + 1]) if rows else (None, None)
            ends = _native(low), _native(high)
            if None not in ends and type(ends[0]) is type(ends[1]):
                yield holder, Extent(*ends)

    def _rows(self, query: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]] | None:
        seconds = min(_QUERY_SECONDS, self._deadline - time.monotonic())
        if seconds <= 0:
            return None
        try:
            return self._graph.read(query, params, timeout=seconds, limit=None).records
        except QueryTimeout:
            return None


def _values_query(holder: Holder, dialect: str) -> str:
    value = property_of(holder.key, dialect)
    counted = f"WITH {value} AS value, count(*) AS owners WHERE value IS NOT NULL"
    return f"{holder.match} {counted} RETURN value, owners LIMIT $most"


def _take(found: Values, value: Any, count: int) -> None:
    if isinstance(value, str):
        if is_value(value):
            found.whole[value] += count
    elif type(value) in (list, tuple):
        found.is_list = True
        found.pieces.update({item: count for item in dict.fromkeys(value) if isinstance(item, str) and is_value(item)})


def is_value(text: str) -> bool:
    """Whether a text is short enough to be written in a question, and not blank."""
    return len(text) <= LONGEST_VALUE and bool(text.strip())


def _split(found: Values) -> None:
    """Count the parts of texts that enumerate ("red, green"), if parts come back in other texts as well."""
    parted = {text: parts for text in found.whole if len(parts := _parts(text)) > 1}
    if len(parted) < max(2.0, _LEAST_SEPARATED * len(found.whole)):
        return
    occurrences = Counter(part for text in found.whole for part in parted.get(text, [text]))
    shared = {part for part, times in occurrences.items() if times > 1}
    if 2 * sum(1 for parts in parted.values() if shared & set(parts)) < len(parted):
        return
    for text, parts in parted.items():
        for part in dict.fromkeys(parts):
            found.pieces[part] += found.whole[text]


def _parts(text: str) -> list[str]:
    parts = [part.strip() for part in _SEPARATOR.split(text)]
    return parts if all(0 < len(part) <= _LONGEST_PIECE for part in parts) else []


def _native(value: Any) -> Any:
    if isinstance(value, (neo4j.time.Date, neo4j.time.DateTime, neo4j.time.Time)):
        return value.to_native()
    return value if isinstance(value, (int, float, date, clock)) and not isinstance(value, bool) else None
