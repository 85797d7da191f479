"""Means and ratios of means with 95 % confidence intervals."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate", "mean_estimate", "ratio_estimate"]

Z_95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""


class Estimate(NamedTuple):
    """A value with its 95 % confidence interval."""

    mean: float
    ci_low: float
    ci_high: float


def mean_estimate(samples: NDArray[np.float64]) -> Estimate:
    """Mean of independent samples `[N]` with the normal 95 % interval.

    >>> mean_estimate(np.array([1.0, 1.0, 1.0]))
    Estimate(mean=1.0, ci_low=1.0, ci_high=1.0)
    """
    mean = float(samples.mean())
    if not np.isfinite(mean):
        return Estimate(mean, mean, mean)
    half = Z_95 * float(samples.std(ddof=1)) / math.sqrt(samples.size)
    return Estimate(mean, mean - half, mean + half)


def ratio_estimate(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> Estimate:
    """Ratio of the means of paired samples `[N]`, interval by the delta method.

    The samples are paired by common random numbers, so the variance of the ratio q is that
    of the differences (numerator - q denominator), divided by the squared denominator.

    >>> ratio_estimate(np.array([2.0, 4.0]), np.array([1.0, 2.0]))
    Estimate(mean=2.0, ci_low=2.0, ci_high=2.0)
    """
    ratio = float(numerator.mean() / denominator.mean())
    residual = numerator - ratio * denominator
    error = float(residual.std(ddof=1)) / math.sqrt(residual.size) / abs(float(denominator.mean()))
    return Estimate(ratio, ratio - Z_95 * error, ratio + Z_95 * error)
