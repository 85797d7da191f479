"""Pictures of Proposition 3: Newton's climb, whole tokens, the jump at L = 0."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ctho.pages.shared.theme import PREFILL_COLOUR, SCHEME_STYLES, TRANSFER_COLOUR, use_theme

__all__ = ["newton_figure", "zero_length_figure"]

STEP_COLOUR = "#B35900"


def newton_figure(curves: pd.DataFrame, steps: pd.DataFrame, near: pd.DataFrame) -> Figure:
    """Newton's steps on D*_tx(L) beside V(L) at the grid of lengths around its minimum.

    Args:
        curves: the table of :func:`ctho.simulation.one_instance.delay_curves`.
        steps: the table of :func:`ctho.pages.proposition3.crossing.newton_table`.
        near: the table of :func:`ctho.pages.proposition3.crossing.near_optimum`.
    """
    use_theme()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    _draw_climb(left, curves, steps)
    colour = SCHEME_STYLES["ctHO"].colour
    real, grid = near[~near["on_grid"]], near[near["on_grid"]]
    right.plot(real["prefill_length_tok"], real["delay_s"] * 1e3, color="0.6", label="every $L$")
    right.plot(
        grid["prefill_length_tok"],
        grid["delay_s"] * 1e3,
        "o",
        color=colour,
        label="lengths on the grid",
    )
    right.ticklabel_format(useOffset=False)
    right.set(
        xlabel="Prefill length $L$ (tokens)", ylabel="$V(L)$ (ms)", title="Around the optimum"
    )
    right.legend()
    return figure


def _draw_climb(axes: Axes, curves: pd.DataFrame, steps: pd.DataFrame) -> None:
    x = curves["prefill_length_tok"]
    axes.plot(x, curves["prefill_delay_s"], color=PREFILL_COLOUR, label="$D^{(pf)}(L)$")
    axes.plot(x, curves["transfer_delay_s"], color=TRANSFER_COLOUR, label="$D^*_{(tx)}(L)$")
    for row in steps.to_dict("records"):
        axes.plot(
            [row["length_tok"], row["next_tok"]],
            [row["delay_s"], row["next_delay_s"]],
            color=STEP_COLOUR,
            ls="--",
            lw=1.2,
            label="Newton's lines" if row["step"] == 1 else None,
        )
        axes.plot(row["next_tok"], row["next_delay_s"], "o", color=STEP_COLOUR, ms=5)
        axes.annotate(
            str(row["step"]),
            (row["next_tok"], row["next_delay_s"]),
            xytext=(0, -14),
            textcoords="offset points",
            ha="center",
            color=STEP_COLOUR,
        )
    axes.plot(
        0,
        curves["transfer_delay_s"].iloc[0],
        "o",
        color="0.2",
        ms=7,
        clip_on=False,
        label="$V(0)$",
    )
    axes.set(
        xlabel="Prefill length $L$ (tokens)",
        ylabel="Delay (s)",
        xlim=(0, float(x.iloc[-1])),
        ylim=(0, None),
        title="The climb to the crossing",
    )
    axes.legend(loc="upper center")


def zero_length_figure(table: pd.DataFrame) -> Figure:
    """Mean delays with and without the jump, and how often L = 0 is best, over the link rate.

    Args:
        table: the table of :func:`ctho.pages.proposition3.zero_length.zero_length_table`.
    """
    use_theme()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    ctho, cho = SCHEME_STYLES["ctHO"], SCHEME_STYLES["cHO"]
    for what, colour, dashes, marker in (
        ("crossing only", STEP_COLOUR, (0, (6, 2)), "v"),
        ("cHO", cho.colour, cho.dashes, cho.marker),
        ("ctHO", ctho.colour, ctho.dashes, ctho.marker),
    ):
        rows = table[table["what"] == what]
        left.plot(rows["x"], rows["mean"], color=colour, ls=dashes, marker=marker, label=what)
    left.set(ylabel="Mean worst-user delay (s)", yscale="log")
    left.legend()
    rows = table[table["what"] == "no batch"]
    right.fill_between(rows["x"], 100 * rows["ci_low"], 100 * rows["ci_high"], alpha=0.25, lw=0)
    right.plot(rows["x"], 100 * rows["mean"], color=ctho.colour, marker=ctho.marker)
    right.set(ylabel="Instances with $L^* = 0$ (%)", ylim=(0, 100))
    for axes in (left, right):
        _rate_axis(axes, rows["x"].tolist())
    return figure


def _rate_axis(axes: Axes, rates_gbps: list[float]) -> None:
    """A logarithmic axis of link rates that names the rates drawn."""
    axes.set(xlabel="Backhaul rate $R_{bh}$ (Gbps)", xscale="log")
    axes.set_xticks(rates_gbps, [f"{rate:g}" for rate in rates_gbps])
    axes.minorticks_off()
