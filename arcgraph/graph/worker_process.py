"""The parent's half of :mod:`arcgraph.graph.worker`: one process, and the requests that are on their way to it."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from arcgraph.graph import worker
from arcgraph.graph.worker import read_message, write_message


class WorkerGone(Exception):
    """The process ended before it answered."""


class WorkerHung(Exception):
    """The process did not answer in time, and was killed."""


class Failure(NamedTuple):
    """What the engine raised: class name, text and position."""

    kind: str
    text: str
    line: int | None
    column: int | None


class WorkerProcess:
    """A running worker. Thread-safe. Never started again: when it is dead, make another one."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *_program()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(_search_path())},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests: BinaryIO = self._process.stdin  # type: ignore[assignment]
        self._numbers = itertools.count()
        self._waiting: dict[int, Future[Any]] = {}
        self._lock = threading.Lock()
        self._ended = False
        self._reader = threading.Thread(
            target=self._dispatch, args=(self._process.stdout,), name="arcgraph-embedded", daemon=True
        )
        self._reader.start()

    @property
    def pid(self) -> int:
        """The operating system's number for it."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can still take requests."""
        return not self._ended

    def call(self, kind: str, *arguments: Any, patience: float | None = None) -> Any:
        """The worker's answer, a :class:`Failure` included.

        Raises :class:`WorkerGone` when the process dies, :class:`WorkerHung` when it takes more than ``patience``
        seconds, which ends the process and everything else it works on.
        """
        future = self._send(kind, arguments)
        try:
            return future.result(patience)
        except FutureTimeoutError:
            self.kill()
            raise WorkerHung from None
        except (KeyboardInterrupt, SystemExit):
            self.kill()  # nobody will ask for this answer again
            raise

    def kill(self) -> None:
        """End it now; whoever waits for an answer gets :class:`WorkerGone`."""
        self._ended = True
        self._process.kill()

    def close(self, *arguments: Any, patience: float) -> Any:
        """Let it finish what it works on, save and end; kill it if that takes more than ``patience`` seconds."""
        try:
            return self.call("close", *arguments, patience=patience)
        except (WorkerGone, WorkerHung):
            return None
        finally:
            self.kill()
            self._reader.join()

    def retire(self, *arguments: Any) -> None:
        """Let it finish what it works on and end, without waiting for it."""
        try:
            self._send("close", arguments)
        except WorkerGone:
            return
        self._ended = True

    def _send(self, kind: str, arguments: tuple[Any, ...]) -> Future[Any]:
        future: Future[Any] = Future()
        with self._lock:
            if self._ended:
                raise WorkerGone
            number = next(self._numbers)
            self._waiting[number] = future
            try:
                write_message(self._requests, (number, kind, *arguments))
            except OSError:
                self._waiting.pop(number, None)
                raise WorkerGone from None
        return future

    def _dispatch(self, replies: Any) -> None:
        try:
            while True:
                number, outcome, *rest = read_message(replies)
                future = self._waiting.pop(number)
                future.set_result(rest[0] if outcome == "ok" else Failure(*rest))
        except (EOFError, OSError):
            self._bury(replies)

    def _bury(self, replies: BinaryIO) -> None:
        replies.close()
        self._process.wait()
        with self._lock:
            self._ended = True
            waiting, self._waiting = self._waiting, {}
            self._requests.close()
        for future in waiting.values():
            future.set_exception(WorkerGone())


def _program() -> list[str]:
    # -P: a kglite.py in the working directory, or a neo4j.py beside the worker, is not the real one.
    path = worker.__file__
    return ["-P", path] if Path(path).is_file() else ["-P", "-m", worker.__name__]  # imported from an archive


def _search_path() -> list[str]:
    return [entry for entry in sys.path if entry]
