"""Proposition 1 on one instance: D(L, r) over L, and the value function below."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ctho.handover import Handover
from ctho.proofs.event_by_event import ORDERS, serve
from ctho.solution import delay_at_length

__all__ = ["VALUE", "delays_by_order"]

VALUE = "value function"


def delays_by_order(handover: Handover, points: int = 121) -> pd.DataFrame:
    """D(L, r) of Eq. (8) over L for each order of service, and V(L) of Eq. (12).

    Args:
        handover: one instance.
        points: lengths on a grid over [0, C_max]; L = 0 comes first, where no batch is waited for,
            and then L -> 0+, where it is.

    Returns:
        Columns prefill_length_tok, batch (whether one runs), order (:data:`VALUE` for V), delay_s.
    """
    lengths = np.linspace(0, float(handover.longest_context_tok), points)
    lengths = np.insert(lengths, 1, np.finfo(float).tiny)
    at = delay_at_length(handover.repeated(lengths.size), lengths)
    link = (at.handover.handover_s, at.remaining_tok, at.handover.backhaul_tok_per_s)
    delays = {VALUE: at.delay_s}
    for order in ORDERS:
        delays[order] = np.maximum(at.prefill_delay_s, serve(*link, order).worst_delay_s)
    axis = pd.DataFrame({"prefill_length_tok": lengths, "batch": lengths > 0})
    curves = [axis.assign(order=order, delay_s=delay) for order, delay in delays.items()]
    return pd.concat(curves, ignore_index=True)
