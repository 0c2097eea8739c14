"""Models that follow a script, and exchanges with real ones, recorded and replayed."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from arcgraph.errors import ModelError, ModelTimeout, StorageError
from arcgraph.llm.base import DEFAULT_CALL, LLM, Call, Completion, Message, Tokens, Wrapper
from arcgraph.llm.cache import request_key
from arcgraph.llm.reply import completion


class OffScript(AssertionError):
    """A model was asked what its script does not foresee. No code that handles failing models takes it for one."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a model was asked."""

    messages: tuple[Message, ...]
    schema: type[BaseModel] | None
    call: Call

    @property
    def stage(self) -> str:
        """The stage of the call."""
        return self.call.stage

    @property
    def prompt(self) -> str:
        """All messages as one text."""
        return "\n\n".join(message.content for message in self.messages)


Reply = str | BaseModel | Mapping[str, Any] | Completion | Exception
"""Text as a model would write it (thoughts, fences and all), data that is written as JSON, a completion as it is, or an
error to raise."""

Script = Callable[[Request], Reply]


class ScriptedLLM:
    """Gives the replies of a script, in order, or what a function makes of each request; reads them as if a model had
    written them. ``requests`` keeps what was asked.

    Raises :class:`OffScript` where no reply is left. Thread-safe, but then the order of replies is chance's: use a
    function.
    """

    def __init__(self, script: Script | Iterable[Reply], *, identity: str = "scripted"):
        self._identity = identity
        self._script = script if callable(script) else _in_order(script)
        self._lock = threading.Lock()
        self.requests: list[Request] = []

    @property
    def identity(self) -> str:
        """See :class:`~arcgraph.llm.base.LLM`."""
        return self._identity

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`~arcgraph.llm.base.LLM`."""
        call.seconds()
        request = Request(tuple(messages), schema, call)
        with self._lock:
            self.requests.append(request)
            reply = self._script(request)
        return _delivered(reply, request)

    def close(self) -> None:
        """Nothing to let go of."""


def _in_order(replies: Iterable[Reply]) -> Script:
    left = iter(replies)

    def next_reply(request: Request) -> Reply:
        for reply in left:
            return reply
        raise OffScript(f"the script has no reply left for a call of stage {request.stage!r}:\n{request.prompt}")

    return next_reply


def _delivered(reply: Reply, request: Request) -> Completion:
    if isinstance(reply, Exception):
        raise reply
    if isinstance(reply, Completion):
        return reply
    if isinstance(reply, BaseModel):
        text = reply.model_dump_json()
    else:
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    # About four characters a token, so that budgets and accounts have something to count.
    tokens = Tokens(len(request.prompt) // 4, len(text) // 4)
    return completion(text, request.schema, tokens=tokens, model="scripted")


# --- recorded exchanges ------------------------------------------------------------------------------------------


class Recorded(Wrapper):
    """Appends every exchange to a file, one JSON object a line, to be read by people and by :class:`ReplayedLLM`."""

    def __init__(self, inner: LLM, path: Path):
        super().__init__(inner)
        self._path = path
        self._lock = threading.Lock()

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`~arcgraph.llm.base.LLM`; raises ``StorageError`` where the file cannot be written."""
        asked = self._asked(messages, schema, call)
        try:
            reply = self.inner.complete(messages, schema=schema, call=call)
        except ModelError as error:
            self._write({**asked, "error": _plain_error(error)})
            raise
        self._write({**asked, "reply": _plain_reply(reply)})
        return reply

    def _asked(self, messages: Sequence[Message], schema: type[BaseModel] | None, call: Call) -> dict[str, Any]:
        return {
            "key": request_key(self.identity, messages, schema, call),
            "model": self.identity,
            "stage": call.stage,
            "schema": schema.__name__ if schema else None,
            "sampling": asdict(call.sampling) if call.sampling else None,
            "messages": [asdict(message) for message in messages],
        }

    def _write(self, exchange: Mapping[str, Any]) -> None:
        line = json.dumps(exchange) + "\n"
        try:
            with self._lock, self._path.open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            raise StorageError(f"the exchange cannot be recorded in {self._path} ({error.strerror})") from error


def _plain_reply(reply: Completion) -> dict[str, Any]:
    return {
        "text": reply.text,
        "thinking": reply.thinking,
        "finish": reply.finish,
        "fault": reply.fault,
        "model": reply.model,
        "seconds": round(reply.seconds, 6),
        "tokens": asdict(reply.tokens),
    }


def _plain_error(error: ModelError) -> dict[str, Any]:
    return {"message": str(error), "status": error.status, "is_timeout": isinstance(error, ModelTimeout)}


class ReplayedLLM:
    """Gives the replies of a recording again: to a request that was made several times, one after the other.

    ``identity`` is the recording's. Raises :class:`~arcgraph.errors.StorageError` for a file that is no recording, and
    :class:`OffScript` for a request that is not in it.
    """

    def __init__(self, path: Path):
        self._path = path
        self._left: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._lock = threading.Lock()
        self._identity = ""
        for exchange in _exchanges(path):
            self._identity = exchange["model"]
            self._left[exchange["key"]].append(exchange)

    @property
    def identity(self) -> str:
        """See :class:`~arcgraph.llm.base.LLM`."""
        return self._identity

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`~arcgraph.llm.base.LLM`."""
        exchange = self._next(request_key(self._identity, messages, schema, call))
        if exchange is None:
            asked = Request(tuple(messages), schema, call)
            raise OffScript(f"{self._path} holds no reply for this call of stage {call.stage!r}:\n{asked.prompt}")
        if "error" in exchange:
            raise _error(exchange["error"])
        kept = exchange["reply"]
        about = {"tokens": Tokens(**kept["tokens"]), "model": kept["model"], "seconds": kept["seconds"]}
        return completion(kept["text"], schema, reasoning=kept["thinking"], finish=kept["finish"], **about)

    def _next(self, key: str) -> dict[str, Any] | None:
        with self._lock:
            left = self._left.get(key)
            return left.pop(0) if left else None

    def close(self) -> None:
        """Nothing to let go of."""


def _exchanges(path: Path) -> list[dict[str, Any]]:
    try:
        exchanges = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise StorageError(f"the recording {path} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise StorageError(f"the recording {path} is damaged: {error}") from error
    if any(not isinstance(e, dict) or {"key", "model"} - e.keys() for e in exchanges):
        raise StorageError(f"{path} is no recording of exchanges with a model")
    return exchanges


def _error(kept: Mapping[str, Any]) -> ModelError:
    kind = ModelTimeout if kept["is_timeout"] else ModelError
    return kind(kept["message"], status=kept["status"])
