"""The same answers computed another way: linear programs solved by HiGHS.

Two programs, of one instance each. :func:`best_by_linear_program` is the whole problem (11) for
an affine p(L), with one row for each busy window. :func:`schedule_exists` knows nothing of
windows nor of any order of service: it divides time at every release and deadline and
asks whether rates exist. Neither shares code with the solver.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from ctho.handover import Handover
from ctho.proofs.instances import affine_prefill, one_instance

__all__ = ["Optimum", "PricedOptimum", "best_by_linear_program", "schedule_exists"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Optimum:
    """The optimum of the linear program.

    Attributes:
        delay_s: the least worst-user delay, seconds.
        prefill_length_tok: a length that attains it, tokens.
    """

    delay_s: float
    prefill_length_tok: float


@dataclass(frozen=True)
class PricedOptimum(Optimum):
    """The optimum with what the dual program says of it.

    Attributes:
        prefill_dual: multiplier of the row D >= w + a L, a number in [0, 1].
        load_dual_s: sum over the window rows of their multiplier times their load
            (n_j + ... + n_k) / R, seconds.
    """

    prefill_dual: float
    load_dual_s: float


def best_by_linear_program(handover: Handover) -> PricedOptimum:
    """Solve problem (11) for an affine prefill delay as a linear program in (D, L, n_1..n_K).

    Minimise D subject to n_i >= C_i - L, n_i >= 0, D >= t_s - tau_1 + a L + b, and for every
    window j <= k, D >= (n_j + ... + n_k) / R - (tau_k - tau_j). L = 0, where no batch is waited
    for, is the same program without the prefill row, and the better of the two is returned.

    Raises:
        InputError: more than one instance, or a prefill delay that is not affine.
    """
    tau, context, rate = one_instance(handover)
    slope, offset = affine_prefill(handover)
    wait = float(handover.batch_start_s - tau[0]) + offset
    # In units of the instance's own length and with tokens as link time no coefficient is tiny;
    # HiGHS takes one below 1e-9 for zero.
    unit = float(tau[-1] - tau[0] + context.sum() / rate)
    releases, work = (tau - tau[0]) / unit, context / (rate * unit)
    without = _window_program(releases, work, wait=None, slope=0.0)
    with_batch = _window_program(releases, work, wait=wait / unit, slope=slope * rate)
    best = without if without.delay_s <= with_batch.delay_s else with_batch
    return PricedOptimum(
        best.delay_s * unit,
        best.prefill_length_tok * rate * unit,
        best.prefill_dual,
        best.load_dual_s * unit,
    )


def schedule_exists(
    handover: Handover, delay_s: float, prefill_length_tok: float | None = None
) -> bool:
    """Whether rates exist that deliver everybody's cache within `delay_s` of their release.

    Time is cut at every tau_i and tau_i + D. The unknowns are the tokens of each user in each
    piece between their release and deadline; a piece carries at most R times its
    length, Eq. (4), and each user must get n_i^(tx)(L).

    Args:
        handover: one instance.
        delay_s: D >= 0, the deadline after each release, seconds.
        prefill_length_tok: L, tokens; None leaves it free in [0, C_max], with prefill
            (affine) to be done within `delay_s` as well.

    Raises:
        InputError: more than one instance, or L free and a prefill delay that is not affine.
    """
    tau, context, rate = one_instance(handover)
    cuts = np.unique(np.concatenate([tau, tau + delay_s]))
    begin, end = cuts[:-1], cuts[1:]
    allowed = (begin >= tau[:, np.newaxis]) & (end <= (tau + delay_s)[:, np.newaxis])
    user, piece = np.nonzero(allowed)
    count = user.size
    capacity = np.zeros((begin.size, count + 1))
    capacity[piece, np.arange(count)] = 1
    # The last unknown is L: what is delivered and L together cover the context.
    demand = np.zeros((tau.size, count + 1))
    demand[user, np.arange(count)] = -1
    if prefill_length_tok is None:
        slope, offset = affine_prefill(handover)
        time_left = delay_s - float(handover.batch_start_s - tau[0]) - offset
        if time_left < 0:
            # No batch can end in time, so the length is that of cHO.
            length = (0.0, 0.0)
        else:
            longest = time_left / slope if slope > 0 else np.inf
            length = (0.0, float(min(context.max(), longest)))
    else:
        length = (prefill_length_tok, prefill_length_tok)
    demand[:, -1] = -1
    result = linprog(
        np.zeros(count + 1),
        A_ub=np.vstack([capacity, demand]),
        b_ub=np.concatenate([rate * (end - begin), -context]),
        bounds=[(0, None)] * count + [length],
        method="highs",
    )
    return bool(result.status == 0)


def _window_program(tau: Array, work: Array, wait: float | None, slope: float) -> PricedOptimum:
    """The program with all tokens as link time, so that R = 1."""
    num_ues = tau.size
    rows, bounds = [], []
    for i in range(num_ues):  # n_i >= C_i - L
        row = np.zeros(num_ues + 2)
        row[1], row[2 + i] = -1, -1
        rows.append(row)
        bounds.append(-work[i])
    for j in range(num_ues):
        for k in range(j, num_ues):
            row = np.zeros(num_ues + 2)
            row[0] = -1
            row[2 + j : 3 + k] = 1
            rows.append(row)
            bounds.append(tau[k] - tau[j])
    if wait is not None:
        row = np.zeros(num_ues + 2)
        row[0], row[1] = -1, slope
        rows.append(row)
        bounds.append(-wait)
    objective = np.zeros(num_ues + 2)
    objective[0] = 1
    longest = work.max() if wait is not None else 0.0
    result = linprog(
        objective,
        A_ub=np.array(rows),
        b_ub=np.array(bounds),
        bounds=[(0, None), (0, longest), *[(0, None)] * num_ues],
        method="highs",
    )
    if result.status != 0 or result.x is None or result.fun is None:
        raise RuntimeError(f"HiGHS did not solve the program: {result.message}")
    dual = -result.ineqlin.marginals
    windows = dual[num_ues : num_ues + num_ues * (num_ues + 1) // 2]
    loads = np.array(rows)[num_ues : num_ues + windows.size, 2:] @ result.x[2:]
    return PricedOptimum(
        float(result.fun),
        float(result.x[1]),
        float(dual[-1]) if wait is not None else 0.0,
        float(windows @ loads),
    )
