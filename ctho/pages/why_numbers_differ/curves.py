"""Figures 3 and 4 under a hypothesis."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctho.pages.why_numbers_differ.changes import together
from ctho.pages.why_numbers_differ.delays import Draws, delays_s
from ctho.pages.why_numbers_differ.figure4 import at_distance, mean_total_s, no_handover_s
from ctho.pages.why_numbers_differ.fit import Fit, Search
from ctho.pages.why_numbers_differ.targets import SMALL_K, targets
from ctho.pages.why_numbers_differ.worlds import Worlds
from ctho.simulation.simulate import NO_HANDOVER
from ctho.simulation.sweeps import FIGURE_SWEEPS

__all__ = ["curves", "largest_ratio", "printed_marks"]

Array = NDArray[np.float64]

SCHEMES = ("ctHO", "tHO", "cHO")


def curves(search: Search, fit: Fit) -> pd.DataFrame:
    """Mean of each scheme along each sweep, under a fitted hypothesis.

    Args:
        search: the printed parameters and the draws.
        fit: the changes and their numbers.

    Returns:
        Columns figure, x, scheme, mean (seconds).
    """
    draws, printed = search.fine, search.null
    world = together(fit.changes, printed, np.array([fit.numbers]))
    few = draws.in_groups(SMALL_K)
    tables = []
    for figure, sweep in FIGURE_SWEEPS.items():
        x = np.array(sweep.values, float)
        if figure == "fig3d":
            means = _over_users(world, x, draws)
        elif figure == "fig4":
            means = _over_distance(world, x, few)
        else:
            means = _means(_along(world, printed, figure, x), few)
        tables += [
            pd.DataFrame({"figure": figure, "x": x, "scheme": scheme, "mean": values})
            for scheme, values in means.items()
        ]
    return pd.concat(tables, ignore_index=True)


def largest_ratio(table: pd.DataFrame, over: str, under: str) -> tuple[float, str, float]:
    """The largest ratio of two means in Figure 3: its value, the figure and the point."""
    wide = table[table["figure"] != "fig4"].pivot(
        index=["figure", "x"], columns="scheme", values="mean"
    )
    ratio = wide[over] / wide[under]
    figure, x = ratio.index[int(ratio.to_numpy().argmax())]
    return float(ratio.max()), str(figure), float(x)


def printed_marks(table: pd.DataFrame) -> dict[str, list[tuple[str, float, float]]]:
    """Where the printed numbers lie beside the curves of :func:`curves`.

    A printed ratio or difference marks where its first scheme would have to lie, given ctHO's
    own curve.

    Returns:
        By figure, (scheme, x, seconds).
    """
    *users, slow, near, far = targets()
    own = table[table["scheme"] == "ctHO"].set_index(["figure", "x"])["mean"]
    marks = {"fig3d": [(s, t.x, t.value) for s, t in zip(SCHEMES, users, strict=True)]}
    marks["fig3a"] = [("cHO", slow.x, slow.value * float(own["fig3a", slow.x]))]
    marks["fig4"] = [(NO_HANDOVER, t.x, t.value + float(own["fig4", t.x])) for t in (near, far)]
    return marks


def _along(world: Worlds, printed: Worlds, figure: str, x: Array) -> Worlds:
    if figure == "fig3a":
        return world.replace(backhaul_gbps=x)
    if figure == "fig3b":
        # A factor on a stays one at every prefill speed.
        factor = world["prefill_s_per_tok"] / printed["prefill_s_per_tok"]
        return world.replace(prefill_s_per_tok=factor / x)
    return world.replace(context_max_tok=x)


def _means(worlds: Worlds, draws: Draws) -> dict[str, Array]:
    return {scheme: delay.mean(axis=1) for scheme, delay in delays_s(worlds, draws).items()}


def _over_users(world: Worlds, x: Array, draws: Draws) -> dict[str, Array]:
    at_each = [_means(world, draws.first(int(count))) for count in x]
    return {scheme: np.array([means[scheme][0] for means in at_each]) for scheme in SCHEMES}


def _over_distance(world: Worlds, x: Array, draws: Draws) -> dict[str, Array]:
    there = at_distance(world, x)
    delay = delays_s(there, draws)
    totals = {scheme: mean_total_s(there, delay[scheme]) for scheme in SCHEMES}
    return {**totals, NO_HANDOVER: no_handover_s(there)}
