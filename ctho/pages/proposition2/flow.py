"""One instance on the link as tables: what is released and delivered when, under each form."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ctho.proofs.enumerated import WindowTable, cumulative_flow

__all__ = ["flow_curves", "flow_users"]


def flow_curves(handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float) -> pd.DataFrame:
    """Corners of the cumulative curves of one instance.

    Args:
        handover_s: tau_i, seconds, `[K]`.
        remaining_tok: n_i^(tx), tokens, `[K]`.
        rate: R, tokens per second.

    Returns:
        Columns curve ("released", a staircase; "delivered", by a link that never idles while it
        has work; "printed", the line R (t - tau_1) of Eq. (20)), time_s, tokens.
    """
    time, delivered = cumulative_flow(handover_s, remaining_tok, rate)
    tau = np.asarray(handover_s, float)
    order = np.argsort(tau, kind="stable")
    released = np.cumsum(np.asarray(remaining_tok, float)[order])
    corners = {
        "released": (np.append(tau[order], time[-1]), np.append(released, released[-1])),
        "delivered": (time, delivered),
        "printed": (
            np.array([time[0], time[0] + released[-1] / rate]),
            np.array([0.0, released[-1]]),
        ),
    }
    return pd.concat(
        pd.DataFrame({"curve": curve, "time_s": times, "tokens": tokens})
        for curve, (times, tokens) in corners.items()
    ).reset_index(drop=True)


def flow_users(
    handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float, table: WindowTable
) -> pd.DataFrame:
    """One row a user in order of release: how long their last token takes under each form.

    Args:
        handover_s: tau_i, seconds, `[K]`.
        remaining_tok: n_i^(tx), tokens, `[K]`.
        rate: R, tokens per second.
        table: the windows of the same instance.

    Returns:
        Columns handover_s, total_tok (S_k), printed_done_s (tau_1 + S_k / R, when Eq. (20) has it
        done), delay_s (F_k) and printed_delay_s (W_1k).
    """
    tau = np.asarray(handover_s, float)
    order = np.argsort(tau, kind="stable")
    total = np.cumsum(np.asarray(remaining_tok, float)[order])
    return pd.DataFrame(
        {
            "handover_s": tau[order],
            "total_tok": total,
            "printed_done_s": tau.min() + total / rate,
            "delay_s": table.user_delay_s,
            "printed_delay_s": table.value_s[0],
        }
    )
