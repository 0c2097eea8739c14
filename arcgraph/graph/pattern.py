"""The query as data: a :class:`Pattern` that the graph is known to support, compiled to Cypher per dialect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal


class Direction(StrEnum):
    """How a hop crosses its edge, seen from the hop's start."""

    OUT = "out"
    IN = "in"
    BOTH = "both"

    @property
    def opposite(self) -> Direction:
        """The same crossing, seen from the other end."""
        return {Direction.OUT: Direction.IN, Direction.IN: Direction.OUT}.get(self, self)


@dataclass(frozen=True, slots=True)
class Descriptor:
    """What an edge means: its ``type``, or, where ``key`` is given, the ``value`` of that property on such edges."""

    type: str
    key: str | None = None
    value: Any = None

    @property
    def text(self) -> str:
        """The words in which the graph states the relation."""
        return str(self.value) if self.key else self.type


@dataclass(frozen=True, slots=True)
class PatternNode:
    """A node variable and the labels that it must all bear."""

    name: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hop:
    """One edge of the pattern, from node variable ``start`` to ``end``. No descriptors: any relation."""

    name: str
    start: str
    end: str
    descriptors: tuple[Descriptor, ...] = ()
    direction: Direction = Direction.OUT


@dataclass(frozen=True, slots=True)
class Property:
    """``owner.key``; the owner is a node or hop variable.

    ``numeric`` reads a text that holds a number as that number; other texts are then null. ``part`` is the year of a
    moment, as a number, or its month, as "2021-03": of dates, datetimes and texts that begin as ISO 8601 writes them.
    """

    owner: str
    key: str
    numeric: bool = False
    part: Literal["", "year", "month"] = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A whole node or edge, by its variable."""

    owner: str


@dataclass(frozen=True, slots=True)
class Measure:
    """What a first grouping measured (:class:`Grouped`), or the :class:`Yardstick`, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``count``, ``sum``, ``avg``, ``min``, ``max`` or ``collect`` of an expression; of all rows where it is ``None``.

    ``exists`` is true when there is a row.
    """

    function: Literal["count", "sum", "avg", "min", "max", "collect", "exists"]
    of: Property | Entity | Measure | None = None
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """``left`` minus ``right``, both numbers; null where either is unknown."""

    left: Property
    right: Property


@dataclass(frozen=True, slots=True)
class Calculation:
    """An aggregate of the match held against the pattern's yardstick: by how much it is more, what part of it, as a
    fraction or in percent, or whether it is more or less.

    The only column of its pattern, of one row: of no match counts and sums are 0. Null where either side is, or where
    there is nothing to be a part of.
    """

    left: Aggregate
    operator: Literal["-", "/", "percent of", ">", "<"]
    right: Measure


Expression = Property | Entity | Measure | Aggregate | Difference | Calculation
Operand = Property | Entity | Measure

Operator = Literal[
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "contains",
    "starts with",
    "ends with",
    "not contains",
    "not starts with",
    "not ends with",
    "is null",
    "is not null",
    "overlaps",
]


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a match: ``left operator right``; ``right`` is a value, another property or entity, or what the
    pattern's yardstick measures.

    ``overlaps`` holds where the list ``left`` has an item of the list ``right``, which is a value.
    """

    left: Property | Entity
    operator: Operator
    right: Any = None


@dataclass(frozen=True, slots=True)
class Binding:
    """Ties a node variable to given nodes: its property ``key`` has one of ``values``.

    ``key`` may be :data:`RESERVED_KEY`, or ``None`` when ``values`` are element ids.
    """

    node: str
    key: str | None
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What is looked for around a match: a part with its own nodes, hops and conditions.

    Its hops may begin or end at nodes of the match; its conditions may speak of elements of either. An edge that the
    match uses may be used here again.
    """

    nodes: tuple[PatternNode, ...] = ()
    hops: tuple[Hop, ...] = ()
    bindings: tuple[Binding, ...] = ()
    filters: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True)
class Projection:
    """One returned column. A ``hidden`` one serves conditions and order, and is not returned."""

    expression: Expression
    name: str
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Having:
    """A condition on a returned column, after aggregation."""

    column: str
    operator: Operator
    value: Any


@dataclass(frozen=True, slots=True)
class Order:
    """Sort by a returned column; nulls last in either direction, so that a top-n never consists of unknowns."""

    column: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Grouped:
    """A grouping before the columns are made, so that these may aggregate aggregates ("the average number of …").

    Matches are grouped by the elements ``by`` and by the columns that are no aggregates. ``measures`` are aggregates
    of each group, ``having`` conditions on them. Columns then have groups for rows: their aggregates are of measures
    and of the elements grouped by.
    """

    by: tuple[str, ...]
    measures: tuple[Projection, ...]
    having: tuple[Having, ...] = ()


@dataclass(frozen=True, slots=True)
class Yardstick:
    """A value that is known before the match begins: an aggregate of all that a part by itself matches.

    Conditions of the match compare with it by its name ("longer than the average": :class:`Measure`), and a
    :class:`Calculation` does. Where it is null no condition holds.
    """

    name: str
    aggregate: Aggregate
    part: Part


@dataclass(frozen=True, slots=True)
class Aside:
    """A branch that is aggregated by itself, for each group of a first grouping ("… and the number of its ports").

    Its ``part`` begins at elements grouped by; nothing else of the match is known to it. ``measures`` are aggregates of
    what it matches. Groups for which it matches nothing are left out.
    """

    part: Part
    measures: tuple[Projection, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A query as data. All hops are one MATCH, so that no edge is used twice (trail semantics).

    Where ``returns`` holds an aggregate, its other columns are the group keys. Parts that are ``absent`` must not
    be found around a match, or, without hops, anywhere in the graph; of each of ``choices`` at least one part must
    be, and one without hops holds where its conditions do. What is ``optional`` is matched where it is found and
    null elsewhere, one part after the other, so that things without it are returned as well, and counted as 0; only
    aggregates may speak of it. With ``asides`` the groups of the first grouping are the rows: columns are elements
    grouped by, their properties, and measures. The ``yardstick`` is worked out first.
    """

    nodes: tuple[PatternNode, ...]
    hops: tuple[Hop, ...] = ()
    bindings: tuple[Binding, ...] = ()
    filters: tuple[Filter, ...] = ()
    returns: tuple[Projection, ...] = ()
    distinct: bool = False
    having: tuple[Having, ...] = ()
    order: tuple[Order, ...] = ()
    skip: int = 0
    limit: int | None = None
    absent: tuple[Part, ...] = ()
    choices: tuple[tuple[Part, ...], ...] = ()
    optional: tuple[Part, ...] = ()
    grouped: Grouped | None = None
    asides: tuple[Aside, ...] = ()
    yardstick: Yardstick | None = None

    def to_cypher(self, dialect: str = "neo4j") -> tuple[str, dict[str, Any]]:
        """Text and parameters for ``neo4j``, ``memgraph`` or ``embedded``; ``ValueError`` on a malformed pattern."""
        from arcgraph.graph.compile import compile_pattern  # the compiler imports these nouns

        return compile_pattern(self, dialect)

    def returning(self, *columns: Projection, distinct: bool = False) -> Pattern:
        """The same match with other columns, unordered and uncut."""
        return replace(
            self, returns=columns, distinct=distinct, having=(), order=(), skip=0, limit=None, grouped=None, asides=()
        )
