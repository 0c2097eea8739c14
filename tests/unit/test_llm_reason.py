"""Decisions: the model's where it can be followed, else the offline one, and why."""

from __future__ import annotations

import time
from typing import Any

import pytest
from pydantic import BaseModel

from arcgraph.errors import ModelError, ModelTimeout
from arcgraph.llm.base import user
from arcgraph.llm.reason import Ask, Decision, Model, Offline, Unusable
from arcgraph.llm.schema import at_most, narrowed, one_of, reply_schema
from arcgraph.llm.scripted import Reply, ScriptedLLM
from arcgraph.tracing import Trace


class Pick(BaseModel):
    option: str
    edits: list[str] = []


ASK = Ask("generate", (user("Which one?"),), Pick)


def read(pick: Pick) -> str:
    if pick.option == "O9":
        raise Unusable("there is no option O9")
    return pick.option


def decided(*replies: Reply, deadline: float = 60.0) -> tuple[Decision[str], list[Any]]:
    trace = Trace()
    model = Model(ScriptedLLM(replies), trace, time.monotonic() + deadline)
    return model.decide(ASK, "O1", read), [dict(e.data) for e in trace.events]


def test_the_model_decides_where_it_can_be_followed() -> None:
    assert decided({"option": "O2"}) == (Decision("O2", "model"), [{"by": "model"}])


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("no idea", "the reply holds no JSON"),
        ({"option": "O9"}, "there is no option O9"),
        (ModelTimeout("too slow"), "too slow"),
        (ModelError("refused", status=400), "refused"),
    ],
)
def test_the_offline_decision_stands_and_the_trace_says_why(reply: Reply, why: str) -> None:
    decision, events = decided(reply)
    assert (decision.value, decision.by) == ("O1", "offline")
    assert why in decision.why
    assert events == [{"by": "offline", "why": decision.why}]


def test_no_time_is_no_call() -> None:
    decision, _ = decided(deadline=-1.0)
    assert (decision.value, decision.why) == ("O1", "no time was left")


def test_a_model_that_is_silent_twice_is_asked_no_more() -> None:
    llm = ScriptedLLM([ModelTimeout("late"), ModelTimeout("late"), {"option": "O2"}])
    model = Model(llm, Trace(), time.monotonic() + 60)
    assert [model.decide(ASK, "O1", read).value for _ in range(3)] == ["O1"] * 3
    assert len(llm.requests) == 2
    assert not model.thinks


def test_a_reply_after_a_late_one_makes_up_for_it() -> None:
    llm = ScriptedLLM([ModelTimeout("late"), {"option": "O2"}, ModelTimeout("late"), {"option": "O3"}])
    model = Model(llm, Trace(), time.monotonic() + 60)
    assert [model.decide(ASK, "O1", read).value for _ in range(4)] == ["O1", "O2", "O1", "O3"]


def test_a_server_that_refuses_for_good_is_asked_once() -> None:
    llm = ScriptedLLM([ModelError("no such model", status=404)])
    model = Model(llm, Trace(), time.monotonic() + 60)
    assert [model.decide(ASK, "O1", read).why for _ in range(2)] == ["no such model", "the model gave no reply before"]


def test_without_a_model_nobody_is_asked() -> None:
    assert Offline().decide(ASK, "O1", read) == Decision("O1")
    assert not Offline().thinks


def test_a_form_is_narrowed_to_what_is_offered() -> None:
    form = narrowed(Pick, option=one_of(["O1", "none", "O1"]), edits=list[one_of(["R1"])])  # type: ignore[misc]
    assert form(option="O1") == form(option="O1", edits=[])
    assert isinstance(form(option="none"), Pick)
    with pytest.raises(ValueError, match="'O1' or 'none'"):
        form(option="O2")
    sent = reply_schema(form)
    assert (sent.name, sent.strict) == ("Pick", True)
    assert sent.schema["properties"]["option"] == {"enum": ["O1", "none"], "type": "string"}


def test_a_list_is_bounded_where_the_server_can_and_read_where_it_did_not() -> None:
    form = narrowed(Pick, edits=at_most(2, one_of(["R1", "R2"])))
    sent = reply_schema(form)
    assert sent.schema["properties"]["edits"] == {
        "items": {"enum": ["R1", "R2"], "type": "string"},
        "maxItems": 2,
        "type": "array",
    }
    assert sent.strict
    assert form(option="O1", edits=["R1"] * 5).edits == ["R1"] * 5
    nested = narrowed(Pick, edits=at_most(2, at_most(3, str)))
    assert reply_schema(nested).schema["properties"]["edits"]["items"]["maxItems"] == 3
