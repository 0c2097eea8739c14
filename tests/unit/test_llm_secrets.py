"""Keys appear in no error, log, trace, record, cache or repr, wherever they were given and whoever echoes them."""

from __future__ import annotations

import base64
import logging
import traceback
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from model_server import Answer, ModelServer, Seen, refused, said

from arcgraph.build import connect_llm
from arcgraph.errors import ModelError, UsageError
from arcgraph.llm.base import Call, user
from arcgraph.llm.layers import observed
from arcgraph.llm.scripted import Recorded
from arcgraph.llm.secrets import Redactor
from arcgraph.settings import Settings
from arcgraph.tracing import JsonlRecorder, Trace

KEY = "sk-sesame/47+11"
LOGIN = "open sesame&4711"
IN_QUERY = "query=sesame%4711"
HEADER = base64.b64encode(f"ann:{LOGIN}".encode()).decode()
SECRETS = {KEY, LOGIN, IN_QUERY, quote(KEY, safe=""), quote(LOGIN), quote(IN_QUERY), HEADER}


def holds_a_secret(text: str) -> bool:
    return "sesame" in text or any(secret in text for secret in SECRETS)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    server = ModelServer()
    yield server
    server.close()


def settings_for(server: ModelServer, tmp_path: Path, place: str) -> Settings:
    """A secret in the header, in the address's query or in its login."""
    url = {
        "header": server.url,
        "query": f"{server.url}?api-key={quote(IN_QUERY)}",
        "login": f"http://ann:{quote(LOGIN)}@{server.host}/v1",
    }[place]
    key = KEY if place != "login" else ""
    llm = {"model": "tiny", "url": url, "key": key, "attempts": 2}
    return Settings.load({}, llm=llm, cache={"dir": tmp_path / "cache"})


def echo(status: int, seen: Seen) -> Answer:
    """A server that repeats all that it was sent."""
    told = f"bad request: {seen.path} {dict(seen.headers)} key {KEY} login {LOGIN} query {IN_QUERY} response_format"
    return refused(status, told, retry_after="0")


@pytest.mark.parametrize("place", ["header", "query", "login"])
@pytest.mark.parametrize("status", [200, 307, 400, 401, 403, 404, 429, 500])
def test_a_server_that_echoes_everything_reveals_nothing(
    server: ModelServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, place: str, status: int
) -> None:
    pytest.importorskip("openai", reason="the client is an optional part")
    sent: list[str] = []
    raised: list[BaseException | None] = []

    def answer(seen: Seen) -> Answer:
        sent.append(f"{seen.path} {seen.headers}")
        return said(f"{seen.path} {seen.headers}") if status == 200 else echo(status, seen)

    server.script = answer
    settings = settings_for(server, tmp_path, place)
    caplog.set_level(logging.DEBUG)
    trace = Trace(JsonlRecorder(tmp_path / "events.jsonl"))
    shared = connect_llm(settings, {})
    assert shared is not None
    llm = observed(Recorded(shared, tmp_path / "exchanges.jsonl"), trace).llm
    shown = [repr(llm), llm.identity, repr(settings), repr(vars(shared)), str(settings.model_dump())]
    try:
        shown.append(repr(llm.complete([user("hello")], call=Call(stage="plan"))))
    except ModelError as error:
        # Programs that report errors follow cause and context, also where a traceback does not show them.
        shown += [repr(e) for e in (error, error.__cause__, error.__context__) if e]
        shown.append("".join(traceback.format_exception(error)))
        raised = [error, error.__cause__, error.__context__]
    finally:
        llm.close()
        trace._others[0].close()  # type: ignore[attr-defined]
    shown += [caplog.text, repr(trace.events)]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    shown += [path.read_text(encoding="utf-8") for path in files] + [str(path) for path in files]
    assert len(files) >= 2
    assert caplog.records
    assert [text for text in shown if holds_a_secret(text)] == []
    assert raised[1:] == ([] if status == 200 else [None, None])
    assert any(holds_a_secret(text) for text in sent)


@pytest.mark.parametrize("place", ["query", "login"])
def test_an_unreachable_server_reveals_nothing_of_its_address(server: ModelServer, tmp_path: Path, place: str) -> None:
    pytest.importorskip("openai", reason="the client is an optional part")
    server.close()
    llm = connect_llm(settings_for(server, tmp_path, place), {})
    assert llm is not None
    with pytest.raises(ModelError) as caught:
        llm.complete([user("hello")])
    assert not holds_a_secret("".join(traceback.format_exception(caught.value)))
    llm.close()


@pytest.mark.parametrize(
    "llm",
    [
        {"url": "http://ann:sesame@host:port/v1"},
        {"url": "ftp://ann:sesame@host/v1"},
        {"url": "sesame"},
        {"url": "http://ann:sesame@host/v1", "key": "sesame-4711"},
        {"url": "http://host/v1", "key": "sesame 4711"},
        {"url": "http://host/v1", "key": "sesame\x00"},
        {"url": "http://host/v1", "extra": '{"sesame": '},
        {"url": "http://host/v1", "attempts": "sesame"},
    ],
)
def test_what_cannot_be_used_is_refused_without_being_repeated(llm: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        connect_llm(Settings.load({}, llm={"model": "tiny", **llm}), {})
    assert "ARCGRAPH_LLM_" in str(caught.value)
    assert "sesame" not in "".join(traceback.format_exception(caught.value))


def test_secrets_are_found_as_they_are_written_elsewhere() -> None:
    redact = Redactor(['a/b "c', "x", ""])
    assert redact('key=a/b "c; key=a%2Fb%20%22c; key=a%2Fb+%22c; "a/b \\"c"') == 'key=***; key=***; key=***; "***"'
    assert redact("x is no secret") == "x is no secret"
    assert "a/b" not in repr(redact)
