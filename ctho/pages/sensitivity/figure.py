"""Pictures of the shadow prices: one instance over the link rate, and the mean."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ctho.pages.shared.theme import PREFILL_COLOUR, SCHEME_STYLES, TRANSFER_COLOUR, use_theme

__all__ = ["one_instance_figure", "worth_figure"]

WAIT_COLOUR = "#8C6D00"


def one_instance_figure(curve: pd.DataFrame, backhaul_gbps: float) -> Figure:
    """D* of one instance over the link rate, above what one per cent of link or GPU is worth.

    Args:
        curve: the table of :func:`ctho.pages.sensitivity.worth.rate_curve`.
        backhaul_gbps: the rate of the page, marked.
    """
    use_theme()
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(6.8, 5.4), sharex=True)
    upper.plot(curve["x"], curve["delay_s"], color=SCHEME_STYLES["ctHO"].colour)
    upper.set(ylabel="$D^*$ (s)", ylim=(0, None))
    lower.plot(curve["x"], curve["link_ms"], color=TRANSFER_COLOUR, label="1 % faster link")
    lower.plot(curve["x"], curve["gpu_ms"], color=PREFILL_COLOUR, ls="--", label="1 % faster GPU")
    lower.set(ylabel="worth (ms)", xlabel="Backhaul rate $R_{bh}$ (Gbps)", xscale="log")
    for axes in (upper, lower):
        axes.axvline(backhaul_gbps, color="0.4", lw=1, ls=":")
    _plain_rates(lower, curve["x"])
    lower.legend()
    return figure


def worth_figure(sweep: pd.DataFrame, balance_gbps: float) -> Figure:
    """What D* is made of, and what ten per cent of link or GPU take off it, over the link rate.

    Args:
        sweep: the table of :func:`ctho.pages.sensitivity.worth.price_sweep`.
        balance_gbps: where a per cent of both is worth the same; NaN if nowhere.
    """
    use_theme()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    mean = sweep.pivot(index="x", columns="what", values="mean")
    whole = mean[["link_part_ms", "gpu_part_ms", "wait_part_ms"]].sum(axis=1)
    left.plot(mean.index, whole, color="0.2", lw=2.6, label="all, mean of $D^*$")
    for what, colour, dashes, marker, label in (
        ("link_part_ms", TRANSFER_COLOUR, "-", "o", "link"),
        ("gpu_part_ms", PREFILL_COLOUR, "--", "s", "GPU"),
        ("wait_part_ms", WAIT_COLOUR, ":", "D", "waiting for each other"),
    ):
        left.plot(mean.index, mean[what], color=colour, ls=dashes, marker=marker, label=label)
    left.axhline(0, color="0.6", lw=0.8)
    left.set(ylabel="ms", title="What the delay is made of")
    for what, colour, dashes, marker, label in (
        ("link_10_percent_ms", TRANSFER_COLOUR, "-", "o", "10 % faster link"),
        ("gpu_10_percent_ms", PREFILL_COLOUR, "--", "s", "10 % faster GPU"),
    ):
        rows = sweep[sweep["what"] == what]
        right.fill_between(rows["x"], rows["ci_low"], rows["ci_high"], color=colour, alpha=0.3)
        right.plot(rows["x"], rows["mean"], color=colour, ls=dashes, marker=marker, label=label)
    if np.isfinite(balance_gbps):
        right.axvline(balance_gbps, color="0.3", lw=1, ls=":")
    right.set(ylabel="Off the mean of $D^*$ (ms)", title="What an upgrade is worth")
    for axes in (left, right):
        axes.set(xlabel="Backhaul rate $R_{bh}$ (Gbps)", xscale="log")
        _plain_rates(axes, sweep["x"])
        axes.set_ylim(top=1.3 * axes.get_ylim()[1])
        axes.legend(loc="upper right")
    return figure


def _plain_rates(axes: Axes, rates: pd.Series[float]) -> None:
    """Ticks at 1, 2, 5 times powers of ten, within the rates drawn, written out."""
    low, high = 0.999 * float(rates.min()), 1.001 * float(rates.max())
    powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    ticks = [tick for tick in np.outer(powers, [1, 2, 5]).ravel() if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
