"""Users in the order of their handovers, Eq. (1), laid out for the recursions over them.

Sorted users lie as columns, `[K, N]` for N instances: a recursion runs over the first axis, and
each of its steps is one contiguous vector operation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ReleaseOrder"]

Array = NDArray[np.float64]

COMPARE_ALL_USERS = 24
"""Up to here it is quickest to compare every pair of users, for all instances at once."""


@dataclass(frozen=True, eq=False)
class ReleaseOrder:
    """The users of each of N instances sorted by handover time, ties in input order.

    Attributes:
        place: where each user of the input lies among the sorted ones, an index into the
            flat `[K, N]` columns, `[K, N]`.
        handover_s: tau_k, seconds, `[K, N]`.
        tokens: tokens of user k, `[K, N]`.
        gap: tau_k - tau_{k-1} >= 0, first row 0, seconds, `[K, N]`.
        service: tokens / R, seconds, `[K, N]`.
        rate: R, tokens per second, `[N]`.
    """

    place: NDArray[np.intp]
    handover_s: Array
    tokens: Array
    gap: Array
    service: Array
    rate: Array

    @classmethod
    def of(cls, handover_s: Array, tokens: Array, rate: Array) -> ReleaseOrder:
        """Sort `handover_s[..., K]` and `tokens[..., K]`; `rate[...]` is R in tokens/s."""
        num_ues = handover_s.shape[-1]
        tau = handover_s.reshape(-1, num_ues).T.copy(order="C")
        load = tokens.reshape(-1, num_ues).T.copy(order="C")
        capacity = rate.reshape(-1)
        rank = _rank(tau)
        # Flat indices scatter far quicker than put_along_axis does.
        place = np.multiply(rank, tau.shape[1], dtype=np.intp)
        place += np.arange(tau.shape[1])
        sorted_tau, sorted_load = np.empty_like(tau), np.empty_like(load)
        sorted_tau.ravel()[place] = tau
        sorted_load.ravel()[place] = load
        # The unsorted copies have served; fresh memory would cost more than the arithmetic.
        gap, service = tau, load
        gap[0] = 0
        with np.errstate(over="ignore"):  # a gap beyond all floats is infinite for the recursion
            np.subtract(sorted_tau[1:], sorted_tau[:-1], out=gap[1:])
        np.divide(sorted_load, capacity, out=service)
        return cls(place, sorted_tau, sorted_load, gap, service, capacity)

    @property
    def order(self) -> NDArray[np.intp]:
        """Which user of the input is at each place in the order, `[K, N]`."""
        return np.argsort(self.place, axis=0)

    def restore(self, values: Array, shape: tuple[int, ...]) -> Array:
        """Bring `[K, N]` of sorted users back to `[..., K]` in the order of the input."""
        return values.ravel()[self.place].T.reshape(shape)


def _rank(tau: Array) -> NDArray[np.integer]:
    """Place of each user in the stable sort along the first axis of `[K, N]`."""
    num_ues, num_instances = tau.shape
    if num_ues > COMPARE_ALL_USERS:
        rank = np.empty(tau.shape, dtype=np.intp)
        places = np.broadcast_to(np.arange(num_ues)[:, np.newaxis], tau.shape)
        np.put_along_axis(rank, np.argsort(tau, axis=0, kind="stable"), places, axis=0)
        return rank
    # A user is behind all those before them in the input, less those they overtake.
    small = np.empty(tau.shape, dtype=np.int8)
    small[:] = np.arange(num_ues)[:, np.newaxis]
    later = np.empty(num_instances, dtype=bool)
    count = later.view(np.int8)
    for i in range(num_ues):
        for j in range(i + 1, num_ues):
            np.greater(tau[i], tau[j], out=later)
            small[i] += count
            small[j] -= count
    return small
