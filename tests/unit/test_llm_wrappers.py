"""Each wrapper around a model: retries, the limit, the cache, accounts, traces, repairs."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import BaseModel

from arcgraph.errors import ModelError, ModelTimeout
from arcgraph.llm.base import LLM, Call, Completion, Sampling, Tokens, Wrapper, system, user
from arcgraph.llm.cache import Cached
from arcgraph.llm.layers import observed
from arcgraph.llm.limit import Limited
from arcgraph.llm.repair import Repaired
from arcgraph.llm.retry import Retried
from arcgraph.llm.scripted import OffScript, Reply, Request, ScriptedLLM
from arcgraph.llm.traced import Traced
from arcgraph.llm.usage import Meter, Metered, ModelUsage
from arcgraph.tracing import Trace

ASK = [user("Which one?")]


class Choice(BaseModel):
    option: int


def busy(after: float | None = None, *, retryable: bool = True) -> ModelError:
    return ModelError("busy", status=429, retryable=retryable, retry_after=after)


def late() -> ModelTimeout:
    return ModelTimeout("late", retryable=True)


# --- every wrapper ---------------------------------------------------------------------------------------------------


def wrappers(tmp_path: Path) -> list[Callable[[LLM], Wrapper]]:
    return [
        Wrapper,
        Retried,
        lambda llm: Limited(llm, 1),
        lambda llm: Cached(llm, tmp_path / "cache", 10),
        lambda llm: Metered(llm, Meter()),
        lambda llm: Traced(llm, Trace()),
        Repaired,
    ]


def test_every_wrapper_is_a_model_and_passes_everything_through(tmp_path: Path) -> None:
    for number, wrap in enumerate(wrappers(tmp_path)):
        model = ScriptedLLM(['{"option": 1}'], identity=f"model {number}")
        wrapped = wrap(model)
        call = Call(stage="plan", sampling=Sampling(0.5), timeout=3.0)
        reply = wrapped.complete([system("s"), *ASK], schema=Choice, call=call)
        assert reply.read(Choice) == Choice(option=1)
        assert wrapped.identity == f"model {number}"
        assert model.requests == [Request((system("s"), *ASK), Choice, call)]
        assert "ScriptedLLM" in repr(wrapped)


def test_every_wrapper_lets_errors_through_and_stays_usable(tmp_path: Path) -> None:
    for wrap in wrappers(tmp_path):
        wrapped = wrap(ScriptedLLM([busy(retryable=False), OffScript("bug"), "fine"]))
        with pytest.raises(ModelError, match="busy"):
            wrapped.complete(ASK)
        with pytest.raises(OffScript):
            wrapped.complete(ASK)
        assert wrapped.complete(ASK).text == "fine"


# --- retries ---------------------------------------------------------------------------------------------------------


def retried(replies: list[Reply], attempts: int = 5, pause: float = 0.001) -> tuple[Retried, ScriptedLLM]:
    model = ScriptedLLM(replies)
    return Retried(model, attempts, pause=pause), model


def test_what_may_succeed_later_is_sent_again() -> None:
    llm, model = retried([busy(), late(), busy(), "fine"])
    reply = llm.complete(ASK)
    assert (reply.text, reply.attempts, len(model.requests)) == ("fine", 4, 4)


def test_what_will_not_succeed_is_sent_once() -> None:
    llm, model = retried([busy(retryable=False), "fine"])
    with pytest.raises(ModelError) as caught:
        llm.complete(ASK)
    assert (len(model.requests), caught.value.attempts) == (1, 1)


def test_after_the_last_attempt_its_error_is_raised() -> None:
    llm, model = retried([*[busy() for _ in range(4)], ModelError("worse", retryable=True), "fine"])
    with pytest.raises(ModelError, match="worse") as caught:
        llm.complete(ASK)
    assert (len(model.requests), caught.value.attempts) == (5, 5)


def test_a_model_that_was_too_slow_twice_is_not_asked_a_third_time() -> None:
    llm, model = retried([busy(), late(), late(), "fine"])
    with pytest.raises(ModelTimeout):
        llm.complete(ASK)
    assert len(model.requests) == 3


def seconds_of(llm: LLM, call: Call = Call()) -> float:
    began = time.monotonic()
    llm.complete(ASK, call=call)
    return time.monotonic() - began


def test_the_servers_pause_is_kept() -> None:
    llm, _ = retried([busy(0.3), "fine"])
    assert 0.3 <= seconds_of(llm) < 1.0


def test_pauses_grow_and_are_never_the_same_for_all() -> None:
    pauses = []
    for _ in range(4):
        llm, _ = retried([busy(), busy(), busy(), "fine"], pause=0.05)
        pauses.append(seconds_of(llm))
    assert min(pauses) >= 0.5 * (0.05 + 0.1 + 0.2)
    assert len({round(pause, 3) for pause in pauses}) > 1


@pytest.mark.parametrize("error", [busy(5.0), busy(0.3)])
def test_no_pause_outlives_the_deadline(error: ModelError) -> None:
    llm, model = retried([error, busy(5.0), "fine"])
    began = time.monotonic()
    with pytest.raises(ModelError, match="busy"):
        llm.complete(ASK, call=Call(deadline=began + 0.6))
    assert time.monotonic() - began < 0.6
    assert len(model.requests) == (1 if error.retry_after == 5.0 else 2)


def test_a_server_that_wants_an_hour_gets_it() -> None:
    llm, model = retried([busy(3600.0), "fine"])
    assert model.requests == []
    with pytest.raises(ModelError):
        llm.complete(ASK)
    assert len(model.requests) == 1


# --- the limit -------------------------------------------------------------------------------------------------------


class SlowLLM(ScriptedLLM):
    """Takes a moment for each call, and counts how many are under way."""

    def __init__(self, seconds: float):
        super().__init__(lambda _: "fine")
        self._seconds = seconds
        self._count = threading.Lock()
        self.now = self.most = 0

    def complete(self, *args: object, **options: object) -> Completion:  # type: ignore[override]
        with self._count:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(self._seconds)
        with self._count:
            self.now -= 1
        return super().complete(*args, **options)  # type: ignore[arg-type]


def test_no_more_calls_than_allowed_are_under_way() -> None:
    model = SlowLLM(0.05)
    llm = Limited(model, 2)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: llm.complete(ASK).text, range(8)))
    assert replies == ["fine"] * 8
    assert model.most == 2


def test_waiting_for_a_place_ends_with_the_deadline() -> None:
    model = SlowLLM(0.6)
    llm = Limited(model, 1)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(llm.complete, ASK)
        while not model.now:
            time.sleep(0.01)
        with pytest.raises(ModelTimeout, match="ARCGRAPH_LLM_CONCURRENCY") as caught:
            llm.complete(ASK, call=Call(deadline=time.monotonic() + 0.1))
        assert not first.done()
        assert (caught.value.attempts, caught.value.retryable) == (0, False)
        assert first.result().text == "fine"


# --- the cache -------------------------------------------------------------------------------------------------------


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    first = Cached(ScriptedLLM(['<think>hm</think>{"option": 2}']), tmp_path, 10).complete(ASK, schema=Choice)
    again = Cached(ScriptedLLM([]), tmp_path, 10).complete(ASK, schema=Choice)
    assert (again.parsed, again.text, again.thinking) == (Choice(option=2), first.text, "hm")
    assert (again.tokens, again.model) == (first.tokens, first.model)
    assert (first.cached, again.cached, again.attempts) == (False, True, 0)


def test_whatever_a_reply_depends_on_makes_another_request(tmp_path: Path) -> None:
    class Other(BaseModel):
        option: int
        why: str = ""

    numbers = iter(range(100))
    model = ScriptedLLM(lambda _: f'{{"option": {next(numbers)}}}')
    asked: list[tuple[str, dict[str, object]]] = [
        ("Which one?", {}),
        ("Which two?", {}),
        ("Which one?", {"schema": Choice}),
        ("Which one?", {"schema": Other}),
        ("Which one?", {"call": Call(sampling=Sampling(0.7))}),
        ("Which one?", {"call": Call(sampling=Sampling(thinking=True))}),
        ("Which one?", {"call": Call(sample=1)}),
    ]
    cached = Cached(model, tmp_path, 100)
    texts = [cached.complete([user(text)], **options).text for text, options in asked]  # type: ignore[arg-type]
    texts.append(cached.complete([system("Which one?")]).text)
    model._identity = "another model"
    texts.append(cached.complete(ASK).text)
    assert len(set(texts)) == len(texts) == 9


def test_what_a_reply_does_not_depend_on_makes_none(tmp_path: Path) -> None:
    cached = Cached(ScriptedLLM(["fine"]), tmp_path, 10)
    cached.complete(ASK, call=Call(stage="plan", timeout=1.0))
    later = Call(stage="answer", timeout=2.0, deadline=time.monotonic() + 9)
    assert cached.complete(ASK, call=later).cached


@pytest.mark.parametrize(
    "reply", ["no JSON", "", Completion('{"option": 1}', parsed=Choice(option=1), finish="length")]
)
def test_what_cannot_be_read_or_was_cut_off_is_asked_again(tmp_path: Path, reply: Reply) -> None:
    cached = Cached(ScriptedLLM([reply, '{"option": 1}']), tmp_path, 10)
    cached.complete(ASK, schema=Choice)
    assert not cached.complete(ASK, schema=Choice).cached
    assert cached.complete(ASK, schema=Choice).cached


def test_nothing_that_was_asked_is_kept(tmp_path: Path) -> None:
    Cached(ScriptedLLM(["fine"]), tmp_path, 10).complete([user("a private question")])
    (file,) = files(tmp_path)
    assert "private" not in file.read_text(encoding="utf-8") + file.name
    assert "fine" in file.read_text(encoding="utf-8")


BROKEN = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'{"format": 1}',
    b'{"format": 0, "text": "x"}',
    b"[" * 100_000,
    b"1" * 9_999,
    b'{"format": 1, "text": "x", "thinking": "", "model": "", "tokens": {"prompt": 1, "bogus": 2}}',
    b'{"format": 1, "text": "no JSON", "thinking": "", "model": "", "tokens": {}}',
]


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_file_is_a_miss_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    cached = Cached(ScriptedLLM(['{"option": 1}', '{"option": 2}']), tmp_path, 10)
    cached.complete(ASK, schema=Choice)
    (file,) = files(tmp_path)
    file.write_bytes(content)
    assert cached.complete(ASK, schema=Choice).parsed == Choice(option=2)
    assert cached.complete(ASK, schema=Choice).parsed == Choice(option=2)


def make_older(folder: Path) -> None:
    """Make all files old, in the order in which they were used: clocks of file systems are coarse."""
    for age, file in enumerate(sorted(files(folder), key=lambda f: f.stat().st_mtime_ns, reverse=True)):
        os.utime(file, (1e9 - age, 1e9 - age))


@pytest.mark.parametrize("is_new_process", [False, True])
def test_the_cache_is_bounded_and_keeps_what_is_used(tmp_path: Path, is_new_process: bool) -> None:
    model = ScriptedLLM(lambda request: request.prompt)
    cached = Cached(model, tmp_path, 10)
    for number in range(40):
        cached.complete([user(str(number))])
        assert number == 0 or cached.complete([user("0")]).cached
        make_older(tmp_path)
        cached = Cached(model, tmp_path, 10) if is_new_process else cached
    assert len(files(tmp_path)) <= 21
    assert cached.complete([user("0")]).cached
    assert not cached.complete([user("1")]).cached


def test_a_folder_that_cannot_be_written_costs_a_warning_and_no_reply(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    cached = Cached(ScriptedLLM(["fine", "fine"]), tmp_path / "file" / "cache", 10)
    assert [cached.complete(ASK).text for _ in range(2)] == ["fine", "fine"]
    assert len(caplog.records) == 1


def test_many_threads_share_a_cache(tmp_path: Path) -> None:
    cached = Cached(ScriptedLLM(lambda request: request.prompt * 1_000), tmp_path, 1_000)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda n: cached.complete([user(str(n % 7))]).text, range(300)))
    assert replies == [str(n % 7) * 1_000 for n in range(300)]
    kept = files(tmp_path)
    assert len(kept) == 7
    assert all(json.loads(path.read_text(encoding="utf-8"))["format"] == 1 for path in kept)


# --- accounts --------------------------------------------------------------------------------------------------------


def test_usage_is_counted_per_call_stage_and_question(tmp_path: Path) -> None:
    meter = Meter()
    replies: list[Reply] = [
        Completion("a", tokens=Tokens(10, 5, 2), attempts=2),
        Completion("b", tokens=Tokens(1, 1)),
        Completion("c", fault="the reply is empty", tokens=Tokens(3, 0)),
        busy(retryable=False),
    ]
    llm = Metered(Cached(ScriptedLLM(replies), tmp_path, 10), meter)
    for stage, question in [("plan", "a"), ("plan", "b"), ("plan", "a"), ("answer", "c")]:
        llm.complete([user(question)], call=Call(stage=stage))
    with pytest.raises(ModelError):
        llm.complete([user("d")], call=Call(stage="answer"))
    plan, answer, total = meter.stages["plan"], meter.stages["answer"], meter.total
    assert (plan.calls, plan.cached, plan.requests, plan.tokens) == (3, 1, 3, Tokens(11, 6, 2))
    assert (answer.calls, answer.failed, answer.unread, answer.requests) == (2, 1, 1, 2)
    assert (total.calls, total.tokens.total) == (5, 20)
    assert total.seconds >= plan.seconds > 0


def test_a_meter_is_exact_under_many_threads() -> None:
    meter = Meter()
    llm = Metered(ScriptedLLM(lambda _: Completion("x", tokens=Tokens(1, 2))), meter)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: llm.complete(ASK, call=Call("s")), range(400)))
    assert meter.stages["s"].calls == meter.total.calls == 400
    assert meter.total.tokens == Tokens(400, 800)
    assert Meter().total == ModelUsage()


# --- traces ----------------------------------------------------------------------------------------------------------


def test_a_call_is_an_event_of_its_stage_also_when_it_fails() -> None:
    trace = Trace()
    llm = Traced(ScriptedLLM(['{"option": 1}', "x" * 9_999, busy()]), trace)
    llm.complete(ASK, schema=Choice, call=Call("plan"))
    llm.complete(ASK, call=Call("answer"))
    with pytest.raises(ModelError):
        llm.complete(ASK, call=Call("answer"))
    first, second, third = (event.to_dict() for event in trace.events)
    assert (first["stage"], first["kind"], first["schema"]) == ("plan", "model", "Choice")
    assert (first["reply"], first["prompt_chars"], first["requests"], first["cached"]) == (
        '{"option": 1}',
        10,
        1,
        False,
    )
    assert len(second["reply"]) == 2_000
    assert (third["error"], third["requests"]) == ("busy", 1)
    json.dumps([first, second, third])


# --- repairs ---------------------------------------------------------------------------------------------------------


def test_a_reply_that_cannot_be_read_is_shown_to_the_model_with_its_fault() -> None:
    model = ScriptedLLM(['{"option": "two"}', '{"option": 2}'])
    reply = Repaired(model).complete([system("s"), *ASK], schema=Choice, call=Call("plan"))
    assert reply.parsed == Choice(option=2)
    told = model.requests[1].messages
    assert [m.role for m in told] == ["system", "user", "assistant", "user"]
    assert told[2].content == '{"option": "two"}'
    assert "option: Input should be a valid integer" in told[3].content
    assert model.requests[1].call == Call("plan")


def test_repairs_end_and_the_last_fault_flows_on() -> None:
    model = ScriptedLLM(["one", "two", "three"])
    reply = Repaired(model, rounds=2).complete(ASK, schema=Choice)
    assert (reply.text, reply.fault, len(model.requests)) == ("three", "the reply holds no JSON", 3)


@pytest.mark.parametrize("reply", ["", "<think>only", Completion("half", fault="cut", finish="length")])
def test_what_another_request_will_not_change_is_not_repaired(reply: Reply) -> None:
    model = ScriptedLLM([reply])
    assert Repaired(model).complete(ASK, schema=Choice).fault
    assert len(model.requests) == 1


def test_a_repair_that_fails_leaves_what_there_was() -> None:
    reply = Repaired(ScriptedLLM(["one", busy()])).complete(ASK, schema=Choice)
    assert (reply.text, reply.fault) == ("one", "the reply holds no JSON")


def test_a_repair_is_counted_and_traced_like_any_call() -> None:
    trace = Trace()
    llm, meter = observed(ScriptedLLM(["one", '{"option": 2}']), trace)
    llm.complete(ASK, schema=Choice, call=Call("plan"))
    assert (meter.total.calls, meter.total.unread) == (2, 1)
    assert [event.data["fault"] for event in trace.events] == ["the reply holds no JSON", ""]
