"""Shadow prices: how the least delay D* moves with the link R and the processor a, b.

At the crossing, the window that decides has m senders with n tokens left between them. It weighs
against the prefill as 1 - lambda against lambda = m / (a R + m), and

    dD*/db = lambda,   dD*/da = lambda L*,   dD*/dR = -(1 - lambda) n / R^2.

Without a batch, L* = 0, it is lambda = 0 with the busiest window at L = 0. Where windows tie, or
both regimes do, D* has a kink and each side its own price.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.handover import Handover
from ctho.proofs.newton import Windows, affine_prefill, busiest_window, window_lines
from ctho.proofs.window_program import best_by_linear_program
from ctho.solver import solve

__all__ = ["PARAMETERS", "ShadowPrices", "dual_prices", "one_sided_prices", "shadow_prices"]

Array = NDArray[np.float64]

PARAMETERS = ("backhaul", "slope", "offset")
"""R, a and b, the names of the three prices."""

TIE_RTOL = 1e-12
"""Lines this close to the largest, in shares of it, are tied."""


@dataclass(frozen=True, eq=False)
class ShadowPrices:
    """The derivatives of D*, each `[...]`.

    Attributes:
        backhaul: dD*/dR <= 0, seconds per (token per second).
        slope: dD*/da >= 0, seconds per (second per token), that is tokens.
        offset: dD*/db in [0, 1], seconds per second.
    """

    backhaul: Array
    slope: Array
    offset: Array

    def as_array(self) -> Array:
        """The three in the order of :data:`PARAMETERS`, `[3, ...]`."""
        return np.stack([self.backhaul, self.slope, self.offset])


def shadow_prices(handover: Handover) -> ShadowPrices:
    """The derivatives of D* in closed form, for one instance or a batch.

    At a kink they belong to one of the windows that tie; see :func:`one_sided_prices`.

    Raises:
        InputError: a prefill delay that is not affine.

    >>> from ctho.prefill import AffinePrefill
    >>> h = Handover([0.0], [1000], 1000, AffinePrefill(1e-3, 0.0))
    >>> shadow_prices(h).as_array().round(9)  # D* = 1000 a / (a R + 1)
    array([-2.5e-04,  2.5e+02,  5.0e-01])
    """
    slope, _ = affine_prefill(handover)
    length = solve(handover).prefill_length_tok
    return _prices(busiest_window(handover, length), length, slope, length > 0)


def one_sided_prices(handover: Handover) -> tuple[ShadowPrices, ShadowPrices]:
    """The derivatives of D* to the left and to the right of each parameter, one instance.

    D* = min{g(0), max_l D_l} over all lines l of :func:`ctho.proofs.newton.window_lines`, and each
    piece is smooth. On its right a maximum has the largest slope of the pieces that
    tie, on its left the smallest; a minimum the other way round. At a = 0 or b = 0 the left
    derivative is that of the formula, since the model itself ends there.

    Returns:
        (towards smaller values, towards larger values). The two agree off the kinks.

    Raises:
        InputError: more than one instance, or a prefill delay that is not affine.

    >>> from ctho.prefill import AffinePrefill
    >>> h = Handover([0.0, 0.0], [1000, 2000], 1000, AffinePrefill(1e-3, 0.0))
    >>> left, right = one_sided_prices(h)  # D* = max{3 a / (a R + 2), 2 a / (a R + 1)} 1000
    >>> round(float(left.backhaul), 9), round(float(right.backhaul), 9)
    (-0.0005, -0.000333333)
    """
    lines = window_lines(handover)
    slope, offset = affine_prefill(handover)
    wait = float(handover.batch_wait_s) + offset
    crossing = lines.crossing_tok(wait, slope)
    crossings = _envelope(wait + slope * crossing, _prices(lines, crossing, slope, batch=True))
    empty = _envelope(lines.delay_s(0.0), _prices(lines, 0.0, slope, batch=False))
    if np.isclose(crossings[0], empty[0], rtol=TIE_RTOL, atol=0):
        left, right = np.maximum(crossings[1], empty[1]), np.minimum(crossings[2], empty[2])
    else:
        _, left, right = min(crossings, empty, key=lambda side: side[0])
    return ShadowPrices(*left), ShadowPrices(*right)


def dual_prices(handover: Handover) -> ShadowPrices:
    """The derivatives of D* from the multipliers that HiGHS returns, one instance.

    At a kink the program has many optimal multipliers and HiGHS returns some of them.

    Raises:
        InputError: more than one instance, or a prefill delay that is not affine.
    """
    best = best_by_linear_program(handover)
    return ShadowPrices(
        -best.load_dual_s / handover.backhaul_tok_per_s,
        np.asarray(best.prefill_dual * best.prefill_length_tok),
        np.asarray(best.prefill_dual),
    )


def _prices(window: Windows, length_tok: ArrayLike, slope: float, batch: ArrayLike) -> ShadowPrices:
    """The derivatives of lambda w + (1 - lambda) v of each line, or of v where no batch runs."""
    rate = window.backhaul_tok_per_s
    # At L* = C_max nobody sends; the limit from below has the longest context alone.
    senders = np.maximum(window.senders, 1)
    share = np.where(batch, senders / (slope * rate + senders), 0.0)
    left_tok = window.load_tok - window.senders * np.asarray(length_tok, float)
    return ShadowPrices(
        -(1 - share) * left_tok / rate**2, share * np.asarray(length_tok, float), share
    )


def _envelope(delay: Array, prices: ShadowPrices) -> tuple[float, Array, Array]:
    """The largest of some smooth pieces, and its slopes to the left and to the right, `[3]`."""
    largest = float(delay.max())
    tied = np.isclose(delay, largest, rtol=TIE_RTOL, atol=0)
    slopes = prices.as_array()[:, tied]
    return largest, slopes.min(axis=1), slopes.max(axis=1)
