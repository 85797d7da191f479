"""The backhaul rate schedule of Section III-B, and a checker that proves a schedule feasible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.backhaul import transfer_delay_s
from ctho.checks import InputError, check_number, check_users

__all__ = ["Schedule", "ScheduleError", "check_schedule", "rate_schedule"]

Array = NDArray[np.float64]

DELIVERY_RTOL = 1e-9
"""Share of a user's tokens that rounding of the segment's ends may lose or add."""

CLOCK_ULPS = 8
"""Rounding of a time on the clock, in units of the last place of the latest time."""


class ScheduleError(ValueError):
    """A schedule breaks a constraint of the problem; the message says which and where."""


@dataclass(frozen=True, eq=False)
class Schedule:
    """Who has the whole link when, Eqs. (24) and (25), in order of time.

    Attributes:
        user: index of the user served, in the order of the input, `[S]`.
        start_s: when their segment starts, seconds, `[S]`.
        end_s: when it ends, seconds, `[S]`.
    """

    user: NDArray[np.intp]
    start_s: Array
    end_s: Array

    def __len__(self) -> int:
        return int(self.user.size)


def rate_schedule(handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float) -> Schedule:
    """The schedule pi(t) of Eqs. (23) to (25) for one instance.

    All deadlines d_i = tau_i + D*_tx share one slack, so the earliest deadline is the
    earliest release: users are served first come first served and none is preempted.
    Each user with something to send has one segment.

    Args:
        handover_s: tau_i, seconds, `[K]`, in any order; ties are served in input order.
        remaining_tok: n_i^(tx) >= 0, tokens, `[K]`.
        rate: R > 0, tokens per second.

    Raises:
        InputError: more than one instance, or numbers out of bounds.

    >>> rate_schedule([1.0, 0.0], [800, 100], 1000)
    Schedule(user=array([1, 0]), start_s=array([0., 1.]), end_s=array([0.1, 1.8]))
    """
    handover, remaining = _one_instance(handover_s, remaining_tok)
    end = handover + transfer_delay_s(handover, remaining, rate)
    order = np.argsort(handover, kind="stable")
    user = order[remaining[order] > 0]
    # The link turns to a user on their release or as soon as it is done with the one before.
    previous_end = np.concatenate([[-np.inf], end[user][:-1]])
    return Schedule(user, np.maximum(handover[user], previous_end), end[user])


def check_schedule(
    schedule: Schedule, handover_s: ArrayLike, remaining_tok: ArrayLike, rate: float
) -> None:
    """Prove that a schedule is feasible for one instance.

    Nothing is sent before its release; the link carries at most R at any time, Eq. (4);
    each user gets all their tokens, Eq. (10), and not more.

    Args:
        schedule: the segments to check.
        handover_s: tau_i, seconds, `[K]`.
        remaining_tok: n_i^(tx), tokens, `[K]`.
        rate: R, tokens per second.

    Raises:
        ScheduleError: the first constraint that is broken.
        InputError: the instance itself is wrong.
    """
    handover, remaining = _one_instance(handover_s, remaining_tok)
    rate = check_number("rate", rate, above=0)
    user, start, end = schedule.user, schedule.start_s, schedule.end_s
    if not user.shape == start.shape == end.shape or user.ndim != 1:
        raise ScheduleError("user, start_s and end_s must be lists of one length")
    if user.dtype.kind not in "iu":
        raise ScheduleError("user must hold whole numbers, the indices of the users")
    if user.size and (user.min() < 0 or user.max() >= handover.size):
        raise ScheduleError(f"a segment serves a user outside 0 to {handover.size - 1}")
    if not (np.isfinite(start).all() and np.isfinite(end).all()):
        raise ScheduleError("a segment starts or ends at a time that is not finite")
    clock = CLOCK_ULPS * np.spacing(max(np.abs(end).max(initial=0), np.abs(handover).max()))
    _refuse(start > end, "segment {} ends before it starts")
    _refuse(start < handover[user] - clock, "segment {} starts before its user's release")
    by_start = np.lexsort((end, start))
    overlaps = start[by_start][1:] < np.maximum.accumulate(end[by_start])[:-1] - clock
    _refuse(overlaps, "segment {} in order of time ends after the next starts: the link is above R")
    delivered = np.bincount(user, weights=(end - start) * rate, minlength=handover.size)
    segments = np.bincount(user, minlength=handover.size)
    # Where the clock is coarser than a transfer, only that there is one can be checked.
    _refuse((segments == 0) & (remaining > 0), "user {} does not get exactly their tokens")
    slack = DELIVERY_RTOL * remaining + 2 * clock * rate * segments
    _refuse(np.abs(delivered - remaining) > slack, "user {} does not get exactly their tokens")


def _one_instance(handover_s: ArrayLike, remaining_tok: ArrayLike) -> tuple[Array, Array]:
    handover, remaining = check_users(handover_s, "remaining_tok", remaining_tok, at_least=0)
    if handover.ndim != 1:
        raise InputError("the shape of handover_s", handover.shape, "[K], one instance")
    return handover, remaining


def _refuse(broken: NDArray[np.bool_], sentence: str) -> None:
    if broken.any():
        raise ScheduleError(sentence.format(int(np.argmax(broken))))
