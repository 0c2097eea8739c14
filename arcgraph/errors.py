"""Everything that arcgraph raises on purpose.

    ArcgraphError                 anything below; its text says what to do
    ├── UsageError                the caller's input: a file that is no graph, an empty question, an unknown option
    │   └── LoadError             a file that cannot be loaded, with line number where there is one
    ├── ConnectError              no server, wrong password, wrong database, a scheme that is not supported yet
    ├── QueryError                the database refused or failed a query; carries code and position
    │   ├── QueryTimeout          the deadline passed and the query was stopped
    │   └── ServerGone            the server, or the embedded worker, went away during the query
    ├── ModelError                a language model refused, failed or cannot be reached; carries the HTTP status
    │   └── ModelTimeout          it did not answer in time
    ├── Refused                   the gate refused a query; carries the verdict
    ├── MissingExtra              an optional part is not installed; says which one and how to get it
    └── StorageError              a disk that cannot be written, an index that cannot be read

Foreign errors (driver, engine, operating system) are translated once, at the border, and kept as ``__cause__``.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Position(NamedTuple):
    """Where in a query's text: ``offset`` counts from 0, ``line`` and ``column`` from 1."""

    offset: int
    line: int
    column: int


class ArcgraphError(Exception):
    """Base of every error raised on purpose."""


class UsageError(ArcgraphError):
    """The caller's input cannot be used."""


class LoadError(UsageError):
    """A file cannot be loaded."""


class ConnectError(ArcgraphError):
    """The graph cannot be reached or opened."""


class QueryError(ArcgraphError):
    """The database refused or failed a query.

    ``code`` is the server's own (for example ``Neo.ClientError.Statement.SyntaxError``), empty where it has none.
    ``retryable`` repeats what the driver says of the error.
    """

    def __init__(self, message: str, *, code: str = "", position: Position | None = None, retryable: bool = False):
        super().__init__(message)
        self.code = code
        self.position = position
        self.retryable = retryable


class QueryTimeout(QueryError):
    """The deadline passed and the query was stopped."""


class ServerGone(QueryError):
    """The server, or the embedded worker, went away while it worked on the query."""


class ModelError(ArcgraphError):
    """A language model refused, failed or cannot be reached.

    ``status`` is the HTTP status, ``None`` where there was no answer. ``retryable`` says whether the same request may
    succeed later, ``retry_after`` after how many seconds the server wants it again, ``attempts`` how often it was sent.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        attempts: int = 1,
    ):
        super().__init__(message)
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after
        self.attempts = attempts


class ModelTimeout(ModelError):
    """A language model did not answer in time."""


class Refused(ArcgraphError):
    """The gate refused a query. ``verdict`` is an :class:`arcgraph.graph.guard.Verdict`."""

    def __init__(self, message: str, verdict: Any):
        super().__init__(message)
        self.verdict = verdict


class MissingExtra(ArcgraphError):
    """An optional part is not installed."""

    def __init__(self, what: str, extra: str):
        super().__init__(f"{what} needs an optional part: pip install 'arcgraph-qa[{extra}]'")
        self.extra = extra


class StorageError(ArcgraphError):
    """A place on disk cannot be read or written."""
