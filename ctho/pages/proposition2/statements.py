"""Sentences of the derivation pages whose truth depends on numbers, as Markdown.

A reader may put in any instance, so every sentence here is picked by what was computed.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ctho.pages.shared.results import rows
from ctho.pages.shared.text import percent, span, with_interval
from ctho.proofs.enumerated import WindowTable, window_table

__all__ = [
    "census_in_words",
    "design_as_markdown",
    "design_in_words",
    "fast_links_as_markdown",
    "gap_in_words",
    "instance_in_words",
    "map_in_words",
    "proposition2_in_words",
    "windows_as_markdown",
]

EXAMPLE_HANDOVER_S = (0.0, 1.0)
EXAMPLE_TOK = (100.0, 800.0)
EXAMPLE_TOK_PER_S = 1000.0


def instance_in_words(table: WindowTable) -> str:
    """Whether the printed form is exact on this instance, and why."""
    exact, printed = table.exact_s, table.printed_s
    j, k = table.worst
    if exact <= 0:
        return "Nobody has anything to transfer here: both forms give 0."
    value = f"$D^\\star_{{\\mathrm{{(tx)}}}}$ = **{exact:.6g} s**"
    if table.printed_is_exact:
        return (
            f"On this instance Eq. (18) is exact: {value}, from the window of "
            f"{span(1, k, 'user')}. A worst user is done before the link first stands idle."
        )
    return (
        f"On this instance Eq. (18) gives {printed:.6g} s, but {value}, from the window of "
        f"{span(j, k, 'user')}: {percent(1 - printed / exact)} low. Until the last of them is "
        f"done the link has stood idle for {table.idle_s[k - 1]:.6g} s, which Eq. (18) counts "
        "as capacity."
    )


def windows_as_markdown(table: WindowTable) -> str:
    """All windows as a table, first user j by row and last user k by column, in seconds."""
    users = range(1, len(table.value_s) + 1)
    lines = [
        "| $W_{jk}$ (s) | " + " | ".join(f"$k={k}$" for k in users) + " |",
        "|:---|" + "---:|" * len(users),
    ]
    worst = table.worst
    for j in users:
        cells = []
        for k in users:
            value = table.value_s[j - 1, k - 1]
            text = "" if np.isnan(value) else f"{value:.4f}"
            cells.append(f"**{text}**" if (j, k) == worst else text)
        name = "$j=1$, Eq. (18)" if j == 1 else f"$j={j}$"
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    idle = " | ".join(f"{value:.4f}" for value in table.idle_s)
    return "\n".join([*lines, f"| idle until then, $I_k$ | {idle} |"])


def proposition2_in_words(
    table: WindowTable, design: pd.DataFrame, gaps: pd.DataFrame
) -> list[str]:
    """The paragraphs of the box: printed, holds, smallest example, effect, and what stands.

    Args:
        table: the windows of the reader's instance.
        design: the table of :func:`ctho.pages.proposition2.gap.promised_and_delivered`.
        gaps: the rows of :func:`ctho.pages.proposition2.gap.gap_map` at the page's own parameters.
    """
    example = window_table(EXAMPLE_HANDOVER_S, EXAMPLE_TOK, EXAMPLE_TOK_PER_S)
    first, second = EXAMPLE_TOK
    return [
        "**Printed.** Eq. (18) is stated as the least transfer delay that any rate allocation "
        "reaches.",
        "**Holds.** It is a lower bound on it. It counts capacity from $\\tau_1$ on, also while "
        "the link has nothing to send. The least delay is the same expression with every start "
        "of a window in the place of the first:",
        "$$D^\\star_{\\mathrm{(tx)}}(L)=\\max_{1\\le j\\le k\\le K}"
        "\\left[\\frac{S_k(L)-S_{j-1}(L)}{R}-(\\tau_k-\\tau_j)\\right].$$",
        f"**Smallest example.** For one user Eq. (18) is exact. For two users with {first:g} and "
        f"{second:g} tokens, released {EXAMPLE_HANDOVER_S[1]:g} s apart on a link of "
        f"{EXAMPLE_TOK_PER_S:g} tokens/s: Eq. (18) gives {example.printed_s:g} s; the second "
        f"user alone needs {example.exact_s:g} s.",
        f"**Effect.** {gap_in_words(gaps)} {design_in_words(design)}",
        "**What stands.** The lower bound, Eqs. (19) to (21), is right; the schedule of "
        "Section III-B is optimal; and the value has every property that Proposition 3 uses. The "
        "idea of the paper is untouched: only the number that it computes for the link is.",
        "**The instance of this page.** " + instance_in_words(table),
    ]


def gap_in_words(gaps: pd.DataFrame) -> str:
    """How often and how much the printed form is low, one clause a scheme."""
    many = f"At the parameters of this page ({int(gaps['realisations'].iloc[0]):,} realisations) "
    if not gaps["share_low"].any():
        return many + "the printed transfer delay is exact throughout."
    clauses = [
        f"too low for {row.scheme} on {percent(row.share_low)} of the instances and by "
        f"{percent(row.mean_low)} on the mean"
        if row.share_low > 0
        else f"exact for {row.scheme}"
        for row in rows(gaps)
    ]
    return f"{many}the printed transfer delay is {'; '.join(clauses)}."


def design_in_words(design: pd.DataFrame) -> str:
    """What a ctHO planned with the printed form promises, delivers, and could have had."""
    by_what = {row.what: row for row in rows(design[design["scheme"] == "ctHO"])}
    promised, delivered, best = (by_what[what] for what in ("promised", "delivered", "best"))
    if promised.to_best == delivered.to_best == 1:
        return "The delay that ctHO promises and its choice of $L$ are the same by both forms."
    return (
        f"A ctHO that picks $L$ by Eq. (18) promises a mean worst-user delay of "
        f"{with_interval(promised.mean, promised.ci_high)} s and delivers "
        f"{with_interval(delivered.mean, delivered.ci_high)} s, where "
        f"{with_interval(best.mean, best.ci_high)} s is possible: the promise is "
        f"{percent(1 - promised.to_best)} below the optimum, what it delivers "
        f"{percent(delivered.to_best - 1)} above."
    )


def design_as_markdown(design: pd.DataFrame) -> str:
    """Promised, delivered and best mean delay of each scheme, with its ratio to the best."""
    lines = ["| scheme | delay | mean (s) | relative to best |", "|:---|:---|---:|---:|"]
    for row in rows(design):
        mean = with_interval(row.mean, row.ci_high, digits=4)
        ratio = with_interval(row.to_best, row.to_best_high, digits=4)
        lines.append(f"| {row.scheme} | {row.what} | {mean} | {ratio} |")
    return "\n".join(lines)


def fast_links_as_markdown(table: pd.DataFrame) -> str:
    """Predicted and sampled share of instances on which Eq. (18) is low, on a very fast link."""
    lines = ["| $K$ | $1 - 1/K$ | low on (95 % interval) |", "|---:|---:|---:|"]
    for row in rows(table):
        interval = f"{100 * max(row.ci_low, 0):.1f} to {100 * min(row.ci_high, 1):.1f} %"
        lines.append(
            f"| {row.num_ues} | {100 * row.predicted:.1f} % | {100 * row.share_low:.1f} % "
            f"({interval}) |"
        )
    return "\n".join(lines)


def map_in_words(table: pd.DataFrame) -> str:
    """Where on a map the printed form is low most often and by most, for each scheme."""
    x, y = table.columns[:2]
    sentences = []
    for scheme, part in table.groupby("scheme", sort=False):
        if not part["share_low"].any():
            sentences.append(f"For {scheme} Eq. (18) is exact on the whole map.")
            continue
        exact = int((part["share_low"] == 0).sum())
        most = max(rows(part), key=lambda row: row.mean_low)._asdict()
        sentences.append(
            f"For {scheme} Eq. (18) is exact on every realisation in {exact} of {len(part)} "
            "cells; it falls furthest below the value at "
            f"{_at(x, most[x])} and {_at(y, most[y])}, by "
            f"{percent(most['mean_low'])} on the mean and on {percent(most['share_low'])} of "
            "the instances."
        )
    return " ".join(sentences)


def _at(axis: str, value: float) -> str:
    forms = {"backhaul_gbps": "{:g} Gbps", "num_ues": "$K={:g}$", "spread_s": "a spread of {:g} s"}
    return forms[axis].format(value)


def census_in_words(census: pd.DataFrame) -> str:
    """What a full count of small two-user instances says about the smallest counterexample."""
    low = census[census["low"]]
    same = bool((census["low"] == census["predicted"]).all())
    fewest = low.assign(total=low["first_tok"] + low["second_tok"]).sort_values(["total", "gap_s"])
    least = fewest.iloc[0]
    agreement = "exactly those" if same else "not the same as those"
    return (
        f"Of all {len(census):,} instances of two users with 1 to {census['first_tok'].max()} "
        f"tokens each and whole gaps up to {census['gap_s'].max()} token times, Eq. (18) is low on "
        f"{len(low):,}, {agreement} with $n_1 < n_2$ and $n_1/R < \\tau_2-\\tau_1$. The fewest "
        f"tokens among them are {least['first_tok']:g} and {least['second_tok']:g}, "
        f"{least['gap_s']:g} token times apart: {least['printed_s']:g} printed, "
        f"{least['exact_s']:g} needed."
    )
