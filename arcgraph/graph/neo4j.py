"""Neo4j 5 and later, Community and Enterprise; APOC is not needed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import neo4j

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL
from arcgraph.errors import QueryError
from arcgraph.graph import guard
from arcgraph.graph.base import Explained, ServerInfo
from arcgraph.graph.bolt import BoltGraph, notifications
from arcgraph.graph.names import quote
from arcgraph.resources import cypher

_INDEX_PREFIX = "arcgraph_"
_INDEX_SECONDS = 300
_OWN_PACKAGES = frozenset({"db", "dbms", "tx", "cdc", "internal"})


class Neo4jGraph(BoltGraph):
    """A Neo4j database as a :class:`~arcgraph.graph.base.Graph` that is also :class:`~arcgraph.graph.base.Writable`."""

    dialect = "neo4j"

    def _admit_planned(self, query: str, params: Mapping[str, Any] | None, timeout: float) -> None:
        guard.admit_planned(query, self._plan(query, params, timeout=timeout))

    def explain(self, query: str, params: Mapping[str, Any] | None = None) -> Explained:
        """See :meth:`arcgraph.graph.base.Graph.explain`. The query is planned, never run."""
        self._admit(query)
        return self._plan(query, params, timeout=self._settings.graph.timeout)

    def _plan(self, query: str, params: Mapping[str, Any] | None, *, timeout: float) -> Explained:
        # On a line of its own, so that only line numbers have to be put right.
        summary = self._transact(
            f"EXPLAIN\n{query}",
            params,
            access=neo4j.READ_ACCESS,
            timeout=timeout,
            limit=0,
            skipped=len("EXPLAIN\n"),
        ).summary
        reads_only = summary is not None and summary.query_type == "r"
        return Explained(reads_only, notifications(summary))

    def server(self) -> ServerInfo:
        """See :meth:`arcgraph.graph.base.Served.server`."""
        name, version, edition = self.read(cypher("server", self.dialect)).records[0]
        counted = self.read(cypher("procedure_packages", self.dialect))
        extensions = {package: count for package, count in counted if package not in _OWN_PACKAGES}
        return ServerInfo(name.removesuffix(" Kernel"), version, edition, extensions)

    def data_version(self) -> str:
        """See :meth:`arcgraph.graph.base.Versioned.data_version`: a bookmark names the last committed transaction."""

        def ask(left: float) -> Iterable[str]:
            with self._session(neo4j.READ_ACCESS, 1) as session:
                session.run(neo4j.Query("RETURN 1", timeout=left)).consume()
                return session.last_bookmarks().raw_values

        return " ".join(sorted(self._bounded(ask, timeout=self._settings.graph.timeout)))

    def prepare(self, naming: Iterable[tuple[str, str]] = ()) -> None:
        """See :meth:`arcgraph.graph.base.Writable.prepare`; returns when all indexes are online."""
        self.write(
            f"CREATE CONSTRAINT {_INDEX_PREFIX}id IF NOT EXISTS "
            f"FOR (n:{quote(RESERVED_LABEL)}) REQUIRE n.{quote(RESERVED_KEY)} IS UNIQUE"
        )
        for label, key in naming:
            if label:
                self.write(_create_index(label, key))
        self._await_indexes()

    def save(self) -> None:
        """See :meth:`arcgraph.graph.base.Writable.save`: nothing to do, the server commits every write."""

    def _await_indexes(self) -> None:
        try:
            query = cypher("await_indexes", self.dialect)
            self.read(query, {"seconds": _INDEX_SECONDS}, timeout=_INDEX_SECONDS + 10)
        except QueryError:
            # One value too long for an index fails the whole index, and from then on every write beneath its label.
            if not self._drop_failed_indexes():
                raise

    def _drop_failed_indexes(self) -> list[str]:
        failed = self.read(cypher("failed_indexes", self.dialect), {"prefix": _INDEX_PREFIX}).column("name")
        for name in failed:
            self.write(f"DROP INDEX {quote(name)} IF EXISTS")
        return failed


def _create_index(label: str, key: str) -> str:
    # Labels and keys may hold any character; the name of an index is better plain, and the same on every run.
    digest = hashlib.sha256(f"{label}\0{key}".encode()).hexdigest()[:16]
    return f"CREATE INDEX {_INDEX_PREFIX}{digest} IF NOT EXISTS FOR (n:{quote(label)}) ON (n.{quote(key)})"
