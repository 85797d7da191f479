"""Figure 2: prefill and transfer delay over the prefill length, and where they meet."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from ctho.pages.shared.theme import PREFILL_COLOUR, SCHEME_STYLES, TRANSFER_COLOUR, use_theme

__all__ = ["crossing_figure"]


def crossing_figure(
    curves: pd.DataFrame, best_length_tok: float, best_delay_s: float, zero_delay_s: float
) -> Figure:
    """Draw D_pf(L), D*_tx(L) and their maximum V(L), with the optimum and the value at L = 0.

    Args:
        curves: the table of :func:`ctho.simulation.one_instance.delay_curves`.
        best_length_tok: L*, tokens.
        best_delay_s: V(L*), seconds.
        zero_delay_s: V(0), where no batch is waited for, seconds.
    """
    use_theme()
    figure, axes = plt.subplots()
    x = curves["prefill_length_tok"]
    axes.plot(x, curves["delay_s"], color="0.8", lw=7, label="$V(L)$, the larger of the two")
    axes.plot(x, curves["prefill_delay_s"], color=PREFILL_COLOUR, label="prefill, $D^{(pf)}(L)$")
    axes.plot(
        x,
        curves["transfer_delay_s"],
        color=TRANSFER_COLOUR,
        ls="--",
        label="transfer, $D^*_{(tx)}(L)$",
    )
    colour = SCHEME_STYLES["ctHO"].colour
    axes.plot(0, zero_delay_s, "o", color="0.35", ms=8, clip_on=False, label="$V(0)$, no batch")
    axes.plot(best_length_tok, best_delay_s, "*", color=colour, ms=16, label="optimum $L^*$")
    axes.annotate(
        f"$L^*$ = {best_length_tok:,.0f} tokens\n$V$ = {best_delay_s:.3f} s",
        (best_length_tok, best_delay_s),
        xytext=(14, 26),
        textcoords="offset points",
        color=colour,
    )
    axes.set(
        xlabel="Prefill length $L$ (tokens)",
        ylabel="Delay (s)",
        xlim=(0, float(x.iloc[-1])),
        ylim=(0, None),
    )
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return figure
