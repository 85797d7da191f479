"""What moves between the printed and the exact form, in tables and sentences that follow them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ctho.simulation.sweeps import SWEEPS

__all__ = [
    "Conclusion",
    "conclusions",
    "conclusions_as_markdown",
    "differences_as_markdown",
    "summary_in_words",
]

HANDOVER_SCHEMES = ("ctHO", "tHO", "cHO")


@dataclass(frozen=True)
class Conclusion:
    """One number that the paper draws from its figures, under both forms.

    Attributes:
        what: the number in words.
        printed: its value under the printed form.
        exact: its value under the exact form.
        unit: its unit, empty for a ratio.
    """

    what: str
    printed: float
    exact: float
    unit: str = ""

    @property
    def change(self) -> float:
        """Share by which the exact form is above the printed one."""
        return self.exact / self.printed - 1


def conclusions(comparison: pd.DataFrame) -> list[Conclusion]:
    """The numbers that Section IV quotes, as far as the sweeps of `comparison` hold them."""
    quoted: tuple[tuple[str, str, Callable[[pd.DataFrame], float]], ...] = (
        ("Fig. 3(a): cHO over ctHO at 2 Gbps", "", _ratio("fig3a", 2, "cHO")),
        ("Fig. 3: largest cHO over ctHO", "", _largest_ratio("cHO")),
        ("Fig. 3: largest tHO over ctHO", "", _largest_ratio("tHO")),
        ("Fig. 3(d): ctHO at K = 12", "s", _mean("fig3d", 12, "ctHO")),
        ("Fig. 3(d): cHO at K = 12", "s", _mean("fig3d", 12, "cHO")),
        ("Fig. 4: no-HO and ctHO cross at", "m", _no_handover_crossing),
        ("Fig. 4: no-HO above ctHO at 500 m", "s", _gap_at_500),
    )
    forms = [comparison[comparison["form"] == form] for form in ("printed", "exact")]
    found = []
    for what, unit, value_of in quoted:
        printed, exact = (value_of(form) for form in forms)
        if np.isfinite(printed) and np.isfinite(exact):
            found.append(Conclusion(what, printed, exact, unit))
    return found


def conclusions_as_markdown(found: list[Conclusion]) -> str:
    """One row a conclusion."""
    lines = ["| conclusion | printed form | exact | change |", "|:---|---:|---:|---:|"]
    lines += [
        f"| {row.what} | {row.printed:.4g} {row.unit} | {row.exact:.4g} {row.unit} | "
        f"{row.change:+.2%} |"
        for row in found
    ]
    return "\n".join(lines)


def differences_as_markdown(largest: pd.DataFrame) -> str:
    """The largest difference of each figure, scheme and form."""
    lines = [
        "| figure | scheme | form | at | mean (s) | above the printed form (95 %) |",
        "|:---|:---|:---|:---|---:|---:|",
    ]
    for row in largest.to_dict("records"):
        sweep = SWEEPS[row["figure"]]
        half = row["excess_high"] - row["excess"]
        lines.append(
            f"| {row['figure']} | {row['scheme']} | {row['form']} | {sweep.x} = {row['x']:g} | "
            f"{row['mean']:.4f} | {row['excess']:.2%} ± {half:.2%} |"
        )
    return "\n".join(lines)


def summary_in_words(comparison: pd.DataFrame, found: list[Conclusion]) -> list[str]:
    """What moves and what stands."""
    exact = comparison[(comparison["form"] == "exact") & (comparison["scheme"] == "ctHO")]
    plan = comparison[comparison["form"] == "printed plan, true delay"]
    worst = exact.sort_values("excess").iloc[-1]
    true = plan.sort_values("excess").iloc[-1]
    sentences = [
        f"For ctHO the exact mean is up to **{worst['excess']:.1%}** above what the printed form "
        f"promises ({_point(worst)}). A system that plans with Eq. (18) meets up to "
        f"**{true['excess']:.1%}** more than it promised itself ({_point(true)}).",
        _order_in_words(comparison),
    ]
    if found:
        most = max(found, key=lambda row: abs(row.change))
        sentences.append(
            f"Of the {len(found)} numbers that the text quotes and this run holds, "
            f'"{most.what}" moves most, from {most.printed:.4g} to {most.exact:.4g}'
            f"{' ' + most.unit if most.unit else ''} ({most.change:+.1%})."
        )
    return sentences


def _point(row: pd.Series[Any]) -> str:
    return f"{row['figure']} at {SWEEPS[str(row['figure'])].x} = {row['x']:g}"


def _order_in_words(comparison: pd.DataFrame) -> str:
    """Whether the order of the schemes is the same under both forms at every point."""
    orders = {}
    for form in ("printed", "exact"):
        rows = comparison[
            (comparison["form"] == form) & comparison["scheme"].isin(HANDOVER_SCHEMES)
        ]
        orders[form] = {
            point: tuple(group.sort_values("mean")["scheme"])
            for point, group in rows.groupby(["figure", "x"], sort=False)
        }
    points = len(orders["exact"])
    moved = [
        point for point in orders["exact"] if orders["exact"][point] != orders["printed"][point]
    ]
    first = sum(order[0] == "ctHO" for order in orders["exact"].values())
    if moved:
        places = ", ".join(f"{figure} at {x:g}" for figure, x in moved)
        text = f"The order of the schemes changes at {len(moved)} of {points} points ({places})."
    else:
        text = (
            f"The order of the three schemes is the same under both forms at all {points} points."
        )
    return text + f" ctHO is first at {first} of them in the exact form."


def _mean(figure: str, x: float, scheme: str) -> Callable[[pd.DataFrame], float]:
    return lambda form: _value(form, figure, x, scheme, "mean")


def _ratio(figure: str, x: float, scheme: str) -> Callable[[pd.DataFrame], float]:
    return lambda form: _value(form, figure, x, scheme, "ratio")


def _largest_ratio(scheme: str) -> Callable[[pd.DataFrame], float]:
    def largest(form: pd.DataFrame) -> float:
        rows = form[(form["figure"] != "fig4") & (form["scheme"] == scheme)]
        return float(rows["ratio"].max()) if len(rows) else float("nan")

    return largest


def _no_handover_crossing(form: pd.DataFrame) -> float:
    """D_bs where the mean of no-HO comes up to that of ctHO, linear between points, or NaN."""
    fig4 = form[form["figure"] == "fig4"].pivot(index="x", columns="scheme", values="mean")
    if "no-HO" not in fig4:
        return float("nan")
    x = fig4.index.to_numpy(dtype=float)
    above = (fig4["no-HO"] - fig4["ctHO"]).to_numpy()
    change = np.flatnonzero((above[:-1] < 0) & (above[1:] >= 0))
    if not change.size:
        return float("nan")
    i = int(change[0])
    return float(x[i] - above[i] * (x[i + 1] - x[i]) / (above[i + 1] - above[i]))


def _gap_at_500(form: pd.DataFrame) -> float:
    gap = [_value(form, "fig4", 500, scheme, "mean") for scheme in ("no-HO", "ctHO")]
    return gap[0] - gap[1]


def _value(form: pd.DataFrame, figure: str, x: float, scheme: str, column: str) -> float:
    """One number of the table; NaN where it is not there."""
    row = form[(form["figure"] == figure) & (form["x"] == x) & (form["scheme"] == scheme)]
    return float(row[column].iloc[0]) if len(row) else float("nan")
