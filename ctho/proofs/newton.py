"""Busy windows: the straight lines whose upper envelope is D*_tx(L) (Propositions 2 and 3).

A window holds the sorted users j to k. With A of them still sending, m in number, it gives a line

    l(L) = (sum of C_i over A - m L) / R - (tau_k - tau_j)  <=  D*_tx(L),

and D*_tx is the largest of them. One line crosses D_pf(L) = w + a L at

    L_l = (v - w) / (a + m / R),      v = l(0),      w = t_s + b - tau_1,

and Proposition 3's crossing is the largest L_l.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.handover import Handover
from ctho.proofs.instances import affine_prefill, one_instance

__all__ = [
    "NewtonStep",
    "Windows",
    "affine_prefill",
    "busiest_window",
    "newton_path",
    "window_lines",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Windows:
    """One line for each entry, of one instance or of many, all `[...]`.

    Attributes:
        first: j, position in release order from 0.
        last: k >= j.
        senders: m >= 1, how many users of the window still send.
        load_tok: the senders' contexts together, tokens.
        span_s: tau_k - tau_j >= 0, seconds.
        backhaul_tok_per_s: R, tokens per second.
    """

    first: NDArray[np.intp]
    last: NDArray[np.intp]
    senders: NDArray[np.intp]
    load_tok: Array
    span_s: Array
    backhaul_tok_per_s: Array

    def delay_s(self, length_tok: ArrayLike) -> Array:
        """l(L), seconds, `[...]`; may be negative."""
        left = self.load_tok - self.senders * np.asarray(length_tok, float)
        return left / self.backhaul_tok_per_s - self.span_s

    def crossing_tok(self, wait_s: ArrayLike, slope_s_per_tok: ArrayLike) -> Array:
        """Where each line meets w + a L, tokens, `[...]`; negative if the line starts below w."""
        steepness = np.asarray(slope_s_per_tok, float) + self.senders / self.backhaul_tok_per_s
        return (self.delay_s(0.0) - np.asarray(wait_s, float)) / steepness

    def same_as(self, other: Windows) -> NDArray[np.bool_]:
        """Whether two sets name the same window and number of senders, entry by entry."""
        return np.asarray(
            (self.first == other.first)
            & (self.last == other.last)
            & (self.senders == other.senders)
        )


def window_lines(handover: Handover) -> Windows:
    """Every line of one instance: each window, with its r longest contexts sending.

    Shorter contexts stop first, so that no other set of senders can lie on the envelope.

    Raises:
        InputError: more than one instance.

    >>> from ctho.prefill import AffinePrefill
    >>> h = Handover([0.0, 1.0], [100, 800], 1000, AffinePrefill())
    >>> window_lines(h).delay_s(0.0)
    array([ 0.1, -0.2, -0.1,  0.8])
    """
    tau, context, rate = one_instance(handover)
    rows = []
    for j in range(tau.size):
        for k in range(j, tau.size):
            longest = np.sort(context[j : k + 1])[::-1]
            loads = np.cumsum(longest)
            rows += [(j, k, r + 1, load, tau[k] - tau[j]) for r, load in enumerate(loads)]
    first, last, senders, load, span = (np.array(column) for column in zip(*rows, strict=True))
    rates = np.full(load.shape, rate)
    return Windows(first, last, senders, load.astype(float), span.astype(float), rates)


def busiest_window(handover: Handover, length_tok: ArrayLike) -> Windows:
    """The window that attains D*_tx(L), for each instance at its own length.

    Where several do, the one whose last user comes first, and of those the shortest.

    Args:
        handover: the instance or batch.
        length_tok: L, tokens, `[...]`; below C_max, so that somebody sends.

    Returns:
        One window an instance, `[...]`.
    """
    users = handover.release_order
    shape = handover.batch_shape
    length = np.broadcast_to(np.asarray(length_tok, float), shape).reshape(-1)
    work = np.maximum(users.tokens - length, 0.0) / users.rate
    count = length.size
    queue, worst = np.zeros(count), np.full(count, -np.inf)
    start = np.zeros(count, dtype=np.intp)
    first, last = start.copy(), start.copy()
    for k in range(handover.num_ues):
        queue = queue - users.gap[k]
        idle = queue <= 0
        start = np.where(idle, k, start)
        queue = np.where(idle, 0.0, queue) + work[k]
        longer = queue > worst
        worst = np.where(longer, queue, worst)
        first, last = np.where(longer, start, first), np.where(longer, k, last)
    position = np.arange(handover.num_ues)[:, np.newaxis]
    sending = (position >= first) & (position <= last) & (users.tokens > length)
    each = np.arange(count)
    fields = (
        first,
        last,
        np.count_nonzero(sending, axis=0),
        np.where(sending, users.tokens, 0.0).sum(axis=0),
        users.handover_s[last, each] - users.handover_s[first, each],
        users.rate,
    )
    return Windows(*(np.asarray(field).reshape(shape) for field in fields))


@dataclass(frozen=True)
class NewtonStep:
    """One step of Newton's method towards the crossing.

    Attributes:
        length_tok: where the step starts, tokens.
        next_tok: where the line that is highest there meets D_pf, tokens.
        senders: m of that line.
        first: position of the first user of its window, in release order from 0.
        last: position of its last user.
    """

    length_tok: float
    next_tok: float
    senders: int
    first: int
    last: int


def newton_path(handover: Handover) -> list[NewtonStep]:
    """Newton's method for D_pf(L) = D*_tx(L) from L = 0+, step by step, for one instance.

    Each step follows the line that is highest at L to where it meets D_pf. Lengths rise and
    the number of senders falls from step to step, so there are at most K of them.

    Returns:
        The steps; none where D_pf(0+) >= D*_tx(0). The last one ends at the crossing.

    Raises:
        InputError: more than one instance, or a prefill delay that is not affine.
    """
    lines = window_lines(handover)
    slope, offset = affine_prefill(handover)
    wait = float(handover.batch_wait_s) + offset
    crossing = lines.crossing_tok(wait, slope)
    length, senders = 0.0, handover.num_ues + 1
    steps: list[NewtonStep] = []
    while True:
        delay = lines.delay_s(length)
        # Among equals the flattest line gives the longest step.
        best = int(np.lexsort((lines.senders, -delay))[0])
        target = float(crossing[best])
        # In exact arithmetic the second condition follows from the first.
        if target <= length or lines.senders[best] >= senders:
            return steps
        senders = int(lines.senders[best])
        steps.append(
            NewtonStep(length, target, senders, int(lines.first[best]), int(lines.last[best]))
        )
        length = target
