"""What the shadow prices say, in sentences that follow the numbers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from ctho.pages.shared.text import with_interval
from ctho.simulation.parameters import Parameters
from ctho.simulation.statistics import Estimate

__all__ = [
    "balance_in_words",
    "check_in_words",
    "instance_in_words",
    "operator_in_words",
    "prices_as_markdown",
    "sweep_as_markdown",
]

NAMES = {
    "backhaul": ("$\\partial D^\\star / \\partial R$", 1e6, "µs per token/s"),
    "slope": ("$\\partial D^\\star / \\partial a$", 1.0, "tokens"),
    "offset": ("$\\partial D^\\star / \\partial b$", 1.0, "s per s"),
}


def prices_as_markdown(table: pd.DataFrame) -> str:
    """The prices of one instance by every method, one row a price."""
    lines = [
        "| price | closed form | HiGHS | left | quotient | right | quotient |",
        "|:---|---:|---:|---:|---:|---:|---:|",
    ]
    columns = ("closed_form", "highs", "left", "left_quotient", "right", "right_quotient")
    for row in table.to_dict("records"):
        symbol, factor, unit = NAMES[row["parameter"]]
        cells = [_number(row[column] * factor) for column in columns]
        lines.append(f"| {symbol}, {unit} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def instance_in_words(table: pd.DataFrame) -> str:
    """Whether this instance sits on a kink, and how far the methods are apart."""
    left, right = table["left"].to_numpy(), table["right"].to_numpy()
    end = ~np.isfinite(left)
    kinks = ~end & ~np.isclose(left, right, rtol=1e-9, atol=0)
    if kinks.any():
        names = ", ".join(NAMES[str(name)][0] for name in table["parameter"][kinks])
        text = (
            f"This instance is on a kink in {names}: a change to the left and one to the right "
            "have different prices, and HiGHS returns some point of its optimal multipliers."
        )
    else:
        free = table["parameter"].eq("slope").to_numpy() & end
        methods = ["closed_form", "left_quotient", "right_quotient", "right"]
        same = table[methods if free.any() else ["highs", *methods]]
        scale = same.abs().max(axis=1).replace(0.0, 1.0)
        apart = float(((same.max(axis=1) - same.min(axis=1)) / scale).max())
        text = (
            "This instance is on no kink: each price is one number, and the methods agree within "
            f"{apart:.1e} of it."
        )
        if free.any():
            text += " With $a = 0$ many $L$ are optimal, and HiGHS prices one of them."
    if end.any():
        text += " Where $a$ or $b$ is 0 it cannot fall, so only its right side exists."
    return text


def check_in_words(table: pd.DataFrame, instances: int) -> str:
    """How many numbers were compared and the worst deviation."""
    parts = [
        f"{row['what']}: {row['instances']:,} numbers, worst {row['worst']:.1e}"
        for row in table.to_dict("records")
    ]
    return (
        f"On {instances:,} random instances, in shares of each instance's time scale: "
        + "; ".join(parts)
        + "."
    )


def operator_in_words(sweep: pd.DataFrame, parameters: Parameters) -> list[str]:
    """What upgrades are worth at the page's own link rate."""
    here = _at(sweep, parameters.backhaul_gbps)
    link, gpu = here["link_10_percent_ms"].mean, here["gpu_10_percent_ms"].mean
    half = {what: _with_half(estimate) for what, estimate in here.items()}
    better = "link" if link > gpu else "GPU"
    total = sum(here[f"{part}_part_ms"].mean for part in ("link", "gpu", "wait"))
    return [
        f"At {parameters.backhaul_gbps:g} Gbps and $K$ = {parameters.num_ues}, one Gbps more takes "
        f"**{half['link_one_gbps_ms']} ms** off the mean worst-user delay of "
        f"{total:.1f} ms ({half['link_per_gbps_ms']} ms per Gbps at the margin).",
        f"A 10 % faster GPU takes off **{half['gpu_10_percent_ms']} ms**, a 10 % faster "
        f"link **{half['link_10_percent_ms']} ms**: if both cost the same, the {better} "
        "is the better buy here.",
        f"The delay is made of {half['link_part_ms']} ms by the link, "
        f"{half['gpu_part_ms']} ms by the GPU and {half['wait_part_ms']} ms "
        "of waiting for each other.",
    ]


def balance_in_words(balance_gbps: float, sweep: pd.DataFrame) -> str:
    """Where the better buy changes."""
    low, high = float(sweep["x"].min()), float(sweep["x"].max())
    at = {x: _at(sweep, x) for x in dict.fromkeys(sweep["x"].tolist())}
    surplus = [at[x]["link_percent_ms"].mean - at[x]["gpu_percent_ms"].mean for x in at]
    for who, other, ahead in (
        ("link", "GPU", min(surplus) >= 0),
        ("GPU", "link", max(surplus) <= 0),
    ):
        if ahead:
            return (
                f"From {low:g} to {high:g} Gbps a per cent of {who} is never worth less than a "
                f"per cent of {other}, of the rates drawn."
            )
    link_first = surplus[0] > 0
    if not np.isfinite(balance_gbps) or sum(a * b < 0 for a, b in pairwise(surplus)) != 1:
        return "The better buy, link or GPU, changes hands more than once over the rates drawn."
    first, then = ("link", "GPU") if link_first else ("GPU", "link")
    peak = max(at, key=lambda x: at[x]["link_percent_ms"].mean)
    return (
        "A per cent of GPU and a per cent of link are worth the same at "
        f"**{balance_gbps:.2f} Gbps**: below it the {first} is worth more, above it the {then}. Of "
        f"the rates drawn, a per cent of link is worth most at {peak:g} Gbps, where no batch is "
        f"best in {at[peak]['no_batch'].mean:.0%} of the instances."
    )


def sweep_as_markdown(sweep: pd.DataFrame) -> str:
    """The main columns over the link rate."""
    names = {
        "link_one_gbps_ms": "1 Gbps more (ms)",
        "link_10_percent_ms": "10 % link (ms)",
        "gpu_10_percent_ms": "10 % GPU (ms)",
        "prefill_share": "mean λ",
        "no_batch": "no batch",
    }
    lines = ["| Gbps | " + " | ".join(names.values()) + " |", "|" + "---:|" * (len(names) + 1)]
    for x in dict.fromkeys(sweep["x"].tolist()):
        here = _at(sweep, x)
        digits = {what: 3 if what in ("prefill_share", "no_batch") else 2 for what in names}
        cells = [_with_half(here[what], digits[what]) for what in names]
        lines.append(f"| {x:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _at(sweep: pd.DataFrame, x: float) -> dict[str, Estimate]:
    """The estimates of a sweep at one of its points, by name."""
    return {
        str(row["what"]): Estimate(row["mean"], row["ci_low"], row["ci_high"])
        for row in sweep[sweep["x"] == x].to_dict("records")
    }


def _with_half(estimate: Estimate, digits: int = 1) -> str:
    return with_interval(estimate.mean, estimate.ci_high, digits)


def _number(value: float) -> str:
    return "n/a" if np.isnan(value) else f"{value:.5g}"
