"""One theme for every figure; one colour, marker and dash for each scheme throughout."""

from __future__ import annotations

from dataclasses import dataclass

import matplotlib as mpl
import seaborn as sns

__all__ = ["PREFILL_COLOUR", "SCHEME_STYLES", "TRANSFER_COLOUR", "SchemeStyle", "use_theme"]


@dataclass(frozen=True)
class SchemeStyle:
    """How a scheme is drawn."""

    colour: str
    marker: str
    dashes: str | tuple[int, tuple[int, ...]]


# Okabe and Ito's palette keeps apart under the common colour vision deficiencies; markers and
# dashes keep the schemes apart in grey print.
SCHEME_STYLES: dict[str, SchemeStyle] = {
    "ctHO": SchemeStyle("#0072B2", "o", "-"),
    "tHO": SchemeStyle("#D55E00", "s", (0, (6, 2))),
    "cHO": SchemeStyle("#009E73", "^", (0, (3, 1, 1, 1))),
    "no-HO": SchemeStyle("#595959", "D", (0, (1, 1))),
}

PREFILL_COLOUR = "#CC79A7"
TRANSFER_COLOUR = "#56B4E9"


def use_theme() -> None:
    """Set seaborn's style and what makes two runs write the same bytes."""
    sns.set_theme(context="notebook", style="whitegrid", font="DejaVu Sans")
    mpl.rcParams.update(
        {
            "figure.figsize": (6.4, 4.0),
            "figure.dpi": 100,
            "savefig.dpi": 200,
            "savefig.bbox": "tight",
            "figure.constrained_layout.use": True,
            "axes.titlesize": "medium",
            "axes.labelsize": "medium",
            "legend.frameon": True,
            "legend.framealpha": 0.9,
            "lines.linewidth": 1.8,
            "lines.markersize": 7,
            "svg.hashsalt": "ctho",
            "svg.fonttype": "path",
            "pdf.fonttype": 42,
        }
    )
