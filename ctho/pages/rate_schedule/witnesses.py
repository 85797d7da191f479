"""The rate schedule on many instances: Eqs. (23) to (25), feasibility and optimality."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ctho.backhaul import minimum_transfer_delay_s, transfer_delay_s
from ctho.handover import Handover, transferred_tok
from ctho.proofs.event_by_event import ORDERS, Service, deadline_order_s, serve, serve_by_priority
from ctho.proofs.rate_program import least_transfer_delay_by_rates
from ctho.proofs.witness_table import gap_s, random_length_tok
from ctho.schedule import check_schedule, rate_schedule

__all__ = ["schedule_deviations_s"]


def schedule_deviations_s(h: Handover, rng: np.random.Generator) -> dict[str, float]:
    """Eqs. (23) to (25), feasibility, optimality and the other orders on one instance, at a random
    length: deviations in seconds by claim.
    """
    tau, rate = h.handover_s, float(h.backhaul_tok_per_s)
    length = random_length_tok(h, rng)
    tokens = transferred_tok(h.context_tok, length)
    link = (tau, tokens, rate)
    schedule = rate_schedule(*link)
    check_schedule(schedule, *link)  # raises where a constraint of the problem is broken
    value = float(minimum_transfer_delay_s(*link))
    by_deadline = serve_by_priority(*link, deadline_order_s(tau, value))
    end = np.full(h.num_ues, -np.inf)
    np.maximum.at(end, schedule.user, schedule.end_s)
    worst = float(np.max(end - tau, initial=0.0, where=np.isfinite(end)))
    others = {order: serve(*link, order) for order in ORDERS}
    over = [float(service.end_s.max(initial=tau.min())) for service in others.values()]
    return {
        "earliest deadline first (Eqs. 23 to 25) is first come first served": gap_s(
            by_deadline.delay_s, transfer_delay_s(*link)
        ),
        "and serves each user in one piece": float(_pieces(by_deadline) - 1) * value,
        "every deadline $d_i = \\tau_i + D^\\star$ is met": worst - value,
        "the worst user has the least delay that the linear program (HiGHS) finds": abs(
            worst - least_transfer_delay_by_rates(h, length)
        ),
        "no other order has a smaller worst delay": value
        - min(float(service.worst_delay_s) for service in others.values()),
        "every order is done at the same time": max(over) - min(over),
    }


def _pieces(service: Service) -> int:
    """The most separate pieces in which any user is served."""
    served = service.rate_tok_per_s > 0
    most = 1
    for user in range(served.shape[1]):
        steps = np.flatnonzero(served[:, user]).tolist()
        breaks = sum(
            bool(served[first + 1 : second].any() or service.start_s[second] > service.end_s[first])
            for first, second in pairwise(steps)
        )
        most = max(most, 1 + breaks)
    return most
