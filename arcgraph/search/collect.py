"""Which texts of a graph name its nodes, and reading them in batches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, LabelInfo, PropertyInfo, Schema
from arcgraph.graph.base import Graph
from arcgraph.graph.names import quote, stored_key
from arcgraph.search.base import Entry
from arcgraph.settings import SearchSettings

BATCH = 20_000
_TIMEOUT = 120.0
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ALIAS_WORDS = frozenset(
    "alias aliases aka akas synonym synonyms alternative alternatives alternate nickname nicknames".split()
)
_ALIAS_PHRASES = (("also", "known"), ("alt", "label"), ("alt", "labels"), ("alt", "name"), ("alt", "names"))


@dataclass(frozen=True, slots=True)
class Source:
    """Where the names of one label's nodes stand: ``label`` ``""`` means nodes without a label.

    ``identifying`` is read where a node has no value for ``naming``; ``aliases`` are read beside it.
    """

    label: str
    naming: str | None
    identifying: str | None
    aliases: tuple[str, ...] = ()
    count: int = 0

    @property
    def keys(self) -> tuple[str, ...]:
        """All property keys to read."""
        return tuple(dict.fromkeys(k for k in (self.naming, self.identifying, *self.aliases) if k))


@dataclass(frozen=True, slots=True)
class Estimate:
    """About how many entries an index will have, and how many bytes on disk."""

    entries: int
    bytes: int

    @classmethod
    def of(cls, sources: list[Source], settings: SearchSettings, dimension: int) -> Estimate:
        """From the schema's counts; ``dimension`` is 0 without an embedder."""
        expected = sum(source.count * (1 + len(source.aliases)) for source in sources)
        entries = min(expected, settings.max_entries)
        return cls(entries, entries * (_BYTES_OF_AN_ENTRY + 4 * dimension))

    def __str__(self) -> str:
        size = f"{self.bytes / 1e6:,.0f} MB" if self.bytes >= 1e6 else f"{self.bytes / 1e3:,.0f} kB"
        return f"about {self.entries:,} names, {size} on disk"


# Text, ids, hash tables and postings of names of a few words, seen on graphs of 40,000 to 1,000,000 nodes.
_BYTES_OF_AN_ENTRY = 190


def is_alias_key(key: str) -> bool:
    """Whether a property's key says that it holds other names: ``aliases``, ``alsoKnownAs``, ``alt_names``."""
    words = tuple(word.lower() for word in _WORD.findall(key))
    return not _ALIAS_WORDS.isdisjoint(words) or any(
        words[i : i + len(phrase)] == phrase for phrase in _ALIAS_PHRASES for i in range(len(words))
    )


def sources(schema: Schema, settings: SearchSettings) -> list[Source]:
    """One source for every label that is wanted and has something to be found by, in order of label.

    ``include_labels`` names the only labels wanted; ``include_properties`` names keys, or ``Label.key``, that are
    read as aliases besides what the schema says; what is excluded wins. Passages are no names.
    """
    passages = schema.passages.label if schema.passages else None
    wanted = [
        info
        for name, info in sorted(schema.labels.items())
        if name not in settings.exclude_labels
        and (name in settings.include_labels if settings.include_labels else name != passages)
        and name != RESERVED_LABEL
    ]
    found = [_source(info, settings) for info in wanted]
    return [source for source in found if source.keys]


def _source(info: LabelInfo, settings: SearchSettings) -> Source:
    def listed(key: str, names: tuple[str, ...]) -> bool:
        return key in names or f"{info.name}.{key}" in names

    def allowed(key: str | None) -> str | None:
        return None if key is None or listed(key, settings.exclude_properties) else key

    aliases = tuple(
        key
        for key, known in sorted(info.properties.items())
        if key != info.naming
        and allowed(key)
        and (listed(key, settings.include_properties) or (is_alias_key(key) and _holds_text(known)))
    )
    return Source(info.name, allowed(info.naming), allowed(info.identifying), aliases, info.count.value)


def _holds_text(info: PropertyInfo) -> bool:
    return info.type in ("string", "text", "list")


@dataclass
class Collector:
    """Reads the entries of ``sources`` from a graph, no more than ``most``; ``cut`` says whether there were more."""

    graph: Graph
    schema: Schema
    sources: list[Source]
    most: int
    batch: int = BATCH
    cut: bool = False
    _by_label: Mapping[str, Source] = field(init=False)

    def __post_init__(self) -> None:
        self._by_label = {source.label: source for source in self.sources}

    def batches(self) -> Iterator[list[Entry]]:
        """Entries, in batches; a node with several labels gives each of its texts once."""
        left = self.most
        for source in self.sources:
            for records in self._records(source):
                entries = [entry for record in records for entry in self._entries(source, record)]
                if len(entries) > left:
                    self.cut = True
                    yield entries[:left]
                    return
                left -= len(entries)
                yield entries

    def _records(self, source: Source) -> Iterator[list[tuple[Any, ...]]]:
        query = _query(source, self.graph.dialect)
        skip = 0
        while True:
            rows = self.graph.read(query, {"skip": skip, "most": self.batch}, timeout=_TIMEOUT, limit=None)
            yield rows.records
            if len(rows) < self.batch:
                return
            skip += self.batch

    def _entries(self, source: Source, record: tuple[Any, ...]) -> Iterator[Entry]:
        element_id, given_id, labels, *values = record
        own = tuple(label for label in labels if label != RESERVED_LABEL)
        texts = {key: _texts(value) for key, value in zip(source.keys, values, strict=True)}
        for key in self._wanted(source, own, texts):
            for text in texts[key]:
                is_alias = key in source.aliases
                node_id = str(given_id) if given_id is not None else str(element_id)
                yield Entry(str(element_id), node_id, own, key, text, is_alias)

    def _wanted(self, source: Source, labels: tuple[str, ...], texts: Mapping[str, list[str]]) -> Iterator[str]:
        """Keys to take from a node here: those that no earlier one of its labels gives already."""
        others = [self._by_label[label] for label in labels if label in self._by_label and label != source.label]
        earlier = {key for other in others if other.label < source.label for key in other.keys}
        is_named = bool(source.naming and texts[source.naming])
        named_elsewhere = not source.naming and any(other.naming for other in others)
        for key in source.keys:
            is_spare = key == source.identifying and key != source.naming and key not in source.aliases
            if key not in earlier and not (is_spare and (is_named or named_elsewhere)):
                yield key


def element_id(variable: str, dialect: str) -> str:
    """The expression for a node's element id."""
    # Memgraph's elementId() came only in 2026.
    return f"toString(id({variable}))" if dialect == "memgraph" else f"elementId({variable})"


def _query(source: Source, dialect: str) -> str:
    stored = stored_key if dialect == "embedded" else str
    match = f"MATCH (n:{quote(source.label)})" if source.label else f"MATCH (n) WHERE {_UNLABELLED}"
    columns = [f"n.{quote(stored(key))} AS c{i}" for i, key in enumerate(source.keys)]
    read = ", ".join(
        [f"{element_id('n', dialect)} AS element", f"n.{quote(RESERVED_KEY)} AS id", "labels(n) AS labels", *columns]
    )
    return f"{match} RETURN {read} SKIP $skip LIMIT $most"


_UNLABELLED = f"all(label IN labels(n) WHERE label = '{RESERVED_LABEL}')"


def _texts(value: Any) -> list[str]:
    """What is worth finding of a property's value: strings and numbers, alone or in a list, blanks left out."""
    if isinstance(value, list | tuple):
        return list(dict.fromkeys(text for item in value for text in _texts(item)))
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, bool) or not isinstance(value, int | float):
        return []
    return [str(int(value)) if float(value).is_integer() else str(value)]
