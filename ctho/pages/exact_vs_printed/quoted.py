"""The numbers that Section IV quotes from Figures 3 and 4, under the printed and the exact form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

__all__ = ["quoted_numbers"]

FIGURE_3 = ("fig3a", "fig3b", "fig3c", "fig3d")


def quoted_numbers(comparison: pd.DataFrame) -> pd.DataFrame:
    """Each quoted number as far as the sweeps of the comparison hold it.

    Args:
        comparison: the table of :func:`ctho.pages.exact_vs_printed.forms.compare_forms`.

    Returns:
        One row a number: number (what it is), unit (empty for a ratio), printed and exact (its
        values), change (by what share of the printed value the exact one is above it).
    """
    rows = []
    for (number, unit), value_of in QUOTED.items():
        printed, exact = (
            value_of(comparison[comparison["form"] == form]) for form in ("printed", "exact")
        )
        if np.isfinite(printed) and np.isfinite(exact):
            rows.append((number, unit, printed, exact, (exact - printed) / abs(printed)))
    return pd.DataFrame(rows, columns=["number", "unit", "printed", "exact", "change"])


def _value(form: pd.DataFrame, figure: str, x: float, scheme: str, column: str) -> float:
    """One number of the table; NaN where it is not there."""
    row = form[(form["figure"] == figure) & (form["x"] == x) & (form["scheme"] == scheme)]
    return float(row[column].iloc[0]) if len(row) else np.nan


def _largest_ratio(form: pd.DataFrame, scheme: str) -> float:
    """The largest mean over that of ctHO in all of Figure 3; NaN unless all of it is there."""
    rows = form[form["figure"].isin(FIGURE_3) & (form["scheme"] == scheme)]
    return float(rows["ratio"].max()) if rows["figure"].nunique() == len(FIGURE_3) else np.nan


def _no_handover_crossing_m(form: pd.DataFrame) -> float:
    """D_bs where the mean of no-HO comes up to that of ctHO, linear between points, or NaN."""
    fig4 = form[form["figure"] == "fig4"].pivot(index="x", columns="scheme", values="mean")
    if not len(fig4):
        return np.nan
    x = fig4.index.to_numpy(dtype=float)
    above = (fig4["no-HO"] - fig4["ctHO"]).to_numpy()
    change = np.flatnonzero((above[:-1] < 0) & (above[1:] >= 0))
    if not change.size:
        return np.nan
    i = int(change[0])
    return float(x[i] - above[i] * (x[i + 1] - x[i]) / (above[i + 1] - above[i]))


def _gap_at_500_m(form: pd.DataFrame) -> float:
    alone, ctho = (_value(form, "fig4", 500, scheme, "mean") for scheme in ("no-HO", "ctHO"))
    return alone - ctho


QUOTED: dict[tuple[str, str], Callable[[pd.DataFrame], float]] = {
    ("Fig. 3(a): cHO over ctHO at 2 Gbps", ""): lambda f: _value(f, "fig3a", 2, "cHO", "ratio"),
    ("Fig. 3: largest cHO over ctHO", ""): lambda f: _largest_ratio(f, "cHO"),
    ("Fig. 3: largest tHO over ctHO", ""): lambda f: _largest_ratio(f, "tHO"),
    ("Fig. 3(d): ctHO at K = 12", "s"): lambda f: _value(f, "fig3d", 12, "ctHO", "mean"),
    ("Fig. 3(d): cHO at K = 12", "s"): lambda f: _value(f, "fig3d", 12, "cHO", "mean"),
    ("Fig. 4: no-HO and ctHO cross at", "m"): _no_handover_crossing_m,
    ("Fig. 4: no-HO above ctHO at 500 m", "s"): _gap_at_500_m,
}
"""What a number is and its unit: its value from the rows of one form, NaN if they lack it."""
