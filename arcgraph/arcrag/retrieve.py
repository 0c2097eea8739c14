"""One pass: from a question to results that may answer it and facts around it.

First the cheap way: the offline readings, run and put to a choice. Only where none of them is right, or none finds
anything, the pass goes on to seed, explore, plan and generate.
"""

from __future__ import annotations

from collections.abc import Sequence

from arcgraph.arcrag.context import Asked, Context, Readings, Retrieved
from arcgraph.arcrag.explore import explore, scan
from arcgraph.arcrag.generate import Generated, Generator
from arcgraph.arcrag.hints import Hints, hints, scoped
from arcgraph.arcrag.interface import Interface, around
from arcgraph.arcrag.options import Options, previewed
from arcgraph.arcrag.plan import Plan, compiled, plan
from arcgraph.arcrag.query import Draft, Executor, Outcome, entities_in
from arcgraph.arcrag.seed import seed
from arcgraph.domain import Node
from arcgraph.interpret.tables.reading import asks_beyond_paths

# The open neighbourhood of so many entities is scanned, so many edges of each.
_SCANNED = 3
_EDGES_A_SCAN = 40


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
        read = around(context.schema, readings.paths, readings.tables, asked.text)
        self._interface = read.joined(known)
        self._tried: dict[str, Outcome] = {}
        self._looked: list[Outcome] = []
        self._is_led = False
        self._hints = Hints()
        self._phrases: tuple[str, ...] = ()

    def run(self) -> Retrieved:
        """The pass."""
        options = self._options(self._readings)
        chosen = self._choice(options)
        if chosen.outcome is not None or not self._context.reasoner.thinks:
            return self._retrieved([chosen], chosen)
        return self._deeper(options, chosen)

    def _choice(self, options: Sequence[Outcome], *, was_objected: bool = False) -> Generated:
        """A choice among options of which some find something; nobody is asked about none.

        Where no reading was likely enough to answer, what is asked may be beyond all patterns. Then the model may write
        a query of its own at once, also without any option where the question's words say that no path is asked for:
        looking around some entity would not tell an average over all.
        """
        generator = self._generator()
        is_open = was_objected or not self._readings.taken
        may_write = is_open and generator.may_write(was_objected=was_objected)
        is_beyond = was_objected or asks_beyond_paths(self._asked.text)
        if not any(o.acceptable for o in options) and not (may_write and is_beyond):
            return Generated(None)
        chosen = generator.choose(options, was_objected=was_objected, may_write=may_write)
        self._tried.update((o.draft.key, o) for o in generator.tried)
        return chosen

    def _generator(self) -> Generator:
        return Generator(self._context, self._executor, self._asked, self._interface, self._tried.values())

    def _options(self, readings: Readings) -> list[Outcome]:
        context = self._context
        made = Options(context.schema, context.runner, context.settings.ask.max_rows)
        most = context.settings.arcrag.options
        drafts = made.drafts(readings, most)
        new = [d for d in drafts if d.key not in self._tried]
        options, same = previewed(new, self._executor, context.left, most)
        self._tried.update((o.draft.key, o) for o in (*options, *same))
        context.trace.note(
            "generate",
            "options",
            options=[{"words": o.draft.words, "rows": len(o.rows or ()), "fault": o.fault} for o in options],
        )
        return options

    # --- seed, explore, plan, generate ---------------------------------------------------------------------------

    def _deeper(self, options: list[Outcome], chosen: Generated) -> Retrieved:
        phrases = self._seeded(options)
        again = self._choice(phrases) if phrases else Generated(None)
        if again.outcome is not None:
            return self._retrieved([again], again)
        k = self._context.settings.arcrag.retrieved
        # The first time it may be made for this: minutes where a graph has many edges and no passages.
        with self._context.trace.stage("retrieve"):
            context = self._context
            self._hints = hints(context.store, context.graph, context.schema, self._asked.text, self._phrases, k)
        self._interface = self._interface.joined(Interface(anchors=self._hints.anchors))
        facts = self._explored()
        done = self._planned(plan(self._asked, self._context, self._interface, self._hints.texts))
        facts += self._scanned()
        if not any(g.outcome for g in done):
            done.append(self._choice([o for o in options + phrases if o.acceptable], was_objected=True))
        return self._retrieved(done, chosen, facts)

    def _seeded(self, options: Sequence[Outcome]) -> list[Outcome]:
        """Where nothing is named, or nothing found: options from the question in other words."""
        paths = self._readings.paths
        is_named = paths is not None and bool(paths.candidates)
        if is_named and (any(o.acceptable for o in options) or not self._context.settings.arcrag.options):
            return []
        seeds = seed(self._asked, self._context)
        self._phrases = seeds.phrases
        self._interface = self._interface.joined(Interface(anchors=seeds.anchors))
        if seeds.question == self._asked.text:
            return []
        readings = self._context.read(seeds.question)
        read = around(self._context.schema, readings.paths, readings.tables, seeds.question)
        self._interface = read.joined(self._interface)
        return self._options(readings)

    def _explored(self) -> list[Outcome]:
        if not self._context.settings.arcrag.explore or not self._context.reasoner.thinks:
            return []
        with self._context.trace.stage("explore"):
            found = explore(self._asked, self._context, self._interface, self._hints)
        self._interface = found.interface
        self._looked += found.tried
        self._is_led = found.is_led
        return list(found.facts)

    def _planned(self, made: Plan) -> list[Generated]:
        """The subplans in order, each as one query; what one finds is where another may begin."""
        done: list[Generated] = []
        for subplan in made.subplans:
            starts = self._found_by(done[subplan.after - 1]) if subplan.after else []
            draft = compiled(subplan, made.answer, self._context.schema, starts, self._context.settings.ask.max_rows)
            if draft is None or self._context.left() <= 0:
                done.append(Generated(None))
                continue
            done.append(self._executed(draft))
        return done

    def _executed(self, draft: Draft) -> Generated:
        """A subplan's query within the passages that bound the pass, else anywhere, refined there."""
        bounded = scoped(draft, self._context.schema, self._hints.within)
        if bounded is not draft:
            outcome = self._executor.run(bounded, timeout=self._context.left())
            self._tried[bounded.key] = outcome
            if outcome.acceptable:
                return Generated(outcome, by="model")
        generator = self._generator()
        done = generator.execute(draft)
        self._tried.update((o.draft.key, o) for o in generator.tried)
        return done

    def _found_by(self, generated: Generated) -> list[Node]:
        return entities_in(generated.outcome.rows) if generated.outcome and generated.outcome.rows else []

    def _scanned(self) -> list[Outcome]:
        """The open neighbourhood, so that there is some evidence even where all paths fail."""
        schema = self._context.schema
        found: list[Outcome] = []
        for anchor in self._interface.anchors[:_SCANNED]:
            draft = scan(anchor, schema, _EDGES_A_SCAN)
            bounded = scoped(draft, schema, self._hints.within)
            for one in [draft] if bounded is draft else [bounded, draft]:
                outcome = self._executor.run(one, timeout=self._context.left())
                self._tried[one.key] = outcome
                if outcome.rows:
                    found.append(outcome)
                    break
        return found

    # --- what comes of it ----------------------------------------------------------------------------------------

    def _retrieved(self, done: Sequence[Generated], chosen: Generated, facts: Sequence[Outcome] = ()) -> Retrieved:
        found = [(g.outcome, g.by) for g in done if g.outcome is not None]
        # The last subplan ends at what is asked for; those before lead there.
        outcomes = tuple(outcome for outcome, _ in reversed(found))
        by = found[-1][1] if found else chosen.by
        return Retrieved(
            outcomes,
            tuple(facts),
            (*self._tried.values(), *self._looked),
            self._interface,
            by,
            chosen.objected,
            self._is_led,
        )
