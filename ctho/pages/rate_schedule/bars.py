"""One instance under every order of service, as bars."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ctho.proofs.event_by_event import ORDERS, serve

__all__ = ["order_bars"]


def order_bars(handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float) -> pd.DataFrame:
    """Who has which part of the link when, under every order of service.

    Args:
        handover_s: tau_i, seconds, `[K]`.
        remaining_tok: n_i^(tx), tokens, `[K]`.
        rate: R, tokens per second.

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
