"""One pass: from a question to results that may answer it and facts around it."""

from __future__ import annotations

from collections.abc import Sequence

from arcgraph.arcrag.context import Asked, Context, Readings, Retrieved
from arcgraph.arcrag.generate import Generated, Generator
from arcgraph.arcrag.interface import Interface, around
from arcgraph.arcrag.options import Options, previewed
from arcgraph.arcrag.query import Executor, Outcome


def retrieve(asked: Asked, context: Context, readings: Readings, known: Interface | None = None) -> Retrieved:
    """What a pass brings for ``asked``; ``readings`` are the offline ones of its text, ``known`` what passes before
    learnt of the graph.
    """
    return _Pass(asked, context, readings, known or Interface()).run()


class _Pass:
    def __init__(self, asked: Asked, context: Context, readings: Readings, known: Interface):
        self._asked = asked
        self._context = context
        self._readings = readings
        settings = context.settings
        self._executor = Executor(context.graph, timeout=settings.arcrag.query_timeout, most=settings.ask.max_rows)
        paths, tables = readings.paths, readings.tables
        self._interface = around(context.schema, paths, tables, asked.text).joined(known)

    def run(self) -> Retrieved:
        options = self._options()
        generator = Generator(self._context, self._executor, self._asked, self._interface)
        chosen = generator.choose(options, may_write=True) if options else Generated(None, objected=True)
        return self._retrieved(generator, chosen)

    def _options(self) -> list[Outcome]:
        context, readings = self._context, self._readings
        made = Options(context.schema, context.runner, context.settings.ask.max_rows)
        drafts = made.drafts(
            readings.paths,
            readings.tables,
            tables_lead=readings.tables_lead,
            most=context.settings.arcrag.options,
        )
        options = previewed(drafts, self._executor, context.left)
        context.trace.note(
            "generate",
            "options",
            options=[{"words": o.draft.words, "rows": len(o.rows or ()), "fault": o.fault} for o in options],
        )
        return options

    def _retrieved(self, generator: Generator, chosen: Generated, facts: Sequence[Outcome] = ()) -> Retrieved:
        outcomes = (chosen.outcome,) if chosen.outcome else ()
        return Retrieved(outcomes, tuple(facts), generator.tried, self._interface, chosen.by, chosen.why)
