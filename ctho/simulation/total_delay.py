"""The total delay of Eq. (30) as a function of the handover delay alone, for many realisations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ctho.checks import InputError
from ctho.simulation.parameters import Parameters
from ctho.streaming import streaming_delay_s

__all__ = ["TotalDelay", "streaming_at_each_s"]

Array = NDArray[np.float64]
Polynomial = np.polynomial.Chebyshev

DEGREE = 24
CHECKS = 15
RTOL = 1e-9


class TotalDelay:
    """Total delay at given parameters, seconds, of handover delays, seconds, `[N]`.

    All users resume on the same curve, so the total delay is a smooth function of one number.
    A polynomial through a few exact values replaces a root search for each realisation, where
    it agrees with further exact values; elsewhere each is computed exactly.

    Args:
        parameters: geometry, speed, radio link and tokens to stream.
        longest_s: the longest handover delay to expect; a longer one costs another fit.
    """

    def __init__(self, parameters: Parameters, longest_s: float = 4.0) -> None:
        self._parameters = parameters
        self._fitted_up_to_s = longest_s
        (self._polynomial,) = _polynomials([parameters], longest_s)

    @classmethod
    def at_each(cls, points: Sequence[Parameters], longest_s: float = 4.0) -> list[TotalDelay]:
        """One for each of many parameters, from one root search, which is far quicker.

        Raises:
            InputError: radio links that differ in more than their bandwidth.
        """
        curves = []
        for parameters, polynomial in zip(points, _polynomials(points, longest_s), strict=True):
            curve = cls.__new__(cls)
            curve._parameters, curve._fitted_up_to_s = parameters, longest_s
            curve._polynomial = polynomial
            curves.append(curve)
        return curves

    def __call__(self, delay_s: Array) -> Array:
        """The total delays, elementwise."""
        longest_s = float(delay_s.max())
        if longest_s > self._fitted_up_to_s:
            self._fitted_up_to_s = 2 * longest_s
            (self._polynomial,) = _polynomials([self._parameters], self._fitted_up_to_s)
        if self._polynomial is None:
            return self._exact(delay_s)
        return np.asarray(self._polynomial(delay_s))

    def _exact(self, delay_s: Array) -> Array:
        return _exact_s([self._parameters], delay_s.reshape(-1))[0].reshape(delay_s.shape)


def streaming_at_each_s(points: Sequence[Parameters], offset_m: Array) -> Array:
    """Streaming delay from offsets to the serving station, one row for each of many parameters.

    Args:
        points: parameters, P of them.
        offset_m: y = x - x^(b) at the start, metres, `[P, N]`.

    Returns:
        Seconds, `[P, N]`; infinity as in :func:`ctho.streaming.streaming_delay_s`.

    Raises:
        InputError: radio links that differ in more than their bandwidth.
    """
    link = points[0].radio_link
    tokens = np.empty((len(points), 1))
    for row, p in enumerate(points):
        if replace(p.radio_link, bandwidth_hz=link.bandwidth_hz) != link:
            raise InputError("the radio link", p.radio_link, f"but for its bandwidth {link}")
        # Tokens over W / s_tok are all that counts, so a wider band is fewer tokens.
        tokens[row] = p.generated_tok * (link.bandwidth_hz / p.bandwidth_hz)
    speed = np.array([[p.speed_mps] for p in points])
    return streaming_delay_s(link, offset_m, speed, tokens)


def _exact_s(points: Sequence[Parameters], delay_s: Array) -> Array:
    """The total delays at each point, `[P, N]` for handover delays `[N]`."""
    offset = np.array([[p.boundary_m - p.bs_distance_m] for p in points])
    speed = np.array([[p.speed_mps] for p in points])
    return delay_s + streaming_at_each_s(points, offset + speed * delay_s)


def _polynomials(points: Sequence[Parameters], longest_s: float) -> list[Polynomial | None]:
    """The curve at each point on [0, longest_s]; None where no polynomial follows it."""
    nodes = longest_s / 2 * (1 + np.polynomial.chebyshev.chebpts1(DEGREE + 1))
    checks = np.linspace(0, longest_s, CHECKS)
    fitted: list[Polynomial | None] = []
    for exact in _exact_s(points, np.concatenate([nodes, checks])):
        polynomial = None
        if np.isfinite(exact).all():
            at_nodes, domain = exact[: nodes.size], [0, longest_s]
            polynomial = Polynomial.fit(nodes, at_nodes, DEGREE, domain=domain)
            if not np.allclose(polynomial(checks), exact[nodes.size :], rtol=RTOL, atol=0):
                polynomial = None
        fitted.append(polynomial)
    return fitted
