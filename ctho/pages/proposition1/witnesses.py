"""Proposition 1 on one instance: the stepwise optimum against the joint one."""

from __future__ import annotations

import numpy as np

from ctho.handover import Handover
from ctho.proofs.event_by_event import serve_by_priority
from ctho.proofs.rate_program import joint_optimum_by_rates
from ctho.proofs.witness_table import gap_s
from ctho.solution import delay_at_length
from ctho.solver import solve

__all__ = ["proposition1_deviations_s"]

PAIRS = 50
"""Pairs (L, r) that are tried against the optimum of an instance."""


def proposition1_deviations_s(h: Handover, rng: np.random.Generator) -> dict[str, float]:
    """Stepwise against joint optimum, and Eq. (13) link by link on random pairs of a length and a
    rate allocation: deviations in seconds by claim.

    L is uniform on [0, C_max], and 0 itself in one of ten pairs; r serves the users by a random
    priority, so that any of them may preempt any other.
    """
    best = solve(h)
    lengths = np.where(rng.random(PAIRS) < 0.1, 0.0, h.longest_context_tok * rng.random(PAIRS))
    at = delay_at_length(h.repeated(PAIRS), lengths)
    link = (at.handover.handover_s, at.remaining_tok, at.handover.backhaul_tok_per_s)
    transfer = serve_by_priority(*link, rng.random((PAIRS, h.num_ues))).worst_delay_s
    pair = np.maximum(at.prefill_delay_s, transfer)
    return {
        "joint optimum over $(L, r)$ by linear program (HiGHS)": gap_s(
            best.delay_s, joint_optimum_by_rates(h).delay_s
        ),
        "$V(L^\\star)$ is attained by the pair $(L^\\star, r^\\star)$": gap_s(
            best.per_user_delay_s.max(), best.delay_s
        ),
        f"$V(L) \\le D(L, r)$ for {PAIRS} random pairs each": float((at.delay_s - pair).max()),
        "$V(L^\\star) \\le V(L)$ for their lengths": float((best.delay_s - at.delay_s).max()),
    }
