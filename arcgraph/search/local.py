"""The index of a graph's names, kept in one memory-mapped file in the cache folder."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arcgraph.domain import Schema
from arcgraph.graph.base import Graph
from arcgraph.search.base import Embedder, Entry, Hit, Ranking, Vectors
from arcgraph.search.cache import open_or_make, place
from arcgraph.search.collect import Collector, Estimate, sources
from arcgraph.search.dense import DenseIndex
from arcgraph.search.embed import choose_embedder, known_words, say_once, uncached
from arcgraph.search.fusion import reciprocal_rank_fusion
from arcgraph.search.lexical import SMALL, OkapiBM25, Postings, SparseBM25, weigh
from arcgraph.search.lexicon import Lexicon, Mention, Names, lexicon_arrays
from arcgraph.search.store import Array, Store, Streamed, in_memory
from arcgraph.search.text import fold, tokens
from arcgraph.search.vocabulary import Column, Texts, Vocabulary, allowed_edits
from arcgraph.settings import SearchSettings, Settings

FORMAT = 1
# Above this many entries vectors are kept in half precision: half the disk, and cosines differ in the fourth digit.
_HALF_PRECISION_FROM = 200_000
_EMBED_BATCH = 4_096
# Below this cosine two names share a word or a subject rather than a meaning.
_LEAST_COSINE = 0.8
_READ_BEFORE = 16
_MOST_DENSE = 5


class Progress(NamedTuple):
    """How far building has come: ``stage`` is ``reading``, ``embedding`` or ``storing``, the rest counts entries."""

    stage: str
    done: int
    total: int

    @property
    def is_first(self) -> bool:
        """Whether nothing was done before."""
        return self.stage == "reading" and not self.done


Report = Callable[[Progress], None]


# --- building ----------------------------------------------------------------------------------------------------


class Codes:
    """Few different values, numbered as they come."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._column = array("i")

    def add(self, value: Any) -> None:
        self._column.append(self._numbers.setdefault(value, len(self._numbers)))

    @property
    def values(self) -> list[Any]:
        return list(self._numbers)

    def array(self) -> Array:
        return np.frombuffer(self._column, np.int32)


class _Builder:
    """Takes entries and makes the arrays of an index."""

    def __init__(self) -> None:
        self.size = 0
        self._texts, self._elements, self._ids = Column(), Column(), Column()
        self._labels, self._properties = Codes(), Codes()
        self._aliases = bytearray()
        self._words: dict[str, int] = {}
        self._terms = array("i")
        self._lengths = array("q")

    def add(self, entry: Entry) -> None:
        self.size += 1
        self._texts.add(entry.text)
        self._elements.add(entry.element_id)
        self._ids.add("" if entry.id == entry.element_id else entry.id)
        self._labels.add(entry.labels)
        self._properties.add(entry.property)
        self._aliases.append(entry.alias)
        words = tokens(entry.text)
        self._terms.extend([self._words.setdefault(word, len(self._words)) for word in words])
        self._lengths.append(len(words))

    def meta(self) -> dict[str, Any]:
        """What goes into the header."""
        return {"entries": self.size, "labels": self._labels.values, "properties": self._properties.values}

    def arrays(self, embedder: Embedder | None, report: Report) -> dict[str, Array | Streamed]:
        """Everything that is stored; vectors are made while they are written."""
        words = list(self._words)
        terms = np.frombuffer(self._terms, np.int32)
        lengths = np.frombuffer(self._lengths, np.int64)
        vocabulary, numbers = Vocabulary.arrays(words)
        postings = weigh(numbers[terms] if len(terms) else terms, lengths, len(words))
        made: dict[str, Array | Streamed] = {
            **self._texts.arrays("text"),
            **self._elements.arrays("element"),
            **self._ids.arrays("id"),
            "labels": self._labels.array(),
            "properties": self._properties.array(),
            "aliases": np.frombuffer(self._aliases, np.uint8),
            **vocabulary,
            **lexicon_arrays(words, terms, lengths),
            "posting_starts": postings.starts,
            "posting_entries": postings.entries,
            "posting_weights": postings.weights,
        }
        if embedder is not None:
            made["vectors"] = self._vectors(embedder, report)
        return made

    def _vectors(self, embedder: Embedder, report: Report) -> Streamed:
        dtype = "float32" if self.size < _HALF_PRECISION_FROM else "float16"
        arrays = self._texts.arrays("text")
        texts = Texts(arrays["text_blob"], arrays["text_offsets"])
        return Streamed(dtype, (self.size, embedder.dimension), Embedded(texts, uncached(embedder), report))


@dataclass(frozen=True)
class Embedded:
    """The vectors of texts, batch by batch; can be gone through again."""

    texts: Texts
    embedder: Embedder
    report: Report

    def __iter__(self) -> Iterator[Vectors]:
        size = len(self.texts)
        for start in range(0, size, _EMBED_BATCH):
            end = min(start + _EMBED_BATCH, size)
            yield self.embedder.embed([_embedded_text(self.texts[i]) for i in range(start, end)])
            self.report(Progress("embedding", end, size))


def _figures(text: str) -> set[str]:
    """The words of a text that hold a digit."""
    return {word for word in tokens(text) if any(map(str.isdigit, word))}


def _embedded_text(text: str) -> str:
    """Names and questions are embedded in the same spelling."""
    return fold(text) or text


def build_index(
    entries: Iterable[Iterable[Entry]], embedder: Embedder | None, report: Report, expected: int
) -> tuple[dict[str, Any], dict[str, Array | Streamed]]:
    """Header and arrays of an index over batches of entries."""
    builder = _Builder()
    report(Progress("reading", 0, expected))
    for batch in entries:
        for entry in batch:
            builder.add(entry)
        report(Progress("reading", builder.size, max(expected, builder.size)))
    meta = {**builder.meta(), "format": FORMAT, "embedder": embedder.name if embedder else ""}
    return meta, builder.arrays(embedder, report)


# --- the index ---------------------------------------------------------------------------------------------------


class NameIndex:
    """All names and aliases of a graph: which stand in a question, which are near to a text.

    An entry is known by its position, ``0`` to ``size - 1``. ``notices`` are sentences for the user about what is
    lacking, already logged. ``path`` is the file it is mapped from, if any, and ``built`` whether it was made just now.
    Thread-safe; reads only.
    """

    def __init__(
        self,
        store: Store,
        *,
        embedder: Embedder | None = None,
        words: Embedder | None = None,
        settings: SearchSettings | None = None,
        notices: Sequence[str] = (),
        path: Path | None = None,
        built: bool = True,
    ):
        self.embedder = embedder
        self.notices = tuple(notices)
        self.path = path
        self.built = built
        self.size = int(store.meta["entries"])
        self._settings = settings or SearchSettings()
        self._words = words
        self._labels = [tuple(labels) for labels in store.meta["labels"]]
        self._properties: list[str] = list(store.meta["properties"])
        a = self._arrays = store.arrays
        self._texts = Texts(a["text_blob"], a["text_offsets"])
        self._elements = Texts(a["element_blob"], a["element_offsets"])
        self._ids = Texts(a["id_blob"], a["id_offsets"])
        self._vocabulary = Vocabulary(a)
        postings = Postings(a["posting_starts"], a["posting_entries"], a["posting_weights"])
        self._sparse = self._lexical(postings)
        self._dense = DenseIndex(a["vectors"], embedder) if embedder is not None and "vectors" in a else None
        names = Names(self._texts.__getitem__, lambda i: bool(a["aliases"][i]))
        self._lexicon = Lexicon(a, names, self._vocabulary, postings, known_words(words))
        # A question is read more than once, for paths and for tables.
        self._read = lru_cache(maxsize=_READ_BEFORE)(self._lexicon.read)

    @classmethod
    def of(
        cls,
        entries: Iterable[Entry],
        *,
        embedder: Embedder | None = None,
        words: Embedder | None = None,
        settings: SearchSettings | None = None,
    ) -> NameIndex:
        """An index in memory."""
        meta, arrays = build_index([entries], embedder, lambda _: None, 0)
        return cls(in_memory(meta, arrays), embedder=embedder, words=words, settings=settings)

    def _lexical(self, postings: Postings) -> OkapiBM25 | SparseBM25:
        if self.size < SMALL:
            return OkapiBM25([tokens(self._texts[i]) for i in range(self.size)])
        return SparseBM25(postings, self.size, self._vocabulary.term)

    def __len__(self) -> int:
        return self.size

    def by_label(self) -> dict[str, int]:
        """How many entries there are of nodes with each label, the most frequent first."""
        counts: Counter[str] = Counter()
        for code, count in enumerate(np.bincount(self._arrays["labels"], minlength=len(self._labels))):
            counts.update({label: int(count) for label in self._labels[code] or ("",)})
        return dict(counts.most_common())

    def entry(self, at: int) -> Entry:
        """The entry at a position."""
        element_id = self._elements[at]
        return Entry(
            element_id,
            self._ids[at] or element_id,
            self._labels[self._arrays["labels"][at]],
            self._properties[self._arrays["properties"][at]],
            self._texts[at],
            bool(self._arrays["aliases"][at]),
        )

    def text(self, at: int) -> str:
        """The text of the entry at a position."""
        return self._texts[at]

    def entries(self, ids: Iterable[int]) -> list[Entry]:
        """The entries at some positions."""
        return [self.entry(at) for at in ids]

    def find(self, question: str, *, by_meaning: bool = True) -> list[Mention]:
        """Mentions of names in a question; see :class:`~arcgraph.search.lexicon.Mention`.

        Only a stretch that looks like a name and is none by its wording is embedded, to find one that means the same;
        with ``by_meaning`` false none is.
        """
        reading = self._read(question)
        meant = [m for free in reading.unexplained for m in self._meant(free)] if by_meaning else []
        return reading.mentions + meant

    def _meant(self, free: Mention) -> Iterator[Mention]:
        for hit in self._dense.search(free.text, _MOST_DENSE) if self._dense is not None else ():
            # Codes and numbers that differ are different, however like each other they look.
            if hit.score >= _LEAST_COSINE and _figures(self._texts[hit.id]) == _figures(free.text):
                yield replace(free, entries=(hit.id,), total=1, score=0.5 * min(hit.score, 1.0))

    def search(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """The ``k`` best entries by meaning and wording, fused; where ``within`` is given, only of these."""
        return self._fuse(text, tokens(text), k, within)

    def near(self, text: str, k: int = 5) -> Ranking:
        """Entries to offer where ``text`` names nothing: as :meth:`search`, near spellings first, no name twice."""
        words = [near for word in tokens(text) for near in self._near_words(word)]
        prefetch = max(4 * k, self._settings.prefetch)
        spelt = dict.fromkeys(entry for mention in self.find(text) for entry in mention.entries)
        rankings = [tuple(Hit(entry, 1.0) for entry in spelt)[:prefetch], self._fuse(text, words, prefetch, None)]
        seen: dict[str, Hit] = {}
        for hit in reciprocal_rank_fusion(rankings, weights=(2.0, 1.0), k=self._settings.rrf_k):
            seen.setdefault(fold(self._texts[hit.id]), hit)
        return tuple(seen.values())[:k]

    def near_names(self, text: str, k: int = 5) -> list[str]:
        """The texts of :meth:`near`."""
        return [self._texts[hit.id] for hit in self.near(text, k)]

    def _near_words(self, word: str) -> list[str]:
        if self._vocabulary.term(word) >= 0:
            return [word]
        found = self._vocabulary.corrections(word, allowed_edits(word))
        return [correction.text for correction in found if correction.edits == found[0].edits][:3]

    def _fuse(self, text: str, words: Sequence[str], k: int, within: Collection[int] | None) -> Ranking:
        prefetch = max(k, self._settings.prefetch)
        rankings = [self._sparse.rank(words, prefetch, within=within)]
        weights = [self._settings.sparse_weight]
        if self._dense is not None:
            rankings.append(self._dense.search(text, prefetch, within=within))
            weights.append(self._settings.dense_weight)
        return reciprocal_rank_fusion(rankings, weights=weights, k=self._settings.rrf_k, limit=k)

    def embed_words(self, words: Sequence[str]) -> Vectors | None:
        """Unit vectors of single words or short phrases, cached; ``None`` without an embedder."""
        return self._words.embed(words) if self._words is not None else None


# --- on disk -----------------------------------------------------------------------------------------------------


def open_or_build(
    graph: Graph,
    schema: Schema,
    settings: Settings | None = None,
    *,
    refresh: bool = False,
    progress: Report | None = None,
) -> NameIndex:
    """The index of a graph's names: the stored one where it fits graph, schema and settings, else a new one.

    Where the cache folder cannot be written the index lives in memory and ``notices`` says so. ``refresh`` builds
    anew in any case. Raises what the graph raises, and ``MissingExtra`` or ``UsageError`` for an embedder that was
    asked for by name and cannot be had.
    """
    settings = settings or Settings.load()
    names = choose_embedder(settings.search, "names")
    words = choose_embedder(settings.search, "words")
    notices = [notice for notice in (names.notice,) if notice]
    path = index_path(graph, schema, settings, names.embedder)
    report = progress or (lambda _: None)
    opened = open_or_make(
        path,
        FORMAT,
        lambda: _collected(graph, schema, settings, names.embedder, report),
        notices,
        refresh=refresh,
    )
    if opened.store.meta.get("cut"):
        most = settings.search.max_entries
        notices.append(f"only {most:,} names are indexed and the graph has more; raise ARCGRAPH_SEARCH_MAX_ENTRIES")
    say_once(notices)
    return NameIndex(
        opened.store,
        embedder=names.embedder,
        words=words.embedder,
        settings=settings.search,
        notices=notices,
        path=opened.path,
        built=opened.built,
    )


def estimate(schema: Schema, settings: SearchSettings) -> Estimate:
    """How large an index would be."""
    embedder = choose_embedder(settings, "names").embedder
    return Estimate.of(sources(schema, settings), settings, embedder.dimension if embedder else 0)


def index_path(graph: Graph, schema: Schema, settings: Settings, embedder: Embedder | None) -> Path:
    """Where the index lies: a folder a graph, a file for each state of the graph and choice of settings."""
    search = settings.search
    chosen = (search.include_labels, search.exclude_labels, search.include_properties, search.exclude_properties)
    state = (FORMAT, schema.fingerprint, embedder.name if embedder else "", chosen, search.max_entries)
    return place(settings.cache.dir, graph.name, state, ".names")


def _collected(
    graph: Graph, schema: Schema, settings: Settings, embedder: Embedder | None, report: Report
) -> tuple[dict[str, Any], dict[str, Array | Streamed]]:
    found = sources(schema, settings.search)
    expected = Estimate.of(found, settings.search, 0).entries
    collector = Collector(graph, schema, found, settings.search.max_entries)
    meta, arrays = build_index(collector.batches(), embedder, report, expected)
    return {**meta, "graph": graph.name, "fingerprint": schema.fingerprint, "cut": collector.cut}, arrays
