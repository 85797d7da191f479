"""Proposition 2 on many instances: the minimum transfer delay computed in six ways."""

from __future__ import annotations

import numpy as np

from ctho.backhaul import minimum_transfer_delay_s, printed_transfer_bound_s
from ctho.handover import Handover, transferred_tok
from ctho.proofs.enumerated import horizontal_deviation_s, subset_bound_s, window_table
from ctho.proofs.event_by_event import deadline_order_s, serve_by_priority
from ctho.proofs.instances import time_scale_s
from ctho.proofs.rate_program import least_transfer_delay_by_rates
from ctho.proofs.witness_table import gap_s, random_length_tok

__all__ = ["proposition2_deviations_s"]


def proposition2_deviations_s(h: Handover, rng: np.random.Generator) -> dict[str, float]:
    """Proposition 2 on one instance, at a random length: deviations in seconds by claim."""
    tau, rate = h.handover_s, float(h.backhaul_tok_per_s)
    length = random_length_tok(h, rng)
    tokens = transferred_tok(h.context_tok, length)
    link = (tau, tokens, rate)
    value = float(minimum_transfer_delay_s(*link))
    printed = float(printed_transfer_bound_s(*link))
    table = window_table(*link)
    by_deadline = serve_by_priority(*link, deadline_order_s(tau, value))
    users = np.sort(tau) + table.user_delay_s
    with_idle = tau.min() + np.cumsum(tokens[np.argsort(tau, kind="stable")]) / rate + table.idle_s
    last = int(np.flatnonzero(table.user_delay_s >= table.user_delay_s.max())[0])
    return {
        "least delay by linear program over the rates (HiGHS)": abs(
            value - least_transfer_delay_by_rates(h, length)
        ),
        "earliest deadline first, simulated event by event": abs(
            value - float(by_deadline.worst_delay_s)
        ),
        "largest of all windows $(j, k)$": abs(value - table.exact_s),
        "Carlier's bound over all sets of users": abs(value - subset_bound_s(*link)),
        "horizontal deviation of network calculus": abs(value - horizontal_deviation_s(*link)),
        "Eq. (18) as printed is never above": printed - value,
        "$T_k = \\tau_1 + S_k/R + I_k$": gap_s(users, with_idle),
        "Eq. (18) misses at most $I_k$ of a worst user": value - printed - table.idle_s[last],
        "Eq. (18) is exact where, and only where, a worst user is done before the link idles": (
            time_scale_s(h) if table.worst_before_idle != table.printed_is_exact else 0.0
        ),
    }
