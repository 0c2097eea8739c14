"""The graph waist: what every back end is to the rest of arcgraph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from arcgraph.domain import IndexInfo, Rows, Schema

if TYPE_CHECKING:
    from arcgraph.graph.guard import Lacking

DEFAULT_TIMEOUT = 10.0
DEFAULT_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Explained:
    """What the database says of a query without running it: whether it only reads, and its notifications."""

    reads_only: bool
    notifications: tuple[str, ...] = ()


class Graph(Protocol):
    """A property graph that can be queried. Thread-safe.

    ``dialect`` names the compiler's output that it understands (``neo4j``, ``memgraph``, ``embedded``); ``name`` says
    for people which graph it is, without secrets.
    """

    dialect: str
    name: str

    def run(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        limit: int | None = DEFAULT_LIMIT,
    ) -> Rows:
        """Run a query that somebody wrote: it passes the gate, then runs read-only.

        Stops reading after ``limit`` rows (``None``: all) and kills the query after ``timeout`` seconds. Raises
        :class:`~arcgraph.errors.Refused`, :class:`~arcgraph.errors.QueryError` or one of its kinds.
        """
        ...

    def read(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        limit: int | None = DEFAULT_LIMIT,
    ) -> Rows:
        """Run a query that arcgraph compiled or ships, in this graph's dialect: as ``run``, without the gate."""
        ...

    def explain(self, query: str, params: Mapping[str, Any] | None = None) -> Explained:
        """Ask the database about a query without running it. Raises as ``run`` does."""
        ...

    def schema(self, *, refresh: bool = False) -> Schema:
        """The introspected schema, cached; ``refresh`` reads it again."""
        ...

    def close(self) -> None:
        """Release connections and processes. Calling it again does nothing."""
        ...

    def __enter__(self) -> Self:
        """The graph itself; it is closed at the end of the ``with``."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@runtime_checkable
class Writable(Protocol):
    """A graph that the loader may write to. Nothing else in arcgraph writes."""

    def write(self, query: str, params: Mapping[str, Any] | None = None) -> None:
        """Run one writing statement and commit it."""
        ...

    def prepare(self, naming: Iterable[tuple[str, str]] = ()) -> None:
        """Make the reserved id unique and index the given (label, property) pairs; safe to repeat."""
        ...

    def save(self) -> None:
        """Make all writes durable."""
        ...


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What a server says of itself. ``extensions`` counts procedures by package, such as ``{"apoc": 190}``."""

    product: str
    version: str
    edition: str = ""
    extensions: Mapping[str, int] = field(default_factory=dict)


@runtime_checkable
class Served(Protocol):
    """A graph behind a server, which can be asked what it is."""

    def server(self) -> ServerInfo:
        """Name, version and extensions of the server."""
        ...


@runtime_checkable
class Versioned(Protocol):
    """A graph that knows when it changed."""

    def data_version(self) -> str:
        """A token that any committed write changes, the same in every process until then; cheap to ask for."""
        ...


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """The nodes that bear exactly these labels: how many there are, and how many of them carry each key."""

    labels: tuple[str, ...]
    count: int
    keys: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class EdgeGroup:
    """The edges of a type from nodes of exactly one set of labels to nodes of another."""

    starts: tuple[str, ...]
    type: str
    ends: tuple[str, ...]
    count: int
    keys: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class GraphSummary:
    """What a server keeps count of by itself: all nodes and all edges, in groups."""

    nodes: tuple[NodeGroup, ...]
    edges: tuple[EdgeGroup, ...]


@runtime_checkable
class SelfDescribing(Protocol):
    """A graph whose server tells what is in it, reserved label and key included."""

    def summary(self, *, timeout: float) -> GraphSummary | None:
        """Counts of everything; ``None`` where the server does not keep them."""
        ...

    def indexes(self, *, timeout: float) -> tuple[IndexInfo, ...]:
        """The indexes on properties, that of the reserved label left out."""
        ...


@runtime_checkable
class Cautious(Protocol):
    """A graph about which its users must know something before they trust it."""

    def cautions(self) -> tuple[str, ...]:
        """Sentences, each of which says what is not as elsewhere and what to do."""
        ...


@runtime_checkable
class Extended(Protocol):
    """A graph whose server knows functions beyond Cypher's own, which the gate lets pass there, or lacks some of it."""

    functions: tuple[str, ...]
    lacking: Lacking | None
