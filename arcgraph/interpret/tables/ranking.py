"""Which readings of a question come first: those as a path from what it names, or those as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arcgraph.interpret.confidence import confidence as path_confidence
from arcgraph.interpret.confidence import holds
from arcgraph.interpret.reader import Interpretation
from arcgraph.interpret.tables.reading import TableReading

# Below this confidence a reading is a guess.
LEAST_SURE = 0.35
# From this fit on a table reading needs no path to be compared with.
_CLEAR = 0.5
_RIVALS = 3
# A table that a path could say as well leads only from this fit on, over a path that is less sure than this.
_CLEARER, _UNSURE = 0.75, 0.4


def is_clear(tables: Sequence[TableReading]) -> bool:
    """Whether the best reading says what no path can, and fits well."""
    return bool(tables) and not tables[0].is_path and tables[0].fit >= _CLEAR


def leads(tables: Sequence[TableReading], paths: Interpretation | None) -> bool:
    """Whether a table comes before any path: what a path can say as well is left to paths."""
    if paths is None:
        return True
    if not paths.readings or not tables:
        return bool(tables)
    best = paths.readings[0]
    if not holds(best, paths.readings):
        return True
    if tables[0].is_path:
        return tables[0].fit >= _CLEARER and path_confidence(best, paths.readings) < _UNSURE
    return tables[0].fit >= _CLEAR


def confidence(reading: TableReading, readings: Sequence[TableReading]) -> float:
    """Between 0 and 1: the fit, and the lead over the next best."""
    others = [r.score for r in readings if r is not reading]
    lead = 1 / (1 + sum(math.exp(min(0.0, s - reading.score)) for s in others[:_RIVALS])) if others else 1.0
    return math.sqrt(reading.fit * lead)
