"""One instance on the link as tables: what is released and delivered when, under each form."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ctho.study.service_orders import ORDERS, serve
from ctho.study.transfer_windows import WindowTable, cumulative_flow

__all__ = ["flow_curves", "flow_users", "order_bars"]


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
    """One row a user in order of release: when his last token is released, due and done.

    Args:
        handover_s: tau_i, seconds, `[K]`.
        remaining_tok: n_i^(tx), tokens, `[K]`.
        rate: R, tokens per second.
        table: the windows of the same instance.

    Returns:
        Columns user (from 1, sorted), handover_s, total_tok (S_k), done_s (T_k), printed_done_s
        (tau_1 + S_k / R, when Eq. (20) has it done), delay_s, printed_delay_s and idle_s.
    """
    tau = np.asarray(handover_s, float)
    order = np.argsort(tau, kind="stable")
    total = np.cumsum(np.asarray(remaining_tok, float)[order])
    return pd.DataFrame(
        {
            "user": np.arange(1, tau.size + 1),
            "handover_s": tau[order],
            "total_tok": total,
            "done_s": tau[order] + table.user_delay_s,
            "printed_done_s": tau.min() + total / rate,
            "delay_s": table.user_delay_s,
            "printed_delay_s": table.value_s[0],
            "idle_s": table.idle_s,
        }
    )


def order_bars(handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float) -> pd.DataFrame:
    """Who has which part of the link when, under every order of service.

    Arguments as for :func:`flow_curves`.

    Returns:
        One row per (order, step, user served): order, user (from 1, sorted by release), start_s,
        end_s, share (of R), handover_s, delay_s of the user and worst_s of the order.
    """
    tau = np.asarray(handover_s, float)
    by_release = np.argsort(tau, kind="stable")
    tau, tokens = tau[by_release], np.asarray(remaining_tok, float)[by_release]
    rows: list[list[float | str]] = []
    for order in ORDERS:
        service = serve(tau, tokens, rate, order)
        worst = float(service.worst_delay_s)
        latest: dict[int, list[float | str]] = {}
        for start, end, rates in zip(
            service.start_s, service.end_s, service.rate_tok_per_s, strict=True
        ):
            for i in np.flatnonzero(rates > 0).tolist():
                share = rates[i] / rate
                if i in latest and latest[i][3] == start and latest[i][4] == share:
                    latest[i][3] = end  # the same service goes on over another user's release
                else:
                    latest[i] = [order, i + 1, start, end, share, tau[i], service.delay_s[i], worst]
                    rows.append(latest[i])
    names = ["order", "user", "start_s", "end_s", "share", "handover_s", "delay_s", "worst_s"]
    return pd.DataFrame(rows, columns=names)
