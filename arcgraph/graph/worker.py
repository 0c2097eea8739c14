"""The embedded engine's process, spoken to over standard input and output. Stands alone: imports nothing of arcgraph.

The engine does not always obey its own timeout, so it lives where it can be killed, and has to be up again within a
moment: the file is run by its path, without the packages around it. A message is a pickled tuple behind its length in
eight bytes. Requests are ``(number, kind, *arguments)`` and are worked on side by side, since the engine lets go of the
interpreter lock; answers are ``(number, "ok", result)`` or ``(number, "error", class, text, line, column)``. When the
parent goes away, standard input ends and so does the process.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

PARALLEL = 8
"""How many requests are worked on at a time."""

FORMAT = 1
"""Stamped on graph files: which keys are stored under a prefix, and which values in a form of ours."""

MARK = "\x1f"
"""First character of texts that stand for a value which is none; see :mod:`arcgraph.graph.marked`."""

# A list of numbers this long is an embedding, which no prompt, evidence or row has a use for.
VECTOR_ITEMS = 64
# A text may be longer than a list: passages are evidence and have to survive.
TEXT_FACTOR = 20

_LENGTH = struct.Struct(">Q")
# Passes of the engine's optimiser with which queries differ from a brute-force matcher, or close kin of such a pass.
_DISABLED_PASSES = [
    # Wrong counts, over self-loops among others.
    "fuse_match_return_aggregate",
    "fuse_match_with_aggregate",
    "fuse_match_with_aggregate_top_k",
    # ORDER BY … LIMIT over a computed sort key keeps the wrong rows.
    "fuse_node_scan_top_k",
    "fuse_order_by_top_k",
    "fuse_with_top_k",
]


def read_message(stream: BinaryIO) -> Any:
    """The next message; raises ``EOFError`` when the other side is gone."""
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(header)
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return pickle.loads(body)


def write_message(stream: BinaryIO, message: Any) -> None:
    """Send one message; raises ``OSError`` when the other side is gone."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def bulk(value: Any, max_items: int) -> tuple[str, int] | None:
    """Kind and size of a text, bytes or list value too bulky to carry; ``None`` for everything that may stay."""
    kind = type(value)
    if kind is str:
        return ("text", len(value)) if len(value) > TEXT_FACTOR * max_items else None
    if kind in (bytes, bytearray):
        return ("bytes", len(value)) if len(value) > max_items else None
    if kind is list and len(value) >= min(VECTOR_ITEMS, max_items + 1):
        if len(value) >= VECTOR_ITEMS and all(type(item) is float for item in value):
            return ("vector", len(value))
        return ("list", len(value)) if len(value) > max_items else None
    return None


def trim(value: Any, max_items: int) -> Any:
    """The same value with marks in place of everything bulky, so that it need not cross the pipe."""
    kind = type(value)
    if kind is str and value.startswith(MARK):
        return value  # its decoder will judge
    if kind is str or kind is list:
        found = bulk(value, max_items)
        if found is not None:
            return f"{MARK}omitted {found[0]} {found[1]}"
    if kind is list:
        return [trim(item, max_items) for item in value]
    if kind is dict:
        return {key: trim(item, max_items) for key, item in value.items()}
    return value


class ForeignFileError(Exception):
    """A file of the engine that arcgraph did not write, or a newer arcgraph did."""


class Engine:
    """One graph file, opened for reading (nothing is ever written beside it) or as its only writer."""

    def __init__(self, path: str, writable: bool):
        import kglite

        kglite.set_query_warning_policy("silent")
        if writable:
            # "full": a committed statement survives even a loss of power.
            self._graph: Any = kglite.open(path, durable="full")
            # A writer that was killed at its very start leaves a file that is empty and not stamped yet.
            if self._graph.schema_version == 0 and not self._holds_anything():
                self._graph.set_schema_version(FORMAT)
                self._graph.save()
        else:
            self._graph = kglite.load(path)
            self._graph.read_only(True)
        self._writable = writable
        self._unsaved = False
        self._check_format()

    def _holds_anything(self) -> bool:
        return bool(list(self._graph.cypher("MATCH (n) RETURN 1 AS one LIMIT 1")))

    def _check_format(self) -> None:
        version = self._graph.schema_version
        if version == FORMAT:
            return
        raise ForeignFileError(
            f"it was written by a newer arcgraph (format {version}, this one reads {FORMAT}); upgrade arcgraph"
            if version > FORMAT
            else "it is a file of the engine kglite that arcgraph did not write; export it and use arcgraph load"
        )

    def query(
        self, query: str, params: dict[str, Any], timeout: float, row_limit: int | None, max_items: int
    ) -> tuple[list[str], list[tuple[Any, ...]], list[str]]:
        """Columns, records and warnings; bulky values are marked."""
        # An empty scope forbids every change; the writer's own reads are reads, too.
        view = self._cypher(query, params, timeout, row_limit, [])
        columns = list(view.columns)
        records = [tuple([trim(row[column], max_items) for column in columns]) for row in view]
        return columns, records, [text for text in view.warnings if not text.startswith("Result truncated")]

    def write(self, query: str, params: dict[str, Any], timeout: float) -> None:
        """Run one writing statement; it is in the log on disk when this returns."""
        self._unsaved = True
        self._cypher(query, params, timeout, 0)

    def save(self, finishing: list[tuple[str, dict[str, Any]]], timeout: float) -> None:
        """Run the statements that finish what was written, write the graph file and begin the log anew."""
        for query, params in finishing:
            self._cypher(query, params, timeout, 0)
        self._graph.save()
        self._unsaved = False

    def close(self, finishing: list[tuple[str, dict[str, Any]]], timeout: float) -> None:
        """Save what was written and let go of the file."""
        # The engine's own close() writes the file, be it open for reading only.
        if self._writable:
            if self._unsaved or finishing:
                self.save(finishing, timeout)
            self._graph.close()

    def _cypher(
        self,
        query: str,
        params: dict[str, Any],
        timeout: float,
        row_limit: int | None,
        write_scope: list[str] | None = None,
    ) -> Any:
        return self._graph.cypher(
            query,
            params=params,
            timeout_ms=max(1, int(timeout * 1000)),  # 0 would mean none
            row_limit=row_limit,
            disabled_passes=_DISABLED_PASSES,
            hide_structural_keys=True,
            write_scope=write_scope,
        )


class Server:
    """Answers the requests that arrive on one stream on another one."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO):
        self._requests = requests
        self._replies = replies
        self._lock = threading.Lock()
        self._engine: Engine | None = None

    def serve(self) -> None:
        """Work until a ``close`` request is done, or until the parent is gone."""
        pool = ThreadPoolExecutor(PARALLEL)
        while True:
            try:
                number, kind, *arguments = read_message(self._requests)
            except EOFError:
                os._exit(0)  # running queries cannot be stopped, and nobody waits for them
            if kind == "close":
                threading.Thread(target=self._finish, args=(pool, number, arguments)).start()
            else:
                pool.submit(self._answer, number, kind, arguments)

    def _finish(self, pool: ThreadPoolExecutor, number: int, arguments: list[Any]) -> None:
        pool.shutdown(wait=True)
        self._answer(number, "close", arguments)
        os._exit(0)

    def _answer(self, number: int, kind: str, arguments: list[Any]) -> None:
        sound = True
        try:
            reply: tuple[Any, ...] = (number, "ok", self._perform(kind, arguments))
        except BaseException as error:
            reply = (number, "error", *_describe(error))
            sound = isinstance(error, Exception)
        try:
            with self._lock:
                write_message(self._replies, reply)
        except OSError:
            os._exit(0)
        if not sound:  # the engine panicked and may be left half changed; the parent starts another process
            os._exit(1)

    def _perform(self, kind: str, arguments: list[Any]) -> Any:
        if kind == "open":
            self._engine = Engine(*arguments)
            return None
        if self._engine is None:
            return None
        return getattr(self._engine, kind)(*arguments)


def _describe(error: BaseException) -> tuple[str, str, int | None, int | None]:
    line, column = getattr(error, "line", None), getattr(error, "col", None)
    return type(error).__name__, str(error) or repr(error), line, column


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    # Whatever the engine prints must not land among the messages.
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, replies


def main() -> None:
    """Serve the process that started this one."""
    # Ctrl-C reaches the whole process group; ending this process is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    Server(*_take_pipes()).serve()


if __name__ == "__main__":
    main()
