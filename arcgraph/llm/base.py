"""The waist to language models: messages in, a completion out. Whatever wraps an LLM is an LLM."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel

from arcgraph.errors import ModelTimeout

S = TypeVar("S", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


def system(content: str) -> Message:
    """What the model is told about its work."""
    return Message("system", content)


def user(content: str) -> Message:
    """What the model is asked."""
    return Message("user", content)


def assistant(content: str) -> Message:
    """What the model said before."""
    return Message("assistant", content)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn. The defaults are those of ArcRAG's appendix B, except that thinking is off."""

    temperature: float = 0.1
    top_p: float = 0.95
    max_tokens: int = 8_192
    thinking: bool = False
    seed: int | None = None


DEFAULT_SAMPLING = Sampling()
DEFAULT_TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class Call:
    """How one call is made.

    ``stage`` names what it is for, and stands for the stage's sampling and timeout where these are not given.
    ``timeout`` is in seconds and for one attempt, ``deadline`` an instant of ``time.monotonic()`` that no attempt and
    no pause outlives. ``sample`` asks for another reply to the same request than the one that a cache knows.
    """

    stage: str = ""
    sampling: Sampling | None = None
    timeout: float | None = None
    deadline: float | None = None
    sample: int = 0

    def remaining(self) -> float:
        """Seconds until the deadline; infinite where there is none."""
        return math.inf if self.deadline is None else self.deadline - time.monotonic()

    def seconds(self) -> float:
        """How long an attempt that begins now may take; raises ``ModelTimeout`` where no time is left."""
        remaining = self.remaining()
        if remaining <= 0:
            raise ModelTimeout("no time was left to ask the model", attempts=0)
        return min(remaining, DEFAULT_TIMEOUT if self.timeout is None else self.timeout)


DEFAULT_CALL = Call()


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a call as the server counted them, 0 where it did not; ``thinking`` is a part of ``completion``."""

    prompt: int = 0
    completion: int = 0
    thinking: int = 0

    @property
    def total(self) -> int:
        """Prompt and completion together."""
        return self.prompt + self.completion

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.prompt + other.prompt, self.completion + other.completion, self.thinking + other.thinking)


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model replied.

    ``text`` is the reply without what the model thought aloud, which is ``thinking``. ``parsed`` is the instance of
    the schema that was asked for; where the reply could not be read, it is ``None`` and ``fault`` a sentence that says
    why. ``finish`` is the server's reason to stop (``stop``, ``length``, ``content_filter``), ``attempts`` how many
    requests were sent, 0 where a cache answered.
    """

    text: str
    thinking: str = ""
    parsed: BaseModel | None = None
    fault: str = ""
    finish: str = "stop"
    tokens: Tokens = field(default_factory=Tokens)
    model: str = ""
    seconds: float = 0.0
    attempts: int = 1

    @property
    def cached(self) -> bool:
        """Whether no model was asked."""
        return self.attempts == 0

    def read(self, schema: type[S]) -> S | None:
        """``parsed``, typed; ``None`` where the reply could not be read."""
        return self.parsed if isinstance(self.parsed, schema) else None


class LLM(Protocol):
    """A language model, or something around one."""

    @property
    def identity(self) -> str:
        """What replies depend on besides the request: endpoint, model and fixed options. Holds no secret."""
        ...

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """The model's reply, read as ``schema`` where one is given. Thread-safe.

        A reply that cannot be read is a :class:`Completion` with a ``fault``. Raises
        :class:`~arcgraph.errors.ModelError` where there is no reply, ``ModelTimeout`` where none came in time.
        """
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


class Wrapper:
    """An LLM around another one; passes everything through."""

    def __init__(self, inner: LLM):
        self.inner = inner

    @property
    def identity(self) -> str:
        """That of the LLM inside."""
        return self.inner.identity

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`LLM`."""
        return self.inner.complete(messages, schema=schema, call=call)

    def close(self) -> None:
        """See :class:`LLM`."""
        self.inner.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.inner!r}>"
