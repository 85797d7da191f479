"""What a sweep says: who has the lowest mean where, and how long the others take beside ctHO."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import Markdown

from ctho.pages.shared.results import rows
from ctho.pages.shared.text import listed, with_interval
from ctho.simulation.parameters import Parameters
from ctho.simulation.statistics import Estimate, ratio_estimate
from ctho.simulation.sweeps import Sweep

__all__ = ["cells_by_point", "finding", "lowest_means", "ratios_at_ends"]

TIE_RTOL = 1e-12
"""Means this close are equal but for rounding."""


def lowest_means(table: pd.DataFrame) -> list[tuple[list[str], Any, Any]]:
    """The schemes of the lowest mean, and the first and last of the neighbouring x where they are.

    They are more than one where they tie, such as ctHO and cHO on a link so fast that no batch is
    worth the wait. The table is that of :func:`ctho.simulation.run_sweep`.
    """
    at = [
        (here["scheme"][here["mean"] <= here["mean"].min() * (1 + TIE_RTOL)].unique().tolist(), x)
        for x, here in table.groupby("x")
    ]
    runs = [list(run) for _, run in groupby(at, key=lambda point: point[0])]
    return [(run[0][0], run[0][1], run[-1][1]) for run in runs]


def ratios_at_ends(
    sweep: Sweep, parameters: Parameters, values: Sequence[float]
) -> dict[float, dict[str, Estimate]]:
    """Mean delay of each other scheme over that of ctHO at both ends of the axis `values`.

    Returns:
        By x and scheme the ratio with its paired 95 % interval; nothing for an x where ctHO takes
        no time, or never ends.
    """
    ends = {}
    for x in sorted({min(values), max(values)}):
        samples = sweep.measure(sweep.point(parameters, x))
        base = samples.pop("ctHO")
        if 0 < base.mean() < np.inf:
            with np.errstate(invalid="ignore"):  # an infinite ratio has no interval
                ends[x] = {name: ratio_estimate(delay, base) for name, delay in samples.items()}
    return ends


def finding(table: pd.DataFrame, ends: dict[float, dict[str, Estimate]], place: str) -> Markdown:
    """The words below the figure, kept here and not on a page because five pages say them.

    Args:
        table: the sweep.
        ends: what :func:`ratios_at_ends` returns.
        place: a point of the axis with its unit, `%s` for its number.
    """
    lowest = []
    for schemes, x, last in lowest_means(table):
        reach = f"{x:,g}" if x == last else f"{x:,g} to {last:,g}"
        lowest.append(f"**{listed(schemes)}** at {place % reach}")
    lines = [f"The lowest mean is that of {listed(lowest)}.", ""]
    for x, ratios in ends.items():
        others = [f"{name} takes {with_interval(q.mean, q.ci_high)}" for name, q in ratios.items()]
        lines.append(f"- At {place % f'{x:,g}'}, {listed(others)} times as long as ctHO.")
    return Markdown("\n".join(lines))


def cells_by_point(table: pd.DataFrame) -> list[list[str]]:
    """A sweep as the cells of a table: x, then mean and half interval of each scheme, seconds."""
    return [
        [f"{x:,g}", *(with_interval(row.mean, row.ci_high) for row in rows(here))]
        for x, here in table.drop_duplicates().groupby("x", sort=False)
    ]
