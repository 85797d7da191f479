"""What an assumed prefill model costs over the link rate."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator, PercentFormatter

from ctho.pages.shared.theme import use_theme

__all__ = ["cost_figure"]

_COLOURS = ("#D55E00", "#0072B2", "#CC79A7", "#009E73")
_DASHES = ((0, (6, 2)), (0, (3, 1, 1, 1)), (0, (1, 1)), "-")
_MARKERS = ("s", "o", "D", "^")
_MBIT = 1e3


def cost_figure(table: pd.DataFrame, truth: str) -> Figure:
    """How wrong the promise is, and how much delay is lost, over the link rate.

    Args:
        table: :func:`ctho.pages.prefill.cost.cost_over_rates`.
        truth: name of the row of the true model, which is left out.
    """
    use_theme()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.2))
    assumed = table[table["assumed"] != truth]
    for number, (name, own) in enumerate(assumed.groupby("assumed", sort=False)):
        style = {
            "color": _COLOURS[number % len(_COLOURS)],
            "linestyle": _DASHES[number % len(_DASHES)],
            "marker": _MARKERS[number % len(_MARKERS)],
            "markersize": 5,
            "label": name,
        }
        left.plot(own["backhaul_gbps"] * _MBIT, own["misprediction"], **style)
        right.plot(own["backhaul_gbps"] * _MBIT, own["excess"], **style)
    left.axhline(0, color="0.3", lw=1)
    left.set(ylabel="predicted / got - 1", title="delay promised against delay got")
    right.set(ylabel="got / best possible - 1", title="delay lost", ylim=(0, None))
    right.legend(fontsize="small")
    for axes in (left, right):
        axes.set(xscale="log", xlabel="Link rate (Mbit/s)")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axes.xaxis.set_minor_locator(NullLocator())
    return figure
