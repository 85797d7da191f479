"""Proposition 1 on one instance: D(L, r) for many (L, r), and the value function below them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ctho.handover import Handover
from ctho.proofs.event_by_event import ORDERS, serve, serve_by_priority
from ctho.solver import delay_at_length

__all__ = ["VALUE", "delays_by_order", "random_pair_delays_s"]

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
    frames = [(VALUE, at.delay_s)]
    for order in ORDERS:
        link = (at.handover.handover_s, at.remaining_tok, at.handover.backhaul_tok_per_s)
        frames.append((order, np.maximum(at.prefill_delay_s, serve(*link, order).worst_delay_s)))
    return pd.concat(
        pd.DataFrame(
            {
                "prefill_length_tok": lengths,
                "batch": lengths > 0,
                "order": order,
                "delay_s": delay,
            }
        )
        for order, delay in frames
    ).reset_index(drop=True)


def random_pair_delays_s(
    rng: np.random.Generator, handover: Handover, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """D(L, r) and V(L) for random feasible pairs of a length and a rate allocation, seconds.

    L is uniform on [0, C_max], and 0 itself in one of ten pairs; r serves the users by a random
    priority, so that any of them may preempt any other.

    Returns:
        D(L, r) and V(L), each `[count]`.
    """
    longest = float(handover.longest_context_tok)
    lengths = np.where(rng.random(count) < 0.1, 0.0, longest * rng.random(count))
    at = delay_at_length(handover.repeated(count), lengths)
    priority = rng.random((count, handover.num_ues))
    link = (at.handover.handover_s, at.remaining_tok, at.handover.backhaul_tok_per_s)
    transfer = serve_by_priority(*link, priority).worst_delay_s
    return np.maximum(at.prefill_delay_s, transfer), at.delay_s
