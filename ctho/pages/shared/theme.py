"""One theme for every figure; one colour, marker and dash for each scheme throughout.

The style sheet beside this file is seaborn's theme "whitegrid" with a few settings of our own,
recorded because importing seaborn takes every page more than a second.
"""

from __future__ import annotations

from pathlib import Path

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


def use_theme() -> None:
    """Set the theme, from matplotlib's defaults on."""
    mpl.rcdefaults()
    mpl.style.use(Path(__file__).with_name("theme.mplstyle"))
