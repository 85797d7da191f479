"""The printed numbers and ours side by side."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ctho.pages.claims.ledger import Entry
from ctho.pages.claims.open_points import OpenPoints
from ctho.pages.claims.verdicts import Verdict
from ctho.pages.shared.theme import use_theme

__all__ = ["beside_printed_figure"]

VERDICT_STYLES = {
    Verdict.REPRODUCED: ("#009E73", "o"),
    Verdict.HOLDS: ("#E69F00", "s"),
    Verdict.NOT_REPRODUCED: ("#D55E00", "X"),
    Verdict.NOT_DECIDABLE: ("#56B4E9", "D"),
    Verdict.OPEN: ("#595959", "P"),
}

SHOWN_RATIOS = (0.5, 1.75)
"""Another reading's number beyond these would squeeze all others together."""


def beside_printed_figure(entries: Sequence[Entry]) -> Figure:
    """Ours over the printed number for each claim whose printed number compares.

    Args:
        entries: of a ledger. Large marks with 95 % interval are the default reading, small ones
            the others.
    """
    use_theme()
    shown = [entry for entry in entries if entry.deviation_percent is not None][::-1]
    figure, axes = plt.subplots(figsize=(8.2, 0.36 * len(shown) + 1.3))
    axes.axvline(1, color="black", lw=1)
    for row, entry in enumerate(shown):
        claim = entry.claim
        assert claim.value is not None
        colour, marker = VERDICT_STYLES[entry.verdict]
        for reading, finding in entry.relevant.items():
            if reading != OpenPoints() and finding.unit == claim.unit:
                axes.plot(finding.ours.mean / claim.value, row, "|", color=colour, ms=12, alpha=0.6)
        mean, low, high = (bound / claim.value for bound in entry.finding.ours)
        axes.plot([low, high], [row, row], color=colour, lw=3)
        axes.plot(mean, row, marker, color=colour, ms=8)
    names = [f"{entry.claim.printed}  ({entry.claim.id})" for entry in shown]
    axes.set_yticks(range(len(shown)), names)
    axes.set(xlabel="ours / printed", xlim=SHOWN_RATIOS, ylim=(-0.7, len(shown) - 0.3))
    axes.grid(visible=False, axis="y")
    used = [v for v in VERDICT_STYLES if any(entry.verdict is v for entry in shown)]
    handles = [
        Line2D([], [], marker=marker, ms=8, ls="", color=colour)
        for colour, marker in (VERDICT_STYLES[verdict] for verdict in used)
    ]
    figure.legend(handles, used, loc="outside lower center", ncols=2, frameon=False)
    return figure
