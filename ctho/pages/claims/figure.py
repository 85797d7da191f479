"""The printed numbers and ours side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ctho.pages.shared.theme import use_theme

__all__ = ["beside_printed_figure"]

VERDICT_STYLES = {
    "reproduced": ("#009E73", "o"),
    "holds as worded but the value differs": ("#E69F00", "s"),
    "not reproduced": ("#D55E00", "X"),
    "not decidable from the paper": ("#56B4E9", "D"),
    "not decided by this number of realisations": ("#595959", "P"),
}

SHOWN_RATIOS = (0.5, 1.75)
"""Another reading's number beyond these would squeeze all others together."""


def beside_printed_figure(claims: Sequence[Mapping[str, Any]]) -> Figure:
    """Ours over the printed number for each claim that prints one, with 95 % interval.

    Args:
        claims: those of `results/claims.json`; the others are left out. Small marks are the other
            readings.
    """
    use_theme()
    shown = [claim for claim in claims if claim["deviation_percent"] is not None][::-1]
    figure, axes = plt.subplots(figsize=(8.2, 0.36 * len(shown) + 1.3))
    axes.axvline(1, color="black", lw=1)
    for row, claim in enumerate(shown):
        colour, marker = VERDICT_STYLES[claim["verdict"]]
        for entry in claim["readings"]:
            if entry["reading"] and entry["ours"]["unit"] == claim["unit"]:
                share = entry["ours"]["mean"] / claim["value"]
                axes.plot(share, row, "|", color=colour, ms=12, alpha=0.6)
        mean, low, high = (claim["ours"][k] / claim["value"] for k in ("mean", "ci_low", "ci_high"))
        axes.plot([low, high], [row, row], color=colour, lw=3)
        axes.plot(mean, row, marker, color=colour, ms=8)
    axes.set_yticks(range(len(shown)), [f"{c['printed']}  ({c['id']})" for c in shown])
    axes.set(xlabel="ours / printed", xlim=SHOWN_RATIOS, ylim=(-0.7, len(shown) - 0.3))
    axes.grid(visible=False, axis="y")
    used = [verdict for verdict in VERDICT_STYLES if any(c["verdict"] == verdict for c in shown)]
    handles = [
        Line2D([], [], marker=marker, ms=8, ls="", color=colour)
        for colour, marker in (VERDICT_STYLES[verdict] for verdict in used)
    ]
    figure.legend(handles, used, loc="outside lower center", ncols=2, frameon=False)
    return figure
