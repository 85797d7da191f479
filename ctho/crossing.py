"""The prefill length where prefill and transfer take equally long (Proposition 3).

With the users sorted by release, service times s_i = C_i / R and the prefill length in link
time, l = L / R, the two delays are

    D_pf(l)  = w + a' l          w = t_s + b - tau_1,  a' = a R
    D*_tx(l) = max over busy windows (j, k) of  v_jk - m_jk l,

where a window sums the users between j and k that still have something to send:
v = sum s_i - (tau_k - tau_j), and m is their number. D*_tx is convex, piecewise
linear and non-increasing, so each window's own crossing (v - w) / (a' + m) lies at or
below the true one, and the largest of them is at least a Newton step. Starting at l = 0 the
iteration climbs through finitely many windows and stops, exactly, where it no longer rises.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ctho.backhaul import along_users

__all__ = ["affine_crossing", "general_crossing"]

Array = NDArray[np.float64]

NEEDS_SCIPY = "a prefill delay that is not affine needs SciPy: pip install 'ctho[scipy]'"

DROP_BELOW = 0.9
"""Finished instances are dropped when at most this share of the columns still climbs."""


def affine_crossing(
    gap: Array, service: Array, wait: Array, slope: Array, *, link_idles: bool = True
) -> Array:
    """Smallest l >= 0 with D*_tx(l) <= w + a' l, Eq. (22), for many instances at once.

    Args:
        gap: tau_k - tau_{k-1} >= 0 of the sorted users, first row 0, seconds, `[K, N]`.
        service: s_i = C_i / R of the sorted users, seconds, `[K, N]`.
        wait: w, seconds, `[N]`.
        slope: a' = a R >= 0, `[N]`.
        link_idles: False counts capacity from tau_1 on, as Eq. (18) prints it.

    Returns:
        l, seconds of link time, `[N]`; 0 where prefill would not end before the transfer.
    """
    num_ues, num_instances = service.shape
    one_by_one = along_users(num_ues, num_instances)
    climb = _climb_along_users if one_by_one else _climb_along_instances
    found = np.zeros(num_instances)
    rising = np.arange(num_instances)
    length = found
    buffers = np.empty((5, num_instances))  # fresh memory would cost as much as the arithmetic
    while rising.size:
        spare = buffers[:, : rising.size]
        best = climb(gap, service, wait, slope, length, link_idles, spare)
        # Windows are finite and each is left for good, so this ends; rounding can at worst
        # repeat a window, which gives the same quotient again and stops.
        up = best > length
        best = np.maximum(length, best)
        found[rising] = best
        # Copying the rest pays once a good part is done; the done ones stay where they are.
        if np.count_nonzero(up) <= DROP_BELOW * up.size:
            left = np.flatnonzero(up)  # taking indices is several times faster than a mask
            rising = rising[left]
            gap, service = gap.take(left, axis=1), service.take(left, axis=1)
            wait, slope, best = wait[left], slope[left], best[left]
        length = best
    return found


def _climb_along_instances(
    gap: Array,
    service: Array,
    wait: Array,
    slope: Array,
    length: Array,
    link_idles: bool,
    spare: Array,
) -> Array:
    """The largest window crossing of each instance, one user after the other, `[N]`.

    `spare` are five rows of N floats to work in; the result lies in one of them.
    """
    value, active, best, buffer, divisor = spare
    value[:] = 0  # v of the current busy window at user k
    active[:] = 0  # m of that window
    best[:] = -np.inf
    mask = np.empty(length.shape, dtype=bool)
    # 0 / 0 is a window that sends nothing, while nothing is waited for: it bounds nothing,
    # and fmax skips the NaN.
    with np.errstate(divide="ignore", invalid="ignore"):
        for user_gap, user_service in zip(gap, service, strict=True):
            np.subtract(value, user_gap, out=value)
            if link_idles:
                # Nothing is left of the window before: value <= active * length.
                np.multiply(active, length, out=buffer)
                np.greater(value, buffer, out=mask)
                np.multiply(value, mask, out=value)
                np.multiply(active, mask, out=active)
            np.greater(user_service, length, out=mask)
            np.multiply(user_service, mask, out=buffer)
            np.add(value, buffer, out=value)
            np.add(active, mask, out=active)
            np.subtract(value, wait, out=buffer)
            np.add(slope, active, out=divisor)
            np.divide(buffer, divisor, out=buffer)
            np.fmax(best, buffer, out=best)
    return best


def _climb_along_users(
    gap: Array,
    service: Array,
    wait: Array,
    slope: Array,
    length: Array,
    link_idles: bool,
    spare: Array,
) -> Array:
    """The Newton step of each instance, vectorised over its users, `[N]`.

    For few instances with many users. The window that attains D*_tx(l) is read off the
    prefix form of Lindley's recursion.
    """
    best = spare[0]
    for n in range(length.size):
        sends = service[:, n] > length[n]
        work = np.where(sends, service[:, n] - length[n], 0.0)
        release = np.cumsum(gap[:, n])
        before = np.cumsum(work) - work
        start = release - before
        latest = np.maximum.accumulate(start) if link_idles else np.zeros_like(start)
        last = int(np.argmax(before + work - release + latest))
        first = int(np.argmax(start[: last + 1])) if link_idles else 0
        window = slice(first, last + 1)
        value = service[window, n][sends[window]].sum() - (release[last] - release[first])
        divisor = slope[n] + np.count_nonzero(sends[window])
        best[n] = (value - wait[n]) / divisor if divisor > 0 else -np.inf
    return best


def general_crossing(
    prefill_delay_s: Callable[[Array, NDArray[np.intp]], Array],
    transfer_delay_s: Callable[[Array, NDArray[np.intp]], Array],
    longest_tok: Array,
) -> Array:
    """The smallest L > 0 that minimises max{D_pf(L), D*_tx(L)} for any non-decreasing p(L).

    That is where the two cross, Eq. (22).

    SciPy's vectorised bracketing root finder runs on D_pf - D*_tx, which is non-decreasing; it
    ends at the last bit of L. SciPy is imported here and not above, so that everything
    else in this package needs NumPy alone.

    Args:
        prefill_delay_s: D_pf of lengths `[n]` of the instances `[n]`, also as L -> 0+.
        transfer_delay_s: D*_tx likewise.
        longest_tok: C_max of each instance, tokens, `[N]`.

    Returns:
        L, tokens, `[N]`; 0 where D_pf(0+) >= D*_tx(0).
    """
    try:
        from scipy.optimize import elementwise
    except ModuleNotFoundError:
        raise ModuleNotFoundError(NEEDS_SCIPY, name="scipy") from None

    everyone = np.arange(longest_tok.size)

    def surplus(length: Array, instance: NDArray[np.intp]) -> Array:
        return prefill_delay_s(length, instance) - transfer_delay_s(length, instance)

    zero = np.zeros_like(longest_tok)
    inside = everyone[surplus(zero, everyone) < 0]
    result = zero.copy()
    if inside.size:
        found = elementwise.find_root(surplus, (zero[inside], longest_tok[inside]), args=(inside,))
        # The bracket has shrunk to neighbouring floats. Where p jumps between them there is
        # no root, and either end may be the better one.
        low, high = found.bracket
        at_low, at_high = (
            np.maximum(prefill_delay_s(end, inside), transfer_delay_s(end, inside))
            for end in (low, high)
        )
        result[inside] = np.where(at_low <= at_high, low, high)
    return result
