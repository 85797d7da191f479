"""What an assumed prefill model costs over the link rate."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, PercentFormatter

from ctho.pages.shared.theme import use_theme

__all__ = ["cost_figure"]

# Colour, dashes and marker of each assumption; there are at most four.
_STYLES = (
    ("#D55E00", (0, (6, 2)), "s"),
    ("#0072B2", (0, (3, 1, 1, 1)), "o"),
    ("#CC79A7", (0, (1, 1)), "D"),
    ("#009E73", "-", "^"),
)
_MBIT = 1e3


def cost_figure(table: pd.DataFrame, truth: str) -> Figure:
    """How wrong the promise is, and how much delay is lost, over the link rate.

    Args:
        table: :func:`ctho.pages.prefill.cost.cost_over_rates`.
        truth: name of the row of the true model, which is left out.
    """
    use_theme()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.2))
    assumed = table[table["assumed"] != truth].groupby("assumed", sort=False)
    for number, (name, own) in enumerate(assumed):
        colour, dashes, marker = _STYLES[number]
        for axes, column in ((left, "misprediction"), (right, "excess")):
            axes.plot(
                own["backhaul_gbps"] * _MBIT,
                own[column],
                color=colour,
                linestyle=dashes,
                marker=marker,
                markersize=5,
                label=name,
            )
    left.axhline(0, color="0.3", lw=1)
    left.set(ylabel="predicted / got - 1", title="delay promised against delay got")
    right.set(ylabel="got / best possible - 1", title="delay lost", ylim=(0, None))
    right.legend(fontsize="small")
    for axes in (left, right):
        axes.set(xscale="log", xlabel="Link rate (Mbit/s)")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter("{x:,g}")
        axes.xaxis.set_minor_locator(NullLocator())
    return figure
