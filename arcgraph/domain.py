"""The nouns: plain values that every part of arcgraph speaks in. No I/O, no imports of ours.

Property values are Python scalars and lists, :mod:`neo4j.time` and :mod:`neo4j.spatial` values on *every* engine
(they keep nanoseconds, offsets and reference systems, which the standard library does not), and :class:`Omitted`
where a bulky value was cut at the border.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

# A node that we loaded carries its file's id in this property, under this label (unique there, so that loading is
# idempotent). Both are hidden from schema, prompts and rows.
RESERVED_KEY = "_arcgraph_id"
RESERVED_LABEL = "_Arcgraph"


# --- what a back end returns -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Omitted:
    """A value too bulky to carry: what it was (``vector``, ``list``, ``text``, ``bytes``) and its size in items."""

    kind: str
    size: int

    def __str__(self) -> str:
        return f"<{self.kind} of {self.size} omitted>"


@dataclass(frozen=True, slots=True)
class Node:
    """A node. ``id`` is what it was called in the file it was loaded from, else the server's element id."""

    element_id: str
    id: str
    labels: tuple[str, ...]
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship. ``start`` and ``end`` are element ids of nodes."""

    element_id: str
    type: str
    start: str
    end: str
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Path:
    """An alternation of ``len(edges) + 1`` nodes and ``len(edges)`` edges."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """A result table: ``records`` holds one tuple per row, in the order of ``columns``.

    ``truncated`` is true when the row limit was reached and at least one further row existed.
    """

    columns: tuple[str, ...]
    records: list[tuple[Any, ...]]
    truncated: bool = False
    seconds: float = 0.0
    notifications: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.records)

    def dicts(self) -> list[dict[str, Any]]:
        """One dict a row."""
        return [dict(zip(self.columns, record, strict=True)) for record in self.records]

    def column(self, name: str) -> list[Any]:
        """All values of one column."""
        at = self.columns.index(name)
        return [record[at] for record in self.records]


# --- what a question names ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Anchor:
    """An entity that a question names: all nodes with one name and one set of labels.

    ``key`` is the property that holds the name. ``span`` are the character offsets of the words that named it, ``how``
    one of ``exact``, ``folded``, ``tokens``, ``alias``, ``fuzzy``, ``dense``, and ``score`` how sure, 0 to 1.
    """

    name: str
    labels: tuple[str, ...]
    key: str
    ids: tuple[str, ...]
    element_ids: tuple[str, ...]
    span: tuple[int, int]
    surface: str
    how: str
    score: float


# --- the schema --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Count:
    """A number of things, and whether it was counted or estimated."""

    value: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class PropertyInfo:
    """What is known of one property key under one label or type.

    ``types`` maps a type name (``string``, ``integer``, ``float``, ``boolean``, ``list``, ``date``, ``time``,
    ``localtime``, ``datetime``, ``localdatetime``, ``duration``, ``point``, ``vector``, ``text``, ``bytes``) to how
    often it was seen among ``seen`` sampled owners. ``count`` is how many owners carry the key, ``distinct`` how many
    different values it has.
    """

    key: str
    types: Mapping[str, int]
    seen: int
    count: Count
    distinct: Count
    samples: tuple[Any, ...] = ()
    indexed: bool = False
    unique: bool = False

    @property
    def type(self) -> str:
        """The most frequent type."""
        return max(self.types, key=lambda name: self.types[name]) if self.types else "string"


@dataclass(frozen=True, slots=True)
class LabelInfo:
    """One node label; the name ``""`` stands for nodes without any label.

    ``naming`` is the property that names an entity of this label ("Heat"), ``identifying`` one that tells entities
    apart when nothing names them ("10248").
    """

    name: str
    count: Count
    properties: Mapping[str, PropertyInfo] = field(default_factory=dict)
    naming: str | None = None
    identifying: str | None = None


@dataclass(frozen=True, slots=True)
class TypeInfo:
    """One relationship type."""

    name: str
    count: Count
    properties: Mapping[str, PropertyInfo] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint triple ``(start)-[type]->(end)`` of single labels, ``""`` for a node without label.

    ``probed`` is false when the triple was neither confirmed nor excluded within the budget: it may exist, and its
    absence or presence is never called a fault.
    """

    start: str
    type: str
    end: str
    count: Count
    probed: bool = True


@dataclass(frozen=True, slots=True)
class RelationHome:
    """Where the meaning of relations lives.

    ``types``: the relationship type says it. ``property``: the value of ``key`` on edges of ``type`` says it.
    ``reified``: a node of ``label`` stands for a relation and the value of its ``key`` says which.
    """

    kind: Literal["types", "property", "reified"] = "types"
    type: str = ""
    key: str = ""
    label: str = ""
    distinct: int = 0


@dataclass(frozen=True, slots=True)
class PassageHome:
    """How the graph leads to source passages.

    ``label`` and ``text_key`` say which nodes are passages and where their text is; ``id_key`` what other elements call
    them by. ``edge_key`` is the list property by which edges point at passages (``None`` where none does),
    ``mention_types`` the relationship types between entities and passages.
    """

    label: str
    text_key: str
    id_key: str | None = None
    edge_key: str | None = None
    mention_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """One index of the database: ``kind`` is ``range``, ``text``, ``fulltext``, ``vector``, ``point`` or ``lookup``."""

    name: str
    kind: str
    entity: Literal["node", "relationship"]
    owners: tuple[str, ...]
    keys: tuple[str, ...]
    unique: bool = False


@dataclass(frozen=True, slots=True)
class Schema:
    """What introspection found. ``fingerprint`` changes when the graph is seen to have changed."""

    labels: Mapping[str, LabelInfo]
    types: Mapping[str, TypeInfo]
    endpoints: tuple[Endpoint, ...]
    relations: RelationHome = RelationHome()
    passages: PassageHome | None = None
    indexes: tuple[IndexInfo, ...] = ()
    nodes: Count = Count(0)
    edges: Count = Count(0)
    fingerprint: str = ""
    complete: bool = True
    loaded: bool = False
    """Whether (nearly) all nodes carry the reserved id, so that it can address them."""

    def naming(self, labels: tuple[str, ...]) -> str | None:
        """The property that names a node with these labels, else the one that identifies it, else ``None``."""
        infos = [self.labels[label] for label in (labels or ("",)) if label in self.labels]
        return next((i.naming for i in infos if i.naming), None) or next(
            (i.identifying for i in infos if i.identifying), None
        )

    def meaning(self, edge: Edge) -> str:
        """The words in which the graph states what an edge means: its type, or the text of its predicate."""
        home = self.relations
        said = edge.properties.get(home.key) if home.kind == "property" and home.type == edge.type else None
        return edge.type if said is None else str(said)


def flat(record: Iterable[Any]) -> list[Node | Edge]:
    """The nodes and edges of a row, those inside its lists and paths included."""
    found: list[Node | Edge] = []
    for value in record:
        if isinstance(value, list):
            found += flat(value)
        elif isinstance(value, Path):
            found += [*value.nodes, *value.edges]
        elif isinstance(value, Node | Edge):
            found.append(value)
    return found
