"""The best prefill length on a grid of whole tokens, and what the grid costs (Proposition 3).

V(L) falls up to the real crossing L_c and does not fall after it, so that the best multiple
of q tokens is one of the two around L_c, or 0. Rounding up costs at most a each token,
rounding down at most K / R each token.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctho.checks import check_number
from ctho.handover import Handover
from ctho.proofs.newton import affine_prefill, busiest_window
from ctho.solution import delay_at_length
from ctho.solver import solve

__all__ = ["GridLength", "best_grid_length", "grid_cost_bound_s"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GridLength:
    """The best length on the grid beside the best real one, all `[...]`.

    Attributes:
        prefill_length_tok: the smallest best multiple of the step, tokens.
        delay_s: V there, seconds.
        real_delay_s: V(L*) at the best real length, seconds.
        cost_bound_s: what `delay_s - real_delay_s` cannot exceed, from the slopes of this
            instance, seconds.
    """

    prefill_length_tok: Array
    delay_s: Array
    real_delay_s: Array
    cost_bound_s: Array


def best_grid_length(handover: Handover, step_tok: float = 1) -> GridLength:
    """The best of the lengths 0, q, 2 q, ... and a bound on what it costs.

    With phi the part of L* above the multiple of q below it, and m the number of senders
    of the busiest window there, the cost is at most min{a (q - phi), m phi / R}.

    Args:
        handover: the instance or batch, with an affine prefill delay.
        step_tok: q > 0, tokens.

    Raises:
        InputError: a step that is not above 0, or a prefill delay that is not affine.

    >>> from ctho.prefill import AffinePrefill
    >>> one = Handover([0.0], [3072], 9809.222, AffinePrefill())
    >>> float(best_grid_length(one, 16).prefill_length_tok)
    1584.0
    """
    step = check_number("step_tok", step_tok, above=0)
    slope, _ = affine_prefill(handover)
    real = solve(handover)
    length = real.prefill_length_tok
    below = np.floor(length / step) * step
    above = np.ceil(length / step) * step
    low, high = (delay_at_length(handover, end).delay_s for end in (below, above))
    up = high < low
    steepest = busiest_window(handover, below).senders / handover.backhaul_tok_per_s
    return GridLength(
        np.where(up, above, below),
        np.where(up, high, low),
        real.delay_s,
        np.minimum(slope * (above - length), steepest * (length - below)),
    )


def grid_cost_bound_s(handover: Handover, step_tok: float = 1) -> Array:
    """What the grid costs at most, whatever the contexts: q a K / (a R + K), seconds, `[...]`.

    >>> from ctho.prefill import AffinePrefill
    >>> one = Handover([0.0], [3072], 1000, AffinePrefill(0.001, 0.0))
    >>> float(grid_cost_bound_s(one))
    0.0005
    """
    step = check_number("step_tok", step_tok, above=0)
    slope, _ = affine_prefill(handover)
    num_ues = handover.num_ues
    return step * slope * num_ues / (slope * handover.backhaul_tok_per_s + num_ues)
