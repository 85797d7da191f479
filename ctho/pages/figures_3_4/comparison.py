"""What a sweep says in numbers: a readable table, and how the schemes compare at a point."""

from __future__ import annotations

import pandas as pd

from ctho.pages.shared.results import rows
from ctho.pages.shared.text import with_interval
from ctho.simulation.parameters import Parameters
from ctho.simulation.simulate import Samples
from ctho.simulation.statistics import mean_estimate, ratio_estimate
from ctho.simulation.sweeps import Sweep

__all__ = ["ratios_to", "sweep_as_markdown", "sweep_in_words"]


def sweep_as_markdown(table: pd.DataFrame, x_name: str, digits: int = 3) -> str:
    """The tidy table of a sweep as Markdown: one row a point, mean and half interval a scheme."""
    schemes = list(dict.fromkeys(table["scheme"]))
    lines = [
        " | ".join(["", x_name, *schemes, ""]).strip(),
        "|" + "---:|" * (len(schemes) + 1),
    ]
    for x in dict.fromkeys(table["x"]):
        here = rows(table[table["x"] == x])
        cells = [with_interval(row.mean, row.ci_high, digits) for row in here]
        lines.append("| " + " | ".join([f"{x:,g}", *cells]) + " |")
    return "\n".join(lines)


def sweep_in_words(
    sweep: Sweep, table: pd.DataFrame, parameters: Parameters, base: str = "ctHO"
) -> str:
    """The lowest scheme along a sweep, and each beside `base` at both ends, as Markdown."""
    first, last = table["x"].iloc[0], table["x"].iloc[-1]
    lowest = table.loc[table.groupby("x", sort=False)["mean"].idxmin()]
    if lowest["scheme"].nunique() == 1:
        where = "the only point" if len(lowest) == 1 else f"all {len(lowest)} points"
        opening = f"**{lowest['scheme'].iloc[0]}** has the lowest mean at {where}."
    else:
        points = lowest["x"].tolist()
        parts = [
            f"{scheme} at {_listed(sweep, lowest.loc[lowest['scheme'] == scheme, 'x'], points)}"
            for scheme in dict.fromkeys(lowest["scheme"])
        ]
        opening = f"The lowest mean is that of {'; '.join(parts)}."
    lines = [opening, ""]
    for x in dict.fromkeys((first, last)):
        ratios = ratios_to(sweep.measure(sweep.point(parameters, x)), base)
        beside = ", ".join(
            f"{row.scheme} takes {with_interval(row.ratio, row.ci_high)} times as long as {base}"
            for row in rows(ratios)
        )
        lines.append(f"- At {sweep.place.format(x)}: {beside}.")
    return "\n".join(lines)


def _listed(sweep: Sweep, values: pd.Series, points: list[float]) -> str:
    """The values as places of the sweep; neighbouring points as a range."""
    places = [sweep.place.format(value) for value in values]
    first, last = points.index(values.iloc[0]), points.index(values.iloc[-1])
    if 1 < len(places) == last - first + 1:
        return f"{places[0]} to {places[-1]}"
    return ", ".join(places)


def ratios_to(samples: Samples, base: str = "ctHO") -> pd.DataFrame:
    """Mean delay of each scheme over that of `base`, with the paired 95 % interval.

    Returns:
        Columns scheme, mean (seconds), ratio, ci_low, ci_high (of the ratio).
    """
    records = [
        (scheme, mean_estimate(values).mean, *ratio_estimate(values, samples[base]))
        for scheme, values in samples.items()
        if scheme != base
    ]
    return pd.DataFrame(records, columns=["scheme", "mean", "ratio", "ci_low", "ci_high"])
