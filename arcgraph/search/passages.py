"""The index of a graph's source passages, beside the index of its names: by text and by key."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcgraph.domain import RESERVED_KEY, Omitted, PassageHome, Schema
from arcgraph.graph.base import Graph
from arcgraph.graph.names import quote, stored_key
from arcgraph.search.base import Embedder, Ids, Ranking, Vectors, best, positions
from arcgraph.search.cache import open_or_make, place
from arcgraph.search.collect import element_id
from arcgraph.search.embed import choose_embedder, say_once, uncached
from arcgraph.search.fusion import convex_combination
from arcgraph.search.hybrid import RankedTexts
from arcgraph.search.lexical import Scored, weigh
from arcgraph.search.local import Progress, Report
from arcgraph.search.store import Array, Streamed, in_memory
from arcgraph.search.text import fold, tokens
from arcgraph.search.vocabulary import Column, Texts, Vocabulary, token_hash
from arcgraph.search.windows import windows
from arcgraph.settings import SearchSettings, Settings

FORMAT = 1
Key: TypeAlias = str | int

_TIMEOUT = 120.0
# Passages of one query, and characters of their texts.
_LARGEST_BATCH = 20_000
_BATCH_CHARACTERS = 16_000_000
_EMBED_BATCH = 4_096
# Above this many vectors they are kept in half precision: half the disk, and cosines differ in the fourth digit.
_HALF_PRECISION_FROM = 200_000
_NO_KEY, _STRING, _INTEGER = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Passage:
    """One source text. ``id`` is what the node was called in the file it was loaded from, else its element id.

    ``key`` is what other elements call it by, as the lists of edges hold it; ``None`` where it has none.
    """

    element_id: str
    id: str
    key: Key | None
    text: str


# --- reading -----------------------------------------------------------------------------------------------------


@dataclass
class Collector:
    """Reads the passages of a graph, no more than ``most`` and ``most_bytes`` of text.

    ``longest`` is how many characters of a text may be asked for at once. The first ``batch`` passages tell how long
    passages are here, and later queries ask for as many as make up some megabytes. ``cut`` names the setting that more
    passages would have exceeded.
    """

    graph: Graph
    home: PassageHome
    most: int
    most_bytes: int
    longest: int = 10_000
    batch: int = 200
    cut: str = ""

    def batches(self) -> Iterator[list[Passage]]:
        """Passages in batches; nodes without a text are left out."""
        left, left_bytes = self.most, self.most_bytes
        for records in self._records():
            passages = []
            for passage in filter(None, map(self._passage, records)):
                left, left_bytes = left - 1, left_bytes - len(passage.text.encode("utf-8", "surrogatepass"))
                self.cut = "MAX_ENTRIES" if left < 0 else "MAX_PASSAGE_BYTES" if left_bytes < 0 else ""
                if self.cut:
                    break
                passages.append(passage)
            yield passages
            if self.cut:
                return

    def _records(self) -> Iterator[list[tuple[Any, ...]]]:
        query = _query(self.home, self.graph.dialect)
        skip, size = 0, self.batch
        while True:
            rows = self.graph.read(query, {"skip": skip, "most": size}, timeout=_TIMEOUT, limit=None)
            yield rows.records
            if len(rows) < size:
                return
            skip += size
            mean = sum(_size(record[-1]) for record in rows.records) / size
            size = int(min(max(_BATCH_CHARACTERS / max(mean, 1.0), self.batch), _LARGEST_BATCH))

    def _passage(self, record: tuple[Any, ...]) -> Passage | None:
        element, given, key, text = record
        if isinstance(text, Omitted) and text.kind == "text":
            text = self._whole(str(element))
        if not isinstance(text, str) or not text.strip():
            return None
        id = str(given) if given is not None else str(element)
        return Passage(str(element), id, self._key(key, id), text)

    def _key(self, value: Any, id: str) -> Key | None:
        if self.home.id_key in (None, RESERVED_KEY):
            return id
        return value if isinstance(value, str | int) and not isinstance(value, bool) else None

    def _whole(self, element: str) -> str | None:
        """A text that is too bulky for one value, in slices."""
        query = _slices_query(self.home, self.graph.dialect)
        rows = self.graph.read(query, {"element": element, "step": self.longest}, timeout=_TIMEOUT, limit=None)
        parts = rows.records[0][0] if rows.records else None
        return "".join(map(str, parts)) if isinstance(parts, list | tuple) else None


def _size(value: Any) -> int:
    return value.size if isinstance(value, Omitted) else len(value) if isinstance(value, str) else 0


def _query(home: PassageHome, dialect: str) -> str:
    reads = [
        f"{element_id('n', dialect)} AS element",
        f"n.{quote(RESERVED_KEY)} AS id",
        f"{_property(home.id_key or RESERVED_KEY, dialect)} AS key",
        f"{_property(home.text_key, dialect)} AS text",
    ]
    return f"MATCH (n:{quote(home.label)}) RETURN {', '.join(reads)} SKIP $skip LIMIT $most"


def _slices_query(home: PassageHome, dialect: str) -> str:
    text = _property(home.text_key, dialect)
    return (
        f"MATCH (n:{quote(home.label)}) WHERE {element_id('n', dialect)} = $element "
        f"RETURN [i IN range(0, size({text}) / $step) | substring({text}, i * $step, $step)] AS parts"
    )


def _property(key: str, dialect: str) -> str:
    return f"n.{quote(stored_key(key) if dialect == 'embedded' else key)}"


# --- building ----------------------------------------------------------------------------------------------------


class _Builder:
    """Takes passages and makes the arrays of an index."""

    def __init__(self) -> None:
        self.size = 0
        self._texts, self._elements, self._ids, self._keys = Column(), Column(), Column(), Column()
        self._kinds = bytearray()
        self._words: dict[str, int] = {}
        self._terms = array("i")
        self._lengths = array("q")
        self._windows = array("q", [0])

    def add(self, passage: Passage) -> None:
        self.size += 1
        self._texts.add(passage.text)
        self._elements.add(passage.element_id)
        self._ids.add("" if passage.id == passage.element_id else passage.id)
        self._keys.add("" if passage.key is None else str(passage.key))
        self._kinds.append(_kind(passage.key))
        words = tokens(passage.text)
        self._terms.extend([self._words.setdefault(word, len(self._words)) for word in words])
        self._lengths.append(len(words))
        self._windows.append(self._windows[-1] + len(windows(passage.text)))

    def arrays(self, embedder: Embedder | None, report: Report) -> dict[str, Array | Streamed]:
        """Everything that is stored; vectors are made while they are written."""
        vocabulary, numbers = Vocabulary.arrays(list(self._words))
        terms = np.frombuffer(self._terms, np.int32)
        lengths = np.frombuffer(self._lengths, np.int64)
        postings = weigh(numbers[terms] if len(terms) else terms, lengths, len(self._words))
        keys, elements = self._keys.arrays("key"), self._elements.arrays("element")
        kinds = np.frombuffer(self._kinds, np.uint8)
        made: dict[str, Array | Streamed] = {
            **self._texts.arrays("text"),
            **elements,
            **self._ids.arrays("id"),
            **keys,
            "key_kinds": kinds,
            **_lookup("by_key", _stored_keys(Texts(keys["key_blob"], keys["key_offsets"]), kinds)),
            **_lookup("by_element", list(Texts(elements["element_blob"], elements["element_offsets"]))),
            **vocabulary,
            "posting_starts": postings.starts,
            "posting_entries": postings.entries,
            "posting_weights": postings.weights,
            "window_starts": np.frombuffer(self._windows, np.int64),
        }
        if embedder is not None:
            made["vectors"] = self._vectors(embedder, report)
        return made

    def _vectors(self, embedder: Embedder, report: Report) -> Streamed:
        count = self._windows[-1]
        dtype = "float32" if count < _HALF_PRECISION_FROM else "float16"
        texts = self._texts.arrays("text")
        embedded = _Embedded(Texts(texts["text_blob"], texts["text_offsets"]), uncached(embedder), report)
        return Streamed(dtype, (count, embedder.dimension), embedded)


@dataclass(frozen=True)
class _Embedded:
    """The vectors of all windows, batch by batch; can be gone through again."""

    texts: Texts
    embedder: Embedder
    report: Report

    def __iter__(self) -> Iterator[Vectors]:
        waiting: list[str] = []
        for at, text in enumerate(self.texts):
            waiting += [fold(window) or window for window in windows(text)]
            is_last = at == len(self.texts) - 1
            if len(waiting) >= _EMBED_BATCH or is_last:
                yield self.embedder.embed(waiting)
                waiting = []
                self.report(Progress("embedding", at + 1, len(self.texts)))


def _kind(key: Key | None) -> int:
    return _NO_KEY if key is None else _STRING if isinstance(key, str) else _INTEGER


def _hashed(key: Key) -> str:
    """A string for each key: 7 and "7" are two keys."""
    return f"{_kind(key)}{key}"


def _stored_keys(keys: Texts, kinds: Array) -> list[str]:
    return [f"{kind}{key}" for key, kind in zip(keys, kinds.tolist(), strict=True)]


def _lookup(name: str, values: Sequence[str]) -> dict[str, Array]:
    """A table from hashes to positions; of several positions with one value the first is found."""
    hashed = np.fromiter((_hash(value) for value in values), np.uint64, len(values))
    order = np.argsort(hashed, kind="stable")
    return {f"{name}_hashes": hashed[order], f"{name}_positions": order}


# Not remembered, unlike words: a key is looked up about once.
_hash = token_hash.__wrapped__


def build_passages(
    batches: Iterable[Iterable[Passage]], embedder: Embedder | None, report: Report, expected: int
) -> tuple[dict[str, Any], dict[str, Array | Streamed]]:
    """Header and arrays of an index over batches of passages."""
    builder = _Builder()
    report(Progress("reading", 0, expected))
    for batch in batches:
        for passage in batch:
            builder.add(passage)
        report(Progress("reading", builder.size, max(expected, builder.size)))
    meta = {"entries": builder.size, "format": FORMAT, "embedder": embedder.name if embedder else ""}
    return meta, builder.arrays(embedder, report)


# --- the index ---------------------------------------------------------------------------------------------------


class PassageIndex(RankedTexts):
    """All source passages of a graph: which are about a text, and which a key of an edge or an element id means.

    A passage is known by its position. Ranked by wording (BM25, function words of the question left out) and by meaning
    (the cosine with the passage's best sentence), both scaled and weighed as the settings say. What every such index
    has: :class:`~arcgraph.search.hybrid.RankedTexts`.
    """

    kind = "passages"

    def _open(self) -> None:
        self._texts, self._elements, self._ids, self._keys = map(self._mapped, ("text", "element", "id", "key"))

    @classmethod
    def of(
        cls, passages: Iterable[Passage], *, embedder: Embedder | None = None, settings: SearchSettings | None = None
    ) -> PassageIndex:
        """An index in memory."""
        store = in_memory(*build_passages([passages], embedder, lambda _: None, 0))
        return cls(store, embedder=embedder, settings=settings)

    def passage(self, at: int) -> Passage:
        """The passage at a position."""
        element = self._elements[at]
        kind = self._arrays["key_kinds"][at]
        key = None if kind == _NO_KEY else int(self._keys[at]) if kind == _INTEGER else self._keys[at]
        return Passage(element, self._ids[at] or element, key, self._texts[at])

    def passages(self, ids: Iterable[int]) -> list[Passage]:
        """The passages at some positions."""
        return [self.passage(at) for at in ids]

    def told(self, at: int) -> dict[str, Any]:
        """What other programs are told of the passage at a position."""
        passage = self.passage(at)
        return {"text": passage.text, "id": passage.id, "element_id": passage.element_id, "key": passage.key}

    # --- by key --------------------------------------------------------------------------------------------------

    def at_keys(self, keys: Sequence[Key]) -> Ids:
        """The position that each key means, in their order; -1 for a key that means none."""
        return self._look_up("by_key", [_hashed(key) for key in keys])

    def at_elements(self, element_ids: Sequence[str]) -> Ids:
        """The position of each node by its element id, in their order; -1 for one that is no passage."""
        return self._look_up("by_element", element_ids)

    def _look_up(self, name: str, values: Sequence[str]) -> Ids:
        known = self._arrays[f"{name}_hashes"]
        wanted = np.fromiter((_hash(value) for value in values), np.uint64, len(values))
        if not len(known):
            return np.full(len(values), -1, np.int64)
        # Of two 64-bit hashes in a collection of any size that fits here none are ever equal, so nothing is compared.
        at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return np.where(known[at] == wanted, self._arrays[f"{name}_positions"][at], -1)

    # --- by text -------------------------------------------------------------------------------------------------

    def search(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """The ``k`` best passages by wording and meaning; where ``within`` is given, only of these."""
        return best(*self.scored(text, within=within), k)

    def scored(self, text: str, *, within: Collection[int] | None = None) -> Scored:
        """Every passage that shares a word or some meaning with ``text``, ascending, and its score between 0 and 1.

        Scores compare within one call: 1 is the best that wording and meaning each could find among what is ranked.
        """
        allowed = positions(within)
        ids = np.arange(self.size) if allowed is None else allowed
        sparse, dense = self._wording(text)[ids], self.ways.cosines(text, allowed)
        fused = convex_combination((sparse, dense), (self._settings.sparse_weight, self._settings.dense_weight))
        touched = (sparse != 0) | (dense != 0)
        return Scored(ids[touched], fused[touched])

    def by_wording(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """As :meth:`search`, by BM25 alone."""
        return self.ways.by_wording(text, k, within=within)

    def by_meaning(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """As :meth:`search`, by the cosine of the best sentence alone; empty without an embedder."""
        return self.ways.by_meaning(text, k, within=within)

    def _wording(self, text: str) -> NDArray[np.float64]:
        """The BM25 score of every passage; 0 without a word of the text."""
        scores = np.zeros(self.size)
        found = self.ways.wording(text)
        scores[found.ids] = found.scores
        return scores


# --- on disk -----------------------------------------------------------------------------------------------------


def open_or_build_passages(
    graph: Graph,
    schema: Schema,
    settings: Settings | None = None,
    *,
    refresh: bool = False,
    progress: Report | None = None,
) -> PassageIndex | None:
    """The index of a graph's passages, stored or new as :func:`~arcgraph.search.local.open_or_build` says.

    ``None`` where the graph leads to no passages, or the settings exclude their label or text.
    """
    settings = settings or Settings.load()
    home = passages_wanted(schema, settings.search)
    if home is None:
        return None
    # A model takes seconds to load, and what is asked may never be searched for in passages.
    embedder, notice = choose_embedder(settings.search, "passages", load=False)
    path = passages_path(graph, schema, home, settings, embedder)
    if refresh or not path.exists():
        embedder, notice = choose_embedder(settings.search, "passages")
        path = passages_path(graph, schema, home, settings, embedder)
    notices = [notice] if notice else []
    report = progress or (lambda _: None)
    opened = open_or_make(
        path,
        FORMAT,
        lambda: _collected(graph, schema, home, settings, embedder, report),
        notices,
        refresh=refresh,
    )
    meta = opened.store.meta
    if meta.get("cut"):
        indexed, setting = meta["entries"], meta["cut"]
        notices.append(f"only {indexed:,} passages are indexed and the graph has more; raise ARCGRAPH_SEARCH_{setting}")
    say_once(notices)
    return PassageIndex(
        opened.store,
        embedder=embedder,
        settings=settings.search,
        notices=notices,
        path=opened.path,
        built=opened.built,
    )


def passages_wanted(schema: Schema, settings: SearchSettings) -> PassageHome | None:
    """Where the passages to index are; ``None`` where there are none or the settings exclude them."""
    home = schema.passages
    if home is None or home.label in settings.exclude_labels:
        return None
    excluded = {home.text_key, f"{home.label}.{home.text_key}"} & set(settings.exclude_properties)
    return None if excluded else home


def passages_path(
    graph: Graph, schema: Schema, home: PassageHome, settings: Settings, embedder: Embedder | None
) -> Path:
    """Where the index lies, beside the index of names."""
    search = settings.search
    source = (home.label, home.text_key, home.id_key)
    limits = (search.max_entries, search.max_passage_bytes)
    state = (FORMAT, schema.fingerprint, embedder.name if embedder else "", source, limits)
    return place(settings.cache.dir, graph.name, state, ".passages")


def _collected(
    graph: Graph, schema: Schema, home: PassageHome, settings: Settings, embedder: Embedder | None, report: Report
) -> tuple[dict[str, Any], dict[str, Array | Streamed]]:
    search = settings.search
    info = schema.labels.get(home.label)
    expected = min(info.count.value, search.max_entries) if info else 0
    longest = min(10_000, 10 * settings.graph.max_value_items)
    collector = Collector(graph, home, search.max_entries, search.max_passage_bytes, longest)
    meta, arrays = build_passages(collector.batches(), embedder, report, expected)
    return {**meta, "graph": graph.name, "fingerprint": schema.fingerprint, "cut": collector.cut}, arrays
