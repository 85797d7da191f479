"""Problem (11) as a linear program over the rates themselves, solved by HiGHS.

The unknowns are the delay D, the length L and the tokens that each user gets in each
piece of time between two releases or deadlines. No window, no order of service and no
proposition goes in, so the optimum proves the propositions or refutes them.

The deadlines tau_i + D move with D. Between two values of D where a deadline meets a
release their order is fixed, and the program is linear in D as well. What is feasible
within D is feasible within more, so bisection over these intervals finds the lowest
that holds a feasible D, and the program there gives the least D.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from ctho.checks import check_number
from ctho.handover import Handover
from ctho.proofs.instances import affine_prefill, one_instance, time_scale_s
from ctho.proofs.window_program import Optimum

__all__ = ["joint_optimum_by_rates", "least_transfer_delay_by_rates"]

Array = NDArray[np.float64]

TOLERANCE = 1e-10
"""HiGHS's own tolerances, in units of the instance's time scale."""


@dataclass(frozen=True)
class _Problem:
    """The numbers of one instance, in units of its own time scale; tokens in link time."""

    release: Array
    context: Array
    wait: float | None
    slope: float
    longest: float


def least_transfer_delay_by_rates(handover: Handover, prefill_length_tok: float) -> float:
    """Min over r of D^(tx)(L, r), the left side of Eq. (18), for one instance.

    Args:
        handover: one instance; its prefill delay plays no part.
        prefill_length_tok: L >= 0, tokens.

    Returns:
        The delay in seconds.

    Raises:
        InputError: more than one instance, or a negative length.

    >>> from ctho.prefill import AffinePrefill
    >>> h = Handover([0.0, 1.0], [100, 800], 1000, AffinePrefill())
    >>> round(least_transfer_delay_by_rates(h, 0), 9)
    0.8
    """
    length = check_number("prefill_length_tok", prefill_length_tok, at_least=0)
    tau, context, rate = one_instance(handover)
    scale = float(time_scale_s(handover))
    work = np.maximum(context - length, 0) / (rate * scale)
    delay, _ = _least_delay(_Problem(tau / scale, work, None, 0.0, 0.0))
    return delay * scale


def joint_optimum_by_rates(handover: Handover) -> Optimum:
    """Min over L and r of D(L, r), problem (11), for one instance with an affine prefill delay.

    L = 0, where no batch is waited for, is a program of its own; the better of the two counts.

    Raises:
        InputError: more than one instance, or a prefill delay that is not affine.

    >>> from ctho.prefill import AffinePrefill
    >>> h = Handover([0.0], [3072], 9809.222, AffinePrefill())
    >>> round(joint_optimum_by_rates(h).delay_s, 4)
    0.1517
    """
    tau, context, rate = one_instance(handover)
    slope, offset = affine_prefill(handover)
    scale = float(time_scale_s(handover))
    work = context / (rate * scale)
    wait = (float(handover.batch_start_s) - tau[0] + offset) / scale
    without = _least_delay(_Problem(tau / scale, work, None, 0.0, 0.0))
    with_batch = _least_delay(_Problem(tau / scale, work, wait, slope * rate, float(work.max())))
    delay, length = min(without, with_batch)
    return Optimum(delay * scale, length * rate * scale)


def _least_delay(problem: _Problem) -> tuple[float, float]:
    tau = problem.release
    meetings = np.unique(np.append(0.0, tau[:, np.newaxis] - tau))
    edges = np.append(meetings[meetings >= 0], np.inf)
    low, high = 0, edges.size - 2  # with D large enough everything is feasible
    best = _solve_between(problem, edges[high], edges[high + 1])
    while low < high:
        middle = (low + high) // 2
        found = _solve_between(problem, edges[middle], edges[middle + 1])
        if found is None:
            low = middle + 1
        else:
            high, best = middle, found
    if best is None:
        raise RuntimeError("HiGHS finds no schedule however long it may take")
    return best


def _solve_between(problem: _Problem, low: float, high: float) -> tuple[float, float] | None:
    """The least (D, L) with low <= D <= high, or None if no such D is feasible."""
    tau = problem.release
    num_ues = tau.size
    inside = (low + high) / 2 if np.isfinite(high) else low + 1
    fixed, moves = np.append(tau, tau), np.repeat([0.0, 1.0], num_ues)
    order = np.argsort(fixed + moves * inside, kind="stable")
    place = np.argsort(order, kind="stable")
    piece = np.arange(order.size - 1)
    # User i may be served from release to deadline.
    allowed = (piece >= place[:num_ues, np.newaxis]) & (piece < place[num_ues:, np.newaxis])
    user, column = np.nonzero(allowed)
    count = user.size
    # The columns are the tokens of a user in a piece, then L, then D.
    capacity = np.zeros((piece.size, count + 2))
    capacity[column, np.arange(count)] = 1
    capacity[:, -1] = -np.diff(moves[order])
    demand = np.zeros((num_ues, count + 2))
    demand[user, np.arange(count)] = -1
    demand[:, -2] = -1
    rows, bounds = [capacity, demand], [np.diff(fixed[order]), -problem.context]
    if problem.wait is not None:
        prefill = np.zeros((1, count + 2))
        prefill[0, -2:] = problem.slope, -1
        rows.append(prefill)
        bounds.append(np.array([-problem.wait]))
    result = linprog(
        np.append(np.zeros(count + 1), 1.0),
        A_ub=np.vstack(rows),
        b_ub=np.concatenate(bounds),
        bounds=[*[(0, np.inf)] * count, (0, problem.longest), (low, high)],
        method="highs",
        options={
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        },
    )
    if result.status != 0 or result.x is None:
        return None
    return float(result.x[-1]), float(result.x[-2])
