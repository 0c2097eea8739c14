"""Loading graph files into a graph: batched, repeatable, bad lines set aside.

Nodes go first, then relationships, each in one pass over the files. A node is known by the id that its file gives it,
kept in the reserved property; loading it again adds to the same node. A relationship is known by a hash of its end
points, type and properties, and by which of equal lines in its file it is: so parallel ones stay and a second run adds
nothing.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn, cast

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL
from arcgraph.errors import LoadError, UsageError
from arcgraph.graph import formats
from arcgraph.graph.base import Graph, Writable
from arcgraph.graph.batches import ANCHOR, KEY, File, Groups, Rejects, Row, Target, Writer
from arcgraph.graph.formats import EdgeRecord, NodeRecord, PropertyTypes, Read, Source, Triple
from arcgraph.graph.ledger import Identity, Ledger, Standing, content_hash
from arcgraph.graph.names import quote, stored_key

MAX_RELATION_TYPES = 200
RELATED, PREDICATE, ENTITY, NAME = "RELATED", "predicate", "Entity", "name"
RelationsIn = Literal["types", "property"]
Sources = str | Path | Iterable[str | Path | Source]

_PASSAGE_LABELS = frozenset({"chunk", "passage", "document", "paragraph", "textunit"})
_NAMING_WORDS = frozenset({"name", "title", "label", "id", "code", "key"})
_NAMING_KEYS = 3
_HEAD_LINES = 1_000
_CHUNK_BYTES = 8 * 2**20
_SECONDS = 600.0
_KEYS_AT_ONCE = 250_000


class Progress(NamedTuple):
    """How far a load is: stage (``nodes``, ``relationships``), bytes done and in all, and what was loaded so far."""

    stage: str
    done: int
    total: int
    nodes: int
    relationships: int


@dataclass
class LoadReport:
    """What a load did.

    ``nodes`` and ``relationships`` count what the files say, once each; ``nodes_known`` and ``relationships_known``
    how many of those the graph held before; ``repeated`` lines that say what an earlier one said. ``passages`` are
    nodes of source text. ``rejected`` lines are in the file ``rejects``; ``examples`` tells of the first few.
    """

    nodes: int = 0
    relationships: int = 0
    passages: int = 0
    nodes_known: int = 0
    relationships_known: int = 0
    repeated: int = 0
    rejected: int = 0
    seconds: float = 0.0
    rejects: Path | None = None
    examples: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {**asdict(self), "rejects": str(self.rejects) if self.rejects else None}


def load(
    sources: Sources,
    graph: Graph,
    *,
    schema: str | Path | None = None,
    sep: str | None = None,
    columns: str | None = None,
    relations: RelationsIn | None = None,
    labels: str | Path | Mapping[str, Sequence[str]] | None = None,
    batch: int = 5_000,
    rejects: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> LoadReport:
    """Load JSONL, triple and neo4j-admin CSV files, gzip or plain, into ``graph``.

    ``schema`` is a file of property types (default: ``schema.json[.gz]`` beside a JSONL file); ``sep`` separates fields
    of triples (default ``|``, else tab) and of CSV (default: what the header uses); ``columns`` names or numbers
    subject, relation and object; ``relations`` puts relations of triples into ``types`` or into a ``property``
    (default: types up to 200 of them); ``labels`` maps a relation to the labels of subject and object. ``batch`` is in
    rows. Bad lines go to ``rejects`` (default: ``FILE.rejects.jsonl`` in the current folder). May be repeated, after an
    interruption too.

    Raises :class:`~arcgraph.errors.LoadError` when a file cannot be read or nothing in it can be loaded.
    """
    files, notes = _open_files(sources, schema, sep, columns)
    shapes = _TripleShapes(relations, _read_labels(labels))
    _check_usage(graph, relations, batch)
    report = LoadReport(notes=notes)
    rejected = Rejects(Path(rejects or f"{Path(files[0].source.name).name}.rejects.jsonl"))
    loader = _Loader(cast(Target, graph), files, shapes, rejected, report, batch)
    started = time.monotonic()
    try:
        loader.run(progress or _silent)
    finally:
        loader.close()
        rejected.close()
    report.seconds = time.monotonic() - started
    report.rejected, report.rejects, report.examples = rejected.count, rejected.path, rejected.examples
    return report


def check(
    sources: Sources,
    *,
    schema: str | Path | None = None,
    sep: str | None = None,
    columns: str | None = None,
    labels: str | Path | Mapping[str, Sequence[str]] | None = None,
) -> list[Source]:
    """Look at the beginning of files as :func:`load` would, without a graph; raises what ``load`` would raise.

    Returns what to give to ``load``: a pipe is read from its copy then, for it can be read only once.
    """
    files, _ = _open_files(sources, schema, sep, columns)
    _read_labels(labels)
    return [file.source for file in files]


def _silent(_: Progress) -> None:
    return


def _check_usage(graph: Graph, relations: str | None, batch: int) -> None:
    if batch < 1:
        raise UsageError("a batch holds at least one row")
    if relations not in (None, "types", "property"):
        raise UsageError(f"relations go into 'types' or into a 'property', not {relations!r}")
    if not isinstance(graph, Writable):
        raise UsageError("this graph cannot be written to: load into a database or into a graph file")


# --- files and their formats ---------------------------------------------------------------------------------------


def _open_files(
    sources: Sources, schema: str | Path | None, sep: str | None, columns: str | None
) -> tuple[list[File], list[str]]:
    """The files with their readers, and notes on them. Hopeless ones are refused before anything is written."""
    paths = [sources] if isinstance(sources, str | Path) else list(sources)
    if not paths:
        raise UsageError("name at least one file to load")
    notes: list[str] = []
    files = [
        _open_file(path if isinstance(path, Source) else Source.open(path), schema, sep, columns, notes)
        for path in paths
    ]
    for file in files:
        _refuse_hopeless_head(file)
    return files, notes


def _open_file(
    source: Source, schema: str | Path | None, sep: str | None, columns: str | None, notes: list[str]
) -> File:
    if formats.is_jsonl(source):
        types = _property_types(source, schema, notes)
        return File(source, lambda: formats.read_jsonl(source, types))
    header = None if columns else formats.csv_header(source, sep)
    if header is not None:
        return File(source, lambda: formats.read_csv(source, header))
    shape = formats.triple_shape(source, sep, columns)
    return File(source, lambda: formats.read_triples(source, shape))


def _property_types(source: Source, schema: str | Path | None, notes: list[str]) -> PropertyTypes:
    if schema is not None:
        return PropertyTypes.from_file(Path(schema))
    for name in ("schema.json", "schema.json.gz"):
        beside = Path(source.name).parent / name
        if beside.is_file():
            try:
                return PropertyTypes.from_file(beside)
            except LoadError as error:
                notes.append(f"{error}; ignored, because it only happened to lie beside {source.name}")
    return PropertyTypes()


def _read_labels(labels: str | Path | Mapping[str, Sequence[str]] | None) -> dict[str, tuple[str, str]]:
    if labels is None:
        return {}
    where, table = "the labels", labels
    if isinstance(labels, str | Path):
        where = str(labels)
        try:
            table = json.loads(b"".join(line for _, line in Source.open(labels).raw_lines()))
        except ValueError as error:
            raise LoadError(f"{where} is no JSON: {error}") from error
    if not isinstance(table, Mapping) or not all(_is_label_pair(pair) for pair in table.values()):
        raise LoadError(f'{where} should map each relation to two labels, like {{"founded": ["Person", "Company"]}}')
    return {relation: (pair[0], pair[1]) for relation, pair in table.items()}


def _is_label_pair(pair: Any) -> bool:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return False
    return all(isinstance(label, str) and label and "\0" not in label and label != RESERVED_LABEL for label in pair)


class _TripleShapes:
    """What triples become: entities, and relationships whose type or property says the relation."""

    def __init__(self, home: RelationsIn | None, labels: Mapping[str, tuple[str, str]]):
        self._home = home
        self._labels = labels
        self._relations: set[str] = set()

    def entities(self, triple: Triple) -> tuple[tuple[str, str], tuple[str, str]]:
        """Name and label of subject and of object. Counts the relation."""
        if len(self._relations) <= MAX_RELATION_TYPES:
            self._relations.add(triple.relation)
        subject, object = self._labels.get(triple.relation, (ENTITY, ENTITY))
        return (triple.subject, subject), (triple.object, object)

    def edge(self, triple: Triple) -> EdgeRecord:
        """The relationship of a triple, once all were counted. A fact said twice is one fact."""
        if self._home == "types" or (self._home is None and len(self._relations) <= MAX_RELATION_TYPES):
            return EdgeRecord(triple.subject, triple.relation, triple.object, {}, unique=True)
        predicate = {PREDICATE: triple.relation}
        return EdgeRecord(triple.subject, RELATED, triple.object, predicate, triple.relation, unique=True)


# --- the load ------------------------------------------------------------------------------------------------------


class _Loader:
    """One load: two passes over the files, everything bounded in memory."""

    def __init__(
        self,
        graph: Target,
        files: list[File],
        shapes: _TripleShapes,
        rejects: Rejects,
        report: LoadReport,
        batch: int,
    ):
        self._graph = graph
        self._files = files
        self._shapes = shapes
        self._rejects = rejects
        self._report = report
        self._batch = batch
        self._ledger = Ledger()
        self._held = _Held(graph)
        self._writer = Writer(graph)
        self._stored: Callable[[str], str] = stored_key if graph.dialect == "embedded" else str
        self._naming: dict[str, dict[str, None]] = defaultdict(dict)
        self._waiting_nodes = Groups[tuple[str, ...]](batch, self._write_nodes)
        self._waiting_edges = Groups[str](batch, self._write_edges)

    def run(self, progress: Callable[[Progress], None]) -> None:
        self._graph.prepare()
        if note := self._held.look():
            self._report.notes.append(note)
        self._pass("nodes", self._take_nodes, self._waiting_nodes.flush, progress)
        if not any(file.good for file in self._files):
            raise LoadError(f"there is nothing to load in {', '.join(file.source.name for file in self._files)}")
        self._graph.prepare((label, key) for label, keys in self._naming.items() for key in keys)
        self._pass("relationships", self._take_edges, self._waiting_edges.flush, progress)
        self._graph.save()

    def close(self) -> None:
        """Give temporary space back."""
        self._ledger.close()

    def _pass(
        self,
        stage: str,
        take: Callable[[File, list[Read]], None],
        flush: Callable[[], None],
        progress: Callable[[Progress], None],
    ) -> None:
        total = sum(file.source.size for file in self._files)
        done = total if stage == "relationships" else 0
        for file in self._files:
            if stage == "nodes" or file.has_edges:
                self._ledger.next_file()
                try:
                    for reads in _chunks(file.read(), self._batch):
                        take(file, reads)
                        progress(self._progress(stage, done + file.source.position, 2 * total))
                except LoadError:
                    flush()  # a damaged file: what was read before the damage is kept
                    raise
                flush()
                _refuse_hopeless(file)
            done += file.source.size
            progress(self._progress(stage, done, 2 * total))

    def _progress(self, stage: str, done: int, total: int) -> Progress:
        return Progress(stage, done, total, self._report.nodes, self._report.relationships)

    # --- first pass

    def _take_nodes(self, file: File, reads: list[Read]) -> None:
        nodes: list[tuple[Read, NodeRecord]] = []
        triples: list[tuple[Read, Triple]] = []
        for read in reads:
            record = read.record
            if record is None:
                self._rejects.add(file, read, read.reason)
                continue
            file.good += 1
            if isinstance(record, NodeRecord):
                nodes.append((read, record))
            else:
                file.has_edges = True
                if isinstance(record, Triple):
                    triples.append((read, record))
        self._add_nodes(file, nodes)
        self._add_entities(file, triples)

    def _add_nodes(self, file: File, nodes: list[tuple[Read, NodeRecord]]) -> None:
        standings = self._ledger.admit([(node.id, content_hash(node.content)) for _, node in nodes])
        held = self._held.labels(node.id for _, node in nodes)
        for (read, node), standing in zip(nodes, standings, strict=True):
            labels = held.get(node.id)
            if standing is Standing.SAME:
                self._report.repeated += 1
            elif standing is Standing.OTHER:
                reason = f"the id {node.id!r} belongs to an earlier line with other labels or properties"
                self._rejects.revoke(file, read, reason)
            elif labels is not None and not _may_be_one(labels, set(node.labels)):
                self._ledger.bar([node.id])
                self._rejects.revoke(file, read, _taken(node.id, labels))
            else:
                self._report.nodes_known += labels is not None
                self._report.passages += _is_passage(node)
                self._queue_node(Row(file, read, {"id": node.id}), node.labels, node.properties)

    def _add_entities(self, file: File, triples: list[tuple[Read, Triple]]) -> None:
        reads: dict[str, Read] = {}
        tags: list[tuple[str, str]] = []
        for read, triple in triples:
            for tag in self._shapes.entities(triple):
                reads.setdefault(tag[0], read)
                tags.append(tag)
        new_labels: dict[str, list[str]] = defaultdict(list)
        for name, label in self._ledger.new_tags(tags):
            new_labels[name].append(label)
        known_here = self._ledger.standing_ids(new_labels)
        new_here = [name for name in new_labels if name not in known_here]
        self._report.nodes_known += len(self._held.labels(new_here))
        self._ledger.add((name, 0) for name in new_here)
        for name, labels in new_labels.items():
            row = Row(file, reads[name], {"id": name}, counts=int(name not in known_here))
            self._queue_node(row, tuple(sorted(labels)), {NAME: name})

    def _queue_node(self, row: Row, labels: tuple[str, ...], properties: dict[str, Any]) -> None:
        for label in labels:
            keys = self._naming[label]
            if len(keys) < _NAMING_KEYS:
                keys.update((key, None) for key, value in properties.items() if isinstance(value, str) and _names(key))
        row.values["props"] = self._stored_map(properties)
        self._waiting_nodes.add(labels, row)

    def _write_nodes(self, labels: tuple[str, ...], rows: list[Row]) -> None:
        refused = self._writer.nodes(labels, rows)
        self._ledger.bar(row.values["id"] for row, _ in refused)
        self._report.nodes += self._settle(rows, refused)

    # --- second pass

    def _take_edges(self, file: File, reads: list[Read]) -> None:
        edges = []
        for read in reads:
            if isinstance(read.record, Triple):
                edges.append((read, self._shapes.edge(read.record)))
            elif isinstance(read.record, EdgeRecord):
                edges.append((read, read.record))
        sound = self._with_endpoints(file, edges)
        for type in {edge.type for _, edge in sound}:
            self._ledger.know(self._held.identities(type))
        hashes = [content_hash(edge.start, edge.type, edge.end, edge.content) for _, edge in sound]
        for (read, edge), (identity, is_new) in zip(sound, self._ledger.identify(hashes), strict=True):
            if edge.unique and identity.ordinal:
                self._report.repeated += 1
            elif is_new:
                self._queue_edge(file, read, edge, identity)
            elif self._held.anything:
                self._report.relationships += 1
                self._report.relationships_known += 1
            else:
                self._report.repeated += 1

    def _with_endpoints(self, file: File, edges: list[tuple[Read, EdgeRecord]]) -> list[tuple[Read, EdgeRecord]]:
        """The edges whose ends exist; the others are set aside."""
        ids = {id for _, edge in edges for id in (edge.start, edge.end)}
        standing = self._ledger.standing_ids(ids)
        found = self._held.labels(ids - standing.keys())
        self._ledger.add((id, 0) for id in found)
        usable = {id for id, stands in standing.items() if stands} | found.keys()
        sound = []
        for read, edge in edges:
            if edge.start in usable and edge.end in usable:
                sound.append((read, edge))
            else:
                missing = {name: getattr(edge, name) for name in ("start", "end") if getattr(edge, name) not in usable}
                told = " and ".join(f"{name} {id!r}" for name, id in missing.items())
                self._rejects.revoke(file, read, f"no node was loaded for {told}")
        return sound

    def _queue_edge(self, file: File, read: Read, edge: EdgeRecord, identity: Identity) -> None:
        props = self._stored_map(edge.properties) if edge.properties else {}
        props[RESERVED_KEY] = identity.key
        self._waiting_edges.add(edge.type, Row(file, read, {"source": edge.start, "target": edge.end, "props": props}))

    def _write_edges(self, type: str, rows: list[Row]) -> None:
        self._report.relationships += self._settle(rows, self._writer.edges(type, rows))

    # --- both

    def _settle(self, rows: list[Row], refused: list[tuple[Row, str]]) -> int:
        """Set refused rows aside; returns how many of the others count."""
        for row, reason in refused:
            self._rejects.revoke(row.file, row.read, reason)
        return sum(row.counts for row in rows) - sum(row.counts for row, _ in refused)

    def _stored_map(self, properties: dict[str, Any]) -> dict[str, Any]:
        return {self._stored(key): value for key, value in properties.items()}


class _Held:
    """What the graph held before this load. Asks nothing where that is nothing."""

    def __init__(self, graph: Target):
        self._graph = graph
        self._types: set[str] = set()
        self.anything = False

    def look(self) -> str:
        """See whether the graph is empty; a sentence about it where it is not."""
        self.anything = self._count(f"MATCH (n:{ANCHOR}) RETURN count(n) AS count") > 0
        nodes = self._count("MATCH (n) RETURN count(n) AS count")
        if not nodes:
            return ""
        return f"{self._graph.name} held {nodes:,} node{'' if nodes == 1 else 's'} already: this load adds to them"

    def labels(self, ids: Iterable[str]) -> dict[str, set[str]]:
        """The labels of nodes loaded earlier, by id."""
        wanted = list(ids) if self.anything else []
        if not wanted:
            return {}
        query = f"UNWIND $ids AS id MATCH (n:{ANCHOR} {{{KEY}: id}}) RETURN id, labels(n) AS labels"
        rows = self._graph.read(query, {"ids": wanted}, timeout=_SECONDS, limit=None)
        return {id: set(labels) - {RESERVED_LABEL} for id, labels in rows}

    def identities(self, type: str) -> Iterator[Identity]:
        """Of all relationships of a type that were loaded earlier; the first time that it is asked."""
        if not self.anything or type in self._types:
            return
        self._types.add(type)
        match = f"MATCH ()-[r:{quote(type)}]->() WHERE r.{KEY}"
        digits = 0
        count = self._count(f"{match} IS NOT NULL RETURN count(r) AS count")
        while count >> (4 * digits) > _KEYS_AT_ONCE:
            digits += 1
        for prefix in [f"{number:0{digits}x}" for number in range(16**digits)] if digits else [""]:
            query = f"{match} STARTS WITH $prefix RETURN r.{KEY} AS key"
            for (key,) in self._graph.read(query, {"prefix": prefix}, timeout=_SECONDS, limit=None):
                yield Identity.of_key(key)

    def _count(self, query: str) -> int:
        return int(self._graph.read(query, timeout=_SECONDS).records[0][0])


def _chunks(reads: Iterator[Read], size: int) -> Iterator[list[Read]]:
    """Up to ``size`` lines at a time, fewer where they are long; what precedes a damaged place comes, too."""
    chunk: list[Read] = []
    weight = 0
    try:
        for read in reads:
            chunk.append(read)
            weight += len(read.raw)
            if len(chunk) >= size or weight >= _CHUNK_BYTES:
                yield chunk
                chunk, weight = [], 0
    except LoadError:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def _refuse_hopeless_head(file: File) -> None:
    first = ""
    for read in islice(file.read(), _HEAD_LINES):
        if read.record is not None:
            return
        first = first or f"line {read.number}: {read.reason}"
    if first:
        _refuse(file, first)


def _refuse_hopeless(file: File) -> None:
    if file.bad and not file.good:
        _refuse(file, file.first_fault)


def _refuse(file: File, fault: str) -> NoReturn:
    raise LoadError(
        f"nothing in {file.source.name} can be loaded; {fault}. Expected are JSONL (nodes {{id, labels, props}}, "
        "relationships {start, type, end, props}), triples a|relation|b (--sep, --columns), or CSV with the headers "
        "of neo4j-admin import"
    )


def _may_be_one(held: set[str], said: set[str]) -> bool:
    """Whether labels in the graph and in the file can be the same node's: equal, or sharing one."""
    return held == said or bool(held & said)


def _taken(id: str, labels: set[str]) -> str:
    told = ":".join(sorted(labels)) or "node without label"
    return f"the graph has another node with the id {id!r} ({told}); load into another graph, or change the file's ids"


def _is_passage(node: NodeRecord) -> bool:
    return isinstance(node.properties.get("text"), str) and any(x.lower() in _PASSAGE_LABELS for x in node.labels)


@cache
def _names(key: str) -> bool:
    """Whether a key looks as if it told nodes apart: its last word is name, title, id and the like."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", key)
    return bool(words) and words[-1].lower() in _NAMING_WORDS
