"""Proposition 2 as a picture: what is released, what is delivered, and what Eq. (20) counts."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ctho.pages.shared.theme import TRANSFER_COLOUR, use_theme

__all__ = ["flow_figure"]

Array = NDArray[np.float64]

EXACT_COLOUR = "#0072B2"
PRINTED_COLOUR = "#D55E00"


def flow_figure(curves: pd.DataFrame, users: pd.DataFrame) -> Figure:
    """Draw the cumulative curves; a delay is a horizontal distance between them.

    Args:
        curves: the table of :func:`ctho.pages.proposition2.flow.flow_curves`.
        users: the table of :func:`ctho.pages.proposition2.flow.flow_users`.
    """
    use_theme()
    figure, axes = plt.subplots(figsize=(7.2, 4.2))
    by_curve = dict(list(curves.groupby("curve")))
    released, delivered = by_curve["released"], by_curve["delivered"]
    printed = by_curve["printed"]
    first = (released["time_s"].iloc[0], 0.0)
    axes.step(
        [first[0], *released["time_s"]],
        [first[1], *released["tokens"]],
        where="post",
        color="0.25",
        label="released, $A(t)$",
    )
    axes.plot(
        delivered["time_s"],
        delivered["tokens"],
        color=EXACT_COLOUR,
        lw=2.6,
        label="delivered at best, $A^*(t)$",
    )
    times, lower, upper = _backlog(released, delivered)
    axes.fill_between(times, lower, upper, color=TRANSFER_COLOUR, alpha=0.18, lw=0)
    axes.plot(
        printed["time_s"],
        printed["tokens"],
        color=PRINTED_COLOUR,
        ls=(0, (5, 2)),
        label=r"counted by Eq. (20), $R\,(t-\tau_1)$",
    )
    height = float(users["total_tok"].max()) or 1.0  # with nothing to send, an empty picture
    _mark(axes, users.iloc[int(users["delay_s"].to_numpy().argmax())], "delay_s", EXACT_COLOUR, 0.0)
    _mark(
        axes,
        users.iloc[int(users["printed_delay_s"].to_numpy().argmax())],
        "printed_delay_s",
        PRINTED_COLOUR,
        -0.035 * height,
    )
    axes.set(xlabel="Time (s)", ylabel="Tokens, all users together")
    axes.margins(x=0.06)
    axes.set_ylim(-0.1 * height, 1.16 * height)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return figure


def _mark(axes: Axes, user: pd.Series[float], delay: str, colour: str, offset: float) -> None:
    """A double arrow as long as the delay, at the level S_k of one user, with its length."""
    begin, length = float(user["handover_s"]), float(user[delay])
    level = float(user["total_tok"]) + offset
    arrow = {"arrowstyle": "<->", "color": colour, "lw": 2, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (begin, level), (begin + length, level), arrowprops=arrow, zorder=5)
    exact = delay == "delay_s"
    # A short arrow has no room for its text below it.
    beside = not exact and length < 0.3 * float(user["printed_done_s"] - axes.get_xlim()[0])
    name = r"$D^\star_{\mathrm{(tx)}}$" if exact else "Eq. (18)"
    axes.annotate(
        f"{name} = {length:.4g} s",
        (begin + length if beside else begin + length / 2, level),
        xytext=(0, 8) if exact else (10 * beside, -16),
        textcoords="offset points",
        ha="left" if beside else "center",
        color=colour,
        fontweight="bold",
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
    )


def _backlog(released: pd.DataFrame, delivered: pd.DataFrame) -> tuple[Array, Array, Array]:
    """The backlog between A* and A for the shaded area: times, lower and upper edge."""
    corners = np.unique(np.concatenate([released["time_s"], delivered["time_s"]]))
    times = np.sort(np.concatenate([corners, np.nextafter(corners, -np.inf)]))
    place = np.searchsorted(released["time_s"], times, side="right") - 1
    upper = np.where(place >= 0, released["tokens"].to_numpy()[np.maximum(place, 0)], 0.0)
    lower = np.interp(times, delivered["time_s"], delivered["tokens"])
    return times, lower, np.maximum(upper, lower)
