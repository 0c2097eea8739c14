"""Reciprocal rank fusion: many rankings into one, by places alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from arcgraph.search.base import Hit, Ranking


def reciprocal_rank_fusion(
    rankings: Sequence[Ranking], *, weights: Sequence[float] | None = None, k: int = 60, limit: int | None = None
) -> Ranking:
    """Fuse by ``sum of weight / (k + place)``, where the first place is 1; ties stand in order of id.

    G. V. Cormack, C. L. A. Clarke, S. Büttcher: Reciprocal rank fusion outperforms Condorcet and individual rank
    learning methods. SIGIR 2009. The weights are an addition: 1 for every ranking is the published form.

    Raises ``ValueError`` when there are not as many weights as rankings.
    """
    given = [1.0] * len(rankings) if weights is None else list(weights)
    fused: dict[int, float] = defaultdict(float)
    for ranking, weight in zip(rankings, given, strict=True):
        if weight > 0:
            for place, hit in enumerate(ranking, start=1):
                fused[hit.id] += weight / (k + place)
    ordered = sorted(fused.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Hit(id, score) for id, score in ordered[:limit])
