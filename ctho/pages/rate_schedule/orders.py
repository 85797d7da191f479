"""First come first served beside other orders of service, by the worst user's delay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ctho.proofs.event_by_event import ORDERS, serve
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.statistics import mean_estimate, ratio_estimate
from ctho.solver import solve

__all__ = ["FIRST", "compare_orders", "costliest", "late_order_ratio"]

FIRST = "first come first served"

WORSE_FROM = 1e-9
"""An order counts as worse if it misses the best by more than this part; rounding does not."""


def compare_orders(
    parameters: Parameters,
    num_ues_values: Sequence[int],
    schemes: Sequence[str] = ("cHO", "ctHO"),
) -> pd.DataFrame:
    """Simulate every order of service at the prefill length of each scheme.

    Args:
        parameters: everything but K.
        num_ues_values: the K to compare at.
        schemes: cHO transfers all tokens, ctHO those beyond the L* of first come first served.

    Returns:
        One row per (K, scheme, order): num_ues, scheme, order, mean worst-user transfer delay
        with its interval (seconds), `to_first` with its interval (the paired ratio of means to
        first come first served), `share_worse` (part of the realisations where it is
        strictly worse), `mean_user` (mean delay of all users, seconds).
    """
    exact = parameters.replace(transfer="exact").reading
    rows = []
    for num_ues in num_ues_values:
        handovers = sample_handovers(parameters.replace(num_ues=num_ues))
        for scheme in schemes:
            remaining = solve(handovers, scheme, exact).remaining_tok
            link = (handovers.handover_s, remaining, handovers.backhaul_tok_per_s)
            served = {order: serve(*link, order) for order in ORDERS}
            first = served[FIRST].worst_delay_s
            for order, service in served.items():
                worst = service.worst_delay_s
                # With nothing to send no order is worse.
                to_first = ratio_estimate(worst, first) if first.any() else (1.0, 1.0, 1.0)
                worse = float(np.mean(worst > first * (1 + WORSE_FROM)))
                row = (num_ues, scheme, order, *mean_estimate(worst))
                rows.append((*row, *to_first, worse, float(service.delay_s.mean())))
    names = ["num_ues", "scheme", "order", "mean", "ci_low", "ci_high"]
    names += ["to_first", "to_first_low", "to_first_high", "share_worse", "mean_user"]
    return pd.DataFrame(rows, columns=names)


def costliest(table: pd.DataFrame) -> pd.DataFrame:
    """The order and K that cost the worst user most: one row of :func:`compare_orders` a scheme."""
    others = table[table["order"] != FIRST]
    return others.loc[others.groupby("scheme", sort=False)["to_first"].idxmax()]


def late_order_ratio(num_ues: int, excess: float) -> float:
    """How far largest first falls behind on an instance made for it, at most K.

    Releases one service time apart and sizes that grow by a hair, tau_i = i - 1 and
    n_i / R = 1 + i excess: each release preempts everyone before, and the first user ends last.

    >>> late_order_ratio(1, 1e-3)
    1.0
    """
    user = np.arange(1, num_ues + 1)
    link = (user - 1.0, 1 + user * excess, 1.0)
    late = serve(*link, "largest first").worst_delay_s
    return float(late / serve(*link, FIRST).worst_delay_s)
