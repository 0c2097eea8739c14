"""Which readings of a question come first: those as a path from what it names, or those as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arcgraph.interpret.assemble import Reading
from arcgraph.interpret.confidence import confidence as path_confidence
from arcgraph.interpret.confidence import fit as path_fit
from arcgraph.interpret.confidence import holds
from arcgraph.interpret.marks import signs_of
from arcgraph.interpret.question import Intent
from arcgraph.interpret.reader import Interpretation
from arcgraph.interpret.tables.reading import Doubts, TableReading, standing

# Below this confidence a reading is a guess.
LEAST_SURE = 0.5
# From this fit on a table reading needs no path to be compared with.
_CLEAR = 0.5
# Weights of the parts of confidence, fitted to answers over five graphs (see benchmarks/README.md).
_BIAS, _SCORE, _LEAD = 1.9, 0.35, 0.65
_DROPPED, _VAGUE, _HOP, _AGGREGATE, _LOOSE = 0.2, 0.2, 0.25, 0.5, 0.5
_ALIKE, _TWIN = 0.7, 1.0
_TWIN_RIVAL = 0.5
_LOST = 4.5
_GAP, _UNSAID, _TIED, _SAME = 0.5, 1.0, 1.2, 0.02
# What speaks for a reading that leaves nothing of a question open.
_WHOLE = 0.35
_LEAST_SCORE, _MOST_LEAD = -6.0, 2.0
# A table that a path could say as well leads only from this fit on, over a path that is less sure than this.
_CLEARER, _UNSURE, _LESS_SURE = 0.75, 0.57, 0.6
_SURE_TABLE = 0.85
# A table that is so sure, and so much surer, comes before a path that has its like.
_RATHER_SURE, _SURER = 0.7, 0.2
_RIVALS = 3
# A path leads from this share of the question's words, and this fit.
_GROUNDED = 0.75
_FITTING = 0.6
# A path that explains so much of a question's words overlooks none.
_WELL_GROUNDED = 0.8
# A table says all of a question from this fit and this confidence on, and where next to no words are left out.
_OUTRIGHT, _CERTAIN, _HARDLY = 0.75, 0.6, 0.3
# What a path's answer has to be sure by where no table can say all that is asked for.
_SURE_PATH = 0.7
_GUESSED_PATH = 0.35


def is_clear(tables: Sequence[TableReading]) -> bool:
    """Whether the best reading says what no path can, so that paths need not be read at all, and fits well."""
    if not tables or tables[0].is_path or tables[0].doubts.lost or not tables[0].doubts.aggregates:
        return False
    return tables[0].fit >= _CLEAR


def settles(paths: Interpretation) -> bool:
    """Whether a path answers a question for yes or no, which then need not be read as a table at all.

    For questions without marks that no path can express.
    """
    if not paths.readings or paths.unsaid or not holds(paths.readings[0], paths.readings, is_open=paths.is_open):
        return False
    return paths.question.intent == Intent.YES_NO


def leads(tables: Sequence[TableReading], paths: Interpretation | None) -> bool:
    """Whether a table comes before any path: what a path can say as well is left to paths."""
    if paths is None:
        return True
    if not paths.readings or not tables:
        return bool(tables) and not tables[0].doubts.lost
    best = paths.readings[0]
    if paths.unsaid:
        return not tables[0].doubts.lost
    if paths.question.intent == Intent.YES_NO and tables[0].is_path:
        return False
    if not holds(best, paths.readings):
        return True
    if tables[0].tells and (tables[0].several or not _explains(best)) and _is_sure(tables):
        return True
    if best.described and tables[0].tells and _is_sure(tables):
        # What is known of a thing at large is no answer where one of its properties is asked for.
        return True
    if paths.question.intent == Intent.YES_NO:
        return False
    if tables[0].is_path and _is_sure(tables) and (tables[0].tells_parts or _says_everything(tables)):
        return not _explains(best)
    if _names_more(tables, best) and not _explains(best):
        return True
    if _asks_for_nothing(tables) and path_confidence(best, paths.readings) < _SURE_PATH:
        return True
    if _explains(best) and not tables[0].doubts.aggregates:
        return _says_all(tables) or _is_much_surer(tables, path_confidence(best, paths.readings))
    if loses(tables):
        is_said = tables[0].is_path and not tables[0].doubts.unknown and not tables[0].missing
        return path_confidence(best, paths.readings) < (_GUESSED_PATH if is_said else _SURE_PATH)
    if tables[0].is_path:
        is_certain = confidence(tables[0], tables) >= _SURE_TABLE
        is_sure = tables[0].fit >= _CLEARER or is_certain
        return is_sure and path_confidence(best, paths.readings) < (_LESS_SURE if is_certain else _UNSURE)
    return tables[0].fit >= _CLEAR


def _is_sure(tables: Sequence[TableReading]) -> bool:
    return not tables[0].doubts.lost and confidence(tables[0], tables) >= LEAST_SURE


def _is_much_surer(tables: Sequence[TableReading], of_path: float) -> bool:
    """Whether the best table is beyond doubt where the best path is one of several that say as much."""
    is_fitting = tables[0].fit >= _CLEARER and not tables[0].doubts.lost
    sure = confidence(tables[0], tables) if is_fitting else 0.0
    return sure >= _RATHER_SURE and of_path < _LESS_SURE and sure - of_path >= _SURER


def _names_more(tables: Sequence[TableReading], path: Reading) -> bool:
    """Whether the best table, sure enough, begins at more of the things that a question names than a path does."""
    is_sure = tables[0].is_path and _is_sure(tables) and confidence(tables[0], tables) >= _RATHER_SURE
    return is_sure and len(tables[0].pattern.bindings) > len(path.anchors)


def _explains(path: Reading) -> bool:
    """Whether a path explains the question so well that no value need be read into it."""
    return path.parts.grounded >= _GROUNDED and path_fit(path) >= _FITTING


def _says_all(tables: Sequence[TableReading]) -> bool:
    """Whether the best table says every word of the question outright, and what no path can."""
    best = tables[0]
    is_outright = not best.is_path and not best.doubts.lost and not best.doubts.vague and best.doubts.dropped <= _HARDLY
    return is_outright and best.fit >= _OUTRIGHT and confidence(best, tables) >= _CERTAIN


def _says_everything(tables: Sequence[TableReading]) -> bool:
    """Whether the best table leaves no word out and guesses nothing."""
    doubts = tables[0].doubts
    is_certain = confidence(tables[0], tables) >= _SURE_TABLE
    return (
        is_certain
        and doubts.hops > 0
        and not (doubts.guessed or doubts.vague or doubts.dropped > _HARDLY or doubts.alike)
    )


def leaves_out(paths: Interpretation, question: str) -> bool:
    """Whether a number, a date or a quoted text of the question is none of the names that the best path begins at."""
    named = [anchor.span for anchor in paths.readings[0].anchors]
    literals, _ = signs_of(question)
    return any(not any(start <= one.start and one.end <= end for start, end in named) for one in literals)


def overlooked(tables: Sequence[TableReading], paths: Interpretation) -> tuple[str, ...]:
    """Nouns that no table stands for, and that the best path does not explain either."""
    if not tables or not paths.readings or paths.readings[0].parts.grounded >= _WELL_GROUNDED:
        return ()
    missed = paths.readings[0].parts.missed
    nouns = [{word.lower() for word in reading.missing} for reading in tables[:_RIVALS]]
    return tuple(w for w in tables[0].missing if w.lower() in missed and all(w.lower() in found for found in nouns))


def _asks_for_nothing(tables: Sequence[TableReading]) -> bool:
    """Whether no table has anything for the noun that is asked for."""
    return min(reading.doubts.asked for reading in tables[:_RIVALS]) > 0


def loses(tables: Sequence[TableReading]) -> bool:
    """Whether even the best table leaves out what is asked for or named."""
    return bool(tables) and min(reading.doubts.lost for reading in tables[:_RIVALS]) > 0


def _follows_all(doubts: Doubts) -> bool:
    """Whether a reading makes something of all that is said, and takes nothing for what it hardly is."""
    return not (doubts.gaps or doubts.unsaid or doubts.vague or doubts.lost or doubts.twins)


def _is_tied(reading: TableReading, readings: Sequence[TableReading]) -> bool:
    """Whether another relation that no word says would do as well."""
    near = [r for r in readings if r is not reading and r.score >= reading.score - _SAME and r.doubts.guessed]
    return reading.doubts.guessed > 0 and bool(near)


def confidence(reading: TableReading, readings: Sequence[TableReading]) -> float:
    """How likely a reading is right, 0 to 1: its score, its lead over the next best, and what speaks against it."""
    doubts = reading.doubts
    # A reading that takes one more thing of a kind for what is said once is no rival.
    others = [standing(r) - _TWIN_RIVAL * max(0, r.doubts.twins - doubts.twins) for r in readings if r is not reading]
    lead = min(_MOST_LEAD, standing(reading) - max(others)) if others else _MOST_LEAD
    weighed = (
        _BIAS
        + _SCORE * max(_LEAST_SCORE, reading.score)
        + _LEAD * lead
        - _DROPPED * doubts.dropped
        - _VAGUE * doubts.vague
        - _HOP * doubts.hops
        - _AGGREGATE * doubts.aggregates
        - _LOOSE * doubts.loose
        - _ALIKE * doubts.alike
        - _TWIN * doubts.twins
        - _LOST * doubts.lost
        - _GAP * doubts.gaps
        - _UNSAID * doubts.unsaid
        + _WHOLE * _follows_all(doubts)
        - _TIED * (doubts.gaps > 0 and _is_tied(reading, readings))
    )
    return 1.0 / (1.0 + math.exp(-weighed))
