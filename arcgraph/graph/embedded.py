"""Graph files: the embedded engine kglite behind the graph waist.

The engine works in a process of its own (:mod:`arcgraph.graph.worker`). A query is stopped by the engine's own timeout
or, where the engine does not obey it, by killing the process half a second later; whatever else was running there is
run again on the next process. A graph opened for reading never writes beside its file, and follows the file when a
writer has saved it anew.

Writing (:class:`EmbeddedGraph` with ``write=True`` or ``create=True``; one writer per file):

- ``write()`` returns when the statement is in the log beside the file, where it survives a kill and a loss of power;
  the next *writer* finds it there. Readers see it after ``save()``, which writes the file itself, or ``close()``.
- A statement whose process died is reported as :class:`~arcgraph.errors.ServerGone` and never sent again by itself: it
  may or may not have been carried out.
- Property keys in statements and in ``SET n += row.props`` are stored keys (:func:`arcgraph.graph.names.stored_key`).
- Values are given as to any graph (:mod:`arcgraph.graph.values`): dates, durations, points, bytes. Points and durations
  nested in ``$rows`` are real ones, which queries can compute with, once ``save()`` or ``close()`` has run.
- New keys are made by ``SET``: the engine refuses ``CREATE (n:L {key: 1})`` when label ``L`` exists without ``key``.
- The first label decides what the engine can look up fast. Give the reserved label first and index under it:
  ``UNWIND $rows AS row MERGE (n:_Arcgraph {_arcgraph_id: row.id}) SET n:Movie SET n += row.props`` loads 40,000 nodes
  in 1.3 s and again in 0.8 s, while ``MERGE (n:Movie:_Arcgraph {…})`` scans all nodes for each row (two minutes).
  Look-ups by the reserved id then take 0.1 ms and label scans are no slower than with the other order.
- Edges: ``UNWIND $rows AS row MATCH (a:_Arcgraph {_arcgraph_id: row.start}) MATCH (b:_Arcgraph {_arcgraph_id: row.end})
  MERGE (a)-[r:`T` {_arcgraph_id: row.id}]->(b) SET r += row.props``: 40,000 in 1.2 s, idempotent.
- ``prepare(naming)`` makes indexes under the reserved label, so ``MATCH (n:_Arcgraph:Movie) WHERE n.key = $x`` finds a
  name in 0.2 ms where ``MATCH (n:Movie) WHERE n.key = $x`` scans the label (14 ms for 40,000).
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, Rows, Schema
from arcgraph.errors import ConnectError, QueryTimeout, ServerGone, UsageError
from arcgraph.graph import guard, introspect, rewrite
from arcgraph.graph.base import DEFAULT_LIMIT, DEFAULT_TIMEOUT, Explained
from arcgraph.graph.embedded_errors import loaded_names, raise_failure, refuse_to_open, too_long
from arcgraph.graph.engine_names import store_names
from arcgraph.graph.lexer import Kind, lex
from arcgraph.graph.lift import lift, restorable, restoring
from arcgraph.graph.names import quote, stored_key
from arcgraph.graph.values import records_from_engine
from arcgraph.graph.worker import PARALLEL
from arcgraph.graph.worker_process import Failure, WorkerGone, WorkerHung, WorkerProcess
from arcgraph.settings import CacheSettings, GraphSettings, Settings

WRITE_TIMEOUT = 600.0
CLOSE_PATIENCE = 120.0

# How much later than the engine's own timeout the process is killed.
_GRACE = 0.5
# Steps of the engine's plans that change the file, or read another.
_MORE_THAN_READING = ("Create", "Set", "Merge", "Delete", "Detach", "Remove", "Foreach", "Drop", "Insert", "Load")
_OPENING, _CLOSING, _BEFORE_NAMES = frozenset("([{"), frozenset(")]}"), frozenset(".:|&")
# How often a read is sent anew when its process died under it.
_RETRIES = 2


class EmbeddedGraph:
    """A graph in a file. Thread-safe; close it, or use it in a ``with``."""

    dialect = "embedded"
    functions: tuple[str, ...] = ()
    lacking = staticmethod(rewrite.lacking)

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        write: bool = False,
        settings: Settings | None = None,
    ):
        """Open the file at ``path``; see :meth:`open`."""
        self._path = Path(path).expanduser().absolute()
        self.name = str(self._path)
        self._writable = create or write
        self._settings = settings or Settings.load()
        self._check_path(create)
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(PARALLEL)
        self._unsaved = 0
        self._closed = False
        self._holder = _Holder()
        # Also ends the process when the graph is forgotten or the program exits.
        self._finalizer = weakref.finalize(self, self._holder.close)
        self._worker()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        write: bool = False,
        settings: GraphSettings | None = None,
        cache_dir: Path | None = None,
    ) -> EmbeddedGraph:
        """Open a graph file to read it, to ``write`` it too, or ``create`` it if absent (and write it).

        Raises :class:`~arcgraph.errors.UsageError` when there is no graph at ``path``,
        :class:`~arcgraph.errors.ConnectError` when it cannot be opened or another process is writing it.
        """
        parts: dict[str, Any] = {}
        if settings is not None:
            parts["graph"] = settings
        if cache_dir is not None:
            parts["cache"] = CacheSettings(dir=cache_dir)
        return cls(path, create=create, write=write, settings=Settings.load().model_copy(update=parts))

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._path

    def __repr__(self) -> str:
        return f"<EmbeddedGraph {self.name}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Save what was written and end the process. Calling it again does nothing."""
        try:
            if self._unsaved and not self._closed:
                self.save()
        finally:
            self._closed = True
            self._finalizer()

    # --- reading -------------------------------------------------------------------------------------------------

    def run(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        limit: int | None = DEFAULT_LIMIT,
    ) -> Rows:
        """See :meth:`arcgraph.graph.base.Graph.run`: gate, then the engine's plan, then a file opened for reading."""
        stored = self._admit(query)
        guard.admit_planned(query, self._plan(stored, params, written=query, timeout=timeout))
        return self._read(stored, params, timeout=timeout, limit=limit, written=query, free=True)

    def read(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        limit: int | None = DEFAULT_LIMIT,
    ) -> Rows:
        """See :meth:`arcgraph.graph.base.Graph.read`; names in ``query`` are those stored."""
        return self._read(query, params, timeout=timeout, limit=limit, written=query)

    def explain(self, query: str, params: Mapping[str, Any] | None = None) -> Explained:
        """See :meth:`arcgraph.graph.base.Graph.explain`. The engine says little: unknown functions pass unnoticed."""
        return self._plan(self._admit(query), params, written=query, timeout=DEFAULT_TIMEOUT)

    def _plan(self, stored: str, params: Mapping[str, Any] | None, *, written: str, timeout: float) -> Explained:
        """The engine's plan of the whole query and, since of a UNION that shows the first part only, of the others."""
        explained = self._plan_of(stored, params, written=written, timeout=timeout)
        parts = _later_parts(stored)
        if parts is None:
            return Explained(reads_only=False, notifications=explained.notifications)
        later = [self._plan_of(part, params, written=written, timeout=timeout) for part in parts]
        remarks = dict.fromkeys(remark for plan in (explained, *later) for remark in plan.notifications)
        return Explained(all(plan.reads_only for plan in (explained, *later)), tuple(remarks))

    def _plan_of(self, stored: str, params: Mapping[str, Any] | None, *, written: str, timeout: float) -> Explained:
        rows = self._read(f"EXPLAIN {stored}", params, timeout=timeout, limit=None, written=written, free=True)
        steps = rows.column("operation") if "operation" in rows.columns else []
        writes = any(str(step).startswith(_MORE_THAN_READING) for step in steps)
        return Explained(reads_only=bool(steps) and not writes, notifications=rows.notifications)

    def schema(self, *, refresh: bool = False) -> Schema:
        """See :meth:`arcgraph.graph.base.Graph.schema`."""
        return introspect.read_schema(self, cache_dir=self._settings.cache.dir, refresh=refresh)

    def data_version(self) -> str:
        """See :meth:`arcgraph.graph.base.Versioned.data_version`."""
        parts = [*(_signature(self._path) or ()), *([self._unsaved] if self._unsaved else ())]
        return "-".join(map(str, parts))

    def _admit(self, query: str) -> str:
        limits = self._settings.graph
        guard.admit(query, allow_procedures=limits.allow_procedures, allow_functions=limits.allow_functions)
        return rewrite.to_embedded(query)

    def _read(
        self,
        query: str,
        params: Mapping[str, Any] | None,
        *,
        timeout: float,
        limit: int | None,
        written: str,
        free: bool = False,
    ) -> Rows:
        if timeout <= 0 or (limit is not None and limit < 0):
            raise UsageError("timeout must be above 0 and limit at least 0")
        started = time.monotonic()
        most = self._settings.graph.max_value_items
        lifted = lift(store_names(query), params or {})
        # A free query names keys of maps as they were loaded, in its text and in its parameters.
        values = rewrite.embedded_params(lifted.params) if free else lifted.params
        row_limit = None if limit is None else limit + 1
        reply = self._ask(timeout, "query", lifted.query, values, timeout, row_limit, most)
        if isinstance(reply, Failure):
            raise_failure(reply, query, written, timeout)
        columns, records, warnings = reply
        return Rows(
            columns=tuple(loaded_names(lifted.written(column)) for column in columns),
            records=records_from_engine(records[:limit], max_items=most),
            truncated=limit is not None and len(records) > limit,
            seconds=time.monotonic() - started,
            notifications=tuple(loaded_names(text) for text in warnings),
        )

    def _ask(self, timeout: float, *request: Any) -> Any:
        """Send a reading request, anew if its process dies under it; each attempt has the whole ``timeout``."""
        if not self._slots.acquire(timeout=timeout):
            raise QueryTimeout(f"{PARALLEL} other queries kept the graph busy for {timeout:g} s; try again")
        try:
            for _ in range(_RETRIES + 1):
                try:
                    return self._worker().call(*request, patience=timeout + _GRACE)
                except WorkerGone:
                    continue
                except WorkerHung:
                    raise QueryTimeout(too_long(timeout)) from None
            raise ServerGone(f"the process that reads {self.name} ended {_RETRIES + 1} times during this query")
        finally:
            self._slots.release()

    # --- writing -------------------------------------------------------------------------------------------------

    def write(self, query: str, params: Mapping[str, Any] | None = None) -> None:
        """See :meth:`arcgraph.graph.base.Writable.write`, and the top of this module."""
        self._check_writable()
        self._unsaved += 1
        lifted = lift(store_names(query), params or {})
        self._holder.to_restore.update(found for value in lifted.params.values() for found in restorable(value))
        self._tell("write", lifted.query, lifted.params, WRITE_TIMEOUT, patience=WRITE_TIMEOUT + _GRACE, query=query)

    def prepare(self, naming: Iterable[tuple[str, str]] = ()) -> None:
        """See :meth:`arcgraph.graph.base.Writable.prepare`; the keys are those loaded, and labels share an index."""
        label = quote(RESERVED_LABEL)
        self.write(f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{label}) REQUIRE n.{quote(RESERVED_KEY)} IS UNIQUE")
        for key in sorted({key for _, key in naming}):
            self.write(f"CREATE INDEX IF NOT EXISTS FOR (n:{label}) ON (n.{quote(stored_key(key))})")

    def save(self) -> None:
        """See :meth:`arcgraph.graph.base.Writable.save`: afterwards every reader sees what was written."""
        self._check_writable()
        # Saving twice does no harm, so it is repeated where a write is not.
        finishing = self._holder.finishing()
        self._tell("save", finishing, WRITE_TIMEOUT, patience=None, query="", attempts=_RETRIES + 1)
        self._holder.to_restore.clear()
        self._unsaved = 0

    def _check_writable(self) -> None:
        if not self._writable:
            raise UsageError(f"{self.name} is open for reading; open it with write=True")

    def _tell(self, *request: Any, patience: float | None, query: str, attempts: int = 1) -> None:
        try:
            reply = self._worker().call(*request, patience=patience)
        except WorkerGone:
            if attempts > 1:
                return self._tell(*request, patience=patience, query=query, attempts=attempts - 1)
            raise ServerGone(
                f"the process that writes {self.name} ended during a write, which may or may not have been "
                "carried out; repeat it if it can be repeated (loading can)"
            ) from None
        except WorkerHung:
            raise QueryTimeout(too_long(patience or 0)) from None
        if isinstance(reply, Failure):
            raise_failure(reply, query, query, patience or 0)
        return None

    # --- the process ---------------------------------------------------------------------------------------------

    def _worker(self) -> WorkerProcess:
        with self._lock:
            if self._closed:
                raise UsageError(f"{self.name} is closed")
            seen = None if self._writable else _signature(self._path)
            worker = self._holder.worker
            if worker is not None and worker.alive:
                # A file that has vanished can still be read from where it was loaded.
                if seen is None or seen == self._holder.seen:
                    return worker
                worker.retire([], WRITE_TIMEOUT)
            self._holder.worker = self._start()
            self._holder.seen = seen
            return self._holder.worker

    def _start(self) -> WorkerProcess:
        try:
            worker = WorkerProcess()
            reply = worker.call("open", str(self._path), self._writable)
        except OSError as error:
            raise ConnectError(f"cannot start a process for {self.name}: {error}") from error
        except WorkerGone:
            raise ConnectError(
                f"the process that should open {self.name} ended at once; see why: python -m arcgraph.graph.worker"
            ) from None
        if isinstance(reply, Failure):
            worker.close([], WRITE_TIMEOUT, patience=CLOSE_PATIENCE)
            refuse_to_open(self.name, reply)
        return worker

    def _check_path(self, create: bool) -> None:
        path = self._path
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a graph file in it, for example {path / 'g.arc'}")
        if create:
            if not path.parent.is_dir():
                raise UsageError(f"there is no folder {path.parent}; make it first")
        elif not path.exists():
            raise UsageError(f"there is no graph at {path}; load one: arcgraph load FILE --to {path}")
        if path.exists() and not os.access(path, os.R_OK):
            raise ConnectError(f"{path} cannot be read; ask its owner for permission")


class _Holder:
    """The process of a graph, what its file looked like when it was loaded, and what is left to do to what was written.

    Outlives the graph, so that a graph that is forgotten ends its process, too.
    """

    def __init__(self) -> None:
        self.worker: WorkerProcess | None = None
        self.seen: tuple[int, ...] | None = None
        self.to_restore: set[tuple[str, str]] = set()

    def finishing(self) -> list[tuple[str, dict[str, Any]]]:
        """The statements that make real points and durations of those that were written in a form of ours."""
        return [statement for key, function in sorted(self.to_restore) for statement in restoring(key, function)]

    def close(self) -> None:
        """Save what was written and end the process."""
        if self.worker is not None:
            self.worker.close(self.finishing(), WRITE_TIMEOUT, patience=CLOSE_PATIENCE)


def _later_parts(query: str) -> list[str] | None:
    """What follows each UNION outside of all brackets; ``None`` where the text cannot be cut into tokens.

    Read from the tokens alone, so that it holds for what the gate would refuse, too. UNION is a reserved word of the
    engine: only behind a dot or a colon is it a name.
    """
    cut = lex(query)
    if cut.fault:
        return None
    tokens, depth, unions = cut.tokens, 0, []
    for at, token in enumerate(tokens):
        if token.kind is Kind.OPERATOR:
            depth += (token.value in _OPENING) - (token.value in _CLOSING)
        elif token.word == "UNION" and depth == 0 and tokens[at - 1].text not in _BEFORE_NAMES:
            unions.append(at)
    ends = [tokens[at].offset for at in unions[1:]] + [len(query)] * bool(unions)
    firsts = [tokens[at + 2 if tokens[at + 1].word in ("ALL", "DISTINCT") else at + 1] for at in unions]
    return [query[first.offset : end] for first, end in zip(firsts, ends, strict=True)]


def _signature(path: Path) -> tuple[int, ...] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return (stat.st_mtime_ns, stat.st_size, stat.st_ino)
