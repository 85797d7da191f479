"""The handover instance: who arrives when, with how much context, over which link (Section II).

Arrays carry users on the last axis, `[..., K]`, with any number of leading axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import InputError, check_keys, check_per_instance, check_users
from ctho.prefill import AffinePrefill, PrefillModel
from ctho.release_order import ReleaseOrder

__all__ = ["Handover", "batch_start_s", "prefilled_tok", "transferred_tok"]

Array = NDArray[np.float64]

CYCLE_ROUNDING_ULPS = 8
"""A quotient tau_K / T_c this close to a whole number, in units in the last place, is whole."""

CYCLE_ROUNDING_MOST = 1e-6
"""More than this share of a cycle is a delay and no rounding, however large the times."""


def prefilled_tok(context_tok: ArrayLike, prefill_length_tok: ArrayLike) -> Array:
    """Tokens of each user that the batch prefill rebuilds, n_i^(pf)(L) = min{C_i, L}, Eq. (2).

    Args:
        context_tok: C_i, tokens, `[..., K]`.
        prefill_length_tok: L, tokens, `[...]` without the user axis.

    >>> prefilled_tok([1000, 3000], 2000)
    array([1000., 2000.])
    """
    return np.minimum(np.asarray(context_tok, float), _per_user(prefill_length_tok))


def transferred_tok(context_tok: ArrayLike, prefill_length_tok: ArrayLike) -> Array:
    """Tokens of each user whose KV cache crosses the link, n_i^(tx)(L) = (C_i - L)^+, Eq. (3).

    Args:
        context_tok: C_i, tokens, `[..., K]`.
        prefill_length_tok: L, tokens, `[...]` without the user axis.

    >>> transferred_tok([1000, 3000], 2000)
    array([   0., 1000.])
    """
    return np.maximum(np.asarray(context_tok, float) - _per_user(prefill_length_tok), 0.0)


def batch_start_s(latest_handover_s: ArrayLike, cycle_s: ArrayLike) -> Array:
    """First cycle boundary at or after the latest handover, t_s = ceil(tau_K / T_c) T_c.

    The batch of Eq. (9) starts there.

    A handover on a boundary starts its batch at that boundary. In floating point
    1.11 / 0.01 is 111.00000000000001, so a quotient within a few units in the last place
    of a whole number counts as that number; a bare ceiling would wait one cycle too long.

    Args:
        latest_handover_s: tau_K, seconds, `[...]`; may be negative.
        cycle_s: T_c > 0, seconds, a scalar or `[...]`.

    Returns:
        t_s >= tau_K, seconds, `[...]`.

    >>> float(batch_start_s(1.11, 0.01)), float(batch_start_s(1.101, 0.01))
    (1.11, 1.11)
    """
    latest = np.asarray(latest_handover_s, float)
    cycle = np.asarray(cycle_s, float)
    # Where a cycle is shorter than the clock's resolution the quotient may overflow, and every
    # instant is a boundary.
    with np.errstate(over="ignore", invalid="ignore"):
        quotient = latest / cycle
        nearest = np.rint(quotient)
        rounding = CYCLE_ROUNDING_ULPS * np.spacing(np.abs(quotient))
        on_boundary = np.abs(quotient - nearest) <= np.minimum(rounding, CYCLE_ROUNDING_MOST)
        cycles = np.where(on_boundary, nearest, np.ceil(quotient))
        start = np.where(np.isfinite(quotient), cycles * cycle, latest)
    return np.maximum(start, latest)


@dataclass(frozen=True, eq=False)
class Handover:
    """One handover instance, or a batch of them, checked on construction.

    Attributes:
        handover_s: tau_i, seconds, `[..., K]`, in any order, any sign.
        context_tok: C_i >= 1, tokens, `[..., K]`.
        backhaul_tok_per_s: R = R_bh / s_KV > 0, tokens per second, scalar or `[...]`.
        prefill: the batch prefill delay p(L).
        cycle_s: T_c > 0, the interval between batch starts, seconds, scalar or `[...]`.

    Raises:
        InputError: no users, shapes that do not fit, a number that is not finite or out
            of bounds.

    >>> from ctho.prefill import AffinePrefill
    >>> h = Handover([0.0, 1.0], [100, 800], backhaul_tok_per_s=1000, prefill=AffinePrefill())
    >>> h.num_ues, h.batch_shape, float(h.batch_start_s)
    (2, (), 1.0)
    """

    handover_s: Array
    context_tok: Array
    backhaul_tok_per_s: Array
    prefill: PrefillModel
    cycle_s: Array

    def __init__(
        self,
        handover_s: ArrayLike,
        context_tok: ArrayLike,
        backhaul_tok_per_s: ArrayLike,
        prefill: PrefillModel,
        cycle_s: ArrayLike = 0.01,
    ) -> None:
        handover, context = check_users(handover_s, "context_tok", context_tok, at_least=1)
        batch_shape = handover.shape[:-1]
        rate = check_per_instance("backhaul_tok_per_s", backhaul_tok_per_s, batch_shape, above=0)
        if isinstance(prefill, type) or not isinstance(prefill, PrefillModel):
            raise InputError("prefill", prefill, "a prefill delay model such as AffinePrefill()")
        set_field = object.__setattr__  # the dataclass is frozen
        set_field(self, "handover_s", handover)
        set_field(self, "context_tok", context)
        set_field(self, "backhaul_tok_per_s", rate)
        set_field(self, "prefill", prefill)
        set_field(self, "cycle_s", check_per_instance("cycle_s", cycle_s, batch_shape, above=0))
        self._prefill_of(slice(None))  # refuses coefficients that do not fit the batch

    @property
    def num_ues(self) -> int:
        """K, the number of users."""
        return int(self.handover_s.shape[-1])

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The leading axes, `[...]`; () for one instance."""
        return self.handover_s.shape[:-1]

    def replace(self, **changes: Any) -> Handover:
        """The same handover with some fields changed, checked anew.

        Raises:
            InputError: a name that is not a field, or a value that does not fit the others.

        >>> from ctho.prefill import AffinePrefill
        >>> one = Handover([0.0, 1.0], [100, 800], 1000, AffinePrefill())
        >>> float(one.replace(backhaul_tok_per_s=2000).backhaul_tok_per_s)
        2000.0
        """
        names = [spec.name for spec in fields(self)]
        check_keys("Handover", changes, names)
        return Handover(**{name: getattr(self, name) for name in names} | changes)

    def repeated(self, count: int) -> Handover:
        """One instance `count` times, `[count, K]`, so that many lengths can be tried on it.

        Raises:
            InputError: a batch.
        """
        if self.batch_shape:
            raise InputError("the shape of the batch", self.batch_shape, "(), one instance")
        shape = (count, self.num_ues)
        return self.replace(
            handover_s=np.broadcast_to(self.handover_s, shape),
            context_tok=np.broadcast_to(self.context_tok, shape),
        )

    def parts(self, size: int) -> Iterator[Handover]:
        """The batch in pieces of at most `size` instances, each `[n, K]`; itself if it is smaller.

        Their arrays are views, so nothing is checked or copied again.
        """
        if np.prod(self.batch_shape) <= size:
            yield self
            return
        tau = self.handover_s.reshape(-1, self.num_ues)
        context = self.context_tok.reshape(-1, self.num_ues)
        rate, cycle = self.backhaul_tok_per_s.reshape(-1), self.cycle_s.reshape(-1)
        for begin in range(0, rate.size, size):
            piece = slice(begin, begin + size)
            part = copy(self)
            part.__dict__.clear()
            part.__dict__.update(
                handover_s=tau[piece],
                context_tok=context[piece],
                backhaul_tok_per_s=rate[piece],
                prefill=self._prefill_of(piece),
                cycle_s=cycle[piece],
            )
            yield part

    def _prefill_of(self, piece: slice) -> PrefillModel:
        """The prefill model of a piece of the flattened batch."""
        if isinstance(self.prefill, AffinePrefill):
            return self.prefill.of_instances(self.batch_shape, piece)
        return self.prefill

    @cached_property
    def release_order(self) -> ReleaseOrder:
        """The users sorted by handover time, with the service times C_i / R."""
        return ReleaseOrder.of(self.handover_s, self.context_tok, self.backhaul_tok_per_s)

    @property
    def earliest_handover_s(self) -> Array:
        """tau_1 of the sorted order of Eq. (1), seconds, `[...]`."""
        return self.release_order.handover_s[0].reshape(self.batch_shape)

    @property
    def longest_context_tok(self) -> Array:
        """C_max = max_i C_i, tokens, `[...]`."""
        return self.release_order.tokens.max(axis=0).reshape(self.batch_shape)

    @cached_property
    def batch_start_s(self) -> Array:
        """t_s, seconds, `[...]`; see :func:`batch_start_s`."""
        latest = self.release_order.handover_s[-1].reshape(self.batch_shape)
        return batch_start_s(latest, self.cycle_s)

    @property
    def batch_wait_s(self) -> Array:
        """t_s - tau_1, how long the first user waits for the batch to start, seconds, `[...]`."""
        return self.batch_start_s - self.earliest_handover_s


def _per_user(values: ArrayLike) -> Array:
    """Give `[...]` a user axis of length one, so that it meets `[..., K]`."""
    return np.asarray(values, float)[..., np.newaxis]
