"""Figures 3 and 4: mean delay of each scheme along a sweep."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from ctho.pages.shared.theme import SCHEME_STYLES, use_theme

__all__ = ["sweep_figure"]


def sweep_figure(table: pd.DataFrame, x_label: str, y_label: str) -> Figure:
    """Draw a sweep: one line a scheme through the means, a band for the 95 % intervals.

    Args:
        table: the columns x, scheme, mean, ci_low, ci_high of :func:`ctho.simulation.run_sweep`.
        x_label: the swept quantity in words, with its unit.
        y_label: the measured quantity in words, with its unit.
    """
    use_theme()
    figure, axes = plt.subplots()
    for scheme, rows in table.groupby("scheme", sort=False):
        style = SCHEME_STYLES[str(scheme)]
        colour, x = style.colour, rows["x"]
        axes.fill_between(x, rows["ci_low"], rows["ci_high"], color=colour, alpha=0.25, lw=0)
        axes.plot(
            x,
            rows["mean"],
            color=colour,
            marker=style.marker,
            linestyle=style.dashes,
            markeredgecolor="white",
            markeredgewidth=0.6,
            label=scheme,
        )
    axes.set(xlabel=x_label, ylabel=y_label, ylim=(0, None))
    axes.legend(title="Scheme")
    return figure
