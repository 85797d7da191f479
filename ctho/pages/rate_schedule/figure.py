"""Orders of service on the link: who is served when, and what that costs the worst user."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ctho.pages.shared.results import rows
from ctho.pages.shared.theme import ORDER_STYLES, TRANSFER_COLOUR, use_theme

__all__ = ["order_comparison_figure", "orders_figure"]

BAR_HEIGHT = 0.72
WORST_COLOUR = "#D55E00"
WORST_WITHIN = 1e-9


def orders_figure(bars: pd.DataFrame) -> Figure:
    """Draw a Gantt chart for each order of service; a bar's height is the share of the link.

    Args:
        bars: the table of :func:`ctho.pages.rate_schedule.bars.order_bars`.
    """
    use_theme()
    if bars.empty:
        return _nothing_to_draw()
    orders = list(dict.fromkeys(bars["order"]))
    num_ues = int(bars["user"].max())
    figure, grid = plt.subplots(
        len(orders),
        figsize=(7.2, 1.3 + len(orders) * (0.6 + 0.26 * num_ues)),
        sharex=True,
        squeeze=False,
    )
    for axes, order in zip(grid[:, 0], orders, strict=True):
        part = bars[bars["order"] == order]
        _draw_bars(axes, part, num_ues)
        axes.set_title(f"{order}: worst delay {part['worst_s'].iloc[0]:.4g} s", loc="left")
    grid[-1, 0].set_xlabel("Time (s)")
    return figure


def _nothing_to_draw() -> Figure:
    figure, axes = plt.subplots(figsize=(7.2, 1.2))
    axes.text(0.5, 0.5, "Nobody has anything to send.", ha="center", va="center")
    axes.set_axis_off()
    return figure


def _draw_bars(axes: Axes, part: pd.DataFrame, num_ues: int) -> None:
    for bar in rows(part):
        height = BAR_HEIGHT * bar.share
        axes.barh(
            bar.user,
            bar.end_s - bar.start_s,
            left=bar.start_s,
            height=height,
            color=TRANSFER_COLOUR,
            edgecolor="white",
            lw=0.5,
            zorder=3,
        )
    for one in rows(part.drop_duplicates("user")):
        end, worst = one.handover_s + one.delay_s, one.delay_s >= one.worst_s * (1 - WORST_WITHIN)
        colour = WORST_COLOUR if worst else "0.75"
        axes.plot([one.handover_s, end], [one.user, one.user], color=colour, lw=2, zorder=2)
        axes.plot(one.handover_s, one.user, "|", color="black", ms=11, mew=2, zorder=4)
        axes.plot(end, one.user, ">", color=WORST_COLOUR if worst else "0.45", ms=6, zorder=5)
    axes.set_yticks(range(1, num_ues + 1), [f"UE {user}" for user in range(1, num_ues + 1)])
    axes.set_ylim(num_ues + 0.6, 0.4)
    axes.grid(visible=False, axis="y")


def order_comparison_figure(table: pd.DataFrame) -> Figure:
    """Draw the worst-user delay of each order relative to first come first served, over K.

    Args:
        table: the table of :func:`ctho.pages.rate_schedule.orders.compare_orders`.
    """
    use_theme()
    schemes = list(dict.fromkeys(table["scheme"]))
    figure, grid = plt.subplots(
        1, len(schemes), figsize=(4.4 * len(schemes), 3.8), sharey=True, squeeze=False
    )
    for axes, scheme in zip(grid[0], schemes, strict=True):
        for order, (colour, marker, dashes) in ORDER_STYLES.items():
            points = table[(table["scheme"] == scheme) & (table["order"] == order)]
            axes.errorbar(
                points["num_ues"],
                points["to_first"],
                yerr=[
                    points["to_first"] - points["to_first_low"],
                    points["to_first_high"] - points["to_first"],
                ],
                color=colour,
                marker=marker,
                ls=dashes,
                capsize=2,
                label=order,
            )
        axes.set_title(f"tokens of {scheme}")
        axes.set_xlabel("Number of users $K$")
        axes.set_xticks(sorted(table["num_ues"].unique()))
    grid[0, 0].set_ylabel("Worst-user transfer delay,\nrelative to first come first served")
    figure.legend(
        *grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False
    )
    return figure
