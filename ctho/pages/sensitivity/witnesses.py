"""Shadow prices held against difference quotients and against the multipliers of HiGHS."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctho.handover import Handover
from ctho.pages.sensitivity.prices import PARAMETERS, dual_prices, one_sided_prices, shadow_prices
from ctho.prefill import AffinePrefill
from ctho.proofs.instances import time_scale_s
from ctho.proofs.newton import affine_prefill, busiest_window
from ctho.solution import Solution, delay_at_length
from ctho.solver import solve

__all__ = [
    "at_kinks",
    "difference_quotients",
    "disagreement",
    "kinked",
    "prices_table",
    "witness_prices",
]

Array = NDArray[np.float64]

STEP = 1e-4
"""Share of a parameter by which it is moved; the quotient's error is of second order in it."""

NEAR = 1e-4
"""Share of the step at which the optimal window must already be that of the whole step."""


def difference_quotients(handover: Handover, step: float = STEP) -> Array:
    """The one-sided derivatives of D*, by solving the instance anew with each parameter moved.

    Two quotients, of the whole step and of half of it, are extrapolated to step 0.

    Args:
        handover: one instance.
        step: in R, a + 1 / R and the time scale, so that a and b may be 0; below 0 for the left
            side, above 0 for the right one.

    Returns:
        In the order of :data:`ctho.pages.sensitivity.prices.PARAMETERS`, `[3]`; NaN where a or b
        would fall below 0, or where the optimal window changes within the step.
    """
    here = float(solve(handover).delay_s)
    values = _values(handover)
    quotients = np.full(values.size, np.nan)
    for i, unit in enumerate(_units(handover)):
        by = np.where(np.arange(values.size) == i, step * unit, 0.0)
        if (values + by < 0).any():
            continue
        whole, half, close = (_solved(handover, values + share * by) for share in (1, 0.5, NEAR))
        if _same_window(whole, close):
            of_whole = (float(whole.delay_s) - here) / by[i]
            of_half = (float(half.delay_s) - here) / (by[i] / 2)
            quotients[i] = 2 * of_half - of_whole
    return quotients


def at_kinks(handover: Handover) -> list[Handover]:
    """The same users with b moved so that D* has a kink: L* at a context, or at the jump to 0.

    Only those b >= 0; a kink at L* = C_i needs somebody with a longer context.
    """
    slope, _ = affine_prefill(handover)
    lengths = np.unique(handover.context_tok[handover.context_tok < handover.context_tok.max()])
    made = []
    for length in (0.0, *lengths.tolist()):
        transfer = float(delay_at_length(handover, length).transfer_delay_s)
        offset = transfer - slope * length - float(handover.batch_wait_s)
        if offset >= 0:
            made.append(handover.replace(prefill=AffinePrefill(slope, offset)))
    return made


def witness_prices(handovers: Sequence[Handover]) -> pd.DataFrame:
    """Compare all prices on all instances, and on kinks made from them.

    Returns:
        One row for each comparison: what, numbers (how many were compared) and worst, the largest
        deviation times the parameter's unit in shares of the instance's time scale.
    """
    smooth, duals, kinks = [], [], []
    for handover in handovers:
        shares = _units(handover) / float(time_scale_s(handover))
        left, right = (side.as_array() for side in one_sided_prices(handover))
        off_kink = np.isclose(left, right, rtol=1e-9, atol=0)
        closed = shadow_prices(handover).as_array()
        smooth += [
            ((closed - difference_quotients(handover, step)) * shares)[off_kink]
            for step in (-STEP, STEP)
        ]
        # With a = 0 many L are optimal, and HiGHS may return any of them.
        if affine_prefill(handover)[0] > 0:
            duals.append(((closed - dual_prices(handover).as_array()) * shares)[off_kink])
        for kink in at_kinks(handover):
            shares = _units(kink) / float(time_scale_s(kink))
            kinks += [
                (side.as_array() - difference_quotients(kink, step)) * shares
                for side, step in zip(one_sided_prices(kink), (-STEP, STEP), strict=True)
            ]
    rows = []
    for what, deviations in (
        ("closed form and difference quotient", smooth),
        ("closed form and multipliers of HiGHS", duals),
        ("one-sided prices and one-sided quotients, at kinks", kinks),
    ):
        # A quotient across a kink is NaN and counts for nothing.
        apart = np.abs(np.concatenate([*deviations, []]))
        apart = apart[np.isfinite(apart)]
        rows.append((what, apart.size, apart.max(initial=0.0)))
    return pd.DataFrame(rows, columns=["what", "numbers", "worst"])


def prices_table(handover: Handover) -> pd.DataFrame:
    """The prices of one instance by every method, one row a parameter.

    Returns:
        By parameter, the index: closed_form, highs, left, left_quotient, right, right_quotient;
        the left ones of a and b are NaN where these are 0 and cannot fall.
    """
    left, right = one_sided_prices(handover)
    slope, offset = affine_prefill(handover)
    columns = {
        "closed_form": shadow_prices(handover).as_array(),
        "highs": dual_prices(handover).as_array(),
        "left": np.where([False, slope == 0, offset == 0], np.nan, left.as_array()),
        "left_quotient": difference_quotients(handover, -STEP),
        "right": right.as_array(),
        "right_quotient": difference_quotients(handover, STEP),
    }
    return pd.DataFrame(columns, index=list(PARAMETERS))


def kinked(prices: pd.DataFrame) -> list[bool]:
    """For each row of :func:`prices_table` whether the left price differs from the right one."""
    same = np.isclose(prices["left"], prices["right"], rtol=1e-9, atol=0)
    return (prices["left"].notna() & ~same).tolist()


def disagreement(prices: pd.DataFrame) -> float:
    """How far the methods of :func:`prices_table` are apart off a kink, in shares of the price.

    HiGHS is left out at a = 0, where many L are optimal and it prices any one of them.
    """
    free = bool(prices["left"].isna()["slope"])
    same = prices.drop(columns=["highs"] if free else [])
    scale = same.abs().max(axis=1).replace(0.0, 1.0)
    return float(((same.max(axis=1) - same.min(axis=1)) / scale).max())


def _same_window(one: Solution, other: Solution) -> bool:
    if (one.prefill_length_tok > 0) != (other.prefill_length_tok > 0):
        return False
    first, second = (
        busiest_window(solution.handover, solution.prefill_length_tok) for solution in (one, other)
    )
    return bool(first.same_as(second))


def _values(handover: Handover) -> Array:
    """R, a and b, `[3]`."""
    return np.array([float(handover.backhaul_tok_per_s), *affine_prefill(handover)])


def _units(handover: Handover) -> Array:
    """R, a + 1 / R and the time scale, `[3]`."""
    rate, slope, _ = _values(handover)
    return np.array([rate, slope + 1 / rate, float(time_scale_s(handover))])


def _solved(handover: Handover, values: Array) -> Solution:
    """The optimum of the same users with other R, a and b."""
    rate, slope, offset = values.tolist()
    return solve(handover.replace(backhaul_tok_per_s=rate, prefill=AffinePrefill(slope, offset)))
