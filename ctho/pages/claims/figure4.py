"""Decisions on where no-HO and a scheme are equal in Figure 4, and on who is ahead beyond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ctho.pages.claims.evidence import Evidence, point_name
from ctho.pages.claims.registry import decision
from ctho.pages.claims.verdicts import (
    HOLDS,
    NOT_REPRODUCED,
    OPEN,
    REPRODUCED,
    Contrast,
    Finding,
    all_above,
    decided_within,
)
from ctho.simulation.simulate import NO_HANDOVER
from ctho.simulation.statistics import Estimate, mean_estimate

__all__ = ["best_below", "crossing_m", "lower_at"]

CROSSING_XTOL_M = 1e-3
SLOPE_STEP_M = 1.0


@decision
def best_below(
    evidence: Evidence, *, value: float, within: float, figure: str, under: str
) -> Finding:
    """Best below v: where the mean of `under` comes down to that of no-HO."""
    found = crossing_m(evidence, figure, under)
    if found is None:
        last = evidence.points(figure)[-1]
        gap = evidence.estimate("difference", (figure, last, under), (figure, last, NO_HANDOVER))
        return Finding(
            NOT_REPRODUCED,
            gap,
            "s",
            f"{under} - no-HO at {point_name(figure, last)}, as they never cross",
        )
    where = f"where {under} and no-HO are equal"
    matches = decided_within(found, value - within, value + within)
    if matches is not False:
        return Finding(OPEN if matches is None else REPRODUCED, found, "m", where)
    # Where they cross beyond the printed value, no-HO is best below that value as well.
    return Finding(HOLDS if found.mean > value else NOT_REPRODUCED, found, "m", where)


@decision
def lower_at(
    evidence: Evidence, *, at: Mapping[str, Any], schemes: Sequence[str], than: str
) -> Finding:
    """Every one of some schemes has a smaller mean than another at one point."""
    joint = all_above(
        [
            Contrast(
                f"{than} - {scheme}",
                evidence.estimate(
                    "difference", *((at["figure"], at["x"], s) for s in (than, scheme))
                ),
            )
            for scheme in schemes
        ]
    )
    verdict = OPEN if joint.holds is None else REPRODUCED if joint.holds else NOT_REPRODUCED
    return Finding(verdict, joint.weakest.estimate, "s", f"{joint.weakest.where}, the closest")


def crossing_m(evidence: Evidence, figure: str, scheme: str) -> Estimate | None:
    """The D_bs where a scheme, slower before, becomes faster than no-HO; None if nowhere.

    The interval is that of the paired difference at the crossing over its slope there.
    """
    key = ("crossing", figure, evidence.reading_for(scheme, figure))
    return evidence.once(key, lambda: _crossing_m(evidence, figure, scheme))


def _crossing_m(evidence: Evidence, figure: str, scheme: str) -> Estimate | None:
    # Most pages read the claims without deciding them.
    from scipy.optimize import brentq

    points = evidence.points(figure)
    gaps = np.array(
        [
            evidence.estimate("difference", (figure, x, scheme), (figure, x, NO_HANDOVER)).mean
            for x in points
        ]
    )
    falls = np.flatnonzero((gaps[:-1] > 0) & (gaps[1:] <= 0))
    if not falls.size:
        return None
    low, high = points[falls[0]], points[falls[0] + 1]

    def gap(x: float) -> Estimate:
        return mean_estimate(
            evidence.fresh_samples(figure, x, scheme) - evidence.samples(figure, x, NO_HANDOVER)
        )

    at = float(brentq(lambda x: gap(x).mean, low, high, xtol=CROSSING_XTOL_M))
    here, beside = gap(at), gap(at + SLOPE_STEP_M)
    half = (here.ci_high - here.mean) / abs((beside.mean - here.mean) / SLOPE_STEP_M)
    return Estimate(at, at - half, at + half)
