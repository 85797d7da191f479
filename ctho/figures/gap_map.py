"""Where Proposition 2 as printed is low: shares and sizes over a grid of two quantities."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from ctho.figures.theme import use_theme
from ctho.study.transfer_gap import AXES

__all__ = ["gap_map_figure"]

MEASURES = {
    "share_low": "low on this share of instances (%)",
    "mean_low": "low by this much on the mean (%)",
}


def gap_map_figure(table: pd.DataFrame) -> Figure:
    """Draw a heat map for each scheme and measure.

    Args:
        table: the table of :func:`ctho.study.transfer_gap.gap_map`; its first two columns are the
            axes.
    """
    use_theme()
    x, y = table.columns[:2]
    schemes = list(dict.fromkeys(table["scheme"]))
    rows, columns = table[y].nunique(), table[x].nunique()
    figure, grid = plt.subplots(
        len(MEASURES),
        len(schemes),
        figsize=(2.6 + 0.38 * columns * len(schemes), 1.8 + 0.62 * rows),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for row, (measure, words) in enumerate(MEASURES.items()):
        for column, scheme in enumerate(schemes):
            axes = grid[row, column]
            part = table[table["scheme"] == scheme]
            cells = 100 * part.pivot_table(index=y, columns=x, values=measure).sort_index(
                ascending=False
            )
            sns.heatmap(
                cells,
                ax=axes,
                vmin=0,
                vmax=100 if measure == "share_low" else 50,
                cmap="Blues",
                annot=True,
                fmt=".0f",
                annot_kws={"size": 8.5},
                cbar=False,
                linewidths=0.4,
            )
            axes.set_title(f"{scheme}: {words}")
            axes.set_xlabel(AXES[x] if row == len(MEASURES) - 1 else "")
            axes.set_ylabel(AXES[y] if column == 0 else "")
            axes.tick_params(axis="both", rotation=0)
            axes.set_xticklabels([f"{value:g}" for value in cells.columns])
            axes.set_yticklabels([f"{value:g}" for value in cells.index])
    return figure
