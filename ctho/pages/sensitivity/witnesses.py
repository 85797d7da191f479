"""Shadow prices held against difference quotients and against the multipliers of HiGHS."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ctho.handover import Handover
from ctho.pages.sensitivity.prices import PARAMETERS, dual_prices, one_sided_prices, shadow_prices
from ctho.prefill import AffinePrefill
from ctho.proofs.instances import time_scale_s
from ctho.proofs.newton import affine_prefill, busiest_window
from ctho.solver import Solution, delay_at_length, solve

__all__ = ["at_kinks", "changed", "check_prices", "difference_quotient", "prices_table"]

STEP = 1e-4
"""Share of a parameter by which it is moved; the quotient's error is of second order in it."""

NEAR = 1e-4
"""Share of the step at which the optimal window must already be that of the whole step."""


def changed(handover: Handover, parameter: str, step: float) -> Handover:
    """The instance with one parameter moved by `step` times its unit.

    The unit of R is R, that of a is a + 1 / R, that of b the instance's time scale, so that a and b
    may be 0.
    """
    slope, offset = affine_prefill(handover)
    rate = float(handover.backhaul_tok_per_s)
    by = step * _unit(handover, parameter)
    moved = {"backhaul": rate, "slope": slope, "offset": offset}
    moved[parameter] += by
    return handover.replace(
        backhaul_tok_per_s=moved["backhaul"],
        prefill=AffinePrefill(moved["slope"], moved["offset"]),
    )


def difference_quotient(handover: Handover, parameter: str, step: float = STEP) -> float:
    """The one-sided derivative of D*, by solving the instance three times.

    Two quotients, of the whole step and of half of it, are extrapolated to step 0.

    Args:
        handover: one instance.
        parameter: one of :data:`ctho.pages.sensitivity.prices.PARAMETERS`.
        step: below 0 for the left side, above 0 for the right one.

    Returns:
        The derivative; NaN where a or b would fall below 0, or where the optimal window changes
        within the step.
    """
    slope, offset = affine_prefill(handover)
    unit = _unit(handover, parameter)
    room = {"backhaul": np.inf, "slope": slope, "offset": offset}[parameter]
    if -step * unit > room:
        return float("nan")
    whole, close = (solve(changed(handover, parameter, step * share)) for share in (1, NEAR))
    if not _same_window(whole, close):
        return float("nan")
    half, here = solve(changed(handover, parameter, step / 2)), float(solve(handover).delay_s)
    quotients = [
        (float(other.delay_s) - here) / (step * share * unit)
        for other, share in ((whole, 1.0), (half, 0.5))
    ]
    return 2 * quotients[1] - quotients[0]


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


def check_prices(handovers: Sequence[Handover]) -> pd.DataFrame:
    """Compare all prices on all instances, and on kinks made from them.

    Returns:
        One row for each comparison: what, instances (how many numbers were compared) and worst, the
        largest deviation times the parameter's unit in shares of the instance's time scale.
    """
    worst: dict[str, list[float]] = {
        "closed form and difference quotient": [],
        "closed form and multipliers of HiGHS": [],
        "one-sided prices and one-sided quotients, at kinks": [],
    }
    smooth, duals, kinks = worst.values()
    for handover in handovers:
        left, right = (side.as_array() for side in one_sided_prices(handover))
        off_kink = np.isclose(left, right, rtol=1e-9, atol=0)
        # With a = 0 many L are optimal, and HiGHS may return any of them.
        unique = affine_prefill(handover)[0] > 0
        closed, dual = shadow_prices(handover).as_array(), dual_prices(handover).as_array()
        for i, parameter in enumerate(PARAMETERS):
            if not off_kink[i]:
                continue
            scale = _unit(handover, parameter) / float(time_scale_s(handover))
            if unique:
                duals.append(abs(closed[i] - dual[i]) * scale)
            quotients = [difference_quotient(handover, parameter, step) for step in (-STEP, STEP)]
            smooth += [abs(closed[i] - quotient) * scale for quotient in quotients]
        for kink in at_kinks(handover):
            for side, step in zip(one_sided_prices(kink), (-STEP, STEP), strict=True):
                for parameter, price in zip(PARAMETERS, side.as_array(), strict=True):
                    scale = _unit(kink, parameter) / float(time_scale_s(kink))
                    quotient = difference_quotient(kink, parameter, step)
                    kinks.append(abs(price - quotient) * scale)
    # A quotient across a kink is NaN and counts for nothing.
    finite = {what: [v for v in values if np.isfinite(v)] for what, values in worst.items()}
    rows = [(what, len(values), max(values, default=0.0)) for what, values in finite.items()]
    return pd.DataFrame(rows, columns=["what", "instances", "worst"])


def prices_table(handover: Handover) -> pd.DataFrame:
    """The prices of one instance by every method, one row a parameter.

    Returns:
        Columns parameter, closed_form, highs, left, right, left_quotient, right_quotient; the
        left ones of a and b are NaN where these are 0 and cannot fall.
    """
    left, right = one_sided_prices(handover)
    columns = {
        "closed_form": shadow_prices(handover),
        "highs": dual_prices(handover),
        "left": left,
        "right": right,
    }
    table = pd.DataFrame({name: prices.as_array() for name, prices in columns.items()})
    table.insert(0, "parameter", list(PARAMETERS))
    slope, offset = affine_prefill(handover)
    at_the_end = np.array([False, slope == 0, offset == 0])
    table["left"] = table["left"].mask(at_the_end)
    for name, step in (("left_quotient", -STEP), ("right_quotient", STEP)):
        table[name] = [difference_quotient(handover, what, step) for what in PARAMETERS]
    return table


def _same_window(one: Solution, other: Solution) -> bool:
    lengths = [float(solution.prefill_length_tok) for solution in (one, other)]
    if (lengths[0] > 0) != (lengths[1] > 0):
        return False
    windows = [
        busiest_window(solution.handover, length)
        for solution, length in zip((one, other), lengths, strict=True)
    ]
    return bool(windows[0].same_as(windows[1]))


def _unit(handover: Handover, parameter: str) -> float:
    slope, _ = affine_prefill(handover)
    rate = float(handover.backhaul_tok_per_s)
    if parameter == "backhaul":
        return rate
    return slope + 1 / rate if parameter == "slope" else float(time_scale_s(handover))
