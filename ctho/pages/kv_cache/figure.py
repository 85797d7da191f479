"""Cache size over the context's length, for several models."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from ctho.pages.shared.text import plural
from ctho.pages.shared.theme import use_theme

__all__ = ["context_figure"]

# Okabe and Ito's palette in an order apart from that of the schemes, with dashes for grey print.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255")
_DASHES = ("-", (0, (6, 2)), (0, (3, 1, 1, 1)), (0, (1, 1)))
_MEGABYTE = 1e6


def context_figure(table: pd.DataFrame, marked_tok: int) -> Figure:
    """Draw megabytes over tokens, both logarithmic.

    Args:
        table: columns model, context_tok, bytes.
        marked_tok: a context to mark, tokens.
    """
    use_theme()
    figure, axes = plt.subplots(figsize=(7.2, 4.6))
    for number, (model, own) in enumerate(table.groupby("model", sort=False)):
        round_, colour = divmod(number, len(_COLOURS))
        axes.plot(
            own["context_tok"],
            own["bytes"] / _MEGABYTE,
            color=_COLOURS[colour],
            # Where the colours begin anew the dashes are others.
            linestyle=_DASHES[(number + round_) % len(_DASHES)],
            label=model,
        )
    axes.axvline(marked_tok, color="0.5", lw=1, ls=(0, (2, 2)))
    axes.annotate(
        plural(marked_tok, "token"),
        (marked_tok, 0.02),
        xycoords=("data", "axes fraction"),
        xytext=(4, 0),
        textcoords="offset points",
        fontsize="small",
        color="0.35",
    )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="Context (tokens)",
        ylabel="KV cache (MB, $10^6$ bytes)",
        xlim=(table["context_tok"].min(), table["context_tok"].max()),
    )
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize="small", frameon=False)
    return figure
