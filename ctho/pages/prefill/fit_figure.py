"""Measured prefill times, the fitted forms and what they miss."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, PercentFormatter

from ctho.pages.shared.theme import use_theme

__all__ = ["fit_figure"]

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#882255", "#E69F00")
# One marker fewer than colours, so that twenty batch sizes have twenty looks.
_MARKERS = ("o", "s", "^", "D")
# The affine line is broad and pale, so that a quadratic one that falls on it leaves it visible.
_STYLES: dict[str, dict[str, Any]] = {
    "affine": {"linestyle": "-", "linewidth": 4, "alpha": 0.25},
    "quadratic": {"linestyle": (0, (2, 1.5)), "linewidth": 1.3},
    "batch_aware": {"linestyle": "-", "linewidth": 1.5},
}


def fit_figure(fitted: pd.DataFrame) -> Figure:
    """Milliseconds per token and context over the length, and each form's relative error.

    Args:
        fitted: :func:`ctho.pages.prefill.fit.fitted_points`.
    """
    use_theme()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.6))
    forms = list(dict.fromkeys(fitted["form"]))
    per_token = 1e3 / (fitted["length_tok"] * fitted["num_ues"])
    table = fitted.assign(
        measured_ms=fitted["delay_s"] * per_token, fitted_ms=fitted["fitted_s"] * per_token
    )
    for number, (batch, own) in enumerate(table.groupby("num_ues")):
        colour, marker = _COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)]
        for form, line in own.groupby("form", sort=False):
            style = {"color": colour, **_STYLES[str(form)]}
            left.plot(line["length_tok"], line["fitted_ms"], **style)
            right.plot(line["length_tok"], line["error"], **style, marker=marker, markersize=4)
        one = own[own["form"] == forms[0]]
        label = f"{batch} context{'s' if batch != 1 else ''}"
        left.plot(one["length_tok"], one["measured_ms"], marker, color=colour, label=label)
    right.axhline(0, color="0.3", lw=1)
    for form in forms:
        right.plot([], [], color="0.3", **_STYLES[form], label=form.replace("_", "-"))
    left.set(
        yscale="log",
        ylabel="$p(L, B)\\,/\\,(B L)$ (ms per token of a context)",
        title="measured (markers), fitted (lines)",
    )
    right.set(ylabel="(fitted - measured) / measured", title="relative error of the forms")
    right.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    _readable(left.yaxis, (1.0, 2.0, 5.0))
    for axes in (left, right):
        axes.set(xscale="log", xlabel="Length $L$ (tokens)")
        _readable(axes.xaxis, (1.0,))
        axes.legend(
            fontsize="small",
            loc="upper center",
            bbox_to_anchor=(0.5, -0.17),
            ncols=4,
            frameon=False,
        )
    return figure


def _readable(axis: Axis, marked: tuple[float, ...]) -> None:
    """Label these multiples of every power of ten, as plain numbers."""
    axis.set_major_locator(LogLocator(subs=marked))
    axis.set_major_formatter("{x:,g}")
    axis.set_minor_locator(NullLocator())
