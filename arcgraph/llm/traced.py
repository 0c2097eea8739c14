"""Calls of models as events of a question's trace."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from arcgraph.errors import ModelError
from arcgraph.llm.base import DEFAULT_CALL, LLM, Call, Completion, Message, Wrapper
from arcgraph.tracing import Trace

KIND = "model"
# A trace is part of an answer, and shows what was said rather than keeps it: for that there is Recorded.
_LONGEST_REPLY = 2_000


class Traced(Wrapper):
    """Notes each call in ``trace``: an event of kind ``model`` under the call's stage, also for one that fails."""

    def __init__(self, inner: LLM, trace: Trace):
        super().__init__(inner)
        self._trace = trace

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`~arcgraph.llm.base.LLM`."""
        began = time.perf_counter()
        asked = {"prompt_chars": sum(len(m.content) for m in messages), "schema": schema.__name__ if schema else ""}
        try:
            reply = self.inner.complete(messages, schema=schema, call=call)
        except ModelError as error:
            told = {"error": str(error), "requests": error.attempts}
            self._note(call, {**asked, **told, "seconds": _since(began)})
            raise
        self._note(call, {**asked, **_told(reply), "seconds": _since(began)})
        return reply

    def _note(self, call: Call, data: dict[str, Any]) -> None:
        self._trace.note(call.stage, KIND, **data)


def _told(reply: Completion) -> dict[str, Any]:
    return {
        "model": reply.model,
        "reply": reply.text[:_LONGEST_REPLY],
        "fault": reply.fault,
        "finish": reply.finish,
        "prompt_tokens": reply.tokens.prompt,
        "completion_tokens": reply.tokens.completion,
        "requests": reply.attempts,
        "cached": reply.cached,
    }


def _since(began: float) -> float:
    return round(time.perf_counter() - began, 6)
