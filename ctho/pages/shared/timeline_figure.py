"""Figure 1: one handover as a timeline of movement, prefill and the link."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ctho.pages.shared.results import rows
from ctho.pages.shared.text import plural
from ctho.pages.shared.theme import PREFILL_COLOUR, TRANSFER_COLOUR, use_theme

__all__ = ["timeline_figure"]

BAR_HEIGHT = 0.34

LINK_SHADES = (0.7, 1.0)
"""In turn, so that neighbours on the link can be told apart."""


def timeline_figure(
    users: pd.DataFrame, bars: pd.DataFrame, speed_mps: float, boundary_m: float
) -> Figure:
    """Draw who moves when, what is prefilled, who has the link, and when each user resumes.

    Args:
        users: the table of :func:`ctho.pages.shared.timeline.timeline_users`.
        bars: the table of :func:`ctho.pages.shared.timeline.timeline_bars`.
        speed_mps: v, metres per second.
        boundary_m: x_b, where the handover is triggered, metres.
    """
    use_theme()
    figure, (road, lanes, link) = plt.subplots(
        3,
        figsize=(7.2, 3.2 + 0.62 * len(users)),
        sharex=True,
        height_ratios=[2, len(users) + 0.4, 1],
    )
    prefill = bars[bars["what"] == "prefill"]
    transfer = bars[bars["what"] == "transfer"]
    begin, end = users["handover_s"].min(), max(users["resume_s"].max(), bars["end_s"].max())
    margin = 0.06 * (end - begin) or 0.001  # a batch that costs nothing may keep nobody waiting
    link.set_xlim(begin - margin, end + margin)
    _draw_road(road, users, (begin - margin, end + margin), speed_mps, boundary_m)
    _draw_lanes(lanes, users, prefill, transfer)
    _draw_link(link, transfer, users, narrow=(end - begin) / 9)
    return figure


def _draw_road(
    axes: Axes,
    users: pd.DataFrame,
    window: tuple[float, float],
    speed_mps: float,
    boundary_m: float,
) -> None:
    for row in rows(users):
        positions = [boundary_m + speed_mps * (time - row.handover_s) for time in window]
        axes.plot(window, positions, color="0.45", lw=1.2)
        axes.plot(row.handover_s, boundary_m, "|", color="black", ms=14, mew=2)
    axes.axhline(boundary_m, color="0.6", ls=":", lw=1.2)
    axes.set_ylabel("position (m)")
    handles = [
        Line2D([], [], color="black", marker="|", ms=12, mew=2, ls="", label="handover"),
        Line2D([], [], color="black", marker=">", ms=7, ls="", label="streaming resumes"),
        Line2D([], [], color="0.75", lw=5, label="interruption"),
        Patch(facecolor=PREFILL_COLOUR, hatch="///", edgecolor="white", label="batch prefill"),
        Patch(facecolor=TRANSFER_COLOUR, label="KV cache on the link"),
    ]
    axes.legend(
        handles=handles, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.01), frameon=False
    )


def _draw_lanes(
    axes: Axes, users: pd.DataFrame, prefill: pd.DataFrame, transfer: pd.DataFrame
) -> None:
    for row in rows(users):
        axes.plot([row.handover_s, row.resume_s], [row.user] * 2, color="0.75", lw=5, zorder=1)
        axes.plot(row.handover_s, row.user, "|", color="black", ms=18, mew=2, zorder=4)
        axes.plot(row.resume_s, row.user, ">", color="black", ms=7, zorder=4)
        for bar in rows(prefill):
            above = row.user - BAR_HEIGHT / 2
            _bar(axes, bar, above, color=PREFILL_COLOUR, hatch="///", zorder=3)
    for bar in rows(transfer):
        _bar(axes, bar, bar.user + BAR_HEIGHT / 2, color=TRANSFER_COLOUR, zorder=3)
    names = [f"UE {row.user}\n{plural(round(row.context_tok), 'token')}" for row in rows(users)]
    axes.set_yticks(users["user"], names)
    axes.set_ylim(len(users) + 0.6, 0.4)
    axes.grid(visible=False, axis="y")


def _draw_link(axes: Axes, transfer: pd.DataFrame, users: pd.DataFrame, narrow: float) -> None:
    sent = users.set_index("user")["transferred_tok"]
    for position, bar in enumerate(rows(transfer)):
        alpha = LINK_SHADES[position % 2]
        _bar(axes, bar, 0, height=0.8, color=TRANSFER_COLOUR, alpha=alpha)
        wide = bar.end_s - bar.start_s >= narrow
        label = f"{bar.user}: {sent[bar.user]:,.0f}" if wide else str(bar.user)
        axes.text((bar.start_s + bar.end_s) / 2, 0, label, ha="center", va="center", fontsize=9)
    axes.set_yticks([0], ["on the link\n(UE: tokens)"])
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("Time (s)")


def _bar(axes: Axes, bar: Any, middle: float, height: float = BAR_HEIGHT, **style: Any) -> None:
    width = bar.end_s - bar.start_s
    axes.barh(middle, width, left=bar.start_s, height=height, edgecolor="white", **style)
