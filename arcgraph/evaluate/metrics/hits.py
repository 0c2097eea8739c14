"""Hits@k: whether one of the first k answers is right."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def hits_at(k: int, ranked: Sequence[str], gold: Collection[str]) -> float:
    """1.0 where any of the first ``k`` ranked names is gold, else 0.0."""
    return float(any(name in gold for name in ranked[:k]))
