"""The link simulated event by event under any order of service, for many instances at once.

Nothing here knows Lindley's recursion nor Proposition 2: time advances from one release or
completion to the next, as Section III-B describes the scheduler, and the tokens that
each rate delivers are added up. It is the other side of the checks of
:mod:`ctho.backhaul`, and gives the delays under orders that the paper does not use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import check_array, check_choice

__all__ = ["ORDERS", "Service", "deadline_order_s", "serve", "serve_by_priority"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Service:
    """What the link did, step by step; rates are constant within a step.

    Attributes:
        start_s: when each step starts, seconds, `[S, ...]`.
        end_s: when it ends, seconds, `[S, ...]`; an instance that is done has steps of no length.
        rate_tok_per_s: r_i(t) in each step, tokens per second, `[S, ..., K]`.
        delay_s: T_i^(tx) - tau_i of Eq. (6), seconds, `[..., K]`.
    """

    start_s: Array
    end_s: Array
    rate_tok_per_s: Array
    delay_s: Array

    @property
    def worst_delay_s(self) -> Array:
        """max_i of the transfer delay, seconds, `[...]`."""
        return np.asarray(self.delay_s.max(axis=-1))


def _by_release(handover_s: Array, remaining_tok: Array) -> Array:
    return handover_s


def _smallest(handover_s: Array, remaining_tok: Array) -> Array:
    return remaining_tok


def _largest(handover_s: Array, remaining_tok: Array) -> Array:
    return -remaining_tok


ORDERS: dict[str, Callable[[Array, Array], Array] | None] = {
    "first come first served": _by_release,
    "equal sharing": None,
    "smallest first": _smallest,
    "largest first": _largest,
}
"""Orders of service by name: the priority of (tau_i, n_i), or None where all share the link."""


def serve(handover_s: ArrayLike, remaining_tok: ArrayLike, rate: ArrayLike, order: str) -> Service:
    """Simulate the link under an order of service.

    Equal sharing gives each active user the same part of R. The others give all of R to
    the active user that comes first in the order, of equal ones to the first in the input;
    a release may preempt. Sizes are those of the whole transfer, n_i^(tx).

    Args:
        handover_s: tau_i, seconds, `[..., K]`, in any order.
        remaining_tok: n_i^(tx) >= 0, tokens, `[..., K]`.
        rate: R > 0, tokens per second, `[...]`.
        order: a key of :data:`ORDERS`.

    Raises:
        InputError: an unknown order, or numbers out of bounds.

    >>> serve([0.0, 0.5], [1000, 100], 1000, "smallest first").delay_s
    array([1.1, 0.1])
    >>> serve([0.0, 0.5], [1000, 100], 1000, "equal sharing").delay_s
    array([1.1, 0.2])
    """
    check_choice("order", order, ORDERS)
    tau, tokens, capacity = _checked(handover_s, remaining_tok, rate)
    priority = ORDERS[order]
    return _simulate(tau, tokens, capacity, None if priority is None else priority(tau, tokens))


def serve_by_priority(
    handover_s: ArrayLike, remaining_tok: ArrayLike, rate: ArrayLike, priority: ArrayLike
) -> Service:
    """Simulate the link when the active user with the smallest `priority[..., K]` has all of it.

    With the deadlines d_i as priority this is Eqs. (23) to (25) word for word. Other
    arguments as for :func:`serve`.

    >>> serve_by_priority([0.0, 0.0], [100, 200], 1000, [2, 1]).delay_s
    array([0.3, 0.2])
    """
    tau, tokens, capacity = _checked(handover_s, remaining_tok, rate)
    return _simulate(tau, tokens, capacity, check_array("priority", priority))


def deadline_order_s(handover_s: ArrayLike, slack_s: ArrayLike) -> Array:
    """d_i = tau_i + D, the deadlines of Eq. (24), seconds, `[..., K]`; `slack_s` is `[...]`.

    >>> deadline_order_s([0.0, 1.0], 0.5)
    array([0.5, 1.5])
    """
    return np.asarray(handover_s, float) + np.asarray(slack_s, float)[..., np.newaxis]


def _checked(
    handover_s: ArrayLike, remaining_tok: ArrayLike, rate: ArrayLike
) -> tuple[Array, Array, Array]:
    tau, tokens = np.broadcast_arrays(
        check_array("handover_s", handover_s),
        check_array("remaining_tok", remaining_tok, at_least=0),
    )
    return tau, tokens, np.broadcast_to(check_array("rate", rate, above=0), tau.shape[:-1])


def _simulate(tau: Array, tokens: Array, rate: Array, priority: Array | None) -> Service:
    shape = tau.shape
    num_ues = shape[-1]
    first = tau.min(axis=-1, keepdims=True)
    # The clock of each instance starts at its first release, where differences are exact.
    release = (tau - first).reshape(-1, num_ues)
    left = tokens.astype(float).reshape(-1, num_ues)
    capacity = rate.reshape(-1, 1)
    rank = None if priority is None else np.broadcast_to(priority, shape).reshape(-1, num_ues)
    clock = np.zeros((release.shape[0], 1))
    done = release.copy()  # a user with nothing to send is done on release, Eq. (10)
    starts, ends, rates = [], [], []
    while left.any():
        active = (release <= clock) & (left > 0)
        allotted = capacity * _shares(active, rank)
        to_send = np.divide(left, allotted, out=np.full_like(left, np.inf), where=allotted > 0)
        step = to_send.min(axis=-1, keepdims=True)
        arrival = np.where(release > clock, release, np.inf).min(axis=-1, keepdims=True)
        completes = clock + step <= arrival
        end = np.where(completes, clock + step, arrival)
        end = np.where(np.isfinite(end), end, clock)  # this instance is finished
        finished = completes & (to_send == step) & active
        left = np.where(finished, 0.0, left - allotted * (end - clock))
        left = np.maximum(left, 0.0)
        done = np.where(finished, end, done)
        # Rounding may leave a crumb of nothing just before a release; it ends there.
        gone = active & (left == 0) & ~finished
        done = np.where(gone, end, done)
        starts.append(clock)
        ends.append(end)
        rates.append(allotted)
        clock = end
    steps = (len(starts), *shape[:-1])
    origin = first[..., 0]
    return Service(
        np.reshape(starts, steps) + origin,
        np.reshape(ends, steps) + origin,
        np.reshape(rates, (len(rates), *shape)),
        (done - release).reshape(shape),
    )


def _shares(active: NDArray[np.bool_], rank: Array | None) -> Array:
    """The part of R that each user has, `[N, K]`: rows sum to 1, or to 0 where none is active."""
    if rank is None:
        return active / np.maximum(active.sum(axis=-1, keepdims=True), 1)
    chosen = np.where(active, rank, np.inf).argmin(axis=-1)[:, np.newaxis]
    shares = np.zeros(active.shape)
    np.put_along_axis(shares, chosen, 1.0, axis=-1)
    return shares * active
