"""One theme for every figure; one colour, marker and dash for each scheme throughout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import matplotlib.style

__all__ = [
    "ORDER_STYLES",
    "PREFILL_COLOUR",
    "SCHEME_STYLES",
    "TRANSFER_COLOUR",
    "SchemeStyle",
    "use_theme",
]


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
