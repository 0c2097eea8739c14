"""Many rankings into one: reciprocal rank fusion, by places alone, and the convex combination of scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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


def convex_combination(scores: Sequence[NDArray[np.floating]], weights: Sequence[float]) -> NDArray[np.float64]:
    """Fuse scores of the same entries, ``(n,)`` each, into a weighted mean of them, scaled to 0 to 1 each.

    S. Bruch, S. Gai, A. Ingber: An analysis of fusion functions for hybrid retrieval. ACM TOIS 42(1), 2023: where every
    entry has both scores, it keeps how much better one is, which places lose. Scores that are all equal say nothing and
    do not count.

    Raises ``ValueError`` when there are not as many weights as scores.
    """
    telling = [(_scaled(s), w) for s, w in zip(scores, weights, strict=True) if w > 0 and len(s) and np.ptp(s) > 0]
    total = sum(weight for _, weight in telling)
    fused = np.zeros(len(scores[0]) if len(scores) else 0)
    for scaled, weight in telling:
        fused += weight / total * scaled
    return fused


def _scaled(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    least = float(scores.min())
    return np.asarray((scores - least) / (float(scores.max()) - least), np.float64)
