"""Direct-Cypher: the question, the schema, one attempt. What a model in the loop is compared with.

The model writes Cypher without having seen anything of the graph but its schema. The query passes the gate, is run
once, and its rows are the answer: no options, no repair, no second attempt. The model and its settings are those of the
loop, and so is the way in which the schema is shown: all of it, where the loop's is cut.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace

from arcgraph import Answer, Settings, Status
from arcgraph.answer.from_patterns import PatternAnswers, PatternRun
from arcgraph.answer.result import Usage
from arcgraph.arcrag.schema_view import schema_view
from arcgraph.domain import Schema
from arcgraph.errors import QueryError, Refused
from arcgraph.graph.base import Graph
from arcgraph.llm.base import LLM, Call, system, user
from arcgraph.llm.data import block, quoted, rules
from arcgraph.llm.layers import observed
from arcgraph.llm.stages import Stage
from arcgraph.settings import ArcragSettings
from arcgraph.tracing import Trace

_FENCED = re.compile(r"```[\w-]*\s*\n?(.*?)```", re.S)


class DirectCypher:
    """Answers questions over one graph by one query each that a model writes."""

    def __init__(self, graph: Graph, llm: LLM, settings: Settings):
        self._graph = graph
        self._llm = llm
        self._settings = settings
        self._maker = PatternAnswers(graph, graph.schema(), settings)

    def ask(self, question: str) -> Answer:
        """The answer; raises :class:`~arcgraph.errors.ModelError` where the model gives none."""
        trace = Trace()
        llm, meter = observed(self._llm, trace, repairs=0)
        began = time.perf_counter()
        messages = [system(rules()), user(self._prompt(question, self._graph.schema()))]
        reply = llm.complete(messages, call=Call(Stage.GENERATE))
        answer = self._answered(question, written(reply.text), trace)
        cost = meter.total
        usage = Usage(cost.calls, cost.tokens.total, time.perf_counter() - began, models=dict(meter.stages))
        return replace(answer, usage=usage, trace=tuple(trace.events))

    def _prompt(self, question: str, schema: Schema) -> str:
        """The schema before the question, the same for all: a server that keeps how prompts begin reads it once.

        It is never cut below the default budget: nothing else tells this model what there is.
        """
        lines = schema_view(schema, (), max(self._settings.arcrag.schema_tokens, ArcragSettings().schema_tokens))
        return (
            f"The schema of a property graph:\n{block(lines)}\n\n"
            "Write one Cypher query for Neo4j 5 that only reads and returns what the question asks for, over names of "
            "this schema alone. Reply with the query and nothing else.\n\n"
            f"Question: {quoted(question, len(question))}"
        )

    def _answered(self, question: str, cypher: str, trace: Trace) -> Answer:
        try:
            settings = self._settings
            rows = self._graph.run(cypher, timeout=settings.arcrag.query_timeout, limit=settings.ask.max_rows)
        except (QueryError, Refused) as error:
            trace.note("generate", "query", query=cypher, error=str(error))
            status = Status.REFUSED if isinstance(error, Refused) else Status.FAILED
            return Answer(question, status, str(error), reason=str(error))
        trace.note("generate", "query", query=cypher, rows=len(rows))
        if not rows.records:
            return Answer(question, Status.NO_EVIDENCE, "No rows.", reason="the query found no rows")
        ran = PatternRun("a query that the model wrote", cypher, {}, "model", rows)
        return self._maker.answer(question, ran, 1.0, trace)


def written(text: str) -> str:
    """A query out of a reply: what is fenced, else all of it."""
    fenced = _FENCED.findall(text)
    return str(fenced[-1] if fenced else text).strip().rstrip(";").strip()
