"""Set precision, recall and F1 of an answer, as in information retrieval (van Rijsbergen, 1979)."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple


class AnswerSetScore(NamedTuple):
    """All between 0 and 1; ``exact`` is 1 where the two sets are equal."""

    precision: float
    recall: float
    f1: float
    exact: float


def answer_set(answered: Collection[str], gold: Collection[str]) -> AnswerSetScore:
    """Score the distinct names answered against the distinct gold names. Two empty sets agree."""
    got, wanted = set(answered), set(gold)
    if not got and not wanted:
        return AnswerSetScore(1.0, 1.0, 1.0, 1.0)
    right = len(got & wanted)
    precision = right / len(got) if got else 0.0
    recall = right / len(wanted) if wanted else 0.0
    return AnswerSetScore(precision, recall, 2 * right / (len(got) + len(wanted)), float(got == wanted))
