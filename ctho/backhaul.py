"""The backhaul link: its rate in tokens, and the least possible transfer delay (Section III-A).

Proposition 2 as printed is a lower bound on the minimum transfer delay; the value itself
is :func:`minimum_transfer_delay_s`. Both take the tokens left to transfer, so that
either works for any split.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import InputError, check_array, check_per_instance, check_users
from ctho.release_order import ReleaseOrder

__all__ = [
    "along_users",
    "backhaul_tok_per_s",
    "completion_s",
    "lindley_delay_s",
    "minimum_transfer_delay_s",
    "printed_transfer_bound_s",
    "transfer_delay_s",
]

Array = NDArray[np.float64]

BITS_PER_GIGABIT = 1e9

PLAIN_RECURSION_USERS = 128
"""Up to here a loop over the users is quick even for one instance."""


def backhaul_tok_per_s(backhaul_gbps: ArrayLike, kv_bits_per_tok: ArrayLike) -> Array:
    """Link capacity in tokens per second, R = R_bh / s_KV, Eq. (4).

    Args:
        backhaul_gbps: R_bh > 0, decimal gigabits per second, `[...]`.
        kv_bits_per_tok: s_KV > 0, bits of KV cache per token, `[...]`.

    Raises:
        InputError: a rate or a size that is not above 0.

    >>> round(float(backhaul_tok_per_s(4.5, 458_752)), 3)
    9809.222
    """
    rate = check_array("backhaul_gbps", backhaul_gbps, above=0)
    size = check_array("kv_bits_per_tok", kv_bits_per_tok, above=0)
    with np.errstate(over="ignore", under="ignore"):
        tokens = np.asarray(rate * BITS_PER_GIGABIT / size)
    if not ((tokens > 0) & np.isfinite(tokens)).all():
        pair = (float(rate.max()), float(size.max()))
        raise InputError("backhaul_gbps over kv_bits_per_tok", pair, "a ratio that a float holds")
    return tokens


def along_users(num_ues: int, num_instances: int) -> bool:
    """Whether `[K, N]` is better worked along the users, in the prefix form of the recursion.

    The plain recursion takes K vector operations of length N and keeps the relative accuracy of
    each delay. The prefix form takes a few operations of length K for each instance; its
    rounding error is relative to the whole span of time.
    """
    return num_ues > max(num_instances, PLAIN_RECURSION_USERS)


def lindley_delay_s(gap: Array, work: Array, *, link_idles: bool = True) -> Array:
    """Transfer delay of each sorted user when the link serves in order of release.

    D_k = (D_{k-1} - (tau_k - tau_{k-1}))^+ + n_k / R, the recursion of Lindley (1952) in
    delays, which stay accurate however small they are beside the release times.

    Args:
        gap: tau_k - tau_{k-1} >= 0, first row 0, seconds, `[K, N]`.
        work: n_k / R >= 0, seconds, `[K, N]`.
        link_idles: False leaves out the ( )^+, which gives the terms of Eq. (18).

    Returns:
        D_k, seconds, `[K, N]`. A user with nothing to send gets what is still queued
        before them, which never exceeds the delay of the user who queued it.
    """
    num_ues, num_instances = work.shape
    if along_users(num_ues, num_instances):
        backlog = np.cumsum(work - gap, axis=0)
        if not link_idles:
            return backlog
        before = backlog - work
        return backlog - np.minimum.accumulate(before, axis=0)
    delay = np.empty_like(work)
    current = np.zeros(num_instances)
    for k in range(num_ues):
        current = current - gap[k]
        if link_idles:
            current = np.maximum(current, 0.0)
        current = current + work[k]
        delay[k] = current
    return delay


def transfer_delay_s(handover_s: ArrayLike, remaining_tok: ArrayLike, rate: ArrayLike) -> Array:
    """Transfer delay of each user, T_i^(tx) - tau_i, under the schedule of Section III-B.

    D_i^(tx) of Eq. (6) with T_i^(tx) of Eq. (10). With one common slack, earliest deadline first
    is first come first served, so the delays follow Lindley's recursion; see
    :func:`lindley_delay_s`. A user with nothing to transfer has delay 0.

    Args:
        handover_s: tau_i, seconds, `[..., K]`, in any order.
        remaining_tok: n_i^(tx) >= 0, tokens, `[..., K]`.
        rate: R > 0, tokens per second, `[...]`.

    Returns:
        D_i^(tx), seconds, `[..., K]`, in the order of the input.

    >>> transfer_delay_s([1.0, 0.0], [800, 100], 1000)
    array([0.8, 0.1])
    """
    shape, users = _sorted(handover_s, remaining_tok, rate)
    delay = np.where(users.service > 0, lindley_delay_s(users.gap, users.service), 0.0)
    return users.restore(delay, shape)


def completion_s(handover_s: ArrayLike, remaining_tok: ArrayLike, rate: ArrayLike) -> Array:
    """When each user's transfer ends, T_i^(tx) of Eq. (10), seconds, `[..., K]`.

    Arguments as for :func:`transfer_delay_s`.

    >>> completion_s([1.0, 0.0], [800, 100], 1000)
    array([1.8, 0.1])
    """
    return np.asarray(handover_s, float) + transfer_delay_s(handover_s, remaining_tok, rate)


def minimum_transfer_delay_s(
    handover_s: ArrayLike, remaining_tok: ArrayLike, rate: ArrayLike
) -> Array:
    """The least worst-user transfer delay that any rate allocation reaches.

    D*_tx = max_{j <= k} [ (S_k - S_{j-1}) / R - (tau_k - tau_j) ]^+ over the users sorted
    by release, S_k of Eq. (17): the bound of Proposition 2, Eqs. (19) to (21), with every start
    j of a busy window in the place of j = 1 alone. First come first served attains it.

    Args:
        handover_s: tau_i, seconds, `[..., K]`, in any order.
        remaining_tok: n_i^(tx) >= 0, tokens, `[..., K]`.
        rate: R > 0, tokens per second, `[...]`.

    Returns:
        D*_tx, seconds, `[...]`.

    >>> float(minimum_transfer_delay_s([0.0, 1.0], [100, 800], 1000))
    0.8
    """
    shape, users = _sorted(handover_s, remaining_tok, rate)
    return lindley_delay_s(users.gap, users.service).max(axis=0).reshape(shape[:-1])


def printed_transfer_bound_s(
    handover_s: ArrayLike, remaining_tok: ArrayLike, rate: ArrayLike
) -> Array:
    """Proposition 2 as printed, Eq. (18): a lower bound on the minimum transfer delay.

    max_k [ S_k / R - (tau_k - tau_1) ]^+ counts capacity from tau_1 on, also while the
    link has nothing to send. Where it idles before a later user arrives, no schedule
    reaches this value; see :func:`minimum_transfer_delay_s`.

    Args:
        handover_s: tau_i, seconds, `[..., K]`, in any order.
        remaining_tok: n_i^(tx) >= 0, tokens, `[..., K]`.
        rate: R > 0, tokens per second, `[...]`.

    Returns:
        The bound, seconds, `[...]`.

    >>> float(printed_transfer_bound_s([0.0, 1.0], [100, 800], 1000))
    0.1
    """
    shape, users = _sorted(handover_s, remaining_tok, rate)
    bound = lindley_delay_s(users.gap, users.service, link_idles=False).max(axis=0)
    return np.maximum(bound, 0.0).reshape(shape[:-1])


def _sorted(
    handover_s: ArrayLike, remaining_tok: ArrayLike, rate: ArrayLike
) -> tuple[tuple[int, ...], ReleaseOrder]:
    """Check the three arguments and sort; the shape `[..., K]` comes first."""
    handover, remaining = check_users(handover_s, "remaining_tok", remaining_tok, at_least=0)
    capacity = check_per_instance("rate", rate, handover.shape[:-1], above=0)
    return handover.shape, ReleaseOrder.of(handover, remaining, capacity)
