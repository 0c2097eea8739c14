"""Reading a graph's edges as short sentences, in batches: from labels, types, properties and names alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, Omitted, PropertyInfo, Schema
from arcgraph.graph.base import Graph
from arcgraph.graph.names import quote, stored_key
from arcgraph.search.collect import BATCH, element_id
from arcgraph.search.spoken import split_name, spoken
from arcgraph.settings import SearchSettings

_TIMEOUT = 120.0
# A sentence is about two names and a relation: so many characters of a name, so many properties of the edge.
_LONGEST_NAME = 160
_LONGEST_DETAIL = 60
_MOST_DETAILS = 3
_TOLD = frozenset(
    ("string", "integer", "float", "boolean", "date", "datetime", "localdatetime", "time", "localtime", "duration")
)
# How the edges between a node that stands for a relation and what it relates are called.
_SUBJECT = frozenset("subject subj head source from start agent actor domain left".split())
_OBJECT = frozenset("object obj tail target to end patient value range right".split())


@dataclass(frozen=True, slots=True)
class End:
    """A node at an end of an edge. ``name`` is its label and id where nothing names it."""

    element_id: str
    id: str
    labels: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """An edge, or a node that stands for one, in words."""

    element_id: str
    start: End
    relation: str
    end: End
    text: str


class _Role(NamedTuple):
    """What one edge of a node that stands for a relation leads to."""

    type: str
    is_from_node: bool
    end: End


@dataclass(frozen=True, slots=True)
class _Source:
    """The edges of one type, or the nodes of one label that stand for relations: at most ``most`` of about ``count``.

    ``key`` is the property that says the relation, ``details`` are further ones worth telling.
    """

    kind: str
    name: str
    key: str
    names: tuple[str, ...]
    details: tuple[str, ...]
    count: int
    most: int = 0


@dataclass
class Collector:
    """Reads the edges that say something between entities, no more than ``search.max_triples``.

    Where there are more, every relationship type gets an equal share of the room and what it leaves goes to the others,
    so that rare relations are all there; ``cut`` says so.
    """

    graph: Graph
    schema: Schema
    search: SearchSettings
    batch: int = BATCH
    cut: bool = field(default=False, init=False)
    _sources: list[_Source] = field(init=False)

    def __post_init__(self) -> None:
        self._hidden = {*self.search.exclude_labels}
        if self.schema.passages is not None:
            self._hidden.add(self.schema.passages.label)
        self._naming_of: dict[tuple[str, ...], str | None] = {}
        self._reified = self.schema.relations.label if self.schema.relations.kind == "reified" else ""
        shown = set(self.schema.labels) - self._hidden - {self._reified, RESERVED_LABEL, ""}
        self._tells_labels = len(shown) > 1
        wanted = [source for source in self._all_sources() if source.count]
        counts = [source.count for source in wanted]
        self.cut = sum(counts) > self.search.max_triples
        shares = _shares(counts, self.search.max_triples)
        self._sources = [_limited(source, share) for source, share in zip(wanted, shares, strict=True) if share]

    @property
    def expected(self) -> int:
        """About how many sentences there will be."""
        return min(sum(min(source.count, source.most) for source in self._sources), self.search.max_triples)

    def batches(self) -> Iterator[list[Sentence]]:
        """Sentences, in batches."""
        for source in self._sources:
            left = source.most
            for sentences in self._statements(source) if source.kind == "label" else self._edges(source):
                yield sentences[:left]
                # Counts may be estimates: then that there are more is learnt only now.
                self.cut = self.cut or len(sentences) > left
                left = max(0, left - len(sentences))

    # --- which ---------------------------------------------------------------------------------------------------

    def _all_sources(self) -> Iterator[_Source]:
        passages, relations = self.schema.passages, self.schema.relations
        mentions = passages.mention_types if passages is not None else ()
        for name, info in sorted(self.schema.types.items()):
            ends = [e for e in self.schema.endpoints if e.type == name]
            wanted = [e for e in ends if self._is_wanted((e.start,)) and self._is_wanted((e.end,))]
            if name in mentions or (ends and not wanted):
                continue
            key = relations.key if relations.kind == "property" and relations.type == name else ""
            labels = {label for e in wanted for label in (e.start, e.end)} or set(self.schema.labels)
            details = self._details(name, info.properties, key)
            yield _Source("type", name, key, self._naming(labels), details, info.count.value)
        if self._reified in self.schema.labels:
            info_ = self.schema.labels[self._reified]
            labels = set(self.schema.labels) - self._hidden - {self._reified}
            yield _Source("label", self._reified, relations.key, self._naming(labels), (), info_.count.value)

    def _is_wanted(self, labels: Sequence[str]) -> bool:
        """Whether a node with some labels is an entity to tell of."""
        if self._hidden.intersection(labels) or (self._reified and self._reified in labels):
            return False
        include = self.search.include_labels
        return not include or bool(set(include).intersection(labels))

    def _naming(self, labels: Iterable[str]) -> tuple[str, ...]:
        infos = [self.schema.labels[label] for label in sorted(labels) if label in self.schema.labels]
        keys = [(info.name, key) for info in infos for key in (info.naming, info.identifying) if key]
        return tuple(dict.fromkeys(key for owner, key in keys if not self._is_excluded(owner, key)))

    def _details(self, type_: str, properties: Mapping[str, PropertyInfo], relation: str) -> tuple[str, ...]:
        passages = self.schema.passages
        structure = {relation, passages.edge_key if passages is not None else None, RESERVED_KEY}
        told = [key for key, info in sorted(properties.items()) if key not in structure and info.type in _TOLD]
        return tuple(key for key in told if not self._is_excluded(type_, key))[:_MOST_DETAILS]

    def _is_excluded(self, owner: str, key: str) -> bool:
        return not {key, f"{owner}.{key}"}.isdisjoint(self.search.exclude_properties)

    # --- reading -------------------------------------------------------------------------------------------------

    def _pages(self, query: str, most: int) -> Iterator[list[tuple[Any, ...]]]:
        """Rows of a query, page by page; one row more than ``most`` shows that there are more."""
        skip = 0
        while skip <= most:
            size = min(self.batch, most + 1 - skip)
            rows = self.graph.read(query, {"skip": skip, "most": size}, timeout=_TIMEOUT, limit=None)
            yield rows.records
            if len(rows) < size:
                return
            skip += size

    def _edges(self, source: _Source) -> Iterator[list[Sentence]]:
        for records in self._pages(self._edge_query(source), source.most):
            yield [found for record in records if (found := self._edge(source, record)) is not None]

    def _edge_query(self, source: _Source) -> str:
        dialect = self.graph.dialect
        key = _property("r", source.key, dialect) if source.key else "null"
        columns = [
            f"{element_id('r', dialect)} AS edge",
            f"{key} AS relation",
            *(f"{_property('r', name, dialect)} AS d{i}" for i, name in enumerate(source.details)),
            *(column for v in ("a", "b") for column in _end_columns(v, source.names, dialect)),
        ]
        return f"MATCH (a)-[r:{quote(source.name)}]->(b) RETURN {', '.join(columns)} SKIP $skip LIMIT $most"

    def _edge(self, source: _Source, record: tuple[Any, ...]) -> Sentence | None:
        edge, relation, *rest = record
        details, rest = rest[: len(source.details)], rest[len(source.details) :]
        width = len(rest) // 2
        start, end = (self._end(source.names, part) for part in (rest[:width], rest[width:]))
        if not (self._is_wanted(start.labels or ("",)) and self._is_wanted(end.labels or ("",))):
            return None
        said = relation if isinstance(relation, str) and relation.strip() else source.name
        told = [(spoken(k), text) for k, v in zip(source.details, details, strict=True) if (text := _detail(v))]
        return Sentence(str(edge), start, said, end, self._sentence(start, said, end, told))

    def _statements(self, source: _Source) -> Iterator[list[Sentence]]:
        """Nodes that stand for relations, each with all that it relates."""
        for records in self._pages(self._statement_query(source), source.most):
            yield [found for record in records if (found := self._statement(source, record)) is not None]

    def _statement_query(self, source: _Source) -> str:
        dialect = self.graph.dialect
        ends = ", ".join(column.split(" AS ")[0] for column in _end_columns("n", source.names, dialect))
        return (
            f"MATCH (s:{quote(source.name)}) WITH s SKIP $skip LIMIT $most OPTIONAL MATCH (s)-[r]-(n) "
            f"RETURN {element_id('s', dialect)} AS statement, {_property('s', source.key, dialect)} AS relation, "
            f"collect([type(r), startNode(r) = s, {ends}]) AS roles"
        )

    def _statement(self, source: _Source, record: tuple[Any, ...]) -> Sentence | None:
        statement, relation, found = record
        roles = [
            _Role(str(type_), bool(is_out), self._end(source.names, end)) for type_, is_out, *end in found if type_
        ]
        roles = [role for role in roles if self._is_wanted(role.end.labels or ("",))]
        if len(roles) < 2 or not isinstance(relation, str):
            return None
        subject, object_, *others = sorted(roles, key=_place)
        told = [(spoken(role.type), role.end.name) for role in others[:_MOST_DETAILS]]
        text = self._sentence(subject.end, relation, object_.end, told)
        return Sentence(str(statement), subject.end, relation, object_.end, text)

    def _end(self, keys: Sequence[str], columns: Sequence[Any]) -> End:
        element, given, labels, *values = columns
        own = tuple(label for label in labels if label != RESERVED_LABEL)
        node_id = str(given) if given is not None else str(element)
        return End(str(element), node_id, own, self._name(own, keys, values) or " ".join([*own[:1], node_id]))

    def _name(self, labels: tuple[str, ...], keys: Sequence[str], values: Sequence[Any]) -> str:
        """By what names a node with such labels, else by the first of the properties that it has."""
        if labels not in self._naming_of:
            self._naming_of[labels] = self.schema.naming(labels)
        own = self._naming_of[labels]
        named = {key: text for key, value in zip(keys, values, strict=True) if (text := _name(value))}
        return named.get(own or "") or next(iter(named.values()), "")

    # --- wording -------------------------------------------------------------------------------------------------

    def _sentence(self, start: End, relation: str, end: End, details: Sequence[tuple[str, str]]) -> str:
        told = "".join(f"; {key}: {value}" for key, value in details)
        return f"{self._named(start)} {spoken(relation)} {self._named(end)}{told}"

    def _named(self, end: End) -> str:
        name = end.name if len(end.name) <= _LONGEST_NAME else end.name[:_LONGEST_NAME].rstrip() + "…"
        return f"{name} ({', '.join(map(spoken, end.labels))})" if self._tells_labels and end.labels else name


def _limited(source: _Source, most: int) -> _Source:
    return _Source(source.kind, source.name, source.key, source.names, source.details, source.count, most)


def _shares(counts: Sequence[int], most: int) -> list[int]:
    """How much of the room each of several gets: an equal part, and what the small ones leave goes to the others."""
    shares = [0] * len(counts)
    left = most
    for place, at in enumerate(sorted(range(len(counts)), key=lambda i: counts[i])):
        waiting = len(counts) - place
        shares[at] = min(counts[at], left // waiting)
        left -= shares[at]
    # Counts may be estimates, and too low: what nobody claims is there for all.
    return [share + left if share == count else share for share, count in zip(shares, counts, strict=True)]


def _end_columns(variable: str, keys: Sequence[str], dialect: str) -> list[str]:
    names = [f"{_property(variable, key, dialect)} AS {variable}{i}" for i, key in enumerate(keys)]
    given = f"{variable}.{quote(RESERVED_KEY)} AS {variable}_id"
    return [
        f"{element_id(variable, dialect)} AS {variable}_element",
        given,
        f"labels({variable}) AS {variable}_labels",
        *names,
    ]


def _property(variable: str, key: str, dialect: str) -> str:
    return f"{variable}.{quote(stored_key(key) if dialect == 'embedded' else key)}"


def _place(role: _Role) -> tuple[int, str]:
    """Subjects first, then objects: by what their edges are called, else by where these point."""
    words = set(split_name(role.type))
    is_subject, is_object = bool(words & _SUBJECT), bool(words & _OBJECT)
    if is_subject == is_object:
        is_subject = not role.is_from_node
    return (0 if is_subject else 1, role.type)


def _name(value: Any) -> str:
    """A name or identifier as text; the first of several."""
    if isinstance(value, list | tuple):
        return next((text for item in value if (text := _name(item))), "")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def _detail(value: Any) -> str:
    """A property of an edge as it is told; nothing where it is not worth telling."""
    if value is None or value is False or isinstance(value, Omitted | list | tuple | dict):
        return ""
    text = "yes" if value is True else f"{value:g}" if isinstance(value, float) else str(value).strip()
    return text if len(text) <= _LONGEST_DETAIL else ""
