"""Proposition 1 as a picture: D(L, r) for several rate allocations, and V(L) as their envelope."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from ctho.pages.proposition1.joint import VALUE
from ctho.pages.shared.theme import ORDER_STYLES, use_theme

__all__ = ["joint_figure"]

BEST_COLOUR = "#0072B2"


def joint_figure(table: pd.DataFrame, best_length_tok: float, best_delay_s: float) -> Figure:
    """Draw D(L, r) over L for each order of service, V(L) below them, and the optimum.

    Args:
        table: the table of :func:`ctho.pages.proposition1.joint.delays_by_order`.
        best_length_tok: L*, tokens.
        best_delay_s: V(L*), seconds.
    """
    use_theme()
    figure, axes = plt.subplots(figsize=(7.2, 4.2))
    for order, part in table.groupby("order", sort=False):
        value = order == VALUE
        colour, _, dashes = ("0.78", "", "-") if value else ORDER_STYLES[str(order)]
        label = "$V(L)$, the least of all" if value else f"$D(L, r)$, {order}"
        curve, zero = part[part["batch"]], part[~part["batch"]]
        axes.plot(
            curve["prefill_length_tok"],
            curve["delay_s"],
            color=colour,
            ls=dashes,
            lw=8 if value else 1.8,
            label=label,
            zorder=1 if value else 2,
        )
        axes.plot(
            zero["prefill_length_tok"],
            zero["delay_s"],
            "o",
            color=colour,
            ms=10 if value else 5,
            clip_on=False,
            zorder=3 if value else 4,
        )
    axes.plot(best_length_tok, best_delay_s, "*", color=BEST_COLOUR, ms=16, zorder=5)
    axes.annotate(
        f"$L^*$ = {best_length_tok:,.0f} tokens\n$V$ = {best_delay_s:.4g} s",
        (best_length_tok, best_delay_s),
        xytext=(12, -34),
        textcoords="offset points",
        color=BEST_COLOUR,
        fontweight="bold",
    )
    longest = float(table["prefill_length_tok"].max())
    axes.set(xlabel="Prefill length $L$ (tokens)", ylabel="Worst-user delay (s)")
    axes.set_xlim(-0.02 * longest, longest)
    axes.set_ylim(0, None)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return figure
