"""Questions to a graph under one deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from arcgraph.domain import IndexInfo
from arcgraph.errors import QueryError, QueryTimeout, ServerGone
from arcgraph.graph.base import Graph, GraphSummary, SelfDescribing
from arcgraph.graph.names import quote, stored_key

Records = list[tuple[Any, ...]]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Budget:
    """How much work introspection may do: seconds, and numbers of nodes or edges.

    Up to ``whole`` nodes and edges a graph is counted in one pass. Above, one label or type is read up to ``scan``
    owners for its keys and up to ``sample`` owners for its values, and up to ``probes`` endpoint triples are confirmed.
    """

    seconds: float = 30.0
    query_seconds: float = 5.0
    whole: int = 500_000
    scan: int = 100_000
    sample: int = 2_000
    probes: int = 2_000


# SKIP walks: so many elements in, it is a matter of milliseconds everywhere.
_REACH = 200_000
_STRETCHES = 4


def stretches(total: int, most: int) -> list[tuple[int, int]]:
    """Which elements to read, as (skip, limit): all of ``total`` up to ``most``, else some from all over."""
    if total <= most:
        return [(0, most)]
    step = (min(total, _REACH) - most // _STRETCHES) // (_STRETCHES - 1)
    return [(at * step, most // _STRETCHES) for at in range(_STRETCHES)]


class Probe:
    """Asks ``graph`` until the budget's time is over; ``complete`` turns false when something had to be left out."""

    def __init__(self, graph: Graph, budget: Budget, clock: Callable[[], float] = time.monotonic):
        self.dialect = graph.dialect
        self.budget = budget
        self.complete = True
        self._graph = graph
        self._clock = clock
        self._deadline = clock() + budget.seconds

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, at least 0."""
        return max(0.0, self._deadline - self._clock())

    def rows(self, query: str, params: Mapping[str, Any] | None = None, *, seconds: float = 0.0) -> Records | None:
        """All rows, or ``None`` (and no longer complete) where time ran out. ``seconds`` replaces the usual limit."""
        timeout = min(seconds or self.budget.query_seconds, self.seconds_left)
        if timeout > 0:
            try:
                return self._graph.read(query, params, timeout=timeout, limit=None).records
            except QueryTimeout:
                pass
        self.complete = False
        return None

    def attempt(self, query: str) -> Records | None:
        """As ``rows``, with up to half of the time left, for what can be found in another way, too."""
        before = self.complete
        rows = self.rows(query, seconds=self.seconds_left / 2)
        self.complete = before
        return rows

    @contextmanager
    def within(self, share: float) -> Iterator[None]:
        """Leave a share of the time that is left for what comes after."""
        deadline = self._deadline
        self._deadline -= (1.0 - share) * self.seconds_left
        try:
            yield
        finally:
            self._deadline = deadline

    def number(self, query: str, params: Mapping[str, Any] | None = None) -> int | None:
        """The single number that ``query`` returns, or ``None`` where time ran out."""
        rows = self.rows(query, params)
        return None if rows is None else int(rows[0][0]) if rows else 0

    def optional(self, query: str, params: Mapping[str, Any] | None = None) -> Records | None:
        """As ``rows``, for what a server may lack or forbid: then ``None``, too, without harm to completeness."""
        before = self.complete
        try:
            return self.rows(query, params)
        except ServerGone:
            raise
        except QueryError:
            return None
        finally:
            self.complete = before

    def told(self) -> GraphSummary | None:
        """What the server counts by itself; ``None`` where it does not, or not now."""
        graph = self._graph
        return self._asked(graph.summary) if isinstance(graph, SelfDescribing) else None

    def told_indexes(self) -> tuple[IndexInfo, ...] | None:
        """The indexes, where they are told otherwise than by ``SHOW INDEXES``; none where the server forbids to ask."""
        graph = self._graph
        return (self._asked(graph.indexes) or ()) if isinstance(graph, SelfDescribing) else None

    def _asked(self, ask: Callable[..., _T]) -> _T | None:
        timeout = min(self.budget.query_seconds, self.seconds_left)
        if timeout <= 0:
            return None
        try:
            return ask(timeout=timeout)
        except ServerGone:
            raise
        except QueryError:
            return None

    def key(self, key: str) -> str:
        """A property key as this engine's Cypher takes it."""
        return quote(stored_key(key) if self.dialect == "embedded" else key)
