"""Figures 3 and 4 under the printed and the exact form, as small multiples."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ctho.pages.exact_vs_printed.forms import figure_title
from ctho.pages.shared.theme import SCHEME_STYLES, use_theme
from ctho.simulation.sweeps import FIGURE_SWEEPS

__all__ = ["forms_figure"]

PLAN_COLOUR = "#B35900"


def forms_figure(comparison: pd.DataFrame) -> Figure:
    """One row a figure: mean delays under both forms, and how far each is above the printed one.

    Args:
        comparison: the table of :func:`ctho.pages.exact_vs_printed.forms.compare_forms`.
    """
    use_theme()
    names = comparison["figure"].unique()
    figure, grid = plt.subplots(
        len(names),
        2,
        figsize=(9.0, 2.6 * len(names)),
        squeeze=False,
        gridspec_kw={"hspace": 0.55, "wspace": 0.15, "top": 0.95},
    )
    # Fixed margins: to fit so many axes anew would take longer than their numbers. Without an
    # engine from the start, Matplotlib takes up the theme's again once a file is written.
    figure.set_layout_engine("none")
    for (left, right), name in zip(grid, names, strict=True):
        rows = comparison[comparison["figure"] == name]
        _draw_delays(left, rows)
        _draw_excess(right, rows)
        left.set_title(f"{figure_title(name)}: mean delay (s)")
        right.set_title(f"{figure_title(name)}: above the printed form (%)")
        for axes in (left, right):
            axes.set_xlabel(FIGURE_SWEEPS[name].label, fontsize="small")
            axes.tick_params(labelsize="small")
    handles: dict[str, Artist] = {}
    for axes in grid.ravel():
        for handle, text in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(text, handle)
    figure.legend(
        handles=list(handles.values()),
        labels=list(handles),
        loc="lower center",
        bbox_to_anchor=(0.5, 0.96),
        ncols=4,
        frameon=False,
    )
    return figure


def _draw_delays(axes: Axes, rows: pd.DataFrame) -> None:
    for scheme, of_scheme in rows.groupby("scheme", sort=False):
        name = str(scheme)
        colour = SCHEME_STYLES[name].colour
        exact = of_scheme[of_scheme["form"] == "exact"]
        printed = of_scheme[of_scheme["form"] == "printed"]
        axes.plot(exact["x"], exact["mean"], color=colour, lw=1.6, label=f"{name}, exact")
        if name in ("ctHO", "cHO"):
            axes.plot(
                printed["x"],
                printed["mean"],
                "o--",
                color=colour,
                lw=1.0,
                ms=4,
                markerfacecolor="white",
                label=f"{name}, printed",
            )
    axes.set_ylim(0, None)


def _draw_excess(axes: Axes, rows: pd.DataFrame) -> None:
    for scheme, form, colour, text in (
        ("ctHO", "exact", SCHEME_STYLES["ctHO"].colour, "ctHO, exact"),
        ("cHO", "exact", SCHEME_STYLES["cHO"].colour, "cHO, exact"),
        ("ctHO", "printed plan, true delay", PLAN_COLOUR, "ctHO, printed plan, true delay"),
    ):
        chosen = rows[(rows["scheme"] == scheme) & (rows["form"] == form)]
        low, high = 100 * chosen["excess_low"], 100 * chosen["excess_high"]
        axes.fill_between(chosen["x"], low, high, color=colour, alpha=0.25, lw=0)
        dashes = "-" if form == "exact" else "-."
        axes.plot(chosen["x"], 100 * chosen["excess"], dashes, color=colour, lw=1.4, label=text)
    axes.set_ylim(0, None)
