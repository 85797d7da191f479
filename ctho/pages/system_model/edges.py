"""The cases at the edge of the model: cycle boundaries, the phase of the clock, ties, one user."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd

from ctho.handover import Handover, batch_start_s
from ctho.simulation.parameters import Parameters
from ctho.solver import solve

__all__ = ["clock_range_s", "edge_cases", "late_boundaries"]

JUST_BEHIND = 1e-5
"""A handover by this share of a cycle behind a boundary; more than what counts as rounding."""


def late_boundaries(cycle_s: float, boundaries: int) -> pd.DataFrame:
    """Cycle boundaries, written as decimals, at which a bare ceiling starts the batch late.

    Args:
        cycle_s: T_c, seconds, as a decimal such as 0.01.
        boundaries: how many multiples of it are tried, from the first.

    Returns:
        One row for each late one: handover_s, quotient (tau_K / T_c in floating point), bare_s
        and start_s (by :func:`ctho.handover.batch_start_s`). Empty if none is.

    >>> late_boundaries(0.01, 20)["handover_s"].tolist()
    [0.07, 0.14]
    """
    step, count = Decimal(repr(float(cycle_s))), np.arange(1, boundaries + 1)
    tau = np.array([float(step * multiple) for multiple in count.tolist()])
    bare = np.ceil(tau / cycle_s)
    late = pd.DataFrame(
        {
            "handover_s": tau,
            "quotient": tau / cycle_s,
            "bare_s": bare * cycle_s,
            "start_s": batch_start_s(tau, cycle_s),
        }
    )
    return late[bare > count].reset_index(drop=True)


def clock_range_s(handover: Handover) -> tuple[float, float]:
    """Least and largest optimum of one instance over all phases of the batch cycle, seconds.

    The optimum never falls as the wait t_s - tau_K grows, so it is least with tau_K on a boundary
    and largest with tau_K just behind one.
    """
    to_boundary = float(handover.batch_start_s - handover.handover_s.max())
    shifts = to_boundary + np.array([[0.0], [JUST_BEHIND * handover.cycle_s]])
    both = handover.repeated(2)
    low, high = solve(both.replace(handover_s=both.handover_s + shifts)).delay_s.tolist()
    return low, high


def edge_cases(parameters: Parameters) -> pd.DataFrame:
    """Instances at the edge of the model, solved.

    Returns:
        One row a case: case, handover_s and context_tok (lists), batch_start_s, delay_s and
        prefill_length_tok of ctHO.
    """
    cycle = parameters.cycle_s
    early = np.ceil(3.0 / cycle) * cycle  # whole cycles, so that the phase stays
    cases: list[tuple[str, list[float], list[float]]] = [
        ("one user", [1.0], [3000]),
        ("two users at once", [1.0, 1.0], [3000, 2000]),
        ("the same, listed the other way", [1.0, 1.0], [2000, 3000]),
        ("two users apart", [1.0, 1.2], [3000, 2000]),
        ("the same before time 0", [1.0 - early, 1.2 - early], [3000, 2000]),
        ("the same half a cycle later", [1.0 + cycle / 2, 1.2 + cycle / 2], [3000, 2000]),
        ("a first user with one token", [1.0, 1.2], [1, 3000]),
    ]
    table = pd.DataFrame(cases, columns=["case", "handover_s", "context_tok"])
    link = (parameters.backhaul_tok_per_s, parameters.prefill, cycle)
    best = [solve(Handover(tau, context, *link)) for _, tau, context in cases]
    return table.assign(
        batch_start_s=[float(one.handover.batch_start_s) for one in best],
        delay_s=[float(one.delay_s) for one in best],
        prefill_length_tok=[float(one.prefill_length_tok) for one in best],
    )
