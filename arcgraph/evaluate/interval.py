"""Bootstrap confidence intervals of what is averaged over questions.

B. Efron: Bootstrap methods: another look at the jackknife. The Annals of Statistics 7(1), 1979. Percentile intervals
from resampled questions, since the questions are the sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_RESAMPLES = 9_999


class Interval(NamedTuple):
    """A figure and the bounds between which it lies with the confidence asked for."""

    low: float
    value: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def mean_interval(values: Sequence[float], *, confidence: float = 0.95, seed: int = 0) -> Interval:
    """The mean of one value a question. Raises ``ValueError`` without any."""
    return _interval((values,), np.mean, confidence, seed)


def share_interval(
    parts: Sequence[float], wholes: Sequence[float], *, confidence: float = 0.95, seed: int = 0
) -> Interval:
    """The sum of the parts over the sum of the wholes, a pair a question. Raises ``ValueError`` without any."""
    return _interval((parts, wholes), _share, confidence, seed)


def _share(parts: NDArray[np.float64], wholes: NDArray[np.float64], axis: int = -1) -> Any:
    return parts.sum(axis=axis) / wholes.sum(axis=axis)


def _interval(
    samples: tuple[Sequence[float], ...], statistic: Callable[..., Any], confidence: float, seed: int
) -> Interval:
    data = tuple(np.asarray(sample, np.float64) for sample in samples)
    if not len(data[0]):
        raise ValueError("nothing was measured, so there is no interval")
    value = float(statistic(*data, axis=-1))
    if len(data[0]) == 1:
        return Interval(value, value, value)  # the library wants two or more
    from scipy.stats import bootstrap  # a second to import

    found = bootstrap(
        data,
        statistic,
        paired=len(data) > 1,
        confidence_level=confidence,
        n_resamples=_RESAMPLES,
        method="percentile",
        random_state=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(float(found.low), value, float(found.high))
