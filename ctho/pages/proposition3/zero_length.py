"""The jump of V(L) at L = 0: how often ctHO does without a batch, and what that saves."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ctho.checks import InputError
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.statistics import mean_estimate
from ctho.solution import Reading
from ctho.solver import solve

__all__ = ["zero_length_table"]


def zero_length_table(
    parameters: Parameters, backhaul_gbps_values: Sequence[float]
) -> pd.DataFrame:
    """Mean delays with and without the jump, and the share of L = 0, over the link rate.

    Returns:
        One row for each (x, what): x in Gbps; what is "ctHO", "crossing only" (every L waits for
        the batch, as Eq. (9) reads), "cHO" (mean delays in seconds), "no batch" (the share of
        instances with L* = 0) or "cHO ahead" (of those where cHO beats the crossing);
        mean, ci_low, ci_high.

    Raises:
        InputError: no rates.
    """
    if not len(backhaul_gbps_values):
        raise InputError("backhaul_gbps_values", [], "a list of at least one rate")
    rows = []
    for x in backhaul_gbps_values:
        handovers = sample_handovers(parameters.replace(backhaul_gbps=x))
        best = solve(handovers)
        cho = solve(handovers, "cHO").delay_s
        crossing = solve(handovers, reading=Reading(zero_length="waits_for_batch")).delay_s
        columns = {
            "ctHO": best.delay_s,
            "crossing only": crossing,
            "cHO": cho,
            "no batch": (best.prefill_length_tok == 0).astype(float),
            "cHO ahead": (cho < crossing).astype(float),
        }
        rows += [(x, what, *mean_estimate(values)) for what, values in columns.items()]
    return pd.DataFrame(rows, columns=["x", "what", "mean", "ci_low", "ci_high"])
