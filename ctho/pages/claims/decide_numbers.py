"""Decisions on claims that print a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ctho.kv_cache import KvCache, element_type, model_geometry
from ctho.pages.claims.evidence import Evidence, point_name
from ctho.pages.claims.verdicts import (
    Finding,
    Verdict,
    decided_above,
    decided_within,
    verdict_where,
)
from ctho.simulation.simulate import NO_HANDOVER
from ctho.simulation.statistics import Estimate

__all__ = [
    "best_below",
    "difference_more_than",
    "kv_bits_of_model",
    "kv_megabytes",
    "largest_ratio",
    "mean_near",
    "printed_ratio_at_most",
    "ratio_more_than",
]

BITS_PER_MEGABYTE = 8e6

CROSSING_XTOL_M = 1e-3
SLOPE_STEP_M = 1.0

Point = Mapping[str, Any]
"""A point of a sweep as the ledger's file gives it: {figure, x}."""


def kv_bits_of_model(evidence: Evidence, *, value: float, model: str, dtype: str) -> Finding:
    """Bits of KV cache per token from the model's recorded geometry."""
    bits = KvCache(model_geometry(model), element_type(dtype), element_type(dtype)).bits_per_tok
    where = f"from the geometry of {model}"
    return Finding(verdict_where(bits == value), Estimate(bits, bits, bits), "bit", where)


def kv_megabytes(evidence: Evidence, *, value: float, within: float, context_tok: int) -> Finding:
    """Size of a context's cache at the bits per token that the simulations use."""
    size = evidence.parameters.kv_bits_per_tok * context_tok / BITS_PER_MEGABYTE
    return _near(Estimate(size, size, size), value, within, "MB", f"{context_tok} tokens")


def mean_near(
    evidence: Evidence, *, value: float, within: float, at: Point, scheme: str
) -> Finding:
    """A mean delay at one point lies within the resolution of the printed value."""
    figure, x = at["figure"], at["x"]
    mean = evidence.estimate("mean", (figure, x, scheme))
    return _near(mean, value, within, "s", f"{scheme} at {point_name(figure, x)}")


def ratio_more_than(
    evidence: Evidence, *, value: float, within: float, at: Point, over: str, under: str
) -> Finding:
    """The ratio of two mean delays at one point exceeds the printed value."""
    return _more_than(*_compared(evidence, "ratio", at, over, under), value, within, "")


def difference_more_than(
    evidence: Evidence, *, value: float, within: float, at: Point, over: str, under: str
) -> Finding:
    """The difference of two mean delays at one point exceeds the printed value."""
    return _more_than(*_compared(evidence, "difference", at, over, under), value, within, "s")


def largest_ratio(
    evidence: Evidence,
    *,
    value: float,
    within: float,
    over: str,
    under: str,
    figures: Sequence[str],
    quoted: Sequence[Point],
) -> Finding:
    """Up to v: no point lies above v, and one reaches it.

    Only the points that the text quotes are known to be among the paper's. If one of them
    lies above v the claim fails whatever the ranges of the sweeps; else these would decide.
    """

    def ratio(at: Point) -> tuple[Estimate, str]:
        return _compared(evidence, "ratio", at, over, under)

    known, where = max(map(ratio, quoted), key=lambda found: found[0].ci_low)
    if decided_above(known, value + within):
        return Finding(Verdict.NOT_REPRODUCED, known, "", where)
    ours = [{"figure": figure, "x": x} for figure in figures for x in evidence.points(figure)]
    largest, where = max(map(ratio, ours), key=lambda found: found[0].mean)
    return Finding(Verdict.NOT_DECIDABLE, largest, "", f"{where}, the largest of our sweeps")


def printed_ratio_at_most(
    evidence: Evidence, *, value: float, over: float, under: float, within: float
) -> Finding:
    """Two printed numbers have a ratio of at most a third, whatever their rounding hid."""
    lowest, highest = (over - within) / (under + within), (over + within) / (under - within)
    ours = Estimate(over / under, lowest, highest)
    above = decided_above(ours, value)
    verdict = verdict_where(None if above is None else not above)
    return Finding(verdict, ours, "", "the paper's own numbers with their rounding")


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


def _compared(
    evidence: Evidence, how: str, at: Point, over: str, under: str
) -> tuple[Estimate, str]:
    """The "ratio" or "difference" of two means at a point, and what it is, in words."""
    figure, x = at["figure"], at["x"]
    sign = {"ratio": "/", "difference": "-"}[how]
    estimate = evidence.estimate(how, (figure, x, over), (figure, x, under))
    return estimate, f"{over} {sign} {under} at {point_name(figure, x)}"


def _near(ours: Estimate, value: float, within: float, unit: str, where: str) -> Finding:
    verdict = verdict_where(decided_within(ours, value - within, value + within))
    return Finding(verdict, ours, unit, where)


def _more_than(ours: Estimate, where: str, value: float, within: float, unit: str) -> Finding:
    """More than v: above v at all, and within one printed unit above it for the value."""
    verdict = verdict_where(decided_above(ours, value))
    if verdict is Verdict.REPRODUCED:
        verdict = verdict_where(decided_within(ours, value, value + within), Verdict.HOLDS)
    return Finding(verdict, ours, unit, where)


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
