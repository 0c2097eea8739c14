"""Bounds how many requests are under way at once."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from pydantic import BaseModel

from arcgraph.errors import ModelTimeout
from arcgraph.llm.base import DEFAULT_CALL, LLM, Call, Completion, Message, Wrapper


class Limited(Wrapper):
    """Lets at most ``most`` calls through at a time; the others wait, until their deadline at the longest."""

    def __init__(self, inner: LLM, most: int):
        super().__init__(inner)
        self._most = most
        self._free = threading.BoundedSemaphore(most)

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`~arcgraph.llm.base.LLM`."""
        if not self._free.acquire(timeout=_patience(call)):
            raise ModelTimeout(
                f"no time was left to ask the model: {self._most} other requests were under way "
                "(ARCGRAPH_LLM_CONCURRENCY)",
                attempts=0,
            )
        try:
            return self.inner.complete(messages, schema=schema, call=call)
        finally:
            self._free.release()


def _patience(call: Call) -> float:
    """Seconds to wait for a place; threads cannot wait longer than ``TIMEOUT_MAX``."""
    return max(0.0, min(call.remaining(), threading.TIMEOUT_MAX))
