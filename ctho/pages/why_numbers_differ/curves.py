"""Figures 3 and 4 under a hypothesis, and what their curves say."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctho.checks import check_choice
from ctho.pages.why_numbers_differ.changes import together
from ctho.pages.why_numbers_differ.delays import Draws, delays_s
from ctho.pages.why_numbers_differ.figure4 import at_distance, mean_total_s, no_handover_s
from ctho.pages.why_numbers_differ.fit import Search
from ctho.pages.why_numbers_differ.ranking import Fit
from ctho.pages.why_numbers_differ.targets import SMALL_K
from ctho.pages.why_numbers_differ.worlds import Worlds
from ctho.schemes import PAPER_SCHEMES
from ctho.simulation.simulate import NO_HANDOVER
from ctho.simulation.sweeps import FIGURE_SWEEPS

__all__ = ["curves", "largest_ratio", "printed_marks", "steps_in_figure_4"]

Array = NDArray[np.float64]
Means = dict[str, Array]


def curves(search: Search, fit: Fit) -> pd.DataFrame:
    """Mean of each scheme along each sweep, under a fitted hypothesis.

    Returns:
        Columns figure, x, scheme, mean (seconds).

    Raises:
        InputError: a sweep that no hypothesis has been taught to follow.
    """
    world = together(fit.changes, search.null, [fit.numbers])
    tables = []
    for figure, sweep in FIGURE_SWEEPS.items():
        x = np.array(sweep.values, float)
        along = _ALONG[check_choice("figure", figure, _ALONG)]
        tables += [
            pd.DataFrame({"figure": figure, "x": x, "scheme": scheme, "mean": mean})
            for scheme, mean in along(world, x, search).items()
        ]
    return pd.concat(tables, ignore_index=True)


class Ratio(NamedTuple):
    """A ratio of two means, with its figure and the point of the axis."""

    value: float
    figure: str
    x: float


def largest_ratio(table: pd.DataFrame, over: str, under: str) -> Ratio:
    """The largest ratio of two schemes' means in Figure 3, of a table of :func:`curves`."""
    figure_3 = table[table["figure"] != "fig4"]
    wide = figure_3.pivot(index=["figure", "x"], columns="scheme", values="mean")
    ratio = wide[over] / wide[under]
    figure, x = ratio.index[int(ratio.to_numpy().argmax())]
    return Ratio(float(ratio.max()), str(figure), float(x))


class Steps(NamedTuple):
    """The least and the largest step of a curve from point to point, and how often the steps turn
    from growing to shrinking or back.
    """

    least_s: float
    most_s: float
    turns: int


def steps_in_figure_4(table: pd.DataFrame) -> Steps:
    """Those of ctHO in Figure 4, of a table of :func:`curves`; a smooth curve has no turns."""
    curve = table[(table["figure"] == "fig4") & (table["scheme"] == "ctHO")]["mean"].to_numpy()
    steps = np.diff(curve)
    turns = int((np.diff(np.sign(np.diff(steps))) != 0).sum())
    return Steps(float(steps.min()), float(steps.max()), turns)


def printed_marks(search: Search, table: pd.DataFrame) -> dict[str, list[tuple[str, float, float]]]:
    """Where the printed numbers lie beside the curves of :func:`curves`.

    A printed ratio or difference marks where its first scheme would have to lie, given ctHO's
    own curve.

    Returns:
        By figure, (scheme, x, seconds).
    """
    *users, slow, near, far = search.targets
    own = table[table["scheme"] == "ctHO"].set_index(["figure", "x"])["mean"]
    return {
        "fig3d": [(s, t.x, t.value) for s, t in zip(PAPER_SCHEMES, users, strict=True)],
        "fig3a": [("cHO", slow.x, slow.value * float(own["fig3a", slow.x]))],
        "fig4": [(NO_HANDOVER, t.x, t.value + float(own["fig4", t.x])) for t in (near, far)],
    }


def _means(worlds: Worlds, draws: Draws) -> Means:
    return {scheme: delay.mean(axis=1) for scheme, delay in delays_s(worlds, draws).items()}


def _few(search: Search) -> Draws:
    return search.fine.in_groups(SMALL_K)


def _over_prefill_speeds(world: Worlds, x: Array, search: Search) -> Means:
    # A factor on a stays one at every prefill speed.
    factor = world["prefill_s_per_tok"] / search.null["prefill_s_per_tok"]
    return _means(world.replace(prefill_s_per_tok=factor / x), _few(search))


def _over_users(world: Worlds, x: Array, search: Search) -> Means:
    at_each = [_means(world, search.fine.first(int(count))) for count in x]
    return {scheme: np.concatenate([at[scheme] for at in at_each]) for scheme in PAPER_SCHEMES}


def _over_distances(world: Worlds, x: Array, search: Search) -> Means:
    there = at_distance(world, x)
    delays = delays_s(there, _few(search)).items()
    totals = {scheme: mean_total_s(there, delay) for scheme, delay in delays}
    return {**totals, NO_HANDOVER: no_handover_s(there)}


_ALONG: dict[str, Callable[[Worlds, Array, Search], Means]] = {
    "fig3a": lambda world, x, search: _means(world.replace(backhaul_gbps=x), _few(search)),
    "fig3b": _over_prefill_speeds,
    "fig3c": lambda world, x, search: _means(world.replace(context_max_tok=x), _few(search)),
    "fig3d": _over_users,
    "fig4": _over_distances,
}
"""How each sweep is followed; one without an entry is refused by name."""
