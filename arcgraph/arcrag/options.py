"""Options: the offline readings of a question as drafts, run so that a model sees what each brings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from arcgraph.arcrag.context import Readings
from arcgraph.arcrag.query import Draft, Executor, Outcome
from arcgraph.domain import Anchor, Node, Schema
from arcgraph.graph.pattern import Pattern
from arcgraph.interpret.assemble import PATHS, Reading, answering, bound, match_of
from arcgraph.interpret.confidence import confidence
from arcgraph.interpret.execute import Runner
from arcgraph.interpret.reader import Interpretation
from arcgraph.interpret.tables import ranking
from arcgraph.interpret.tables.reading import TableReading
from arcgraph.llm.data import named, quoted

# An anchor of so many nodes with one name is offered node by node, too.
_MOST_NAMESAKES = 5
_LEAST = 1e-6
_SHOWN = 4
# Of options that find nothing so many are offered: that the likeliest do tells something.
_MOST_EMPTY = 3
NameOf = Callable[[Node], str]


class Options:
    """Makes drafts of a question's readings."""

    def __init__(self, schema: Schema, runner: Runner, most_rows: int):
        self._schema = schema
        self._runner = runner
        self._most_rows = most_rows

    def drafts(self, readings: Readings, most: int) -> list[Draft]:
        """The drafts of both ways of reading: the one that answered without a model, then the likeliest first, of equal
        ones those of the leading way; no query twice."""
        by_paths = list(self._of_paths(readings.paths, most)) if readings.paths else []
        by_tables = [_of_table(t, readings.tables) for t in readings.tables[:most]]
        both = by_tables + by_paths if readings.tables_lead else by_paths + by_tables
        once: dict[str, Draft] = {}
        for draft in both:
            once.setdefault(draft.key, draft)
        return sorted(once.values(), key=lambda d: (d.words != readings.taken, -d.likelihood))[: 2 * most]

    def _of_paths(self, found: Interpretation, most: int) -> Iterator[Draft]:
        for reading in found.readings[:most]:
            likely = math.log(max(_LEAST, confidence(reading, found.readings)))
            match = match_of(reading)
            shown = self._answering(self._runner.named(reading, match, found.candidates), reading)
            tied = self._answering(bound(match, reading.anchors, loaded=self._schema.loaded), reading)
            yield Draft(reading.words(), tied, shown, likelihood=likely, reading=reading)
            for at, anchor in enumerate(reading.anchors):
                for one in namesakes(anchor):
                    anchors = [*reading.anchors[:at], one, *reading.anchors[at + 1 :]]
                    apart = self._answering(bound(match, anchors, loaded=self._schema.loaded), reading)
                    words = f"{reading.words()} [{one.name} meaning only node {one.ids[0]}]"
                    yield Draft(words, apart, apart, likelihood=likely, origin="apart")

    def _answering(self, match: Pattern, reading: Reading) -> Pattern:
        return answering(match, reading.intent, self._most_rows)


def _of_table(reading: TableReading, readings: Sequence[TableReading]) -> Draft:
    likely = math.log(max(_LEAST, ranking.confidence(reading, readings)))
    return Draft(reading.words(), reading.pattern, reading.pattern, likelihood=likely, reading=reading)


def namesakes(anchor: Anchor) -> list[Anchor]:
    """The nodes of one name apart; none where there is one, or where they are too many to choose from."""
    if not 1 < len(anchor.ids) <= _MOST_NAMESAKES:
        return []
    pairs = zip(anchor.ids, anchor.element_ids, strict=True)
    return [replace(anchor, ids=(i,), element_ids=(e,)) for i, e in pairs]


def previewed(
    drafts: Sequence[Draft], executor: Executor, left: Callable[[], float], most: int
) -> tuple[list[Outcome], list[Outcome]]:
    """Drafts run, in order, while there is time: at most so many that tell each other apart, and those that say the
    same as one of them."""
    found: dict[object, Outcome] = {}
    empty = 0
    same: list[Outcome] = []
    for draft in drafts:
        if len(found) - max(0, empty - _MOST_EMPTY) >= most or ((seconds := left()) <= 0 and found):
            break
        outcome = executor.run(draft, timeout=max(seconds, 1.0))
        meaning = _meaning(outcome)
        if (known := found.get(meaning)) is None:
            found[meaning] = outcome
            empty += not outcome.acceptable
            continue
        # A path reads better than a table of the same, and is as likely as the likelier of both.
        if isinstance(outcome.draft.reading, Reading) and not isinstance(known.draft.reading, Reading):
            likely = max(known.draft.likelihood, outcome.draft.likelihood)
            outcome = replace(outcome, draft=replace(outcome.draft, likelihood=likely))
            found[meaning], outcome = outcome, known
        same.append(outcome)
    offered, left_out = _without_most_empty(found.values())
    return offered, [*left_out, *same]


def _without_most_empty(outcomes: Iterable[Outcome]) -> tuple[list[Outcome], list[Outcome]]:
    """The outcomes but for those after the first few that find nothing, and these: they only fill a prompt."""
    offered: list[Outcome] = []
    left_out: list[Outcome] = []
    for outcome in outcomes:
        empty = sum(not o.acceptable for o in offered)
        (offered if outcome.acceptable or empty < _MOST_EMPTY else left_out).append(outcome)
    return offered, left_out


def _meaning(outcome: Outcome) -> object:
    """What two ways to say one query have in common: the relations that they follow, and what they find."""
    pattern, rows = outcome.draft.pattern, outcome.rows
    if pattern is None or rows is None or not rows.records:
        return outcome.draft.key
    relations = sorted(repr(sorted(d.text for d in hop.descriptors)) for hop in pattern.hops)
    columns = [i for i, name in enumerate(rows.columns) if name != PATHS]
    cells = {tuple(_told(record[i]) for i in columns) for record in rows}
    return (tuple(relations), frozenset(cells))


def _told(value: object) -> str:
    return f"node {value.id}" if isinstance(value, Node) else repr(value)


def preview(outcome: Outcome, name_of: NameOf) -> str:
    """What an outcome brings, in a few words: how many rows, and the first of them."""
    rows = outcome.rows
    if rows is None or not rows.records:
        return f"nothing: {outcome.fault}"
    columns = [i for i, name in enumerate(rows.columns) if name != PATHS]
    shown = [_row([record[i] for i in columns], name_of) for record in rows.records[:_SHOWN]]
    count = f"{len(rows)}{'+' if rows.truncated else ''} {'row' if len(rows) == 1 else 'rows'}"
    heads = f" of {', '.join(named(rows.columns[i]) for i in columns)}" if len(columns) > 1 else ""
    return f"{count}{heads}: {'; '.join(shown)}{'; …' if len(rows) > _SHOWN else ''}"


def _row(values: Sequence[object], name_of: NameOf) -> str:
    return ", ".join(cell(value, name_of) for value in values)


def cell(value: object, name_of: NameOf) -> str:
    """One value of a row, a node as its name."""
    return quoted(name_of(value) if isinstance(value, Node) else value, 60)
