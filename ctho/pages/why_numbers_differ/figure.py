"""Residuals of hypotheses as a picture, and Figures 3 and 4 redrawn under some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ctho.pages.shared.theme import SCHEME_STYLES, use_theme

__all__ = ["Mark", "redrawn_figure", "residual_figure"]

SHOWN_RESIDUAL = 15.0
"""Colours saturate here; the number in the cell tells more."""

DARK_RESIDUAL = 9.0

Mark = tuple[str, float, float]
"""A scheme, a point of the axis and the value that the paper prints there."""


def residual_figure(table: pd.DataFrame, labels: Mapping[str, str], pairs: int) -> Figure:
    """Residuals of no change, of every single change, and of the best pairs.

    Args:
        table: columns hypothesis, changes, fitted and one of residuals for each printed number, in
            scales; the best first.
        labels: residual column -> what stands above it.
        pairs: how many pairs to show.
    """
    use_theme()
    groups = [table[table["changes"] == count] for count in (2, 1, 0)]
    groups[0] = groups[0].head(pairs)
    shown = pd.concat(groups)
    residual = shown[list(labels)].to_numpy()
    figure, axes = plt.subplots(figsize=(10.4, 0.29 * len(shown) + 1.4))
    image = axes.imshow(
        residual, cmap="PuOr", vmin=-SHOWN_RESIDUAL, vmax=SHOWN_RESIDUAL, aspect="auto"
    )
    for (row, column), value in np.ndenumerate(residual):
        colour = "white" if abs(value) > DARK_RESIDUAL else "black"
        weight = "bold" if abs(value) <= 1 else "normal"
        text = "0.0" if abs(value) < 0.05 else f"{value:+.{1 if abs(value) < 100 else 0}f}"
        axes.text(column, row, text, ha="center", va="center", color=colour, size=8, weight=weight)
    heads = [label.replace(", ", "\n").replace(" - ", "\n- ") for label in labels.values()]
    axes.set_xticks(range(len(labels)), heads, size=8)
    names = [
        hypothesis if fitted == "-" else f"{hypothesis}  ({fitted})"
        for hypothesis, fitted in zip(shown["hypothesis"], shown["fitted"], strict=True)
    ]
    axes.set_yticks(range(len(shown)), names, size=10)
    axes.xaxis.tick_top()
    axes.grid(visible=False)
    for end in np.cumsum([len(group) for group in groups[:2]]):
        axes.axhline(end - 0.5, color="black", lw=1)
    figure.colorbar(image, ax=axes, label="(ours - printed) / scale", shrink=0.6, extend="both")
    return figure


def redrawn_figure(
    tables: Mapping[str, pd.DataFrame],
    x_labels: Mapping[str, str],
    marks: Mapping[str, Mapping[str, Sequence[Mark]]],
) -> Figure:
    """Each sweep under each hypothesis, one column a hypothesis, with the printed numbers.

    Args:
        tables: by hypothesis, columns figure, x, scheme, mean.
        x_labels: by figure, the swept quantity in words.
        marks: by hypothesis and figure, what the paper prints.
    """
    use_theme()
    rows, columns = len(x_labels), len(tables)
    figure, grid = plt.subplots(
        rows, columns, figsize=(3.3 * columns, 2.5 * rows), sharey="row", squeeze=False
    )
    for column, (hypothesis, table) in zip(grid.T, tables.items(), strict=True):
        column[0].set_title(hypothesis.replace(" + ", "\n+ "), size=10)
        for axes, (name, x_label) in zip(column, x_labels.items(), strict=True):
            _draw(axes, table[table["figure"] == name], marks[hypothesis].get(name, ()))
            axes.set_xlabel(x_label, size=9)
            axes.tick_params(labelsize=8)
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    for row in grid:
        row[0].set_ylabel("Delay (s)", size=9)
        highest = max(float(np.max(line.get_ydata())) for axes in row for line in axes.get_lines())
        row[0].set_ylim(0, 1.06 * highest)
    handles, labels = grid[-1, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def _draw(axes: Axes, table: pd.DataFrame, marks: Sequence[Mark]) -> None:
    for scheme, rows in table.groupby("scheme", sort=False):
        style = SCHEME_STYLES[str(scheme)]
        (line,) = axes.plot(rows["x"], rows["mean"], color=style.colour, label=scheme)
        line.set(marker=style.marker, linestyle=style.dashes, markersize=3.5, linewidth=1.4)
    for scheme, x, value in marks:
        (star,) = axes.plot(x, value, "*", color=SCHEME_STYLES[scheme].colour, zorder=5)
        star.set(markersize=14, markeredgecolor="black", markeredgewidth=0.8)
