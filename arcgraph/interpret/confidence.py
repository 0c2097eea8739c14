"""How sure a reading is, from its own fit and from its lead over the others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arcgraph.interpret.assemble import Reading
from arcgraph.interpret.question import Intent

# Below this fit a reading explains so little of the question that its answer would be a guess.
WEAKEST_FIT = 0.15
# A reading whose terms explain less of the question's content words answers another question.
WEAKEST_GROUND = 0.25
# So many words side by side that nothing explains name something that the reading leaves out ("the shoe size of").
UNKNOWN_WORDS = 2
# Where relations are worded in thousands of ways and nothing names classes, likeness comes cheap.
WEAKEST_GROUND_OPEN = 0.55
# A reading so much less likely than the best is not what was asked, even where the best finds nothing.
MARGIN = 3.0
# A word that stands alone must be a little like what it is taken for, and a bare yes or no needs a worded relation.
_ALONE_GROUND = 0.1
# The same for a noun that is asked for: of few labels one always seems near.
_ASKED_GROUND = 0.2
_WORDED = math.log(0.25)
_RIVALS = 12
_AGREES = math.log(0.4)
_CLEAR_LEAD = 0.6


def fit(reading: Reading) -> float:
    """How well reading and question explain each other, 0 to 1: the geometric mean over the parts of the score."""
    if reading.described:
        return math.exp(max(reading.score, -5.0) / 2)
    hops, parts = _hops(reading), reading.parts
    mean = (parts.support / hops + parts.coverage / max(1, hops) + parts.answer) / 3
    return math.exp(min(0.0, mean))


def _hops(reading: Reading) -> int:
    return sum(len(b.path.steps) for b in reading.branches) + (len(reading.tail.steps) if reading.tail else 0)


def holds(reading: Reading, readings: Sequence[Reading], *, is_open: bool = False) -> bool:
    """Whether a reading explains enough of the question for its answer to be more than a guess.

    One word that it does not explain is forgiven where no other reading comes near and what is asked for agrees.
    ``is_open`` says that the graph's vocabulary is.
    """
    if reading.described:
        return True
    if reading.goal and not reading.parts.words:
        # "Is A a B?" says nothing but that the two belong together.
        return len(reading.branches[0].path.steps) == 1
    if fit(reading) < WEAKEST_FIT or reading.parts.gap >= UNKNOWN_WORDS:
        return False
    if reading.intent == Intent.YES_NO and not reading.goal and reading.parts.support < _WORDED * _hops(reading):
        return False
    if is_open:
        return reading.parts.grounded >= WEAKEST_GROUND_OPEN
    alone = reading.parts.words <= 1 and reading.parts.answer >= _AGREES and lead(reading, readings) >= _CLEAR_LEAD
    alone = alone and reading.parts.grounded >= (_ASKED_GROUND if reading.parts.answer else _ALONE_GROUND)
    return alone or reading.parts.grounded >= WEAKEST_GROUND


def lead(reading: Reading, readings: Sequence[Reading]) -> float:
    """The share of the likelihood that this reading holds among the first few."""
    rivals = [r.score for r in readings[:_RIVALS]]
    top = max([*rivals, reading.score])
    return math.exp(reading.score - top) / sum(math.exp(s - top) for s in rivals) if rivals else 1.0


def confidence(reading: Reading, readings: Sequence[Reading]) -> float:
    """Between 0 and 1."""
    return min(1.0, math.sqrt(fit(reading) * min(1.0, lead(reading, readings))))
