"""What models cost: calls, tokens and seconds, of each stage of one question."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from arcgraph.errors import ModelError
from arcgraph.llm.base import DEFAULT_CALL, LLM, Call, Completion, Message, Tokens, Wrapper


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Calls, those among them that a cache answered, that gave no reply, whose reply could not be read; the requests
    sent for them; tokens and seconds. What a cache answered costs no tokens.
    """

    calls: int = 0
    cached: int = 0
    failed: int = 0
    unread: int = 0
    requests: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    seconds: float = 0.0

    def __add__(self, other: ModelUsage) -> ModelUsage:
        return ModelUsage(
            self.calls + other.calls,
            self.cached + other.cached,
            self.failed + other.failed,
            self.unread + other.unread,
            self.requests + other.requests,
            self.tokens + other.tokens,
            self.seconds + other.seconds,
        )


class Meter:
    """Adds up what the calls of one question cost. Thread-safe."""

    def __init__(self) -> None:
        self._stages: dict[str, ModelUsage] = {}
        self._lock = threading.Lock()

    def add(self, stage: str, usage: ModelUsage) -> None:
        """Note the cost of a call."""
        with self._lock:
            self._stages[stage] = self._stages.get(stage, ModelUsage()) + usage

    @property
    def stages(self) -> Mapping[str, ModelUsage]:
        """The cost of each stage, as it is now."""
        with self._lock:
            return dict(self._stages)

    @property
    def total(self) -> ModelUsage:
        """The cost of all stages together."""
        return sum(self.stages.values(), ModelUsage())


class Metered(Wrapper):
    """Tells a meter what each call cost, also of one that fails."""

    def __init__(self, inner: LLM, meter: Meter):
        super().__init__(inner)
        self._meter = meter

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`~arcgraph.llm.base.LLM`."""
        began = time.perf_counter()
        try:
            reply = self.inner.complete(messages, schema=schema, call=call)
        except ModelError as error:
            failed = ModelUsage(1, failed=1, requests=error.attempts, seconds=time.perf_counter() - began)
            self._meter.add(call.stage, failed)
            raise
        self._meter.add(call.stage, _cost(reply, time.perf_counter() - began))
        return reply


def _cost(reply: Completion, seconds: float) -> ModelUsage:
    return ModelUsage(
        calls=1,
        cached=int(reply.cached),
        unread=int(bool(reply.fault)),
        requests=reply.attempts,
        tokens=Tokens() if reply.cached else reply.tokens,
        seconds=seconds,
    )
