"""Golden Proximity: how much of the way from anchor to answers was retrieved (DotRAG, arXiv 2605.18760, appendix D.1).

``|R ∩ I| / |I|`` for the retrieved entities R and the intermediate entities I. Which entities are intermediate is the
caller's to say: all that lie on any path of the question's hop length, as in the paper, or only those on the gold
relation path.
"""

from __future__ import annotations

from collections.abc import Collection


def golden_proximity(retrieved: Collection[str], intermediate: Collection[str]) -> float | None:
    """The share of intermediate entities that were retrieved; ``None`` where there are none, which is not a zero."""
    wanted = set(intermediate)
    return len(wanted & set(retrieved)) / len(wanted) if wanted else None
