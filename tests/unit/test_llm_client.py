"""The client against a real server: what is sent, what comes of each answer, what is left out after refusals."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import pytest
from model_server import Answer, ModelServer, Seen, refused, said
from pydantic import BaseModel

from arcgraph.errors import ModelError, ModelTimeout
from arcgraph.llm.base import Call, Sampling, assistant, system, user
from arcgraph.llm.endpoint import Endpoint
from arcgraph.llm.openai import OpenAILLM

pytest.importorskip("openai", reason="the client is an optional part: pip install 'arcgraph-qa[llm]'")


class Choice(BaseModel):
    option: Literal["a", "b"]
    why: str = ""


ASK = [system("Choose."), user("Which one?")]
CHOICE = '{"option": "b", "why": "it fits"}'


@pytest.fixture
def server() -> Iterator[ModelServer]:
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def llm(server: ModelServer) -> Iterator[OpenAILLM]:
    llm = OpenAILLM(Endpoint(server.url, key="sesame-4711"), "tiny")
    yield llm
    llm.close()


def refuses(*words: str, status: int = 400, message: str = "Unknown parameter: '{}'.") -> Any:
    """A server that refuses every request whose body holds one of the words, by the first of them."""

    def answer(seen: Seen) -> Answer:
        held = [word for word in words if word in str(seen.body)]
        return refused(status, message.format(held[0])) if held else said(CHOICE)

    return answer


# --- what is sent --------------------------------------------------------------------------------------------------


def test_a_call_is_one_standard_request(server: ModelServer, llm: OpenAILLM) -> None:
    sampling = Sampling(0.3, 0.9, 77, seed=5)
    reply = llm.complete([*ASK, assistant("a"), user("Really?")], call=Call(sampling=sampling))
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == "Bearer sesame-4711"
    assert seen.body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Choose."},
            {"role": "user", "content": "Which one?"},
            {"role": "assistant", "content": "a"},
            {"role": "user", "content": "Really?"},
        ],
        "temperature": 0.3,
        "top_p": 0.9,
        "max_tokens": 77,
        "seed": 5,
        "chat_template_kwargs": {"enable_thinking": False, "thinking": False},
    }
    assert (reply.text, reply.model, reply.finish, reply.attempts) == ("fine", "tiny-1", "stop", 1)
    assert (reply.tokens.prompt, reply.tokens.completion, reply.tokens.total) == (11, 7, 18)


def test_thinking_is_turned_on_where_the_sampling_says_so(server: ModelServer, llm: OpenAILLM) -> None:
    llm.complete(ASK, call=Call(sampling=Sampling(thinking=True)))
    assert server.seen[0].body["chat_template_kwargs"] == {"enable_thinking": True, "thinking": True}


def test_nothing_of_the_clients_own_environment_is_sent(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "not-yours")
    llm = OpenAILLM(Endpoint(server.url), "tiny")
    llm.complete(ASK)
    llm.close()
    assert "not-yours" not in str(server.seen)


def test_a_login_and_a_query_go_along(server: ModelServer) -> None:
    where = Endpoint(server.url, login="ann:pass word", query={"api-version": "2024-10-21"})
    llm = OpenAILLM(where, "tiny", extra={"reasoning_effort": "low"})
    llm.complete(ASK)
    llm.close()
    assert server.seen[0].path == "/v1/chat/completions?api-version=2024-10-21"
    assert server.seen[0].headers["authorization"] == "Basic YW5uOnBhc3Mgd29yZA=="
    assert server.seen[0].body["reasoning_effort"] == "low"


def test_text_that_no_request_can_carry_is_replaced(server: ModelServer, llm: OpenAILLM) -> None:
    llm.complete([user("half a pair: \ud83d!")])
    assert server.seen[0].prompt == "half a pair: ?!"


# --- structured output ---------------------------------------------------------------------------------------------


def test_a_schema_is_sent_and_the_reply_is_an_instance(server: ModelServer, llm: OpenAILLM) -> None:
    server.script = [said(CHOICE)]
    reply = llm.complete(ASK, schema=Choice)
    assert reply.read(Choice) == Choice(option="b", why="it fits")
    form = server.seen[0].body["response_format"]
    assert (form["type"], form["json_schema"]["name"], form["json_schema"]["strict"]) == ("json_schema", "Choice", True)
    assert form["json_schema"]["schema"]["properties"]["option"]["enum"] == ["a", "b"]
    assert "schema" not in server.seen[0].prompt


@pytest.mark.parametrize(
    "message",
    [
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "This response_format type is unavailable now",
        "structured outputs are not supported",
    ],
)
def test_a_server_without_schemas_is_asked_in_json_mode_from_then_on(
    server: ModelServer, llm: OpenAILLM, message: str
) -> None:
    server.script = refuses("json_schema", message=message)
    first, second = (llm.complete(ASK, schema=Choice) for _ in range(2))
    assert first.parsed == second.parsed == Choice(option="b", why="it fits")
    assert (first.attempts, second.attempts) == (2, 1)
    assert server.seen[2].body["response_format"] == {"type": "json_object"}
    assert '"enum": ["a", "b"]' in server.seen[2].prompt
    assert "JSON" in server.seen[2].prompt


def test_a_server_without_json_mode_is_asked_in_words(server: ModelServer, llm: OpenAILLM) -> None:
    server.script = refuses("response_format")
    assert llm.complete(ASK, schema=Choice).attempts == 3
    assert "response_format" not in server.seen[2].body
    assert '"enum": ["a", "b"]' in server.seen[2].prompt
    assert llm.complete(ASK).attempts == 1
    assert "schema" not in server.seen[3].prompt


def test_one_schema_that_is_refused_does_not_spoil_the_others(server: ModelServer, llm: OpenAILLM) -> None:
    message = "Invalid schema for response_format 'Choice': 'why' is not permitted."
    server.script = [refused(400, message), said(CHOICE), said(CHOICE)]
    assert llm.complete(ASK, schema=Choice).attempts == 2
    llm.complete(ASK, schema=Choice)
    assert [seen.body["response_format"]["type"] for seen in server.seen] == [
        "json_schema",
        "json_object",
        "json_schema",
    ]


def test_a_reply_that_cannot_be_read_is_a_value(server: ModelServer, llm: OpenAILLM) -> None:
    server.script = [said("I would take c."), said(None), said("", finish="length"), said('{"option": "c"}')]
    faults = [llm.complete(ASK, schema=Choice).fault for _ in range(4)]
    assert faults == [
        "the reply holds no JSON",
        "the reply is empty",
        "the reply was cut off before it began",
        "the reply is no Choice: option: Input should be 'a' or 'b'",
    ]


# --- what servers do not take --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "missing"),
    [
        (refuses("chat_template_kwargs", message="Unrecognized request argument supplied: {}"), "chat_template_kwargs"),
        (
            refuses("temperature", message="Unsupported value: '{}' does not support 0.1."),
            "temperature",
        ),
        (refuses("top_p", message="`temperature` and `{}` cannot both be specified"), "top_p"),
        (refuses("seed", status=422), "seed"),
    ],
)
def test_what_a_server_refuses_by_name_is_left_out_from_then_on(
    server: ModelServer, llm: OpenAILLM, script: Any, missing: str
) -> None:
    server.script = script
    call = Call(sampling=Sampling(seed=1))
    assert [llm.complete(ASK, call=call).attempts for _ in range(2)] == [2, 1]
    assert set(server.seen[0].body) - set(server.seen[2].body) == {missing}


FORBIDDEN = {"type": "extra_forbidden", "loc": ["body", "chat_template_kwargs"], "msg": "Extra inputs"}
GOOGLE = 'Invalid JSON payload received. Unknown name "chat_template_kwargs": Cannot find field.'


@pytest.mark.parametrize(
    "body",
    [
        {"detail": [FORBIDDEN]},
        {"object": "error", "message": {"detail": [FORBIDDEN]}, "type": "invalid_request_error"},
        [{"error": {"code": 400, "message": GOOGLE, "status": "INVALID_ARGUMENT"}}],
        {"error": GOOGLE},
        "property 'chat_template_kwargs' is unsupported",
    ],
)
def test_errors_are_understood_however_they_are_nested(server: ModelServer, llm: OpenAILLM, body: Any) -> None:
    server.script = lambda seen: Answer(body, 422) if "chat_template_kwargs" in seen.body else said()
    assert llm.complete(ASK).attempts == 2


def test_what_an_error_repeats_of_the_request_is_not_looked_at(server: ModelServer, llm: OpenAILLM) -> None:
    def answer(seen: Seen) -> Answer:
        fault = {**FORBIDDEN, "input": seen.body}
        return Answer({"detail": [fault], "body": seen.body}, 422) if "chat_template_kwargs" in seen.body else said()

    server.script = answer
    assert llm.complete(ASK, schema=Choice).attempts == 2
    assert {"temperature", "top_p", "max_tokens", "response_format"} <= server.seen[1].body.keys()


def test_a_server_that_judges_the_json_itself_is_asked_in_words(server: ModelServer, llm: OpenAILLM) -> None:
    failed = {"message": "Failed to generate JSON.", "code": "json_validate_failed", "failed_generation": "{"}
    server.script = [Answer({"error": failed}, 400), Answer({"error": failed}, 400), said(CHOICE)]
    assert llm.complete(ASK, schema=Choice).parsed == Choice(option="b", why="it fits")
    llm.complete(ASK, schema=Choice)
    assert server.seen[-1].body["response_format"]["type"] == "json_schema"


def test_newer_models_get_the_limit_by_its_newer_name(server: ModelServer, llm: OpenAILLM) -> None:
    message = "Unsupported parameter: '{}' is not supported with this model. Use 'max_completion_tokens' instead."
    server.script = refuses("max_tokens", message=message)
    llm.complete(ASK, call=Call(sampling=Sampling(max_tokens=9)))
    assert server.seen[1].body["max_completion_tokens"] == 9
    assert "max_tokens" not in server.seen[1].body


def test_a_limit_beyond_what_a_model_can_is_left_to_the_server(server: ModelServer, llm: OpenAILLM) -> None:
    message = "This model's maximum context length is 4096 tokens, you requested 8200 in {}."
    server.script = refuses("max_tokens", message=message)
    assert [llm.complete(ASK).attempts for _ in range(2)] == [2, 1]


def test_several_refusals_are_followed_one_by_one(server: ModelServer, llm: OpenAILLM) -> None:
    server.script = refuses("chat_template_kwargs", "response_format", "top_p")
    reply = llm.complete(ASK, schema=Choice)
    assert (reply.parsed, reply.attempts) == (Choice(option="b", why="it fits"), 5)


def test_leaving_out_what_did_not_help_is_not_remembered(server: ModelServer, llm: OpenAILLM) -> None:
    server.script = [refused(400, "maximum context length is 4096 tokens")]
    with pytest.raises(ModelError) as caught:
        llm.complete(ASK)
    assert caught.value.attempts == 2
    server.script = [said()]
    llm.complete(ASK)
    assert "max_tokens" in server.seen[-1].body


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422])
def test_any_other_refusal_is_an_error_after_one_request(server: ModelServer, llm: OpenAILLM, status: int) -> None:
    server.script = [refused(status, "no such thing")]
    with pytest.raises(ModelError, match=f"tiny at http://.* answered {status}") as caught:
        llm.complete(ASK, schema=Choice)
    assert len(server.seen) == 1
    assert (caught.value.status, caught.value.retryable) == (status, False)


@pytest.mark.parametrize(
    ("status", "variable"), [(401, "ARCGRAPH_LLM_KEY"), (403, "ARCGRAPH_LLM_KEY"), (404, "ARCGRAPH_LLM_URL")]
)
def test_an_error_says_what_to_do(server: ModelServer, llm: OpenAILLM, status: int, variable: str) -> None:
    server.script = [refused(status, "no")]
    with pytest.raises(ModelError, match=variable):
        llm.complete(ASK)


# --- what may succeed later ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_what_may_succeed_later_says_so_and_is_not_repeated_here(
    server: ModelServer, llm: OpenAILLM, status: int
) -> None:
    server.script = [refused(status, "busy")]
    with pytest.raises(ModelError) as caught:
        llm.complete(ASK)
    assert (caught.value.status, caught.value.retryable) == (status, True)
    assert len(server.seen) == 1


def test_an_account_without_money_will_not_succeed_later(server: ModelServer, llm: OpenAILLM) -> None:
    server.script = [Answer({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, 429)]
    with pytest.raises(ModelError) as caught:
        llm.complete(ASK)
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_how_long_the_server_wants_to_be_left_alone(
    server: ModelServer, llm: OpenAILLM, headers: dict[str, str], seconds: float | None
) -> None:
    server.script = [replace(refused(429, "slowly"), headers=headers)]
    with pytest.raises(ModelError) as caught:
        llm.complete(ASK)
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("answer", [Answer(None, drops=True), replace(said("long " * 99), drops=True)])
def test_a_dropped_connection_may_succeed_later(server: ModelServer, llm: OpenAILLM, answer: Answer) -> None:
    server.script = [answer]
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        llm.complete(ASK)
    assert (caught.value.status, caught.value.retryable) == (None, True)


def test_a_server_that_is_not_there_is_named_with_the_setting(server: ModelServer) -> None:
    server.close()
    llm = OpenAILLM(Endpoint(server.url), "tiny")
    with pytest.raises(ModelError, match=f"{server.host}.*ARCGRAPH_LLM_URL") as caught:
        llm.complete(ASK)
    assert caught.value.retryable
    llm.close()


# --- time ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [replace(said(), delay=5.0), replace(said(), drip=0.1)], ids=["silent", "dripping"])
@pytest.mark.parametrize("how", ["timeout", "deadline"])
def test_no_answer_takes_longer_than_its_time(server: ModelServer, llm: OpenAILLM, answer: Answer, how: str) -> None:
    server.script = [answer]
    began = time.monotonic()
    call = Call(timeout=0.4) if how == "timeout" else Call(deadline=began + 0.4)
    with pytest.raises(ModelTimeout, match=r"within 0.4 s.*ARCGRAPH_LLM_STRETCH") as caught:
        llm.complete(ASK, call=call)
    assert time.monotonic() - began < 1.5
    assert caught.value.retryable


def test_after_the_deadline_nothing_is_sent(server: ModelServer, llm: OpenAILLM) -> None:
    with pytest.raises(ModelTimeout, match="no time was left") as caught:
        llm.complete(ASK, call=Call(deadline=time.monotonic() - 1))
    assert server.seen == []
    assert (caught.value.attempts, caught.value.retryable) == (0, False)


# --- odd answers ---------------------------------------------------------------------------------------------------


def test_thoughts_come_from_wherever_servers_put_them(server: ModelServer, llm: OpenAILLM) -> None:
    server.script = [
        said("Paris", reasoning_content="France?"),
        said("Paris", reasoning="France?"),
        said("<think>France?</think>Paris"),
    ]
    replies = [llm.complete(ASK) for _ in range(3)]
    assert {(reply.thinking, reply.text) for reply in replies} == {("France?", "Paris")}


def test_a_reply_in_parts_and_tokens_of_thinking_are_read(server: ModelServer, llm: OpenAILLM) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 6}}
    server.script = [said([{"type": "text", "text": "Pa"}, {"type": "text", "text": "ris"}], usage=usage)]
    reply = llm.complete(ASK)
    assert (reply.text, reply.tokens.thinking) == ("Paris", 6)


@pytest.mark.parametrize(
    "usage", [{"prompt_tokens": None}, [], "many", {"prompt_tokens": -1, "completion_tokens": "x"}]
)
def test_a_server_that_does_not_count_costs_nothing(server: ModelServer, llm: OpenAILLM, usage: Any) -> None:
    server.script = [said("Paris", usage=usage)]
    assert llm.complete(ASK).tokens.total == 0


@pytest.mark.parametrize("choices", [[], [None], [{}], [{"message": None, "finish_reason": None}]])
def test_an_answer_without_a_message_is_an_empty_reply(server: ModelServer, llm: OpenAILLM, choices: list[Any]) -> None:
    server.script = [Answer({"choices": choices})]
    assert llm.complete(ASK).fault == "the reply is empty"


def test_a_model_that_declines_is_heard(server: ModelServer, llm: OpenAILLM) -> None:
    server.script = [said(None, refusal="Not this.")]
    assert llm.complete(ASK, schema=Choice).fault == "the model declined: Not this."


@pytest.mark.parametrize("body", ["<html>Welcome</html>", "{", "null", [1], {"hello": "world"}, "\x00"])
def test_another_service_is_recognised(server: ModelServer, llm: OpenAILLM, body: Any) -> None:
    server.script = [Answer(body)]
    with pytest.raises(ModelError, match="did not answer in OpenAI's format; check ARCGRAPH_LLM_URL") as caught:
        llm.complete(ASK)
    assert not caught.value.retryable


def test_an_error_in_the_guise_of_success_is_one(server: ModelServer, llm: OpenAILLM) -> None:
    server.script = [Answer({"error": {"code": 502, "message": "upstream is down"}})]
    with pytest.raises(ModelError, match=r"answered 502 \(upstream is down") as caught:
        llm.complete(ASK)
    assert caught.value.retryable


def test_a_redirect_is_not_followed_to_another_place(server: ModelServer, llm: OpenAILLM) -> None:
    other = ModelServer()
    server.script = [Answer({}, 307, {"Location": f"{other.url}/chat/completions"})]
    with pytest.raises(ModelError, match=f"answered 307 .it has moved to http://{other.host}"):
        llm.complete(ASK)
    assert other.seen == []
    other.close()


def test_many_threads_share_a_client(server: ModelServer, llm: OpenAILLM) -> None:
    from concurrent.futures import ThreadPoolExecutor

    server.script = lambda seen: said(seen.body["messages"][0]["content"])
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda n: llm.complete([user(str(n))]).text, range(40)))
    assert replies == [str(n) for n in range(40)]
