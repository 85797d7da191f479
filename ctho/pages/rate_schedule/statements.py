"""Sentences and tables of the page on the rate schedule, as Markdown."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ctho.backhaul import transfer_delay_s
from ctho.pages.rate_schedule.orders import FIRST
from ctho.pages.shared.results import rows
from ctho.pages.shared.text import percent, plural, with_interval
from ctho.proofs.enumerated import WindowTable

__all__ = [
    "comparison_as_markdown",
    "comparison_in_words",
    "late_order_in_words",
    "schedule_in_words",
    "segments_as_markdown",
]

MET_WITHIN = 1e-9
"""A deadline counts as met if it is missed by no more than this part of the time scale."""


def schedule_in_words(
    table: WindowTable, handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float
) -> str:
    """Whether the deadlines of Eq. (24) hold on this instance, with either slack.

    Args:
        table: the windows of the instance.
        handover_s: tau_i, seconds, `[K]`.
        remaining_tok: n_i^(tx), tokens, `[K]`.
        rate: R, tokens per second.
    """
    delay = transfer_delay_s(handover_s, remaining_tok, rate)
    missed = int(np.count_nonzero(delay > table.printed_s + MET_WITHIN * table.scale_s))
    value = f"$D^\\star_{{\\mathrm{{(tx)}}}}$ = {table.exact_s:.6g} s"
    slack = f"With the slack {value} every deadline is met"
    if not missed:
        return f"{slack}. On this instance Eq. (18) gives the same slack."
    return (
        f"{slack}. With that of Eq. (18), {table.printed_s:.6g} s, the same schedule misses the "
        f"deadline of {missed} of {plural(delay.size, 'user')}, by up to "
        f"{table.exact_s - table.printed_s:.6g} s, and so would any other miss one."
    )


def segments_as_markdown(bars: pd.DataFrame) -> str:
    """Who is served when, first come first served.

    Args:
        bars: the table of :func:`ctho.pages.rate_schedule.bars.order_bars`.
    """
    lines = ["| user | released (s) | served from (s) | to (s) | delay (s) |", "|---:" * 5 + "|"]
    lines += [
        f"| {row.user} | {row.handover_s:.4f} | {row.start_s:.4f} | {row.end_s:.4f} | "
        f"{row.delay_s:.4f} |"
        for row in rows(bars[bars["order"] == FIRST])
    ]
    return "\n".join(lines)


def comparison_as_markdown(table: pd.DataFrame, num_ues: int) -> str:
    """The orders side by side at one K: worst-user delay, its ratio, how often worse, mean delay.

    Args:
        table: the table of :func:`ctho.pages.rate_schedule.orders.compare_orders`.
        num_ues: one of its K.
    """
    lines = [
        "| tokens of | order | worst user (s) | relative | worse on | mean of all users (s) |",
        "|:---|:---|---:|---:|---:|---:|",
    ]
    for row in rows(table[table["num_ues"] == num_ues]):
        worst = with_interval(row.mean, row.ci_high)
        ratio = with_interval(row.to_first, row.to_first_high)
        lines.append(
            f"| {row.scheme} | {row.order} | {worst} | {ratio} | {percent(row.share_worse)} | "
            f"{row.mean_user:.3f} |"
        )
    return "\n".join(lines)


def comparison_in_words(table: pd.DataFrame) -> str:
    """For each scheme, where another order costs the worst user most."""
    sentences = []
    for scheme, part in table.groupby("scheme", sort=False):
        others = part[part["order"] != FIRST]
        most = max(rows(others), key=lambda row: row.to_first)
        if not (others["share_worse"] > 0).any():
            sentences.append(f"With the tokens of {scheme} the order makes no difference here.")
            continue
        sentences.append(
            f"With the tokens of {scheme}, {most.order} at $K = {most.num_ues}$ costs the worst "
            f"user most: {percent(most.to_first - 1)} more on the mean, and more on "
            f"{percent(most.share_worse)} of the instances."
        )
    return " ".join(sentences)


def late_order_in_words(ratio: float, num_ues: int) -> str:
    """How close the constructed instance comes to the bound K."""
    return (
        f"For $K = {num_ues}$ the simulation of largest first on this instance makes the worst "
        f"user wait **{ratio:.4f} times** the least possible; the bound is {num_ues}."
    )
