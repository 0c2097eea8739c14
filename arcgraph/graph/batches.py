"""The loader's hands: rows that wait in groups, the statements that write them, the file of lines that cannot be."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TextIO, TypeVar

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL
from arcgraph.errors import QueryError, QueryTimeout, ServerGone, StorageError
from arcgraph.graph.base import Graph, Writable
from arcgraph.graph.formats import Read, Source
from arcgraph.graph.names import quote

ANCHOR, KEY = quote(RESERVED_LABEL), quote(RESERVED_KEY)
_BATCH_BYTES = 16 * 2**20


class Target(Graph, Writable, Protocol):
    """A graph that can be read and written."""


@dataclass
class File:
    """A source and its reader; ``good`` and ``bad`` count its lines, ``has_edges`` whether it needs a second pass."""

    source: Source
    read: Callable[[], Iterator[Read]]
    good: int = 0
    bad: int = 0
    has_edges: bool = False
    first_fault: str = ""


class Row(NamedTuple):
    """One row of a batch and the line it came from; ``counts`` is 0 for what only adds to something counted before."""

    file: File
    read: Read
    values: dict[str, Any]
    counts: int = 1


class Rejects:
    """The file of bad lines, made when the first one comes: JSONL of {file, line, reason, raw}."""

    _EXAMPLES = 5

    def __init__(self, path: Path):
        self._path = path
        self._file: TextIO | None = None
        self.count = 0
        self.examples: list[str] = []

    @property
    def path(self) -> Path | None:
        """Where bad lines were written; ``None`` while there are none."""
        return self._path if self._file is not None else None

    def add(self, file: File, read: Read, reason: str) -> None:
        """Set a line aside. Raises :class:`~arcgraph.errors.StorageError` where that cannot be written."""
        where = f"{file.source.name}, line {read.number}: {reason}"
        file.bad += 1
        file.first_fault = file.first_fault or f"line {read.number}: {reason}"
        self.count += 1
        if len(self.examples) < self._EXAMPLES:
            self.examples.append(where)
        raw = read.raw.decode("utf-8", errors="backslashreplace")
        line = {"file": file.source.name, "line": read.number, "reason": reason, "raw": raw}
        try:
            self._opened().write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            raise StorageError(
                f"the file of bad lines {self._path} cannot be written ({error.strerror or error}): "
                f"name another place for it with --rejects. The first bad line: {self.examples[0]}"
            ) from error

    def revoke(self, file: File, read: Read, reason: str) -> None:
        """Set aside a line that looked good when it was read."""
        file.good -= 1
        self.add(file, read, reason)

    def _opened(self) -> TextIO:
        if self._file is None:
            self._file = self._path.open("w", encoding="utf-8", errors="backslashreplace")
        return self._file

    def close(self) -> None:
        """Finish the file."""
        if self._file is not None:
            self._file.close()


_Key = TypeVar("_Key")


class Groups(Generic[_Key]):
    """Rows waiting to be written, by group; bounded in rows and in bytes of their lines.

    A group is written when it fills a batch; when all groups together grow too large, the fullest go first, so that
    hundreds of labels or types still make large batches.
    """

    def __init__(self, batch: int, write: Callable[[_Key, list[Row]], None]):
        self._batch = batch
        self._write = write
        self._rows: dict[_Key, list[Row]] = defaultdict(list)
        self._waiting = 0
        self._bytes = 0

    def add(self, key: _Key, row: Row) -> None:
        """Let a row wait, or write its group."""
        rows = self._rows[key]
        rows.append(row)
        self._waiting += 1
        self._bytes += len(row.read.raw)
        if len(rows) >= self._batch:
            self._flush(key)
        elif self._waiting >= 4 * self._batch or self._bytes >= _BATCH_BYTES:
            self._flush_fullest()

    def flush(self) -> None:
        """Write everything that waits."""
        for key in list(self._rows):
            self._flush(key)

    def _flush_fullest(self) -> None:
        aim_rows, aim_bytes = self._waiting // 2, self._bytes // 2
        for key in sorted(self._rows, key=lambda key: len(self._rows[key]), reverse=True):
            if self._waiting <= aim_rows and self._bytes <= aim_bytes:
                return
            self._flush(key)

    def _flush(self, key: _Key) -> None:
        rows = self._rows.pop(key)
        self._waiting -= len(rows)
        self._bytes -= sum(len(row.read.raw) for row in rows)
        self._write(key, rows)


class Writer:
    """Puts batches into the graph. What the engine refuses is narrowed down to the lines at fault."""

    # The server's word on these concerns the whole load, not one row of it.
    _FATAL_CODES = ("Security", "DatabaseError", "Database.", "Cluster", "TransientError")

    def __init__(self, graph: Target):
        self._graph = graph

    def nodes(self, labels: tuple[str, ...], rows: list[Row]) -> list[tuple[Row, str]]:
        """Write ``{id, props}`` rows as nodes of one label set; returns the refused ones with the reason."""
        added = " SET n" + "".join(f":{quote(label)}" for label in labels) if labels else ""
        return self._write(
            f"UNWIND $rows AS row MERGE (n:{ANCHOR} {{{KEY}: row.id}}) SET n += row.props{added}",
            rows,
        )

    def edges(self, type: str, rows: list[Row]) -> list[tuple[Row, str]]:
        """Write ``{source, target, props}`` rows as relationships of one type; returns as :meth:`nodes`."""
        return self._write(
            f"UNWIND $rows AS row MATCH (a:{ANCHOR} {{{KEY}: row.source}}) MATCH (b:{ANCHOR} {{{KEY}: row.target}}) "
            f"CREATE (a)-[r:{quote(type)}]->(b) SET r += row.props",
            rows,
        )

    def _write(self, query: str, rows: list[Row]) -> list[tuple[Row, str]]:
        return _Narrowing(self._attempt, query).write(rows)

    def _attempt(self, query: str, rows: list[Row]) -> QueryError | None:
        """Write rows, all or none; returns what the engine holds against them."""
        try:
            self._graph.write(query, {"rows": [row.values for row in rows]})
        except (ServerGone, QueryTimeout):
            raise
        except QueryError as error:
            if error.retryable or any(word in error.code for word in self._FATAL_CODES):
                raise
            return error
        return None


class _Narrowing:
    """Writes a batch; halves what is refused until the rows at fault stand alone.

    Where the fault is in what all rows share, a label or a type that the engine does not take, it gives up after a few.
    """

    _FEW = 16

    def __init__(self, attempt: Callable[[str, list[Row]], QueryError | None], query: str):
        self._attempt = attempt
        self._query = query
        self._refused: list[tuple[Row, str]] = []
        self._written = False

    def write(self, rows: list[Row]) -> list[tuple[Row, str]]:
        """Returns the refused rows, each with the reason."""
        self._try(rows)
        return self._refused

    def _try(self, rows: list[Row]) -> None:
        if len(self._refused) >= self._FEW and not self._written:
            reason = self._refused[0][1]
            self._refused.extend((row, reason) for row in rows)
            return
        error = self._attempt(self._query, rows)
        if error is None:
            self._written = True
        elif len(rows) == 1:
            self._refused.append((rows[0], f"the database refuses it: {error}"))
        else:
            middle = len(rows) // 2
            self._try(rows[:middle])
            self._try(rows[middle:])
