"""Recall@k of a ranking, as in information retrieval (van Rijsbergen, 1979)."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def recall_at(k: int, ranked: Sequence[str], gold: Collection[str]) -> float | None:
    """The share of the distinct gold ids among the first ``k`` ranked; ``None`` where there are none to find."""
    wanted = set(gold)
    return len(wanted & set(ranked[: max(k, 0)])) / len(wanted) if wanted else None
