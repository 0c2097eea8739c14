"""Events, traces and recorders."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

from arcgraph.tracing import Event, JsonlRecorder, Trace


class Kept:
    """A recorder that keeps what it gets."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def record(self, event: Event) -> None:
        self.events.append(event)


def test_an_event_becomes_plain_values() -> None:
    event = Event("execute", "query", {"rows": 3}, 0.123456789)
    assert event.to_dict() == {"stage": "execute", "kind": "query", "at": 0.123457, "rows": 3}


def test_a_trace_keeps_events_in_order_and_passes_them_on() -> None:
    one, other = Kept(), Kept()
    trace = Trace(one, other)
    trace.note("interpret", "anchors", anchors=["Ys"])
    trace.note("answer", "answered")
    assert [(e.stage, e.kind) for e in trace.events] == [("interpret", "anchors"), ("answer", "answered")]
    assert one.events == other.events == trace.events
    assert 0 <= trace.events[0].at <= trace.events[1].at <= trace.elapsed


def test_a_trace_is_a_recorder() -> None:
    inner = Trace()
    Trace(inner).note("answer", "failed")
    assert [e.kind for e in inner.events] == ["failed"]


def test_stages_are_timed_and_add_up_also_when_they_fail() -> None:
    trace = Trace()
    for fails in (False, True):
        try:
            with trace.stage("execute"):
                time.sleep(0.01)
                assert not fails, "on purpose"
        except AssertionError:
            pass
    with trace.stage("evidence"):
        pass
    assert trace.seconds.keys() == {"execute", "evidence"}
    assert 0.02 <= trace.seconds["execute"] <= trace.elapsed


def test_jsonl_appends_one_object_a_line_and_is_written_at_once(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    for number in range(2):
        recorder = JsonlRecorder(path)
        recorder.record(Event("execute", "query", {"name": "Ærø\n", "on": date(1902, 1, 17)}, number))
        # Not closed yet: a program that dies later has still told what happened.
        assert len(path.read_text(encoding="utf-8").splitlines()) == number + 1
        recorder.close()
    lines = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[1]) == {"stage": "execute", "kind": "query", "at": 1, "name": "Ærø\n", "on": "1902-01-17"}
    assert "Ærø" in lines[0]


def test_events_of_many_threads_reach_other_recorders_one_at_a_time(tmp_path: Path) -> None:
    class Slow:
        """Notices when two events come at once."""

        busy = overlaps = 0

        def record(self, event: Event) -> None:  # noqa: ARG002  the protocol's shape
            self.overlaps += self.busy
            self.busy = 1
            time.sleep(0.001)
            self.busy = 0

    slow, written = Slow(), JsonlRecorder(tmp_path / "events.jsonl")
    trace = Trace(slow, written)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: trace.note("explore", "query", number=n), range(64)))
    written.close()
    lines = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["number"] for line in lines) == list(range(64))
    assert slow.overlaps == 0


def test_a_lap_notes_in_the_whole_and_has_its_own_time() -> None:
    trace = Trace()
    time.sleep(0.02)
    lap = trace.lap()
    with lap.stage("read"):
        lap.note("read", "event", number=1)
    assert lap.elapsed < trace.elapsed - 0.01
    assert [(e.stage, e.data["number"]) for e in trace.events] == [("read", 1)]
    assert trace.events[0].at >= 0.02
    assert (list(trace.seconds), lap.events, lap.seconds) == (["read"], [], {})
