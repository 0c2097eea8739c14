"""Asks again where a later request may succeed, and only there."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel
from tenacity import RetryCallState, Retrying, retry_if_exception

from arcgraph.errors import ModelError, ModelTimeout
from arcgraph.llm.base import DEFAULT_CALL, LLM, Call, Completion, Message, Wrapper

_LONGEST_PAUSE = 60.0
# Parallel callers that were told the same time do not come back in the same instant.
_SPREAD = 0.1
# A model that was too slow twice is too slow.
_MOST_TIMEOUTS = 2


class Retried(Wrapper):
    """Sends a request up to ``attempts`` times where the error says that it may succeed: 429, 5xx, no connection, no
    answer in time (twice at most).

    Pauses grow from ``pause`` seconds, at random; where the server names one, that is kept. A pause that would end
    after the call's deadline, or last more than a minute, is not begun: the error is raised at once.
    """

    def __init__(self, inner: LLM, attempts: int = 5, *, pause: float = 0.5):
        super().__init__(inner)
        self._attempts = attempts
        self._pause = pause

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`~arcgraph.llm.base.LLM`."""
        patience = _Patience(call, self._attempts)
        retrying = Retrying(
            retry=retry_if_exception(_is_worth_retrying),
            wait=self._wait,
            stop=patience.is_over,
            before_sleep=patience.count,
            reraise=True,
        )
        try:
            reply = retrying(self.inner.complete, messages, schema=schema, call=call)
        except ModelError as error:
            error.attempts += patience.sent
            raise
        return replace(reply, attempts=reply.attempts + patience.sent) if patience.sent else reply

    def _wait(self, state: RetryCallState) -> float:
        asked = _error(state).retry_after
        if asked is not None:
            return asked * (1 + _SPREAD * random.random())
        ceiling = min(_LONGEST_PAUSE, self._pause * 2.0 ** (state.attempt_number - 1))
        return float(ceiling * (0.5 + 0.5 * random.random()))


class _Patience:
    """How long one call is tried: counts the requests of its failed attempts, and those that were too slow."""

    def __init__(self, call: Call, attempts: int):
        self._call = call
        self._attempts = attempts
        self._timeouts = 0
        self.sent = 0

    def count(self, state: RetryCallState) -> None:
        """Note an attempt that is followed by another one."""
        error = _error(state)
        self.sent += error.attempts
        self._timeouts += isinstance(error, ModelTimeout)

    def is_over(self, state: RetryCallState) -> bool:
        """Whether the attempt that has just failed was the last."""
        if state.attempt_number >= self._attempts:
            return True
        if isinstance(_error(state), ModelTimeout) and self._timeouts + 1 >= _MOST_TIMEOUTS:
            return True
        return state.upcoming_sleep > _LONGEST_PAUSE or state.upcoming_sleep >= self._call.remaining()


def _is_worth_retrying(error: BaseException) -> bool:
    return isinstance(error, ModelError) and error.retryable


def _error(state: RetryCallState) -> ModelError:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, ModelError), "only such errors are retried"
    return error
