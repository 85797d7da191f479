"""One theme for every figure; one colour, marker and dash for each scheme throughout.

The theme is seaborn's, with a few settings of our own. Importing seaborn takes every page more
than a second, so the theme is recorded beside this file as a style sheet of matplotlib. A test
holds the two together; `python -m ctho.pages.shared.theme` writes the sheet anew.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.style

from ctho.schemes import SCHEMES, SchemeStyle

__all__ = [
    "ORDER_STYLES",
    "PREFILL_COLOUR",
    "SCHEME_STYLES",
    "TRANSFER_COLOUR",
    "use_theme",
]


# Okabe and Ito's palette keeps apart under the common colour vision deficiencies; markers and
# dashes keep the schemes apart in grey print.
SCHEME_STYLES: dict[str, SchemeStyle] = {
    **{name: scheme.style for name, scheme in SCHEMES.items()},
    "no-HO": SchemeStyle("#595959", "D", (0, (1, 1))),
}

ORDER_STYLES: dict[str, tuple[str, str, str | tuple[int, tuple[int, ...]]]] = {
    "first come first served": ("#0072B2", "o", "-"),
    "equal sharing": ("#D55E00", "s", (0, (6, 2))),
    "smallest first": ("#009E73", "^", (0, (3, 1, 1, 1))),
    "largest first": ("#595959", "D", (0, (1, 1))),
}
"""Colour, marker and dashes of each order of service."""

PREFILL_COLOUR = "#CC79A7"
TRANSFER_COLOUR = "#56B4E9"


STYLE_SHEET = Path(__file__).with_name("theme.mplstyle")

OWN_SETTINGS: dict[str, Any] = {
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
    # Seaborn's default map is there only once seaborn is imported.
    "image.cmap": "viridis",
    # Two runs write the same bytes.
    "svg.hashsalt": "ctho",
    "svg.fonttype": "path",
    # Journals take no other fonts in a PDF.
    "pdf.fonttype": 42,
}


def use_theme() -> None:
    """Set the theme, from matplotlib's defaults on."""
    mpl.rcdefaults()
    mpl.style.use(STYLE_SHEET)


def theme_of_seaborn() -> dict[str, Any]:
    """What the style sheet must hold: seaborn's theme and our own settings."""
    import seaborn as sns

    sns.set_theme(context="notebook", style="whitegrid", font="DejaVu Sans")
    names = [
        *sns.axes_style("whitegrid"),
        *sns.plotting_context("notebook"),
        "font.sans-serif",
        "axes.prop_cycle",
    ]
    return {**{name: mpl.rcParams[name] for name in names}, **OWN_SETTINGS}


def sheet(settings: dict[str, Any]) -> str:
    """The settings in the format of a style sheet."""
    lines = []
    for name, value in sorted(settings.items()):
        parts = value if isinstance(value, list | tuple) else [value]
        words = (str(part.value if isinstance(part, Enum) else part) for part in parts)
        # A sheet takes `#` for the start of a comment.
        lines.append(f"{name}: {', '.join(words)}".replace("#", ""))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    STYLE_SHEET.write_text(sheet(theme_of_seaborn()))
