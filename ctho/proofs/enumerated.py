"""Proposition 2 taken apart, for one instance: its windows, the link's idle time, Carlier's bound.

Each function computes from the definition, by enumeration where need be, and none calls the
recursion that :mod:`ctho.backhaul` uses. Users are sorted by release, Eq. (1); user k
of the mathematics is index k - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import InputError, check_array, check_number

__all__ = [
    "WindowTable",
    "cumulative_flow",
    "horizontal_deviation_s",
    "subset_bound_s",
    "window_table",
]

Array = NDArray[np.float64]

EQUAL_WITHIN = 1e-12
"""Two delays are equal if they differ by at most this part of the instance's time scale."""


@dataclass(frozen=True, eq=False)
class WindowTable:
    """All terms of both forms of Proposition 2, users sorted by release.

    Attributes:
        value_s: (S_k - S_{j-1}) / R - (tau_k - tau_j) at [j - 1, k - 1], seconds, `[K, K]`; NaN
            for j > k. The first row holds the terms of Eq. (18).
        idle_s: I_k, how long the link has stood idle from tau_1 until the transfer of user k is
            done, seconds, `[K]`.
        scale_s: (tau_K - tau_1) + S_K / R, seconds.
    """

    value_s: Array
    idle_s: Array
    scale_s: float

    @property
    def exact_s(self) -> float:
        """The largest of all windows."""
        return float(np.nanmax(self.value_s))

    @property
    def printed_s(self) -> float:
        """The largest of the windows that start at tau_1, Eq. (18)."""
        return float(self.value_s[0].max())

    @property
    def user_delay_s(self) -> Array:
        """F_k, the largest window that ends at user k, seconds, `[K]`."""
        return np.asarray(np.nanmax(self.value_s, axis=0))

    @property
    def worst(self) -> tuple[int, int]:
        """(j, k), counted from 1, of a window that attains the value; of several the one of
        the least k, then the least j.
        """
        tied = self.value_s >= self.exact_s - self._rounding_s
        k = int(np.flatnonzero(tied.any(axis=0))[0])
        return int(np.flatnonzero(tied[:, k])[0]) + 1, k + 1

    @property
    def printed_is_exact(self) -> bool:
        """Whether Eq. (18) gives the value on this instance."""
        return self.printed_s >= self.exact_s - self._rounding_s

    @property
    def worst_before_idle(self) -> bool:
        """Whether some worst user is done before the link first stands idle: the condition that
        is necessary and sufficient for Eq. (18) to be exact.
        """
        worst = self.user_delay_s >= self.exact_s - self._rounding_s
        return bool((worst & (self.idle_s <= self._rounding_s)).any())

    @property
    def _rounding_s(self) -> float:
        return EQUAL_WITHIN * self.scale_s


def window_table(handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float) -> WindowTable:
    """Every window of an instance, and the link's idle time.

    Args:
        handover_s: tau_i, seconds, `[K]`, in any order.
        remaining_tok: n_i^(tx) >= 0, tokens, `[K]`.
        rate: R > 0, tokens per second.

    Raises:
        InputError: more than one instance, or numbers out of bounds.

    >>> w = window_table([0.0, 1.0], [100, 800], 1000)
    >>> w.value_s
    array([[ 0.1, -0.1], [ nan, 0.8]])
    >>> w.idle_s
    array([0. , 0.9])
    >>> round(w.printed_s, 9), round(w.exact_s, 9), w.worst, w.printed_is_exact
    (0.1, 0.8, (2, 2), False)
    """
    tau, work = _sorted_instance(handover_s, remaining_tok, rate)
    num_ues = tau.size
    value = np.full((num_ues, num_ues), np.nan)
    for j in range(num_ues):
        value[j, j:] = np.cumsum(work[j:]) - (tau[j:] - tau[j])
    # I_k = max_{j <= k} [ (tau_j - tau_1) - S_{j-1} / R ]: the link has served S_{j-1} at most
    # when user j arrives.
    short = (tau - tau[0]) - (np.cumsum(work) - work)
    idle = np.maximum.accumulate(short)
    return WindowTable(value, idle, float(tau[-1] - tau[0] + work.sum()))


def subset_bound_s(handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float) -> float:
    """Carlier's bound over all 2^K - 1 sets of users, by enumeration.

    max over J of min_J r + p(J) + min_J q, with heads r_i = tau_i - tau_1, processing times
    n_i / R and tails q_i = tau_K - tau_i, less tau_K - tau_1: the preemptive optimum of the
    one-machine problem, as a worst-user delay. Arguments as for :func:`window_table`.

    >>> subset_bound_s([0.0, 1.0], [100, 800], 1000)
    0.8
    """
    tau, work = _sorted_instance(handover_s, remaining_tok, rate)
    head, tail = tau - tau[0], tau[-1] - tau
    users = range(tau.size)
    subsets = (list(some) for size in users for some in combinations(users, size + 1))
    best = max(head[some].min() + work[some].sum() + tail[some].min() for some in subsets)
    return float(best - (tau[-1] - tau[0]))


def cumulative_flow(
    handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float
) -> tuple[Array, Array]:
    """The cumulative output A*(t) of a link that never idles while it has work, as a polyline.

    From A*(t) = min over s <= t of A(s) + R (t - s), the output of a constant-rate server
    that is fed A(t), the tokens released before t. Arguments as for :func:`window_table`.

    Returns:
        Times (seconds) and tokens of the corners; between them A* is straight.

    >>> time, tokens = cumulative_flow([0.0, 1.0], [100, 800], 1000)
    >>> time, tokens
    (array([0. , 0.1, 1. , 1.8]), array([  0., 100., 100., 900.]))
    """
    tau, work = _sorted_instance(handover_s, remaining_tok, rate)
    time, sent = [float(tau[0])], [0.0]
    for release, total in zip(tau, np.cumsum(work), strict=True):
        if release > time[-1]:  # nothing left before this release
            time.append(float(release))
            sent.append(sent[-1])
        if total > sent[-1]:
            time.append(time[-1] + float(total) - sent[-1])
            sent.append(float(total))
    return np.array(time), np.array(sent) * float(rate)


def horizontal_deviation_s(handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float) -> float:
    """The delay bound of network calculus, h(alpha, beta).

    alpha(u) is the least arrival curve of the releases, the most tokens that any closed span of
    length u releases, and beta(u) = R u the service curve of the link. h is the largest
    horizontal distance from alpha to beta, sup over u of alpha(u) / R - u; it is attained where
    alpha jumps. Arguments as for :func:`window_table`.

    >>> horizontal_deviation_s([0.0, 1.0], [100, 800], 1000)
    0.8
    """
    tau, work = _sorted_instance(handover_s, remaining_tok, rate)
    spans = tau[np.newaxis, :] - tau[:, np.newaxis]
    best = 0.0
    for span in np.unique(spans[spans >= 0]):
        # A closed span of this length from one of the releases on; ends are compared as spans so
        # that the release at the end counts in spite of rounding.
        released = np.where((spans >= 0) & (spans <= span), work, 0.0).sum(axis=1)
        best = max(best, float(released.max() - span))
    return best


def _sorted_instance(
    handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float
) -> tuple[Array, Array]:
    """Release times and link times n_i / R, sorted by release."""
    tau = check_array("handover_s", handover_s)
    tokens = check_array("remaining_tok", remaining_tok, at_least=0)
    capacity = check_number("rate", rate, above=0)
    if tau.ndim != 1 or tau.size == 0 or tau.shape != tokens.shape:
        shapes = (tau.shape, tokens.shape)
        raise InputError("the shapes of handover_s and remaining_tok", shapes, "[K] and [K]")
    order = np.argsort(tau, kind="stable")
    return tau[order], tokens[order] / capacity
