"""Percentiles of latencies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def percentile(seconds: Sequence[float], q: float) -> float:
    """The ``q``-th percentile (0 to 100), linearly interpolated; 0 for no measurement."""
    return float(np.percentile(seconds, q)) if seconds else 0.0
