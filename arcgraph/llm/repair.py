"""Lets a model write again what could not be read."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from arcgraph.errors import ModelError
from arcgraph.llm.base import DEFAULT_CALL, LLM, Call, Completion, Message, Wrapper, assistant, user
from arcgraph.resources import prompt


class Repaired(Wrapper):
    """Shows the model its reply and what is wrong with it, up to ``rounds`` times, where a schema was asked for.

    The last reply comes back, whether or not it can be read. A repair that fails leaves what there was, and one is not
    tried for what another request will not change: a reply that was cut off or withheld, or none at all.
    """

    def __init__(self, inner: LLM, rounds: int = 1):
        super().__init__(inner)
        self._rounds = rounds

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`~arcgraph.llm.base.LLM`."""
        reply = self.inner.complete(messages, schema=schema, call=call)
        for _ in range(self._rounds):
            if schema is None or not reply.fault or not reply.text or reply.finish != "stop":
                break
            told = [*messages, assistant(reply.text), user(prompt("json_repair", fault=reply.fault))]
            try:
                reply = self.inner.complete(told, schema=schema, call=call)
            except ModelError:
                break
        return reply
