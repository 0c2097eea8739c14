"""Answers to questions that were read as paths from what they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from arcgraph.answer import compose
from arcgraph.answer.evidence import joined, passages_of
from arcgraph.answer.neighbourhood import MOST_EDGES as MOST_AROUND
from arcgraph.answer.neighbourhood import Neighbourhood, neighbourhood
from arcgraph.answer.result import Alternative, Answer, Status, Witness
from arcgraph.answer.runs import (
    ALTERNATIVES,
    UNSURE,
    WITNESS_ROWS,
    did_you_mean,
    grounded,
    nothing_found,
    record_of,
    tried,
    witness_of,
)  # fmt: skip
from arcgraph.domain import Node, Schema
from arcgraph.graph.base import Graph
from arcgraph.interpret.assemble import THING, bound, collecting, match_of, witnessing
from arcgraph.interpret.confidence import confidence, holds
from arcgraph.interpret.execute import Run, Runner
from arcgraph.interpret.question import asks_when
from arcgraph.interpret.reader import Interpretation
from arcgraph.settings import Settings
from arcgraph.tracing import Trace

# Of nodes of one name so many are described with what lies around them.
_DESCRIBED = 3


class PathAnswers:
    """Runs the readings of a question and makes an answer of the one that holds."""

    def __init__(self, graph: Graph, schema: Schema, settings: Settings):
        self._graph = graph
        self._schema = schema
        self._timeout = settings.graph.timeout
        self._deadline = settings.ask.deadline
        self._runner = Runner(graph, schema, settings.ask, settings.graph.timeout)

    def answer(self, question: str, found: Interpretation, trace: Trace, least: float = 0.0) -> Answer:
        """The answer; ``found`` holds at least one reading. Where it leaves words unsaid, or is less sure than
        ``least``, it is no more than what may be meant."""
        with trace.stage("execute"):
            runs = self._runner.run(found.readings, found.candidates, trace)
        best = next((run for run in runs if run.found), None)
        alternatives = self.alternatives(found, best)
        if best is None or best.rows is None:
            names = ", ".join(dict.fromkeys(c.anchor.name for c in found.candidates[:3]))
            missing = f"the graph knows {names}, but holds nothing that answers this about it"
            is_late = trace.elapsed > self._deadline
            return replace(nothing_found(question, runs, missing), alternatives=alternatives, partial=is_late)
        sure = confidence(best.reading, found.readings)
        # A relation may have the very word ("the largest city of").
        unsaid = [words for words in found.unsaid if not _says(best.reading.route(), words)]
        if asks_when(found.question) and not self._tells_when(best):
            unsaid.append(found.question.tokens[0].text)
        if unsaid or sure < least or not holds(best.reading, found.readings, is_open=found.is_open):
            words = ", ".join(f'"{word}"' for word in unsaid)
            return Answer(
                question,
                Status.INSUFFICIENT,
                did_you_mean([best.reading.words(), *(a.reading for a in alternatives[:2])]),
                queries=tuple(map(record_of, runs)),
                confidence=0.0 if unsaid else sure,
                alternatives=alternatives,
                reason=f"no reading says what {words} asks for" if unsaid else UNSURE,
                tried=tried(runs),
            )
        return self.grounded(question, trace, best, runs, alternatives, sure)

    def grounded(
        self,
        question: str,
        trace: Trace,
        run: Run,
        runs: Sequence[Run],
        alternatives: tuple[Alternative, ...],
        sure: float,
    ) -> Answer:
        """The answer that a run with rows gives, cited from its evidence."""
        assert run.rows is not None
        with trace.stage("evidence"):
            around = self._around(run)
            whole = len(around) == len(run.rows) and all(n.witness.edges for n in around.values())
            witness = Witness() if around and whole else self._witness(run, trace)
            for near in around.values():
                witness = joined(witness, near.witness)
            passages = passages_of(self._graph, self._schema, witness, timeout=self._timeout)
        found = compose.entities(run.rows, self._schema)
        table = compose.table(run.reading, run.rows, self._schema)
        links = {i: n.links for i, n in around.items()}
        text = compose.text(run.reading, run.rows, found, self._schema, links)
        evidence, is_cut = (witness, passages), run.rows.truncated
        return grounded(question, text, table, found, evidence, runs, self._schema, sure, alternatives, partial=is_cut)

    def _tells_when(self, run: Run) -> bool:
        """Whether any of the answers has a figure in its name, as moments do."""
        found = compose.entities(run.rows, self._schema) if run.rows is not None else ()
        return not found or any(sign.isdigit() for entity in found for sign in str(entity.name))

    def _witness(self, run: Run, trace: Trace) -> Witness:
        """The subgraph behind the answer.

        Few matches come row by row, with their paths; of many every node and edge once.
        """
        few = run.matches is not None and run.matches <= WITNESS_ROWS
        shape = collecting if run.matches is not None and not few else partial(witnessing, limit=WITNESS_ROWS)
        named = self._runner.named(run.reading, match_of(run.reading), run.candidates)
        return witness_of(self._graph, shape(run.match), shape(named), trace, timeout=self._timeout)

    def _around(self, run: Run) -> dict[str, Neighbourhood]:
        """What lies around the first described nodes, by element id; nothing where none is described."""
        reading, anchor = run.reading, run.reading.described
        if anchor is None or run.rows is None:
            return {}
        nodes = [n for n in run.rows.column(THING) if isinstance(n, Node)]
        match = match_of(reading)
        named = self._runner.named(reading, match, run.candidates)
        found = {}
        for node in nodes[:_DESCRIBED]:
            one = replace(anchor, ids=(node.id,), element_ids=(node.element_id,))
            tied = bound(match, [one], loaded=self._schema.loaded)
            found[node.element_id] = neighbourhood(
                self._graph,
                self._schema,
                node,
                (tied, named if len(nodes) == 1 else tied),
                timeout=self._timeout,
                most=MOST_AROUND // min(len(nodes), _DESCRIBED),
            )
        return found

    def alternatives(self, found: Interpretation, best: Run | None) -> tuple[Alternative, ...]:
        """The other readings of a question."""
        others = [r for r in found.readings if best is None or r is not best.reading]
        return tuple(
            Alternative(
                r.words(),
                self._runner.shown(r, match_of(r), found.candidates)[0],
                confidence(r, found.readings),
            )
            for r in others[:ALTERNATIVES]
        )


def _says(reading: str, words: str) -> bool:
    """Whether a reading has some words of the question, as words: "no" is none of "north"."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", reading, re.I) is not None
