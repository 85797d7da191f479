"""One handover instance as tables: when each user crosses and resumes, and what runs when."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ctho.solution import Solution

__all__ = ["timeline_bars", "timeline_users"]


def timeline_users(solution: Solution) -> pd.DataFrame:
    """One row a user in order of handover.

    Returns:
        Columns user (from 1), input_index (from 0), handover_s, resume_s, delay_s, and context_tok,
        which is prefilled_tok and transferred_tok together.
    """
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
    """One row for each thing that runs.

    Returns:
        Columns what ("transfer" or "prefill"), user (from 1 in order of handover; 0 for the batch,
        which is for all), start_s and end_s.
    """
    h, schedule = solution.handover, solution.schedule()
    number = 1 + h.release_order.place[schedule.user, 0]
    bars = [
        ("transfer", user, start, end)
        for user, start, end in zip(number, schedule.start_s, schedule.end_s, strict=True)
    ]
    length = float(solution.prefill_length_tok)
    if length > 0:
        start = float(h.batch_start_s)
        bars.append(("prefill", 0, start, start + float(h.prefill.delay_s(length, h.num_ues))))
    return pd.DataFrame(bars, columns=["what", "user", "start_s", "end_s"])
