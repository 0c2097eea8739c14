"""Decisions: each place where a model is asked, with what holds where it fails.

Whoever decides something says how it is decided without a model, and what a model is asked; :class:`Offline` takes the
first, :class:`Model` the second as long as it comes in time and can be followed. So a model that is slow, away or
babbling costs quality and nothing else, and the trace says what it cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from arcgraph.errors import ModelError, ModelTimeout
from arcgraph.llm.base import LLM, Call, Message
from arcgraph.tracing import Trace

S = TypeVar("S", bound=BaseModel)
T = TypeVar("T")

# A model that has given no reply so often in a row gives none for this question.
_MOST_SILENT = 2
_KIND = "decision"


class Unusable(Exception):
    """A reply that can be read and not be followed; the text says why."""


@dataclass(frozen=True, slots=True)
class Ask(Generic[S]):
    """What a model is asked at a stage, and the form of its reply. ``sample`` asks for another reply than before."""

    stage: str
    messages: tuple[Message, ...]
    schema: type[S]
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Decision(Generic[T]):
    """What was decided, and by whom; ``why`` says why not by the model, where one was asked."""

    value: T
    by: Literal["model", "offline"] = "offline"
    why: str = ""


class Reasoner(Protocol):
    """Makes decisions. Thread-safe."""

    @property
    def thinks(self) -> bool:
        """Whether there is still somebody to ask: where not, every decision is the offline one."""
        ...

    def decide(self, ask: Ask[S], offline: T, read: Callable[[S], T]) -> Decision[T]:
        """What ``read`` makes of the reply, else ``offline``; ``read`` raises :class:`Unusable` for what cannot be
        followed.
        """
        ...


class Offline:
    """Decides without a model."""

    thinks = False

    def decide(self, ask: Ask[S], offline: T, read: Callable[[S], T]) -> Decision[T]:
        """See :class:`Reasoner`."""
        del ask, read
        return Decision(offline)


class Model:
    """Asks a model for one question, until an instant of ``time.monotonic()``; each decision is noted in the trace."""

    def __init__(self, llm: LLM, trace: Trace, deadline: float):
        self._llm = llm
        self._trace = trace
        self._deadline = deadline
        self._silent = 0

    @property
    def thinks(self) -> bool:
        """Whether the model has not fallen silent, and there is time."""
        return self._silent < _MOST_SILENT and Call(deadline=self._deadline).remaining() > 0

    def decide(self, ask: Ask[S], offline: T, read: Callable[[S], T]) -> Decision[T]:
        """See :class:`Reasoner`."""
        decision = self._decided(ask, offline, read)
        self._trace.note(ask.stage, _KIND, by=decision.by, **({"why": decision.why} if decision.why else {}))
        return decision

    def _decided(self, ask: Ask[S], offline: T, read: Callable[[S], T]) -> Decision[T]:
        if not self.thinks:
            silent = self._silent >= _MOST_SILENT
            return Decision(offline, why="the model gave no reply before" if silent else "no time was left")
        call = Call(ask.stage, deadline=self._deadline, sample=ask.sample)
        try:
            reply = self._llm.complete(ask.messages, schema=ask.schema, call=call)
        except ModelError as error:
            # What a server refuses for good it will refuse again; one slow reply says little of the next.
            self._silent += 1 if error.retryable or isinstance(error, ModelTimeout) else _MOST_SILENT
            return Decision(offline, why=str(error))
        self._silent = 0
        said = reply.read(ask.schema)
        if said is None:
            return Decision(offline, why=reply.fault or "the reply could not be read")
        try:
            return Decision(read(said), "model")
        except Unusable as unusable:
            return Decision(offline, why=str(unusable))
