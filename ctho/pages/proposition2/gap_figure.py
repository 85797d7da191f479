"""Where Proposition 2 as printed is low: shares and sizes over a grid of two quantities."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ctho.pages.proposition2.gap import AXES
from ctho.pages.shared.theme import use_theme

__all__ = ["gap_map_figure"]

MEASURES = {
    "share_low": ("low on this share of instances (%)", 100.0),
    "mean_low": ("low by this much on the mean (%)", 50.0),
}
"""Each measure in words, with the value in percent that gets the darkest colour."""

WHITE_TEXT_FROM = 0.55
"""Cells darker than this part of the scale carry white numbers."""


def gap_map_figure(table: pd.DataFrame, measures: Sequence[str] = tuple(MEASURES)) -> Figure:
    """Draw a heat map for each scheme and measure.

    Args:
        table: the table of :func:`ctho.pages.proposition2.gap.gap_map`; its first two columns
            are the axes.
        measures: keys of :data:`MEASURES`, one row of maps each.
    """
    use_theme()
    x, y = table.columns[:2]
    schemes = list(dict.fromkeys(table["scheme"]))
    rows, columns = table[y].nunique(), table[x].nunique()
    figure, grid = plt.subplots(
        len(measures),
        len(schemes),
        figsize=(2.6 + 0.38 * columns * len(schemes), 0.6 + (0.6 + 0.31 * rows) * len(measures)),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for row, measure in enumerate(measures):
        words, darkest = MEASURES[measure]
        for column, scheme in enumerate(schemes):
            axes = grid[row, column]
            part = table[table["scheme"] == scheme]
            cells = part.pivot_table(index=y, columns=x, values=measure)
            _draw_cells(axes, 100 * cells, darkest)
            axes.set_title(f"{scheme}: {words}")
            axes.set_xlabel(AXES[x] if row == len(measures) - 1 else "")
            axes.set_ylabel(AXES[y] if column == 0 else "")
    return figure


def _draw_cells(axes: Axes, cells: pd.DataFrame, darkest: float) -> None:
    values = cells.to_numpy()
    axes.pcolormesh(values, cmap="Blues", vmin=0, vmax=darkest, edgecolors="white", linewidth=0.6)
    for (row, column), value in np.ndenumerate(values):
        label = axes.text(
            column + 0.5,
            row + 0.5,
            f"{value:.0f}",
            ha="center",
            va="center",
            fontsize=8.5,
            color="white" if value > WHITE_TEXT_FROM * darkest else "0.15",
        )
        label.set_in_layout(False)  # it lies in its cell; measuring hundreds takes seconds
    axes.set_xticks(np.arange(cells.shape[1]) + 0.5, [f"{value:g}" for value in cells.columns])
    axes.set_yticks(np.arange(cells.shape[0]) + 0.5, [f"{value:g}" for value in cells.index])
    axes.grid(visible=False)
