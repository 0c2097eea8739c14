"""A model behind an OpenAI-compatible ``/chat/completions``, through the ``openai`` client."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from pydantic import BaseModel

from arcgraph.errors import MissingExtra, ModelError
from arcgraph.llm.base import DEFAULT_CALL, DEFAULT_SAMPLING, Call, Completion, Message, Sampling, Tokens
from arcgraph.llm.endpoint import Endpoint
from arcgraph.llm.features import Features, Structured, is_about_this_schema
from arcgraph.llm.openai_errors import Where, translate, unreadable
from arcgraph.llm.reply import completion
from arcgraph.llm.schema import ReplySchema, reply_schema
from arcgraph.llm.secrets import LogFilter, Redactor
from arcgraph.llm.within import Outlasted, within
from arcgraph.resources import prompt

_CONNECT_SECONDS = 10.0
# A reply goes into traces and answers. Should a server repeat the key in one, it is cut out; a short one, like the
# "none" that a server without keys gets, may be a word of the answer.
_UNLIKELY = 12


def _library() -> Any:
    try:
        return import_module("openai")  # half a second, and an optional part
    except ImportError:
        raise MissingExtra("a language model", "llm") from None


class OpenAILLM:
    """One model at one endpoint.

    Asks for JSON by schema, by JSON mode where the server refuses that, by words where it refuses both; leaves out
    what else a server refuses by name, such as the switch for thinking; and remembers it. ``extra`` goes into the body
    of every request. One call sends one request, or one more for each thing that is refused: retries are a wrapper's.
    Redirects are not followed: what is asked goes to this address and nowhere else.

    Raises :class:`~arcgraph.errors.MissingExtra` where the ``openai`` package is not installed.
    """

    def __init__(self, endpoint: Endpoint, model: str, *, extra: Mapping[str, Any] | None = None):
        self._openai = _library()
        self._endpoint = endpoint
        self._model = model
        self._extra = dict(extra or {})
        self._features = Features()
        self._redact = Redactor(endpoint.secrets())
        self._redact_reply = Redactor(endpoint.secrets(), shortest=_UNLIKELY)
        self._log_filter = LogFilter(self._redact)
        self._log_filter.attach()
        self._client = self._open()

    @property
    def identity(self) -> str:
        """See :class:`~arcgraph.llm.base.LLM`."""
        extra = f" {json.dumps(self._extra, sort_keys=True)}" if self._extra else ""
        return f"{self._model} at {self._endpoint.address}{extra}"

    def __repr__(self) -> str:
        return f"<OpenAILLM {self._model} at {self._endpoint.address}>"

    def close(self) -> None:
        """See :class:`~arcgraph.llm.base.LLM`."""
        self._client.close()
        self._log_filter.detach()

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`~arcgraph.llm.base.LLM`."""
        began = time.perf_counter()
        wanted = _Wanted(messages, None if schema is None else reply_schema(schema), call.sampling or DEFAULT_SAMPLING)
        reply = self._asked(wanted, call)
        message = reply.message
        return completion(
            message.content,
            schema,
            reasoning=message.reasoning,
            declined=message.declined,
            finish=reply.finish,
            tokens=reply.tokens,
            model=reply.model or self._model,
            seconds=time.perf_counter() - began,
            attempts=reply.requests,
        )

    # --- requests ------------------------------------------------------------------------------------------------

    def _open(self) -> Any:
        client = self._openai.OpenAI(
            base_url=self._endpoint.address,
            # The client insists on one; servers that want none do not look at it.
            api_key=self._endpoint.key or "none",
            default_query=dict(self._endpoint.query) or None,
            default_headers={"Authorization": self._endpoint.authorization} if self._endpoint.login else None,
            max_retries=0,
            http_client=self._openai.DefaultHttpxClient(follow_redirects=False),
        )
        # Read from the environment by the client, and nobody's business where no one named OpenAI.
        client.organization = client.project = None
        return client

    def _asked(self, wanted: _Wanted, call: Call) -> _Reply:
        """The server's reply, after leaving out whatever it refuses by name; what helped is remembered."""
        features = lasting = self._features
        requests = 0
        while True:
            requests += 1
            try:
                reply = self._sent(wanted, features, call)
            except _FeatureRefused as refusal:
                error, told = refusal.error, refusal.told
            else:
                self._features = lasting
                return replace(reply, requests=requests)
            weaker = features.without(told)
            if weaker is None:
                error.attempts = requests
                raise error
            features = weaker
            if not is_about_this_schema(told):
                lasting = lasting.without(told) or lasting

    def _sent(self, wanted: _Wanted, features: Features, call: Call) -> _Reply:
        where = Where(self._model, self._endpoint.address, call.seconds(), self._redact)
        body = wanted.body(self._model, features)
        body["extra_body"] = {**wanted.switches(features), **self._extra} or None
        return _read(self._posted(body, where), where)

    def _posted(self, body: Mapping[str, Any], where: Where) -> str:
        """The text of the server's answer, in any case within the seconds of ``where``."""
        create = self._client.chat.completions.with_raw_response.create
        timeout = self._openai.Timeout(where.seconds, connect=min(where.seconds, _CONNECT_SECONDS))
        failure: ModelError | _FeatureRefused
        try:
            text = within(where.seconds, lambda: str(create(**body, timeout=timeout).http_response.text))
        except Outlasted:
            failure = where.too_late()
        except Exception as error:
            translated, told = translate(error, where, self._openai)
            is_refusal = translated.status in _REFUSALS and told
            failure = _FeatureRefused(translated, told) if is_refusal else translated
        else:
            return self._redact_reply(text)
        # Outside of the handlers: the client's errors hold the request, with the key, and must not hang on to ours.
        raise failure


_REFUSALS = (400, 404, 415, 422, 501)


class _FeatureRefused(Exception):
    """The server refused the request; ``told`` is in its words what it has against it."""

    def __init__(self, error: ModelError, told: str):
        super().__init__(str(error))
        self.error = error
        self.told = told


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is asked, before it is known how the server takes it."""

    messages: Sequence[Message]
    schema: ReplySchema | None
    sampling: Sampling

    def body(self, model: str, features: Features) -> dict[str, Any]:
        """The standard part of the request."""
        sampling = self.sampling
        body: dict[str, Any] = {"model": model, "messages": self._messages(features)}
        if features.temperature:
            body["temperature"] = sampling.temperature
        if features.top_p:
            body["top_p"] = sampling.top_p
        if features.limit:
            body[features.limit] = sampling.max_tokens
        if features.seed and sampling.seed is not None:
            body["seed"] = sampling.seed
        return body | self._format(features)

    def switches(self, features: Features) -> dict[str, Any]:
        """What servers understand besides the standard: whether to think, by both names that templates have for it."""
        if not features.template:
            return {}
        thinks = self.sampling.thinking
        return {"chat_template_kwargs": {"enable_thinking": thinks, "thinking": thinks}}

    def _format(self, features: Features) -> dict[str, Any]:
        if self.schema is None or features.structured == Structured.TEXT:
            return {}
        if features.structured == Structured.JSON:
            return {"response_format": {"type": "json_object"}}
        form = {"name": self.schema.name, "schema": self.schema.schema, "strict": self.schema.strict}
        return {"response_format": {"type": "json_schema", "json_schema": form}}

    def _messages(self, features: Features) -> list[dict[str, str]]:
        plain = [{"role": m.role, "content": _encodable(m.content)} for m in self.messages]
        if self.schema is not None and features.structured < Structured.SCHEMA:
            told = prompt("json_reply", schema=json.dumps(self.schema.schema, ensure_ascii=False))
            plain[-1]["content"] += f"\n\n{told}"
        return plain


def _encodable(text: str) -> str:
    """A text from a graph may hold half of a surrogate pair, which no request can carry."""
    return text.encode("utf-8", "replace").decode()


# --- replies -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Spoken:
    content: str = ""
    reasoning: str = ""
    declined: str = ""


@dataclass(frozen=True, slots=True)
class _Reply:
    message: _Spoken
    finish: str
    tokens: Tokens
    model: str
    requests: int = 1


def _read(text: str, where: Where) -> _Reply:
    """The fields of a reply that are used, wherever servers put them; what is no such reply is a ``ModelError``."""
    try:
        data = json.loads(text)
    except ValueError:
        raise unreadable(text, where) from None
    if not isinstance(data, dict) or not isinstance(data.get("choices"), list):
        raise unreadable(data, where)
    choice = _mapping(next(iter(data["choices"]), None))
    return _Reply(
        _spoken(_mapping(choice.get("message"))),
        str(choice.get("finish_reason") or "stop"),
        _tokens(_mapping(data.get("usage"))),
        str(data.get("model") or ""),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _spoken(message: Mapping[str, Any]) -> _Spoken:
    return _Spoken(
        _text(message.get("content")),
        _text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        _text(message.get("refusal")),
    )


def _text(value: Any) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(value, list):
        return "".join(_text(_mapping(part).get("text")) for part in value)
    return value if isinstance(value, str) else ""


def _tokens(usage: Mapping[str, Any]) -> Tokens:
    details = _mapping(usage.get("completion_tokens_details"))
    return Tokens(
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _count(details.get("reasoning_tokens")),
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
