"""What can be said of a claim, and how a 95 % interval says it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist
from typing import NamedTuple

from ctho.simulation.statistics import Z_95, Estimate

__all__ = [
    "Contrast",
    "Finding",
    "Verdict",
    "all_above",
    "decided_above",
    "decided_within",
    "verdict_where",
]


class Verdict(StrEnum):
    """The four verdicts, and that the interval gives none of them; in files by these words."""

    REPRODUCED = "reproduced"
    HOLDS = "holds as worded but the value differs"
    NOT_REPRODUCED = "not reproduced"
    NOT_DECIDABLE = "not decidable from the paper"
    OPEN = "not decided by this number of realisations"

    def counted(self, count: int) -> str:
        """How many claims have it.

        >>> Verdict.HOLDS.counted(1), Verdict.HOLDS.counted(2)
        ('1 holds as worded but the value differs', '2 hold as worded but the value differs')
        """
        plural = {Verdict.HOLDS: "hold as worded but the value differs"}
        return f"{count} {self if count == 1 else plural.get(self, self)}"


def verdict_where(holds: bool | None, otherwise: Verdict = Verdict.NOT_REPRODUCED) -> Verdict:
    """Reproduced where a claim holds, open where that is undecided (None), else `otherwise`."""
    if holds is None:
        return Verdict.OPEN
    return Verdict.REPRODUCED if holds else otherwise


@dataclass(frozen=True)
class Finding:
    """What this build says of one claim under one reading.

    Attributes:
        verdict: what is said.
        ours: the number that decided, with its 95 % interval; of a claim about many points that
            of the point nearest to failing.
        unit: unit of `ours`, "" for a ratio.
        where: what `ours` is, in words.
    """

    verdict: Verdict
    ours: Estimate
    unit: str
    where: str


class Contrast(NamedTuple):
    """A quantity whose sign decides: where it was taken, in words, and an estimate."""

    where: str
    estimate: Estimate


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


def all_above(contrasts: Iterable[Contrast], unit: str, bound: float = 0.0) -> Finding:
    """Whether every contrast lies above `bound`, with the one nearest to failing.

    It holds if each 95 % interval lies above: that all hold together is then wrong with at most
    5 %. It fails if one lies below by an interval widened for their number (Bonferroni), as
    among many intervals one strays by chance.
    """
    contrasts = list(contrasts)
    quantile = NormalDist().inv_cdf(1 - 0.025 / len(contrasts))

    def widened_high(estimate: Estimate) -> float:
        return estimate.mean + (estimate.ci_high - estimate.mean) * quantile / Z_95

    weakest = min(contrasts, key=lambda contrast: contrast.estimate.ci_low)
    worst = min(contrasts, key=lambda contrast: widened_high(contrast.estimate))
    if weakest.estimate.ci_low > bound:
        verdict, shown = Verdict.REPRODUCED, weakest
    elif widened_high(worst.estimate) <= bound:
        verdict, shown = Verdict.NOT_REPRODUCED, worst
    else:
        verdict, shown = Verdict.OPEN, weakest
    return Finding(verdict, shown.estimate, unit, shown.where)
