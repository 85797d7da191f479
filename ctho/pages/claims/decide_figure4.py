"""The decision on where no-HO and a scheme are equal in Figure 4."""

from __future__ import annotations

import numpy as np

from ctho.pages.claims.evidence import Evidence, point_name
from ctho.pages.claims.verdicts import Finding, Verdict, decided_within, verdict_where
from ctho.simulation.simulate import NO_HANDOVER
from ctho.simulation.statistics import Estimate

__all__ = ["best_below"]

CROSSING_XTOL_M = 1e-3
SLOPE_STEP_M = 1.0


def best_below(
    evidence: Evidence, *, value: float, within: float, figure: str, under: str
) -> Finding:
    """Best below v: where the mean of `under` comes down to that of no-HO."""
    key = ("crossing", figure, evidence.reading_of(figure, under))
    found = evidence.once(key, lambda: _crossing_m(evidence, figure, under))
    if found is None:
        last = evidence.points(figure)[-1]
        where = f"{under} - no-HO at {point_name(figure, last)}, as they never cross"
        return Finding(Verdict.NOT_REPRODUCED, _gap(evidence, figure, last, under), "s", where)
    # Where they cross beyond the printed value, no-HO is best below that value as well.
    otherwise = Verdict.HOLDS if found.mean > value else Verdict.NOT_REPRODUCED
    verdict = verdict_where(decided_within(found, value - within, value + within), otherwise)
    return Finding(verdict, found, "m", f"where {under} and no-HO are equal")


def _gap(evidence: Evidence, figure: str, x: float, scheme: str) -> Estimate:
    return evidence.estimate("difference", (figure, x, scheme), (figure, x, NO_HANDOVER))


def _crossing_m(evidence: Evidence, figure: str, scheme: str) -> Estimate | None:
    """The D_bs where a scheme, slower before, becomes faster than no-HO; None if nowhere.

    The interval is that of the paired difference at the crossing over its slope there.
    """
    # Most pages read the claims without deciding them.
    from scipy.optimize import brentq

    def gap_s(x: float) -> float:
        return _gap(evidence, figure, x, scheme).mean

    points = evidence.points(figure)
    gaps = np.array([gap_s(x) for x in points])
    falls = np.flatnonzero((gaps[:-1] > 0) & (gaps[1:] <= 0))
    if not falls.size:
        return None
    low, high = points[falls[0]], points[falls[0] + 1]
    at = float(brentq(gap_s, low, high, xtol=CROSSING_XTOL_M))
    here, beside = (_gap(evidence, figure, x, scheme) for x in (at, at + SLOPE_STEP_M))
    half = (here.ci_high - here.mean) / abs((beside.mean - here.mean) / SLOPE_STEP_M)
    return Estimate(at, at - half, at + half)
