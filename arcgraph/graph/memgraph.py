"""Memgraph, community and enterprise. What its server enforces cannot be relied on: here the gate is the lock.

Statements about the server itself (SHOW …) and about indexes and constraints run alone, as Memgraph demands; all else
runs in explicit transactions with READ access, which recent versions check and older ones ignore, and which are rolled
back in any case.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Literal

import neo4j
from neo4j.time import DateTime, Duration, Time

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, IndexInfo
from arcgraph.errors import QueryError
from arcgraph.graph import memgraph_grammar
from arcgraph.graph.base import EdgeGroup, Explained, GraphSummary, NodeGroup, ServerInfo
from arcgraph.graph.bolt import BoltGraph, Outcome, fetch_size, notifications
from arcgraph.graph.escapes import literal_names
from arcgraph.graph.names import quote
from arcgraph.resources import cypher

CAUTION = (
    "Memgraph does not promise to keep a reading transaction from writing, and its Community edition knows no "
    "privileges: arcgraph's own gate is the lock. What it refuses and what stands behind it is in docs/memgraph.md"
)

_NAMES = ("degree", "inDegree", "outDegree", "propertySize", "toEnum", "toSet", "uniformSample", "values")
FUNCTIONS = tuple(dict.fromkeys((*_NAMES, *map(str.lower, _NAMES))))
"""Functions of Memgraph alone that only compute; not listed are those that keep a counter or tell of users."""

_ALONE = re.compile(r"\s*(SHOW|CREATE\s+(INDEX|CONSTRAINT)|DROP\s+(INDEX|CONSTRAINT))\b", re.IGNORECASE)
# The first word of an operator in a plan; those of a subquery stand behind bars.
_WRITING_OPERATOR = re.compile(r"[\s|*\\]*(Create|Set|Remove|Delete|Merge|Foreach|Load|Periodic)")
_OWN_PACKAGES = frozenset({"mg"})
_INDEX_KINDS = {
    "label+property": ("range", "node"),
    "edge-type+property": ("range", "relationship"),
    "point": ("point", "node"),
    "label_text": ("fulltext", "node"),
    "edge-type_text": ("fulltext", "relationship"),
    "label+property_vector": ("vector", "node"),
    "edge-type+property_vector": ("vector", "relationship"),
}
_INDEX_NAME = re.compile(r"\(name: (.*)\)")


def is_memgraph(agent: str, told: Mapping[str, Any]) -> bool:
    """Whether a server is a Memgraph, by how it calls itself, which can be configured, or by what its answers bring."""
    return "memgraph" in agent.lower() or {"parsing_time", "planning_time"} <= told.keys()


class MemgraphGraph(BoltGraph):
    """A Memgraph as a :class:`~arcgraph.graph.base.Graph` that is also :class:`~arcgraph.graph.base.Writable`."""

    dialect = "memgraph"
    functions = FUNCTIONS
    lacking = staticmethod(memgraph_grammar.lacking)

    def explain(self, query: str, params: Mapping[str, Any] | None = None) -> Explained:
        """See :meth:`arcgraph.graph.base.Graph.explain`: judged by the operators of the plan."""
        self._admit(query)
        outcome = self._transact(
            f"EXPLAIN\n{query}",
            params,
            access=neo4j.READ_ACCESS,
            timeout=self._settings.graph.timeout,
            limit=None,
            skipped=len("EXPLAIN\n"),
        )
        reads_only = not any(_WRITING_OPERATOR.match(str(line)) for (line,) in outcome.records)
        return Explained(reads_only, notifications(outcome.summary))

    def server(self) -> ServerInfo:
        """See :meth:`arcgraph.graph.base.Served.server`."""
        version = str(self.read(cypher("version", self.dialect)).records[0][0])
        try:
            counted = self.read(cypher("procedure_packages", self.dialect)).records
        except QueryError:  # a privilege of its own
            counted = []
        return ServerInfo("Memgraph", version, extensions={p: n for p, n in counted if p not in _OWN_PACKAGES})

    def cautions(self) -> tuple[str, ...]:
        """See :meth:`arcgraph.graph.base.Cautious.cautions`."""
        return (CAUTION,)

    def summary(self, *, timeout: float) -> GraphSummary | None:
        """See :meth:`arcgraph.graph.base.SelfDescribing.summary`: what ``--schema-info-enabled`` keeps."""
        try:
            ((text,),) = self._read_raw(cypher("schema_info", self.dialect), timeout)
        except QueryError as error:
            if _is_refusal(error):
                return None
            raise
        return _summary(json.loads(text))

    def indexes(self, *, timeout: float) -> tuple[IndexInfo, ...]:
        """See :meth:`arcgraph.graph.base.SelfDescribing.indexes`."""
        constraints = self._read_raw(cypher("constraint_info", self.dialect), timeout)
        unique = {(label, _keys(keys)) for kind, label, keys, *_ in constraints if kind == "unique"}
        return tuple(_indexes(self._read_raw(cypher("index_info", self.dialect), timeout), unique))

    def prepare(self, naming: Iterable[tuple[str, str]] = ()) -> None:
        """See :meth:`arcgraph.graph.base.Writable.prepare`; what exists already stays."""
        label, key = quote(RESERVED_LABEL), quote(RESERVED_KEY)
        self._define(f"CREATE CONSTRAINT ON (n:{label}) ASSERT n.{key} IS UNIQUE")
        # A constraint is no index here.
        self._define(f"CREATE INDEX ON :{label}({key})")
        for owner, name in naming:
            if owner:
                self._define(f"CREATE INDEX ON :{quote(owner)}({quote(name)})")

    def save(self) -> None:
        """See :meth:`arcgraph.graph.base.Writable.save`: nothing to do, the server logs every commit."""

    def _define(self, statement: str) -> None:
        try:
            self.write(statement)
        except QueryError as error:
            if "already exists" not in str(error):
                raise

    def _read_raw(self, query: str, timeout: float) -> list[list[Any]]:
        """All rows as the driver gives them: nothing cut, nothing hidden."""

        def ask(left: float) -> list[list[Any]]:
            with self._session(neo4j.READ_ACCESS, fetch_size(None)) as session:
                return [record.values() for record in session.run(neo4j.Query(query, timeout=left))]

        return self._bounded(ask, timeout=timeout)

    def _attempt(
        self, query: str, params: dict[str, Any], *, access: str, wanted: int | None, seconds: float
    ) -> Outcome:
        query = literal_names(query)
        if unfit := _unfit(params):
            raise QueryError(f"Memgraph cannot hold {unfit}: it would come back changed, or not at all")
        try:
            with self._session(access, fetch_size(wanted)) as session, ExitStack() as stack:
                if _ALONE.match(query):
                    result = session.run(neo4j.Query(query, timeout=seconds), params)
                    return self._taken(result, wanted)._replace(summary=result.consume())
                transaction = stack.enter_context(session.begin_transaction(timeout=seconds))
                result = transaction.run(query, params)
                outcome = self._taken(result, wanted)
                if access == neo4j.READ_ACCESS and len(outcome.records) == wanted:
                    stack.pop_all()
                    raise _EnoughError(outcome)
                outcome = outcome._replace(summary=result.consume())
                if access == neo4j.WRITE_ACCESS:
                    transaction.commit()
                else:
                    # Should a write ever come this far, it does not stay.
                    transaction.rollback()
                return outcome
        except _EnoughError as enough:
            return enough.outcome


class _EnoughError(asyncio.CancelledError):
    """More rows came than were asked for. Memgraph computes what it is told to discard, so the connection is dropped.

    A session of the driver does that for a cancellation; for any other error, and for none, it discards and waits.
    """

    def __init__(self, outcome: Outcome):
        super().__init__()
        self.outcome = outcome


def _is_refusal(error: QueryError) -> bool:
    """Whether the server will not do it, rather than not now."""
    return ".ClientError." in error.code


def _unfit(value: Any) -> str:
    """What of a value to send Memgraph would change, or hang up at; empty where nothing."""
    match value:
        case bytes() | bytearray():
            return "bytes"
        case Duration() if value.months:
            return "a duration with months"
        case Time() | datetime.time() if value.tzinfo is not None:
            return "a time of day with an offset"
        case Duration() | Time() | DateTime():
            nanoseconds = value.nanoseconds if isinstance(value, Duration) else value.nanosecond
            return "nanoseconds" if nanoseconds % 1000 else ""
        case Mapping():
            return next(filter(None, map(_unfit, value.values())), "")
        case list():
            return next(filter(None, map(_unfit, value)), "")
    return ""


# --- what the server keeps ---------------------------------------------------------------------------------------


def _summary(told: Mapping[str, Any]) -> GraphSummary:
    return GraphSummary(
        tuple(NodeGroup(tuple(n["labels"]), n["count"], _carried(n)) for n in told.get("nodes", ())),
        tuple(
            EdgeGroup(tuple(e["start_node_labels"]), e["type"], tuple(e["end_node_labels"]), e["count"], _carried(e))
            for e in told.get("edges", ())
        ),
    )


def _carried(group: Mapping[str, Any]) -> dict[str, int]:
    return {item["key"]: item["count"] for item in group.get("properties", ())}


def _indexes(rows: Iterable[Sequence[Any]], unique: set[tuple[str, tuple[str, ...]]]) -> Iterator[IndexInfo]:
    for written, owner, keys, *_ in rows:
        kind, entity = _INDEX_KINDS.get(written.partition(" (")[0], ("", ""))
        if not kind or not owner or not keys or owner == RESERVED_LABEL:
            continue
        side: Literal["node", "relationship"] = "node" if entity == "node" else "relationship"
        named = _INDEX_NAME.search(written)
        found = (owner, _keys(keys))
        yield IndexInfo(named[1] if named else "", kind, side, (owner,), found[1], side == "node" and found in unique)


def _keys(written: str | list[str]) -> tuple[str, ...]:
    # One key came as a text before composite indexes.
    return (written,) if isinstance(written, str) else tuple(written)
