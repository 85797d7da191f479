"""The map of link rate against prefill speed: what ctHO gains, and which pure scheme is next."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ctho.pages.devices.profile_figure import DEVICE_STYLES, OTHER_STYLE
from ctho.pages.shared.results import rows
from ctho.pages.shared.theme import use_theme

__all__ = ["regime_figure"]

Array = NDArray[np.float64]

GAIN_LEVELS = (0, 1, 5, 10, 20, 30, 40, 50, 60, 70)
LABEL_GAP = 0.032
"""Least distance of two labels at the edge, as a share of the height."""

LABELLED_GAINS = (5, 10, 20, 30, 40, 50)


def regime_figure(
    table: pd.DataFrame,
    point: tuple[float, float],
    point_name: str,
    links: Mapping[str, float],
    speeds: pd.DataFrame,
    num_ues: int,
    half_gbps: float | None,
) -> Figure:
    """Draw the gain of ctHO over the better pure scheme.

    Args:
        table: :func:`ctho.pages.devices.regimes.regime_map` on a grid.
        point: link rate (Gbps) and prefill speed 1/a (tokens/s) to mark with a star.
        point_name: what stands beside the star.
        links: link rates to mark, Gbps by name.
        speeds: :func:`ctho.pages.devices.regimes.device_speeds`.
        num_ues: K.
        half_gbps: where half of the realisations send everything; None is off the map.
    """
    use_theme()
    figure, axes = plt.subplots(figsize=(8.6, 6.0))
    # The saved box is tight anyway, and laying out this many labels takes as long as drawing.
    figure.set_layout_engine("none")
    gain, tho, cho = (
        table.pivot_table(index="prefill_tok_per_s", columns="backhaul_gbps", values=column)
        for column in ("gain_percent", "tHO", "cHO")
    )
    x, y = gain.columns.to_numpy(float), gain.index.to_numpy(float)
    filled = axes.contourf(x, y, gain, levels=GAIN_LEVELS, cmap="Blues")
    lines = axes.contour(x, y, gain, levels=LABELLED_GAINS, colors="#333333", linewidths=0.6)
    axes.clabel(lines, fmt="%d %%", fontsize=8)
    ahead = np.log(cho.to_numpy() / tho.to_numpy())
    if ahead.min() < 0 < ahead.max():
        axes.contour(x, y, ahead, levels=[0], colors="black", linewidths=2)
        _say(axes, 0.04, 0.93, "tHO ahead of cHO")
        _say(axes, 0.70, 0.05, "cHO ahead of tHO")
    if half_gbps is not None:
        axes.axvline(half_gbps, color="black", linestyle=(0, (4, 2)), linewidth=1.2)
        axes.annotate(
            "half send everything",
            (half_gbps, 0.4),
            xycoords=("data", "axes fraction"),
            xytext=(3, 0),
            textcoords="offset points",
            rotation=90,
            va="bottom",
            fontsize=8,
        )
    for name, gbps in links.items():
        if x[0] <= gbps <= x[-1]:
            axes.axvline(gbps, color="#595959", linewidth=0.7, linestyle=(0, (1, 2)))
            above = axes.get_xaxis_transform()
            axes.text(gbps, 1.01, name, transform=above, ha="center", va="bottom", fontsize=8)
    _mark_devices(axes, speeds, y, num_ues)
    axes.plot(*point, marker="*", markersize=15, color="#D55E00", markeredgecolor="black")
    axes.annotate(point_name, point, xytext=(9, 6), textcoords="offset points", fontsize=9)
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(x[0], x[-1]),
        ylim=(y[0], y[-1]),
        xlabel="Backhaul rate $R_{bh}$ (Gbps)",
        ylabel="Prefill speed $1/a$ (tokens of L per second)",
    )
    axes.grid(visible=False)
    figure.colorbar(filled, ax=axes, label="ctHO below the better pure scheme (%)", pad=0.14)
    return figure


def _mark_devices(axes: Axes, speeds: pd.DataFrame, y: Array, num_ues: int) -> None:
    """Markers at the right edge, filled for one context and hollow for K, with spread labels."""
    marks = []
    for row in rows(speeds):
        marks.append((row.one_context_tok_per_s, row.device, row.device, True))
        if num_ues > 1:
            label = f"{row.device}, K = {num_ues}"
            marks.append((row.all_contexts_tok_per_s, row.device, label, False))
    place = -LABEL_GAP
    for speed, device, label, filled in sorted(marks):
        if not y[0] <= speed <= y[-1]:
            continue
        colour, marker = DEVICE_STYLES.get(device, OTHER_STYLE)
        axes.plot(
            1.0,
            speed,
            transform=axes.get_yaxis_transform(),
            marker=marker,
            markersize=7,
            color=colour,
            markerfacecolor=colour if filled else "white",
            clip_on=False,
            zorder=5,
        )
        height = float(np.log(speed / y[0]) / np.log(y[-1] / y[0]))
        place = max(height, place + LABEL_GAP)
        axes.annotate(
            label,
            (1.0, height),
            xycoords="axes fraction",
            xytext=(1.03, place),
            textcoords="axes fraction",
            va="center",
            fontsize=8,
            arrowprops={"arrowstyle": "-", "linewidth": 0.5, "color": "#777777"},
        )


def _say(axes: Axes, x: float, y: float, text: str) -> None:
    box = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 2}
    axes.text(x, y, text, transform=axes.transAxes, fontsize=9, bbox=box)
