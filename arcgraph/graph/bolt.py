"""What every server behind a Bolt driver shares: bounded, streamed, read-only queries with our values and errors.

A read is an explicit transaction with READ access, the deadline as its timeout, and a small fetch size, so that rows
beyond the limit are never sent. What the driver calls retryable is retried within the deadline.
"""

from __future__ import annotations

import logging
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from itertools import islice
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

import neo4j
from tenacity import Retrying, retry_if_exception, stop_after_attempt, stop_before_delay, wait_random_exponential

from arcgraph.domain import Rows, Schema
from arcgraph.errors import ArcgraphError, ConnectError, QueryError, UsageError
from arcgraph.graph import guard, introspect
from arcgraph.graph.base import DEFAULT_LIMIT, DEFAULT_TIMEOUT, Explained
from arcgraph.graph.bolt_errors import Where, is_retryable, timed_out, translate_connect, translate_query
from arcgraph.graph.values import from_driver, to_driver
from arcgraph.settings import Settings

CONNECT_TIMEOUT = 5.0
# The first query of a server that has just started takes seconds.
VERIFY_TIMEOUT = 20.0
WRITE_TIMEOUT = 600.0

# Drivers before version 6 warn of a preview when it is used, later ones of a deprecation when it is not.
_HAS_GQL_STATUS = int(neo4j.__version__.partition(".")[0]) >= 6
_ATTEMPTS = 5
_FETCH_SIZE = 500
# A server that hangs never reports that the transaction timed out, so the client stops waiting a little later.
_GRACE = 0.5

# Without a handler, Python prints the driver's log (one line per notification of every query) on standard error.
logging.getLogger("neo4j").addHandler(logging.NullHandler())

_T = TypeVar("_T")


class Outcome(NamedTuple):
    """What one transaction brought."""

    columns: tuple[str, ...]
    records: list[tuple[Any, ...]]
    summary: neo4j.ResultSummary | None = None  # none where reading stopped before the end


class BoltGraph(ABC):
    """The common half of graphs behind Bolt; a subclass names its ``dialect``, explains queries and prepares indexes.

    ``driver`` is closed with the graph if ``owned``. ``address`` is how people know the server, without secrets.
    """

    dialect: str
    functions: tuple[str, ...] = ()
    """Functions beyond Cypher's own that the server has and the gate lets pass."""
    lacking: guard.Lacking | None = None
    """What of Cypher the server cannot read and the gate refuses."""

    def __init__(
        self,
        driver: neo4j.Driver,
        *,
        address: str,
        database: str | None = None,
        impersonated_user: str | None = None,
        owned: bool = True,
        settings: Settings | None = None,
    ):
        self._driver = driver
        self._where = Where(address, database, impersonated_user)
        self.name = str(self._where)
        self._settings = settings or Settings.load()
        # Also runs when the graph is forgotten or the program ends, and only once.
        self._close = weakref.finalize(self, driver.close if owned else _nothing)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the driver, if it is ours. Calling it again does nothing."""
        self._close()

    def verify(self, timeout: float = VERIFY_TIMEOUT) -> Mapping[str, Any]:
        """See that user and database exist and answer; raises :class:`~arcgraph.errors.ConnectError`.

        Returns what the server told along with its answer: products differ there even where they bear one name.
        """
        try:
            outcome = self._transact("RETURN 1 AS ok", None, access=neo4j.READ_ACCESS, timeout=timeout, limit=None)
        except ConnectError:
            raise
        except QueryError as error:
            raise ConnectError(f"{self.name} does not answer queries: {error}") from error
        return outcome.summary.metadata if outcome.summary else {}

    def run(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        limit: int | None = DEFAULT_LIMIT,
    ) -> Rows:
        """See :meth:`arcgraph.graph.base.Graph.run`: gate, the server's plan, then a transaction with READ access."""
        self._admit(query)
        self._admit_planned(query, params, timeout)
        return self.read(query, params, timeout=timeout, limit=limit)

    def _admit_planned(self, query: str, params: Mapping[str, Any] | None, timeout: float) -> None:
        """Raise ``Refused`` for what the server would plan as more than a read; here no plan is asked for."""
        del query, params, timeout

    def read(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        limit: int | None = DEFAULT_LIMIT,
    ) -> Rows:
        """See :meth:`arcgraph.graph.base.Graph.read`."""
        if timeout <= 0 or (limit is not None and limit < 0):
            raise UsageError("timeout must be above 0 and limit at least 0")
        started = time.monotonic()
        outcome = self._transact(query, params, access=neo4j.READ_ACCESS, timeout=timeout, limit=limit)
        return Rows(
            columns=outcome.columns,
            records=outcome.records[:limit],
            truncated=limit is not None and len(outcome.records) > limit,
            seconds=time.monotonic() - started,
            notifications=notifications(outcome.summary),
        )

    @abstractmethod
    def explain(self, query: str, params: Mapping[str, Any] | None = None) -> Explained:
        """See :meth:`arcgraph.graph.base.Graph.explain`."""

    def schema(self, *, refresh: bool = False) -> Schema:
        """See :meth:`arcgraph.graph.base.Graph.schema`."""
        return introspect.read_schema(self, cache_dir=self._settings.cache.dir, refresh=refresh)

    def write(self, query: str, params: Mapping[str, Any] | None = None) -> None:
        """See :meth:`arcgraph.graph.base.Writable.write`."""
        self._transact(query, params, access=neo4j.WRITE_ACCESS, timeout=WRITE_TIMEOUT, limit=0)

    def _admit(self, query: str) -> None:
        allowed = self._settings.graph
        guard.admit(
            query,
            allow_procedures=allowed.allow_procedures,
            allow_functions=(*allowed.allow_functions, *self.functions),
            lacking=self.lacking,
        )

    def _transact(
        self,
        query: str,
        params: Mapping[str, Any] | None,
        *,
        access: str,
        timeout: float,
        limit: int | None,
        skipped: int = 0,
    ) -> Outcome:
        """One transaction, committed if it writes; at most ``limit`` + 1 records are read."""
        sent = {key: to_driver(value) for key, value in (params or {}).items()}
        wanted = None if limit is None else limit + 1

        def attempt(left: float) -> Outcome:
            return self._attempt(query, sent, access=access, wanted=wanted, seconds=left)

        return self._bounded(attempt, timeout=timeout, skipped=skipped, query=query)

    def _attempt(
        self, query: str, params: dict[str, Any], *, access: str, wanted: int | None, seconds: float
    ) -> Outcome:
        """The transaction once; at most ``wanted`` records are read, the rest is discarded."""
        with (
            self._session(access, fetch_size(wanted)) as session,
            session.begin_transaction(timeout=seconds) as transaction,
        ):
            result = transaction.run(query, params)
            outcome = self._taken(result, wanted)._replace(summary=result.consume())
            if access == neo4j.WRITE_ACCESS:
                transaction.commit()
            return outcome

    def _taken(self, result: neo4j.Result, wanted: int | None) -> Outcome:
        columns = tuple(result.keys())
        return Outcome(columns, [self._convert(record.values()) for record in islice(result, wanted)])

    def _bounded(self, attempt: Callable[[float], _T], *, timeout: float, skipped: int = 0, query: str = "") -> _T:
        """``attempt(seconds left)``, retried within the deadline where the driver says so, with our errors."""
        if not self._close.alive:
            raise UsageError(f"{self.name} is closed; connect again")
        deadline = time.monotonic() + timeout

        def attempt_in_time() -> _T:
            # A transaction timeout of 0 would mean none at all.
            return attempt(max(deadline - time.monotonic(), 0.001))

        try:
            return _within(timeout + _GRACE, lambda: _retrying(timeout)(attempt_in_time))
        except TimeoutError:
            raise timed_out(timeout) from None
        except ArcgraphError:
            raise
        except Exception as error:  # a border that lets the unknown pass leaks just what nobody thought of
            raise translate_query(error, self._where, timeout=timeout, skipped=skipped, query=query) from error

    def _session(self, access: str, fetch_size: int) -> neo4j.Session:
        return self._driver.session(
            database=self._where.database,
            impersonated_user=self._where.impersonated_user,
            default_access_mode=access,
            fetch_size=fetch_size,
        )

    def _convert(self, values: Iterable[Any]) -> tuple[Any, ...]:
        most = self._settings.graph.max_value_items
        return tuple(from_driver(value, max_items=most) for value in values)


def open_driver(uri: str, auth: Any, *, address: str) -> neo4j.Driver:
    """A driver for ``uri``; nothing is sent yet. Raises :class:`~arcgraph.errors.UsageError` if it is no address."""
    try:
        return neo4j.GraphDatabase.driver(
            uri,
            auth=auth,
            connection_timeout=CONNECT_TIMEOUT,
            connection_acquisition_timeout=2 * CONNECT_TIMEOUT,
            user_agent="arcgraph-qa",
        )
    except Exception as error:
        if "?" in uri:
            # The driver quotes what follows, which may be meant as a password.
            raise UsageError(
                f"{address} cannot be connected to: behind ? stand key=value pairs, each key once"
            ) from None
        raise UsageError(f"{address} is not an address that can be connected to: {error}") from error


def server_agent(driver: neo4j.Driver, *, address: str, timeout: float = CONNECT_TIMEOUT + 1) -> str:
    """How the server calls itself, such as ``Neo4j/5.26.12``; raises :class:`~arcgraph.errors.ConnectError`."""
    try:
        # A Memgraph may be told to say nothing.
        return _within(timeout, driver.get_server_info).agent or ""
    except TimeoutError:
        product = Where(address).product
        raise ConnectError(
            f"{address} accepts connections but does not answer; see that a {product} runs there"
        ) from None
    except Exception as error:
        raise translate_connect(error, Where(address)) from error


def why_no_route(uri: str, auth: Any, *, address: str) -> ConnectError:
    """Why a ``neo4j://`` address does not work: the driver does not say, so the server is asked without routing."""
    direct = "bolt" + uri.removeprefix("neo4j").partition("?")[0]
    try:
        with open_driver(direct, auth, address=address) as driver:
            agent = server_agent(driver, address=address)
    except ConnectError as error:
        return error
    if "memgraph" in agent.lower():
        return ConnectError(f"{address} is a Memgraph, which does not route; use memgraph{direct.removeprefix('bolt')}")
    return ConnectError(f"{address} answers, but sends us on to an address that does not; use {direct} instead")


def fetch_size(wanted: int | None) -> int:
    """How many records to ask for at once where ``wanted`` are read in all."""
    return min(wanted or _FETCH_SIZE, _FETCH_SIZE)


def notifications(summary: neo4j.ResultSummary | None) -> tuple[str, ...]:
    """The server's remarks on a query, each one line; successes are no remarks."""
    if summary is None:
        return ()
    if _HAS_GQL_STATUS:
        remarks = (status for status in summary.gql_status_objects if status.gql_status.startswith(("01", "03")))
        return tuple(remark.status_description for remark in remarks)
    return tuple(f"{note.title} {note.description}".strip() for note in summary.summary_notifications)


def _retrying(timeout: float) -> Retrying:
    return Retrying(
        retry=retry_if_exception(is_retryable),
        stop=stop_after_attempt(_ATTEMPTS) | stop_before_delay(timeout),
        wait=wait_random_exponential(multiplier=0.1, max=1.0),
        reraise=True,
    )


def _within(seconds: float, work: Callable[[], _T]) -> _T:
    """``work()`` on a thread of its own; raises ``TimeoutError`` when it takes longer and leaves it behind."""
    outcome: Future[_T] = Future()

    def body() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    # The driver reads its socket without a deadline; a daemon thread keeps neither caller nor interpreter waiting.
    threading.Thread(target=body, name="arcgraph-bolt", daemon=True).start()
    return outcome.result(seconds)


def _nothing() -> None:
    pass
