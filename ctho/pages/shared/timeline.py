"""One handover instance as tables: who does what when (Figure 1) and V(L) over L (Figure 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ctho.solver import Solution

__all__ = [
    "crossing_in_words",
    "timeline_bars",
    "timeline_in_words",
    "timeline_users",
]


def timeline_users(solution: Solution) -> pd.DataFrame:
    """One row a user in order of handover: user (from 1), handover_s, resume_s and token counts."""
    h = solution.handover
    table = pd.DataFrame(
        {
            "handover_s": h.handover_s,
            "resume_s": h.handover_s + solution.per_user_delay_s,
            "delay_s": solution.per_user_delay_s,
            "context_tok": h.context_tok,
            "prefilled_tok": h.context_tok - solution.remaining_tok,
            "transferred_tok": solution.remaining_tok,
        }
    )
    table = table.iloc[h.release_order.order[:, 0]].reset_index(names="input_index")
    table.insert(0, "user", np.arange(1, h.num_ues + 1))
    return table


def timeline_bars(solution: Solution) -> pd.DataFrame:
    """One row for each thing that runs: row (a user's number or "batch"), start_s, end_s."""
    h = solution.handover
    number = {
        index: user for user, index in enumerate(h.release_order.order[:, 0].tolist(), start=1)
    }
    schedule = solution.schedule()
    rows = [
        ("transfer", number[user], start, end)
        for user, start, end in zip(
            schedule.user.tolist(), schedule.start_s, schedule.end_s, strict=True
        )
    ]
    if solution.prefill_length_tok > 0:
        start = float(h.batch_start_s)
        length = float(solution.prefill_length_tok)
        rows.append(("prefill", 0, start, start + float(h.prefill.delay_s(length, h.num_ues))))
    return pd.DataFrame(rows, columns=["what", "user", "start_s", "end_s"])


def timeline_in_words(solution: Solution) -> str:
    """What the drawn instance shows, as Markdown."""
    h = solution.handover
    delays = solution.per_user_delay_s[h.release_order.order[:, 0]]
    worst = [
        f"UE {user}" for user in 1 + np.flatnonzero(np.isclose(delays, delays.max(), rtol=1e-9))
    ]
    total = float(h.context_tok.sum())
    length = float(solution.prefill_length_tok)
    if length > 0:
        rebuilt = 1 - float(solution.remaining_tok.sum()) / total
        split = (
            f"At the optimum the batch prefills a prefix of **{length:,.1f} tokens**, which "
            f"rebuilds {rebuilt:.0%} of all KV cache; the link carries the other {1 - rebuilt:.0%}."
        )
    else:
        split = (
            "At the optimum no batch is run, since waiting for it would take longer than the link "
            "needs for everything."
        )
    if h.num_ues == 1:
        return (
            f"The one user has {total:,.0f} tokens of context. {split} "
            f"He waits **{float(solution.delay_s):.4f} s**."
        )
    return (
        f"The {h.num_ues} users have {total:,.0f} tokens of context between them. {split} "
        f"The worst-user delay is **{float(solution.delay_s):.4f} s**, that of {worst}."
    )


def crossing_in_words(best: Solution, nothing: Solution) -> str:
    """Where the optimum lies and what L = 0 would cost, as Markdown."""
    if best.prefill_length_tok > 0:
        return (
            f"The two meet at $L^\\star$ = **{float(best.prefill_length_tok):,.4f} tokens**, where "
            f"both take **{float(best.delay_s):.6f} s** (they differ by "
            f"{abs(float(best.prefill_delay_s - best.transfer_delay_s)):.1e} s). With $L = 0$, "
            f"that is without a batch, the delay would be {float(nothing.delay_s):.6f} s."
        )
    return (
        f"The link alone is done after **{float(nothing.delay_s):.6f} s**, before even the "
        "shortest batch could be: the optimum is $L = 0$, and the two curves meet at no $L > 0$."
    )
