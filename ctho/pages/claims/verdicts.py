"""What can be said of a claim, and how a 95 % interval says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

from ctho.simulation.statistics import Z_95, Estimate

__all__ = [
    "HOLDS",
    "NOT_DECIDABLE",
    "NOT_REPRODUCED",
    "OPEN",
    "REPRODUCED",
    "VERDICTS",
    "Contrast",
    "Finding",
    "Joint",
    "all_above",
    "decided_above",
    "decided_within",
]

REPRODUCED = "reproduced"
HOLDS = "holds as worded but the value differs"
NOT_REPRODUCED = "not reproduced"
NOT_DECIDABLE = "not decidable from the paper"
OPEN = "not decided by this number of realisations"

VERDICTS = (REPRODUCED, HOLDS, NOT_REPRODUCED, NOT_DECIDABLE, OPEN)
"""The four verdicts, and the statement that the interval gives none of them."""


@dataclass(frozen=True)
class Finding:
    """What this build says of one claim under one reading.

    Attributes:
        verdict: one of :data:`VERDICTS`.
        ours: the number that decided, with its 95 % interval; of a claim about many points that
            of the point nearest to failing.
        unit: unit of `ours`, "" for a ratio.
        where: what `ours` is, in words.
    """

    verdict: str
    ours: Estimate
    unit: str
    where: str


class Contrast(NamedTuple):
    """A quantity whose sign decides: an estimate, and where it was taken, in words."""

    where: str
    estimate: Estimate


class Joint(NamedTuple):
    """Whether all of some contrasts hold (None: undecided), and the one nearest to failing."""

    holds: bool | None
    weakest: Contrast


def decided_above(estimate: Estimate, bound: float) -> bool | None:
    """True or False where the whole interval lies above or not above `bound`, else None.

    >>> decided_above(Estimate(2.0, 1.5, 2.5), 1.0), decided_above(Estimate(1.0, 0.5, 1.5), 1.0)
    (True, None)
    """
    if estimate.ci_low > bound:
        return True
    return False if estimate.ci_high <= bound else None


def decided_within(estimate: Estimate, low: float, high: float) -> bool | None:
    """True or False where the whole interval lies inside or outside [low, high], else None.

    >>> decided_within(Estimate(0.66, 0.65, 0.67), 0.925, 0.975)
    False
    """
    if low <= estimate.ci_low and estimate.ci_high <= high:
        return True
    return False if estimate.ci_high < low or estimate.ci_low > high else None


def all_above(contrasts: Sequence[Contrast], bound: float = 0.0) -> Joint:
    """Whether every contrast lies above `bound`.

    It holds if each 95 % interval lies above: that all hold together is then wrong with at most
    5 %. It fails if one lies below by an interval widened for their number (Bonferroni), as
    among many intervals one strays by chance.
    """
    quantile = NormalDist().inv_cdf(1 - 0.025 / len(contrasts))
    weakest = min(contrasts, key=lambda contrast: contrast.estimate.ci_low)
    if weakest.estimate.ci_low > bound:
        return Joint(True, weakest)
    worst = min(contrasts, key=lambda contrast: _upper(contrast.estimate, quantile))
    if _upper(worst.estimate, quantile) <= bound:
        return Joint(False, worst)
    return Joint(None, weakest)


def _upper(estimate: Estimate, quantile: float) -> float:
    return estimate.mean + (estimate.ci_high - estimate.mean) * quantile / Z_95
