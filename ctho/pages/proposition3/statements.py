"""What the numbers of the page on Proposition 3 say, in sentences that follow them."""

from __future__ import annotations

import pandas as pd

from ctho.handover import Handover
from ctho.pages.proposition3.restriction import RestrictionCheck
from ctho.pages.proposition3.whole_tokens import GridLength
from ctho.pages.proposition3.witnesses import TiledPrefill
from ctho.prefill import AffinePrefill
from ctho.solver import Reading, Solution, delay_at_length, solve

__all__ = [
    "check_in_words",
    "checks_as_markdown",
    "failures_in_words",
    "grid_in_words",
    "optimum_in_words",
    "readings_as_markdown",
    "readings_in_words",
    "restriction_check_in_words",
    "steps_as_markdown",
    "zero_length_in_words",
]


def failures_in_words() -> list[str]:
    """The four points at which the printed Proposition 3 falls short, each with its example."""
    one = Handover([0.0], [1], 1000, AffinePrefill(1e-4, 2e-3))
    batch = solve(one, reading=Reading(zero_length="waits_for_batch"))
    none = solve(one)
    tiles = Handover([0.0], [2], 1, TiledPrefill(tile_tok=1, tile_s=0.75))
    cho, inside, tho = (float(delay_at_length(tiles, length).delay_s) for length in (0, 1, 2))
    return [
        "**The value at $L = 0$.** Read with Eq. (9), $D^{(\\mathrm{pf})}(0) = t_s + b - \\tau_1$: "
        "everybody waits for a batch that computes nothing. Without a batch the delay is "
        "$D^\\star_{(\\mathrm{tx})}(0)$ alone, as Eq. (27) means it. *Smallest example:* one user "
        "at $\\tau = 0$ with one token, $R = 1000$ tokens/s, $b = 2$ ms. His cache is there "
        f"after {none.delay_s * 1e3:g} ms; the printed form gives {batch.delay_s * 1e3:g} ms.",
        "**The boundary $C_{\\max}$.** Since $D^\\star_{(\\mathrm{tx})}(C_{\\max}) = 0 \\le "
        "D^{(\\mathrm{pf})}(C_{\\max})$, it never happens that $D^{(\\mathrm{pf})} < "
        "D^\\star_{(\\mathrm{tx})}$ on all of $[0, C_{\\max}]$: the second boundary is never the "
        "answer. $C_{\\max}$ minimises $V$ only if prefill is free per token, $a = 0$.",
        '**Continuity.** The "otherwise" needs a continuous $p$. *Smallest example:* one user, '
        "two tokens, $R = 1$ token/s, and a processor that works in tiles of one token, 0.75 s "
        f"each. The delays never meet. The boundaries give {cho:g} s and {tho:g} s, yet $L = 1$ "
        f"gives {inside:g} s. The paper's own $p(L) = aL + b$ is continuous.",
        "**The curve.** With Eq. (18) in the place of the exact $D^\\star_{(\\mathrm{tx})}$ the "
        "crossing itself is never late, and early exactly where Eq. (18) is low at $L_c$.",
    ]


def optimum_in_words(best: Solution, steps: pd.DataFrame) -> str:
    """Which case of the theorem this instance is, and how Newton got there."""
    wait = _limit_wait_s(best.handover)
    nothing = float(solve(best.handover, "cHO").delay_s)
    sizes = (
        f"$D^\\star_{{(\\mathrm{{tx}})}}(0)$ = {nothing * 1e3:,.4g} ms and "
        f"$w = t_s + b - \\tau_1$ = {wait * 1e3:,.4g} ms"
    )
    delay = f"{float(best.delay_s) * 1e3:,.5g} ms"
    if not len(steps):
        return (
            f"Here {sizes}: case 1. No batch can be done before the link is, "
            f"$L^\\star = 0$ and $D^\\star$ = {delay}. Newton has no step to take."
        )
    count = "one step" if len(steps) == 1 else f"{len(steps)} steps"
    return (
        f"Here {sizes}: case 2. Newton takes {count} (at most $K$ = {best.handover.num_ues}) "
        f"to $L^\\star$ = {float(best.prefill_length_tok):,.2f} tokens and $D^\\star$ = {delay}."
    )


def steps_as_markdown(steps: pd.DataFrame) -> str:
    """Newton's steps, one row each; nothing where there is none."""
    if not len(steps):
        return ""
    lines = [
        "| step | from $L$ | $D^\\star_{(\\mathrm{tx})}$ there (s) | users | senders | to $L$ | "
        "$D^{(\\mathrm{pf})}$ there (s) |",
        "|---:|---:|---:|:---|---:|---:|---:|",
    ]
    lines += [
        f"| {row['step']} | {row['length_tok']:,.2f} | {row['delay_s']:.6f} | {row['users']} | "
        f"{row['senders']} | {row['next_tok']:,.2f} | {row['next_delay_s']:.6f} |"
        for row in steps.to_dict("records")
    ]
    return "\n".join(lines)


def grid_in_words(grid: GridLength, step_tok: float, bound_s: float) -> str:
    """The best length on the grid of this instance and what the grid costs."""
    cost = float(grid.delay_s - grid.real_delay_s)
    return (
        f"In steps of {step_tok:g} token{'' if step_tok == 1 else 's'} the best length here is "
        f"{float(grid.prefill_length_tok):,g} tokens, beside the real optimum "
        f"{float(grid.real_length_tok):,.2f}. It costs {max(cost, 0.0) * 1e6:.3g} µs; the slopes "
        f"of this instance allow {float(grid.cost_bound_s) * 1e6:.3g} µs, and no instance with "
        f"these $K$, $a$ and $R$ can lose more than {bound_s * 1e6:.3g} µs."
    )


def check_in_words(table: pd.DataFrame) -> str:
    """How many instances were checked, and the worst deviation of all claims."""
    worst = table.sort_values("worst").iloc[-1]
    return (
        f"{len(table)} claims on {int(table['instances'].max()):,} random instances (ties, one "
        "user, idle links, releases before 0, free and slow prefill, links over many orders of "
        f"magnitude). The worst deviation is **{worst['worst']:.1e}** of an instance's own time "
        f'scale $(\\tau_K - \\tau_1) + S_K(0)/R$, in the row "{worst["claim"]}".'
    )


def checks_as_markdown(table: pd.DataFrame) -> str:
    """The claims with the worst violation of each."""
    lines = ["| claim | instances | worst violation |", "|:---|---:|---:|"]
    lines += [
        f"| {row['claim']} | {row['instances']:,} | {row['worst']:.1e} |"
        for row in table.to_dict("records")
    ]
    return "\n".join(lines)


def restriction_check_in_words(check: RestrictionCheck) -> str:
    """How well the two identities of the restriction hold, and how often the link is busy."""
    return (
        f"On {check.instances:,} instances of the paper's scenario, each at a random length: "
        "leaving the delivered out of the maximum, by the start or by the end of the batch, moves "
        f"$V$ by at most {check.value_deviation_s:.1e} s. The identity with $\\delta$ holds to "
        f"{check.term_deviation_s:.1e} s. In {check.undelivered:.1%} somebody is undelivered, "
        f"and in {check.late:.1%} of these the first such user finds the link busy ($\\delta > 0$)."
    )


def zero_length_in_words(table: pd.DataFrame) -> str:
    """How often no batch is best along the link rates, and where cHO beats the crossing."""
    by_what = table.pivot(index="x", columns="what", values="mean")
    share = by_what["no batch"]
    ahead = by_what.index[by_what["cHO"] < by_what["crossing only"]]
    low, high = share.index[0], share.index[-1]
    text = (
        f"At {low:g} Gbps no batch is best in {share[low]:.1%} of the instances, "
        f"at {high:g} Gbps in {share[high]:.1%}. "
    )
    if not len(ahead):
        return text + "In the mean cHO stays above the crossing alone at every rate drawn."
    first = ahead[0]
    loss = by_what.loc[high, "crossing only"] / by_what.loc[high, "ctHO"]
    return (
        text + f"From {first:g} Gbps on, of the rates drawn, the mean of cHO is below that of the "
        "crossing alone, so that an implementation of Eq. (22) without the case $L = 0$ loses "
        f"against a baseline; at {high:g} Gbps it is {loss:.2f} times as slow as the true optimum."
    )


def readings_as_markdown(table: pd.DataFrame, backhaul_gbps: float) -> str:
    """The readings as a table: relative to everyone at each rate, and more at one of them."""
    rates = list(dict.fromkeys(table["x"].tolist()))
    columns = [*(f"at {rate:g} Gbps" for rate in rates), "lower on", "higher on"]
    lines = [
        "| mean delay, everyone = 1 | " + " | ".join(columns) + " |",
        "|:---|" + "---:|" * len(columns),
    ]
    for reading, rows in table.groupby("reading", sort=False):
        cells = [
            f"{row['ratio']:.3f} ± {row['ratio_high'] - row['ratio']:.3f}"
            for row in rows.to_dict("records")
        ]
        here = rows[rows["x"] == backhaul_gbps].to_dict("records")[0]
        cells += [f"{here['lower']:.1%}", f"{here['higher']:.1%}"]
        lines.append(f"| {reading} | " + " | ".join(cells) + " |")
    own = f"Lower and higher on: shares of the instances at {backhaul_gbps:g} Gbps."
    return "\n".join([*lines, "", own])


def readings_in_words(table: pd.DataFrame, backhaul_gbps: float) -> str:
    """What the choice of a reading is worth in the mean at one link rate."""
    here = table[table["x"] == backhaul_gbps].set_index("reading")
    if not (here["lower"].any() or here["higher"].any()):
        return f"At {backhaul_gbps:g} Gbps all readings give the same delay in every instance."
    batch = here["ratio"]["the delivered leave the batch"]
    printed = here["ratio"]["Eq. (18) over the undelivered"]
    verb = "shortens" if batch < 1 else "does not shorten"
    return (
        f"At {backhaul_gbps:g} Gbps, letting the delivered users out of the batch {verb} the mean "
        f"worst-user delay ({batch - 1:+.1%}). Eq. (18) over the undelivered users alone promises "
        f"{1 - printed:.1%} less than problem (11) can attain."
    )


def _limit_wait_s(handover: Handover) -> float:
    affine = handover.prefill.affine(handover.num_ues)
    return float(handover.batch_wait_s) + (affine[1] if affine is not None else 0.0)
