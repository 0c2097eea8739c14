"""Scripted models, and exchanges recorded and replayed."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import BaseModel

from arcgraph.errors import ArcgraphError, ModelError, ModelTimeout, StorageError
from arcgraph.llm.base import Call, Completion, Sampling, Tokens, assistant, system, user
from arcgraph.llm.scripted import OffScript, Recorded, ReplayedLLM, Reply, Request, ScriptedLLM

ASK = [system("Choose."), user("Which one?")]


class Choice(BaseModel):
    option: int


# --- scripts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply", ['<think>hm</think>```json\n{"option": 2}\n```', {"option": 2}, Choice(option=2), '{"option": "2"}']
)
def test_replies_are_read_as_if_a_model_had_written_them(reply: Reply) -> None:
    done = ScriptedLLM([reply]).complete(ASK, schema=Choice)
    assert (done.read(Choice), done.fault) == (Choice(option=2), "")
    assert done.tokens.prompt > 0


def test_replies_come_in_order_and_requests_are_kept() -> None:
    llm = ScriptedLLM(["one", ModelTimeout("late"), Completion("three", fault="odd")])
    assert llm.complete(ASK, call=Call("plan")).text == "one"
    with pytest.raises(ModelTimeout):
        llm.complete(ASK)
    assert llm.complete([*ASK, assistant("?")], schema=Choice).fault == "odd"
    assert [r.stage for r in llm.requests] == ["plan", "", ""]
    assert llm.requests[2] == Request((*ASK, assistant("?")), Choice, Call())
    assert llm.requests[0].prompt == "Choose.\n\nWhich one?"


def test_a_function_chooses_among_what_it_is_offered() -> None:
    llm = ScriptedLLM(lambda request: {"option": len(request.prompt)})
    assert llm.complete([user("12345")], schema=Choice).parsed == Choice(option=5)


def test_a_script_that_ends_too_early_fails_the_test_and_no_fallback_hides_it() -> None:
    with pytest.raises(OffScript, match=r"stage 'plan':\n.*Choose") as caught:
        ScriptedLLM([]).complete(ASK, call=Call("plan"))
    assert not isinstance(caught.value, ArcgraphError)


def test_a_script_knows_time_too() -> None:
    llm = ScriptedLLM(["one"])
    with pytest.raises(ModelTimeout):
        llm.complete(ASK, call=Call(deadline=time.monotonic() - 1))
    assert llm.requests == []


# --- recordings ------------------------------------------------------------------------------------------------------


def record(path: Path) -> None:
    replies: list[Reply] = [
        '<think>hm</think>{"option": 1}',
        ModelTimeout("late"),
        '{"option": 2}',
        "no JSON",
        ModelError("gone", status=503),
    ]
    llm = Recorded(ScriptedLLM(replies, identity="tiny at http://x"), path)
    exchange(llm)


def exchange(llm: ReplayedLLM | Recorded) -> list[object]:
    """The same request three times, then two others."""
    outcomes: list[object] = []
    call = Call("plan", Sampling(0.5))
    for messages in (ASK, ASK, ASK, [user("Another?")], [user("A third?")]):
        try:
            done = llm.complete(messages, schema=Choice, call=call)
            outcomes.append((done.text, done.thinking, done.parsed, done.fault, done.tokens))
        except ModelError as error:
            outcomes.append((type(error), str(error), error.status))
    return outcomes


def test_a_recording_replays_exactly(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    record(path)
    outcomes = exchange(ReplayedLLM(path))
    assert outcomes[0] == ('{"option": 1}', "hm", Choice(option=1), "", Tokens(4, 7))
    assert outcomes[1] == (ModelTimeout, "late", None)
    assert outcomes[2][2] == Choice(option=2)  # type: ignore[index]
    assert outcomes[3][3] == "the reply holds no JSON"  # type: ignore[index]
    assert outcomes[4] == (ModelError, "gone", 503)
    assert ReplayedLLM(path).identity == "tiny at http://x"


def test_a_recording_is_readable(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    record(path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 5
    assert (lines[0]["model"], lines[0]["stage"], lines[0]["schema"]) == ("tiny at http://x", "plan", "Choice")
    assert lines[0]["messages"][1] == {"role": "user", "content": "Which one?"}
    assert lines[0]["reply"]["thinking"] == "hm"
    assert lines[1]["error"]["is_timeout"]


def test_a_request_that_was_not_recorded_is_told_with_its_prompt(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    record(path)
    llm = ReplayedLLM(path)
    with pytest.raises(OffScript, match=r"(?s)exchanges\.jsonl.*stage 'plan'.*Which four"):
        llm.complete([user("Which four?")], call=Call("plan"))
    with pytest.raises(OffScript):
        llm.complete(ASK, schema=Choice, call=Call("plan", Sampling(0.6)))


@pytest.mark.parametrize("content", ["{", "[1]\n", '{"a": 1}\n'])
def test_what_is_no_recording_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "exchanges.jsonl"
    path.write_text(content)
    with pytest.raises(StorageError, match=r"exchanges\.jsonl"):
        ReplayedLLM(path)
    with pytest.raises(StorageError, match="cannot be read"):
        ReplayedLLM(tmp_path / "absent.jsonl")


def test_a_recording_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be recorded"):
        Recorded(ScriptedLLM(["one"]), tmp_path / "absent" / "exchanges.jsonl").complete(ASK)


def test_threads_record_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    llm = Recorded(ScriptedLLM(lambda request: request.prompt * 2_000), path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: llm.complete([user(str(n))]), range(50)))
    replies = {json.loads(line)["reply"]["text"] for line in path.read_text(encoding="utf-8").splitlines()}
    assert replies == {str(n) * 2_000 for n in range(50)}
