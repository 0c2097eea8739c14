"""All layers together, as settings build them, against a server: what arrives there, and when."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, refused, said
from pydantic import BaseModel

from arcgraph.build import connect_llm
from arcgraph.errors import ModelError, ModelTimeout
from arcgraph.llm.base import LLM, Call, system, user
from arcgraph.llm.layers import observed
from arcgraph.settings import Settings
from arcgraph.tracing import Trace

pytest.importorskip("openai", reason="the client is an optional part: pip install 'arcgraph-qa[llm]'")

ASK = [system("Choose."), user("Which one?")]
Connect = Callable[..., LLM]


class Choice(BaseModel):
    option: int


@pytest.fixture
def server() -> Iterator[ModelServer]:
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def connected(server: ModelServer, tmp_path: Path) -> Iterator[Connect]:
    opened: list[LLM] = []

    def connect(**llm: Any) -> LLM:
        settings = Settings.load({}, llm={"model": "tiny", "url": server.url, **llm}, cache={"dir": tmp_path / "cache"})
        found = connect_llm(settings, {})
        assert found is not None
        opened.append(found)
        return found

    yield connect
    for llm in opened:
        llm.close()


def test_each_stage_arrives_with_its_sampling(server: ModelServer, connected: Connect) -> None:
    llm = connected(stages=("generate.max_tokens=100",))
    for stage in ("plan", "generate", "answer", "of my own"):
        llm.complete(ASK, call=Call(stage))
    assert [(s.body["temperature"], s.body["top_p"], s.body["max_tokens"]) for s in server.seen] == [
        (0.0, 0.95, 8_192),
        (0.2, 0.95, 100),
        (1.0, 0.95, 16_000),
        (0.1, 0.95, 8_192),
    ]
    assert [s.body["chat_template_kwargs"]["enable_thinking"] for s in server.seen] == [False, False, True, False]


def test_a_busy_server_is_asked_again_when_it_says(server: ModelServer, connected: Connect) -> None:
    server.script = [
        refused(429, "slowly", retry_after="0.4"),
        refused(503, "soon", retry_after_ms="100"),
        said("fine"),
    ]
    reply = connected().complete(ASK)
    assert (reply.text, reply.attempts) == ("fine", 3)
    first, second, third = (seen.at for seen in server.seen)
    assert second - first >= 0.4
    assert third - second >= 0.1


def test_a_server_that_stays_busy_is_asked_five_times(server: ModelServer, connected: Connect) -> None:
    server.script = [refused(429, "slowly", retry_after="0")]
    llm, meter = observed(connected(), trace := Trace())
    with pytest.raises(ModelError, match="429") as caught:
        llm.complete(ASK, call=Call("plan"))
    assert len(server.seen) == caught.value.attempts == meter.total.requests == trace.events[0].data["requests"] == 5
    assert (meter.total.calls, meter.total.failed) == (1, 1)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_is_refused_for_good_is_asked_once(server: ModelServer, connected: Connect, status: int) -> None:
    server.script = [refused(status, "no", retry_after="0")]
    with pytest.raises(ModelError):
        connected().complete(ASK)
    assert len(server.seen) == 1


def test_a_dropped_connection_is_opened_again(server: ModelServer, connected: Connect) -> None:
    server.script = [replace(said("fi"), drops=True), said("fine")]
    assert connected().complete(ASK).text == "fine"


def test_one_setting_stretches_the_time_of_every_call(server: ModelServer, connected: Connect) -> None:
    server.script = [replace(said("fine"), delay=0.5)]
    call = Call(timeout=0.1)
    assert connected(stretch=20).complete(ASK, call=call).text == "fine"
    with pytest.raises(ModelTimeout, match=r"within 0\.1 s"):
        connected(cache_entries=0, attempts=1).complete(ASK, call=call)


def test_a_deadline_bounds_attempts_and_pauses_together(server: ModelServer, connected: Connect) -> None:
    server.script = [replace(refused(503, "soon"), delay=0.2)]
    llm = connected(attempts=20)
    began = time.monotonic()
    with pytest.raises(ModelError):
        llm.complete(ASK, call=Call(deadline=began + 2.0))
    assert time.monotonic() - began < 2.5
    assert 2 <= len(server.seen) < 6


def test_what_was_answered_is_sent_once_also_by_another_process(server: ModelServer, connected: Connect) -> None:
    server.script = [said('{"option": 4}')]
    llm, meter = observed(connected(), Trace())
    replies = [one.complete(ASK, schema=Choice, call=Call("plan")) for one in (llm, llm, connected())]
    assert [r.parsed for r in replies] == [Choice(option=4)] * 3
    assert [r.cached for r in replies] == [False, True, True]
    assert len(server.seen) == 1
    assert (meter.total.calls, meter.total.cached, meter.total.tokens.total) == (2, 1, 18)


def test_what_a_server_refuses_does_not_change_what_is_found_in_the_cache(
    server: ModelServer, connected: Connect
) -> None:
    server.script = [
        refused(400, "no response_format here"),
        refused(400, "no json_object either"),
        said('{"option": 4}'),
    ]
    assert connected().complete(ASK, schema=Choice).attempts == 3
    assert connected().complete(ASK, schema=Choice).cached


def test_no_more_requests_than_allowed_are_under_way(server: ModelServer, connected: Connect) -> None:
    server.script = lambda seen: replace(said(seen.prompt), delay=0.05)
    llm = connected(concurrency=2)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda n: llm.complete([user(str(n))]).text, range(8)))
    assert replies == [str(n) for n in range(8)]
    assert server.most_under_way == 2


def test_a_reply_that_cannot_be_read_is_repaired_over_the_wire(server: ModelServer, connected: Connect) -> None:
    server.script = [said("Four, I think."), said("4"), said('{"option": 4}')]
    llm, meter = observed(connected(), Trace(), repairs=2)
    assert llm.complete(ASK, schema=Choice).parsed == Choice(option=4)
    assert [m["role"] for m in server.seen[1].body["messages"]] == ["system", "user", "assistant", "user"]
    assert (meter.total.calls, meter.total.unread) == (3, 2)
