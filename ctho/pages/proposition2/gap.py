"""How often, and by how much, Proposition 2 as printed is below the minimum transfer delay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctho.backhaul import minimum_transfer_delay_s, printed_transfer_bound_s
from ctho.checks import InputError, check_choice, check_number
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.statistics import mean_estimate, ratio_estimate
from ctho.solution import delay_at_length
from ctho.solver import solve

__all__ = [
    "AXES",
    "fast_link_limit",
    "furthest_below",
    "gap_map",
    "promised_and_delivered",
    "two_user_census",
    "with_spread",
]

Array = NDArray[np.float64]

AXES = {
    "backhaul_gbps": "Backhaul rate $R_{bh}$ (Gbps)",
    "num_ues": "Number of users $K$",
    "spread_s": "Spread of handover times (s)",
}
"""What a map can run over, with the axis in words."""

FAST_LINK_GBPS = 1e7
"""A context takes a fraction of a microsecond, so users spread over half a second do not meet."""

LOW_FROM = 1e-9
"""The printed form counts as low if it misses more than this part of the value, not by rounding."""


def gap_map(
    parameters: Parameters,
    x: str,
    x_values: Sequence[float],
    y: str,
    y_values: Sequence[float],
    schemes: Sequence[str] = ("cHO", "ctHO"),
) -> pd.DataFrame:
    """Compare both forms of D*_tx at the length that each scheme uses, over a grid.

    Args:
        parameters: everything that is not on an axis.
        x: a key of :data:`AXES`.
        x_values: its points.
        y: another key.
        y_values: its points.
        schemes: cHO transfers all tokens, ctHO those beyond L*.

    Returns:
        One row per (x, y, scheme): their values, `share_low` (part of the realisations where the
        printed form is low), `mean_low` (1 - mean printed / mean exact; 0 where nothing is sent),
        realisations.

    Raises:
        InputError: an unknown axis, the same axis twice, no values, or one out of bounds.
    """
    for name in (x, y):
        check_choice("the axis of a map", name, AXES)
    if x == y:
        raise InputError("the second axis of a map", y, f"another than the first, {x}")
    for name, values in ((x, x_values), (y, y_values)):
        if not len(values):
            raise InputError(f"{name}_values", list(values), "a list of at least one number")
    rows = []
    for y_value in y_values:
        for x_value in x_values:
            point = _moved(_moved(parameters, x, x_value), y, y_value)
            for scheme in schemes:
                printed, exact = _both_forms(point, scheme)
                low = printed < exact * (1 - LOW_FROM)
                missing = 1 - printed.mean() / exact.mean() if exact.any() else 0.0
                rows.append((x_value, y_value, scheme, low.mean(), missing, exact.size))
    return pd.DataFrame(rows, columns=[x, y, "scheme", "share_low", "mean_low", "realisations"])


def furthest_below(table: pd.DataFrame) -> pd.DataFrame:
    """Where on a map the printed form falls furthest below the value, for each scheme.

    Args:
        table: the table of :func:`gap_map`.

    Returns:
        That row of the table for each scheme, with `cells`, how many the map has, and
        `exact_cells`, in how many the printed form is exact on every realisation.
    """
    parts = [part for _, part in table.groupby("scheme", sort=False)]
    exact = [int((part["share_low"] == 0).sum()) for part in parts]
    return table.loc[[part["mean_low"].idxmax() for part in parts]].assign(
        cells=[len(part) for part in parts], exact_cells=exact
    )


def with_spread(parameters: Parameters, spread_s: float) -> Parameters:
    """The same parameters with users who start over `spread_s` seconds of road.

    The farthest start moves, so that all cross within `spread_s` of each other; the
    paper's is (130 m - 120 m) / 20 m/s = 0.5 s.

    >>> with_spread(Parameters(), 1.0).start_min_m
    110.0
    """
    spread = check_number("spread_s", spread_s, at_least=0)
    return parameters.replace(start_min_m=parameters.start_max_m - spread * parameters.speed_mps)


def fast_link_limit(parameters: Parameters, num_ues_values: Sequence[int]) -> pd.DataFrame:
    """Where the link is so fast that every transfer ends before the next release, for cHO.

    There the printed form sees the first user alone, and is low unless the first context is
    the longest: with independent, equally distributed contexts in 1 - 1/K of the cases.

    Returns:
        One row per K: num_ues, `predicted` 1 - 1/K, `share_low` and its 95 % interval.
    """
    rows = []
    for num_ues in num_ues_values:
        point = parameters.replace(num_ues=num_ues, backhaul_gbps=FAST_LINK_GBPS)
        printed, exact = _both_forms(point, "cHO")
        low = (printed < exact * (1 - LOW_FROM)).astype(float)
        rows.append((num_ues, 1 - 1 / num_ues, *mean_estimate(low)))
    return pd.DataFrame(rows, columns=["num_ues", "predicted", "share_low", "ci_low", "ci_high"])


def promised_and_delivered(parameters: Parameters) -> pd.DataFrame:
    """What a design by the printed form promises, what its choice delivers, and the best.

    Promised is the delay by Eq. (18) at the length it picks; delivered is the delay of that
    length under the best schedule; best is the least delay of all.

    Returns:
        One row per (scheme, what): scheme, what, mean and its interval (seconds), and
        `to_best` with its interval, the paired ratio of means to the best.
    """
    handovers = sample_handovers(parameters)
    exact, printed = (parameters.replace(transfer=form).reading for form in ("exact", "printed"))
    rows = []
    for scheme in ("cHO", "ctHO"):
        best = solve(handovers, scheme, exact).delay_s
        design = solve(handovers, scheme, printed)
        delivered = delay_at_length(handovers, design.prefill_length_tok, scheme, exact).delay_s
        for what, delay in (
            ("promised", design.delay_s),
            ("delivered", delivered),
            ("best", best),
        ):
            to_best = ratio_estimate(delay, best) if best.any() else (1.0, 1.0, 1.0)
            rows.append((scheme, what, *mean_estimate(delay), *to_best))
    names = ["scheme", "what", "mean", "ci_low", "ci_high"]
    return pd.DataFrame(rows, columns=[*names, "to_best", "to_best_low", "to_best_high"])


def two_user_census(most_tok: int = 6, longest_gap: int = 8) -> pd.DataFrame:
    """Both forms for every pair of users with whole tokens, at one token per unit of time.

    Returns:
        One row an instance: first_tok, second_tok (1 to `most_tok`), gap_s (0 to `longest_gap`),
        printed_s, exact_s, low, and `predicted`: first_tok < gap_s and first_tok < second_tok.
    """
    sizes, gaps = np.arange(1, most_tok + 1), np.arange(longest_gap + 1)
    first, second, gap = (axis.ravel() for axis in np.meshgrid(sizes, sizes, gaps, indexing="ij"))
    link = (np.stack([0 * gap, gap], axis=-1), np.stack([first, second], axis=-1), 1.0)
    printed, exact = printed_transfer_bound_s(*link), minimum_transfer_delay_s(*link)
    return pd.DataFrame(
        {
            "first_tok": first,
            "second_tok": second,
            "gap_s": gap,
            "printed_s": printed,
            "exact_s": exact,
            "low": printed < exact,
            "predicted": (first < gap) & (first < second),
        }
    )


def _both_forms(parameters: Parameters, scheme: str) -> tuple[Array, Array]:
    """Eq. (18) as printed and the value, at the length of a scheme, seconds, each `[N]`."""
    handovers = sample_handovers(parameters)
    remaining = solve(handovers, scheme, parameters.replace(transfer="exact").reading).remaining_tok
    link = (handovers.handover_s, remaining, handovers.backhaul_tok_per_s)
    return printed_transfer_bound_s(*link), minimum_transfer_delay_s(*link)


def _moved(parameters: Parameters, axis: str, value: float) -> Parameters:
    if axis == "spread_s":
        return with_spread(parameters, value)
    return parameters.replace(**{axis: value})
