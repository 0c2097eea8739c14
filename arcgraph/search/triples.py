"""The index of a graph's edges as short sentences, beside the index of its names: for graphs whose edges lead to no
passages, a hint at where to look."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arcgraph.domain import Schema
from arcgraph.graph.base import Graph
from arcgraph.search.base import Embedder, Ranking
from arcgraph.search.cache import open_or_make, place
from arcgraph.search.edges import Collector, End, Sentence
from arcgraph.search.embed import choose_embedder, say_once, uncached
from arcgraph.search.hybrid import RankedTexts, both_ways, fused
from arcgraph.search.lexical import weigh
from arcgraph.search.local import Codes, Embedded, Progress, Report
from arcgraph.search.store import Array, Streamed, in_memory
from arcgraph.search.text import tokens
from arcgraph.search.vocabulary import Column, Texts, Vocabulary
from arcgraph.settings import SearchSettings, Settings

FORMAT = 1
# Above this many vectors they are kept in half precision: half the disk, and cosines differ in the fourth digit.
_HALF_PRECISION_FROM = 200_000


@dataclass(frozen=True, slots=True)
class Triple:
    """One edge as a sentence.

    ``element_id`` is the edge's; where a node stands for the relation it is that node's. ``start`` and ``end`` are the
    element ids of the nodes at its ends, ``start_id`` and ``end_id`` what they were called in the file they were loaded
    from, else the same. ``relation`` is the type, or the text of the predicate, as loaded.
    """

    element_id: str
    start: str
    end: str
    start_id: str
    end_id: str
    start_name: str
    relation: str
    end_name: str
    start_labels: tuple[str, ...]
    end_labels: tuple[str, ...]
    text: str


# --- building ----------------------------------------------------------------------------------------------------


class _Builder:
    """Takes sentences and makes the arrays of an index. Each node is kept once."""

    def __init__(self) -> None:
        self.size = 0
        self._texts, self._elements = Column(), Column()
        self._labels = Codes()
        self._relations: dict[str, int] = {}
        self._stated = array("i")
        self._nodes: dict[str, int] = {}
        self._node_elements, self._node_ids, self._node_names = Column(), Column(), Column()
        self._starts, self._ends = array("i"), array("i")
        self._words: dict[str, int] = {}
        self._terms = array("i")
        self._lengths = array("q")

    def add(self, sentence: Sentence) -> None:
        self.size += 1
        self._texts.add(sentence.text)
        self._elements.add(sentence.element_id)
        self._stated.append(self._relations.setdefault(sentence.relation, len(self._relations)))
        self._starts.append(self._node(sentence.start))
        self._ends.append(self._node(sentence.end))
        words = tokens(sentence.text)
        self._terms.extend([self._words.setdefault(word, len(self._words)) for word in words])
        self._lengths.append(len(words))

    def _node(self, node: End) -> int:
        known = self._nodes.get(node.element_id)
        if known is not None:
            return known
        self._node_elements.add(node.element_id)
        self._node_ids.add("" if node.id == node.element_id else node.id)
        self._node_names.add(node.name)
        self._labels.add(node.labels)
        number = self._nodes[node.element_id] = len(self._nodes)
        return number

    def meta(self) -> dict[str, Any]:
        """What goes into the header."""
        return {"entries": self.size, "labels": self._labels.values}

    def arrays(self, embedder: Embedder | None, report: Report) -> dict[str, Array | Streamed]:
        """Everything that is stored; vectors are made while they are written."""
        terms = np.frombuffer(self._terms, np.int32)
        lengths = np.frombuffer(self._lengths, np.int64)
        vocabulary, numbers = Vocabulary.arrays(list(self._words))
        postings = weigh(numbers[terms] if len(terms) else terms, lengths, len(self._words))
        texts = self._texts.arrays("text")
        # An open vocabulary may have as many relations as edges.
        relation_blob, relation_offsets = Texts.pack(self._relations)
        made: dict[str, Array | Streamed] = {
            **texts,
            **self._elements.arrays("element"),
            **self._node_elements.arrays("node"),
            **self._node_ids.arrays("id"),
            **self._node_names.arrays("name"),
            "labels": self._labels.array(),
            "relation_blob": relation_blob,
            "relation_offsets": relation_offsets,
            "relations": np.frombuffer(self._stated, np.int32),
            "starts": np.frombuffer(self._starts, np.int32),
            "ends": np.frombuffer(self._ends, np.int32),
            **vocabulary,
            "posting_starts": postings.starts,
            "posting_entries": postings.entries,
            "posting_weights": postings.weights,
        }
        if embedder is not None:
            dtype = "float32" if self.size < _HALF_PRECISION_FROM else "float16"
            vectors = Embedded(Texts(texts["text_blob"], texts["text_offsets"]), uncached(embedder), report)
            made["vectors"] = Streamed(dtype, (self.size, embedder.dimension), vectors)
        return made


def build_triples(
    batches: Iterable[Iterable[Sentence]], embedder: Embedder | None, report: Report, expected: int
) -> tuple[dict[str, Any], dict[str, Array | Streamed]]:
    """Header and arrays of an index over batches of sentences."""
    builder = _Builder()
    report(Progress("reading", 0, expected))
    for batch in batches:
        for sentence in batch:
            builder.add(sentence)
        report(Progress("reading", builder.size, max(expected, builder.size)))
    meta = {**builder.meta(), "format": FORMAT, "embedder": embedder.name if embedder else ""}
    return meta, builder.arrays(embedder, report)


# --- the index ---------------------------------------------------------------------------------------------------


class TripleIndex(RankedTexts):
    """A graph's edges as sentences, ranked by wording and meaning.

    A triple is known by its position. What every such index has: :class:`~arcgraph.search.hybrid.RankedTexts`.
    """

    kind = "triples"

    def _open(self) -> None:
        self._labels = [tuple(labels) for labels in self._meta["labels"]]
        self._texts, self._elements, self._relations = map(self._mapped, ("text", "element", "relation"))
        self._nodes, self._ids, self._names = map(self._mapped, ("node", "id", "name"))

    @classmethod
    def of(
        cls, sentences: Iterable[Sentence], *, embedder: Embedder | None = None, settings: SearchSettings | None = None
    ) -> TripleIndex:
        """An index in memory."""
        store = in_memory(*build_triples([sentences], embedder, lambda _: None, 0))
        return cls(store, embedder=embedder, settings=settings)

    def text(self, at: int) -> str:
        """The sentence at a position."""
        return self._texts[at]

    def triple(self, at: int) -> Triple:
        """The triple at a position."""
        start, end = self._end(int(self._arrays["starts"][at])), self._end(int(self._arrays["ends"][at]))
        relation = self._relations[int(self._arrays["relations"][at])]
        return Triple(
            self._elements[at],
            start.element_id,
            end.element_id,
            start.id,
            end.id,
            start.name,
            relation,
            end.name,
            start.labels,
            end.labels,
            self._texts[at],
        )

    def triples(self, ids: Iterable[int]) -> list[Triple]:
        """The triples at some positions."""
        return [self.triple(at) for at in ids]

    def told(self, at: int) -> dict[str, Any]:
        """What other programs are told of the triple at a position."""
        return asdict(self.triple(at))

    def _end(self, node: int) -> End:
        element = self._nodes[node]
        labels = self._labels[self._arrays["labels"][node]]
        return End(element, self._ids[node] or element, labels, self._names[node])

    def search(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """The ``k`` best triples by wording and meaning, fused; where ``within`` is given, only of these."""
        return fused([both_ways(self.ways, text, k, self._settings, within=within)], k, self._settings)


# --- on disk -----------------------------------------------------------------------------------------------------


def open_or_build_triples(
    graph: Graph,
    schema: Schema,
    settings: Settings | None = None,
    *,
    refresh: bool = False,
    progress: Report | None = None,
) -> TripleIndex | None:
    """The index of a graph's triples, stored or new as :func:`~arcgraph.search.local.open_or_build` says.

    ``None`` where the settings want none, or the graph has no edges that say something. No more than
    ``search.max_triples`` are read, as many of each relation as there is room for, and ``notices`` says so.
    """
    settings = settings or Settings.load()
    collector = Collector(graph, schema, settings.search)
    if not settings.search.max_triples or not collector.expected:
        return None
    chosen = choose_embedder(settings.search, "names")
    notices = [notice for notice in (chosen.notice,) if notice]
    report = progress or (lambda _: None)
    opened = open_or_make(
        triples_path(graph, schema, settings, chosen.embedder),
        FORMAT,
        lambda: _collected(graph, schema, collector, chosen.embedder, report),
        notices,
        refresh=refresh,
    )
    meta = opened.store.meta
    if meta.get("cut"):
        notices.append(
            f"only {meta['entries']:,} edges are indexed as sentences, some of each relation, and the graph has more; "
            "raise ARCGRAPH_SEARCH_MAX_TRIPLES"
        )
    say_once(notices)
    return TripleIndex(
        opened.store,
        embedder=chosen.embedder,
        settings=settings.search,
        notices=notices,
        path=opened.path,
        built=opened.built,
    )


def triples_path(graph: Graph, schema: Schema, settings: Settings, embedder: Embedder | None) -> Path:
    """Where the index lies, beside the index of names."""
    search = settings.search
    home = schema.relations
    relations = (home.kind, home.type, home.key, home.label)
    chosen = (search.include_labels, search.exclude_labels, search.exclude_properties, search.max_triples)
    state = (FORMAT, schema.fingerprint, embedder.name if embedder else "", relations, chosen)
    return place(settings.cache.dir, graph.name, state, ".triples")


def _collected(
    graph: Graph, schema: Schema, collector: Collector, embedder: Embedder | None, report: Report
) -> tuple[dict[str, Any], dict[str, Array | Streamed]]:
    meta, arrays = build_triples(collector.batches(), embedder, report, collector.expected)
    return {**meta, "graph": graph.name, "fingerprint": schema.fingerprint, "cut": collector.cut}, arrays
