"""What the ``openai`` client raises and servers refuse, in our words, without any key in them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from arcgraph.errors import ModelError, ModelTimeout
from arcgraph.llm.features import words_of_refusal
from arcgraph.llm.secrets import Redactor

_LONGEST = 300
_NOT_IMPLEMENTED = 501
# Said with 429, but waiting does not help.
_NO_MONEY = ("insufficient_quota", "billing")
_HINTS = {
    401: "check the model's key (ARCGRAPH_LLM_KEY)",
    403: "the model's key (ARCGRAPH_LLM_KEY) is not allowed to do this",
    404: "check the address (ARCGRAPH_LLM_URL, which often ends in /v1) and the model's name (ARCGRAPH_LLM_MODEL)",
}


@dataclass(frozen=True, slots=True)
class Where:
    """Who was asked, for how many ``seconds``, and what must not be repeated."""

    model: str
    address: str
    seconds: float
    redact: Redactor

    def __str__(self) -> str:
        return f"the model {self.model} at {self.address}"

    def too_late(self) -> ModelTimeout:
        """The error of a model that took too long."""
        return ModelTimeout(
            f"{self} did not answer within {self.seconds:.3g} s; for a slow server stretch all timeouts "
            "with ARCGRAPH_LLM_STRETCH",
            retryable=True,
        )


class Translated(NamedTuple):
    """Our error, and what the server had against the request in its own words."""

    error: ModelError
    told: str = ""


def translate(error: Exception, where: Where, openai: Any) -> Translated:
    """Our error for whatever the client raised."""
    if isinstance(error, openai.APITimeoutError):
        return Translated(where.too_late())
    if isinstance(error, openai.APIStatusError):
        return _status(error, where)
    if isinstance(error, openai.APIConnectionError):
        return Translated(_no_connection(error, where))
    said = where.redact(f"{type(error).__name__}: {error}")[:_LONGEST]
    return Translated(ModelError(f"{where} cannot be asked ({said})"))


def _no_connection(error: Exception, where: Where) -> ModelError:
    cause = error.__cause__ or error
    said = where.redact(str(cause) or type(cause).__name__)[:_LONGEST]
    return ModelError(f"{where} cannot be reached ({said}); check ARCGRAPH_LLM_URL", retryable=True)


def _status(error: Any, where: Where) -> Translated:
    status, headers = int(error.status_code), error.response.headers
    told = words_of_refusal(error.body)
    return Translated(_refusal(status, told, where, headers), told)


def _refusal(status: int, told: str, where: Where, headers: Mapping[str, str]) -> ModelError:
    text = f"{where} answered {status}"
    # A server that turns a key down may repeat it, whole or in part.
    said = "" if status in (401, 403) else where.redact(told)[:_LONGEST].strip()
    if 300 <= status < 400:
        said = f"it has moved to {where.redact(headers.get('location', '?'))}"
    hint = _HINTS.get(status, "")
    return ModelError(
        "; ".join([f"{text} ({said})" if said else text, *([hint] if hint else [])]),
        status=status,
        retryable=_is_worth_retrying(status, told),
        retry_after=_retry_after(headers),
    )


def _is_worth_retrying(status: int, told: str) -> bool:
    if status == 429:
        return not any(word in told.lower() for word in _NO_MONEY)
    return status == 408 or (status >= 500 and status != _NOT_IMPLEMENTED)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server wants to be left alone: a number of them, of milliseconds, or a date."""
    try:
        return max(0.0, float(headers["retry-after-ms"]) / 1_000)
    except (KeyError, ValueError):
        pass
    value = headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, IndexError):
        return None


def unreadable(reply: Any, where: Where) -> ModelError:
    """The error for an answer of success that is none: a page of a proxy, another service, an error in disguise."""
    error = reply.get("error") if isinstance(reply, dict) else None
    if error:
        code = error.get("code") if isinstance(error, dict) else None
        # Routers report what their own back end said with status 200.
        return _refusal(code if isinstance(code, int) else 200, words_of_refusal(reply), where, {})
    return ModelError(
        f"{where} did not answer in OpenAI's format; check ARCGRAPH_LLM_URL, which often ends in /v1", status=200
    )
