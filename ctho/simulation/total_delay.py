"""The total delay of Eq. (30) as a function of the handover delay alone, for many realisations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ctho.simulation.parameters import Parameters
from ctho.streaming import total_delay_s

__all__ = ["TotalDelay"]

Array = NDArray[np.float64]

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
        self._longest_s = longest_s
        self._polynomial = self._fitted()

    def __call__(self, delay_s: Array) -> Array:
        """The total delays, elementwise."""
        if float(delay_s.max()) > self._longest_s:
            self._longest_s = 2 * float(delay_s.max())
            self._polynomial = self._fitted()
        if self._polynomial is None:
            return self._exact(delay_s)
        return np.asarray(self._polynomial(delay_s))

    def _exact(self, delay_s: Array) -> Array:
        p = self._parameters
        offset = p.boundary_m - p.bs_distance_m
        return total_delay_s(p.radio_link, delay_s, offset, p.speed_mps, p.generated_tok)

    def _fitted(self) -> np.polynomial.Chebyshev | None:
        half = self._longest_s / 2
        nodes = half * (1 + np.polynomial.chebyshev.chebpts1(DEGREE + 1))
        checks = np.linspace(0, self._longest_s, CHECKS)
        values = self._exact(np.concatenate([nodes, checks]))
        if not np.isfinite(values).all():
            return None
        domain = [0, self._longest_s]
        fitted = np.polynomial.Chebyshev.fit(nodes, values[: nodes.size], DEGREE, domain=domain)
        agrees = np.allclose(fitted(checks), values[nodes.size :], rtol=RTOL, atol=0)
        return fitted if agrees else None
