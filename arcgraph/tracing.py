"""What happened while a question was answered, as typed events; and where they go."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened: in which ``stage``, what kind, its data, and seconds since the question began."""

    stage: str
    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)
    at: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"stage": self.stage, "kind": self.kind, "at": round(self.at, 6), **self.data}


class Recorder(Protocol):
    """Anything that events can be sent to."""

    def record(self, event: Event) -> None:
        """Take one event; must not raise."""
        ...


class Trace:
    """Keeps every event of one question in order, times its stages, and passes events on to other recorders.

    Thread-safe: other recorders get one event at a time.
    """

    def __init__(self, *others: Recorder):
        self.events: list[Event] = []
        self.seconds: dict[str, float] = {}
        self._others = others
        self._lock = threading.Lock()
        self._began = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """Seconds since the question began."""
        return time.perf_counter() - self._began

    def record(self, event: Event) -> None:
        with self._lock:
            self.events.append(event)
            for other in self._others:
                other.record(event)

    def note(self, stage: str, kind: str, **data: Any) -> None:
        """Record an event that happens now."""
        self.record(Event(stage, kind, data, self.elapsed))

    def lap(self) -> Trace:
        """A trace of a part of the question: what it notes is noted here, and its own time begins now."""
        return _Lap(self)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage; a stage entered twice adds up."""
        began = time.perf_counter()
        try:
            yield
        finally:
            with self._lock:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


class _Lap(Trace):
    """A part of another trace."""

    def __init__(self, whole: Trace):
        super().__init__()
        self._whole = whole

    def note(self, stage: str, kind: str, **data: Any) -> None:
        """Record an event that happens now, by the time of the whole."""
        self._whole.note(stage, kind, **data)

    def record(self, event: Event) -> None:
        self._whole.record(event)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage of the whole."""
        with self._whole.stage(name):
            yield


class JsonlRecorder:
    """Appends every event to a file, one JSON object a line."""

    def __init__(self, path: Path):
        self._file = path.open("a", encoding="utf-8")

    def record(self, event: Event) -> None:
        self._file.write(json.dumps(event.to_dict(), ensure_ascii=False, default=str) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()
