"""The samples that decide claims, drawn once and shared by all claims and readings."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ctho.pages.claims.readings import CHOICES, PaperReading
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.simulate import NO_HANDOVER, delay_samples
from ctho.simulation.statistics import Estimate, mean_estimate, ratio_estimate
from ctho.simulation.sweeps import SWEEPS
from ctho.simulation.total_delay import TotalDelay
from ctho.solver import SCHEMES, Solution, solve
from ctho.streaming import streaming_delay_s

__all__ = ["Evidence", "Place", "point_name"]

Array = NDArray[np.float64]
Result = TypeVar("Result")
Place = tuple[str, float, str]
"""A figure, a point of its axis and a scheme."""

_POINTS = {
    "fig3a": "{x:g} Gbps",
    "fig3b": "{x:,g} tokens/s",
    "fig3c": "C_max = {x:,g}",
    "fig3d": "K = {x:g}",
    "fig4": "D_bs = {x:g} m",
}


def point_name(figure: str, x: float) -> str:
    """A point of a figure's axis in words.

    >>> point_name("fig3d", 12)
    'K = 12'
    """
    return _POINTS[figure].format(x=x)


_STATISTICS: dict[str, Callable[..., Estimate]] = {
    "mean": mean_estimate,
    "difference": lambda a, b: mean_estimate(a - b),
    "ratio": ratio_estimate,
    "gap change": lambda a, b, c, d: mean_estimate((c - d) - (a - b)),
    "gap ratio": lambda a, b, c, d: ratio_estimate(c - d, a - b),
}


@dataclasses.dataclass(frozen=True)
class _Delays:
    delay_s: Array
    prefill_length_tok: Array


class Evidence:
    """Per-realisation samples at the points of the paper's sweeps, under one reading.

    All schemes, points and readings meet the same random numbers, so differences are paired.

    Attributes:
        parameters: what is not swept.
        reading: how the open points are read.
    """

    def __init__(self, parameters: Parameters, reading: PaperReading | None = None) -> None:
        self.parameters = parameters
        self.reading = reading if reading is not None else PaperReading()
        self._store: dict[Any, Any] = {}

    def under(self, reading: PaperReading) -> Evidence:
        """The same evidence under another reading; what is computed already is shared."""
        other = Evidence(self.parameters, reading)
        other._store = self._store
        return other

    def reading_for(self, scheme: str, figure: str) -> tuple[str, ...]:
        """The reading as a key, with what a scheme and a figure do not meet at its default."""
        boundary = self.reading if figure == "fig4" else PaperReading()
        return (*_what_matters(scheme, self.reading), boundary.fig4_boundary)

    def once(self, key: Any, compute: Callable[[], Result]) -> Result:
        """`compute()`, or what it gave for the same key before."""
        if key not in self._store:
            self._store[key] = compute()
        result: Result = self._store[key]
        return result

    def points(self, figure: str) -> tuple[float, ...]:
        """The points of a figure's sweep."""
        return SWEEPS[figure].values

    def samples(self, figure: str, x: float, scheme: str) -> Array:
        """What the figure plots, before the mean: seconds, `[realisations]`.

        Args:
            figure: a key of :data:`ctho.simulation.SWEEPS`.
            x: a point of its axis.
            scheme: a scheme, or "no-HO" in Figure 4.
        """
        p = self._at(figure, x)
        if figure != "fig4":
            return self._delays(p, scheme).delay_s
        if scheme == NO_HANDOVER:
            return np.full(p.realisations, self.once(("no-HO", p), lambda: _no_handover_s(p)))
        key = ("total", figure, x, scheme, self.reading_for(scheme, figure))
        return self.once(key, lambda: self._totals(p, self._delays(p, scheme).delay_s))

    def fresh_samples(self, figure: str, x: float, scheme: str) -> Array:
        """As :meth:`samples`, for a point that is needed but once."""
        p = self.reading.at_point(self.parameters, figure, x)
        delay = delay_samples(p, (scheme,))[scheme]
        return self._totals(p, delay) if figure == "fig4" else delay

    def prefill_lengths(self, figure: str, x: float) -> Array:
        """L* of ctHO, tokens, `[realisations]`."""
        return self._delays(self._at(figure, x), "ctHO").prefill_length_tok

    def estimate(self, how: str, *places: Place) -> Estimate:
        """A statistic of the samples at some places, with its 95 % interval.

        Args:
            how: "mean" of one place; "difference" or "ratio" of the means of two; "gap change",
                how far (c - d) exceeds (a - b); "gap ratio", (c - d) over (a - b).
            places: (figure, x, scheme) each.
        """
        key = (how, *((f, x, scheme, self.reading_for(scheme, f)) for f, x, scheme in places))
        return self.once(key, lambda: _STATISTICS[how](*(self.samples(*p) for p in places)))

    def means(self) -> dict[Place, Estimate]:
        """The mean of each scheme at each point of the figures."""
        return {
            place: self.estimate("mean", place)
            for figure in SWEEPS
            for x in self.points(figure)
            for scheme in (*SCHEMES, *([NO_HANDOVER] if figure == "fig4" else []))
            for place in [(figure, x, scheme)]
        }

    def length_change(self, figure: str, low: float, high: float) -> Estimate:
        """Paired mean change of ctHO's L* from one point to another, tokens."""
        key = ("length change", figure, low, high, self.reading_for("ctHO", figure))
        return self.once(
            key,
            lambda: mean_estimate(
                self.prefill_lengths(figure, high) - self.prefill_lengths(figure, low)
            ),
        )

    def _at(self, figure: str, x: float) -> Parameters:
        # Checking parameters costs more than a look-up of what they gave.
        boundary = self.reading if figure == "fig4" else PaperReading()
        key = ("at", figure, x, boundary.fig4_boundary)
        return self.once(key, lambda: boundary.at_point(self.parameters, figure, x))

    def _delays(self, at: Parameters, scheme: str) -> _Delays:
        def all_readings() -> dict[tuple[str, ...], _Delays]:
            # D_bs plays no part in the handover itself, so points of Figure 4 are shared.
            shared = at.replace(bs_distance_m=Parameters().bs_distance_m, **_FIRST)
            return self.once(("delays", shared), lambda: _all_readings_at(shared))

        by_reading = self.once(("delays at", at), all_readings)
        return by_reading[scheme, *_what_matters(scheme, self.reading)]

    def _totals(self, at: Parameters, delay_s: Array) -> Array:
        total = self.once(("total delay", at.replace(**_FIRST)), lambda: TotalDelay(at))
        return total(delay_s)


def _no_handover_s(p: Parameters) -> float:
    return float(streaming_delay_s(p.radio_link, p.boundary_m, p.speed_mps, p.generated_tok))


_READ = ("transfer", "zero_length", "tho_length")
_FIRST = {name: CHOICES[name][0] for name in _READ}


def _what_matters(scheme: str, reading: PaperReading | Parameters) -> tuple[str, ...]:
    """The reading with those points at their default that a scheme does not meet.

    Without handover none matters. With everything prefilled nothing is transferred and L > 0;
    only tHO pads.
    """
    transfer, zero, padding = (getattr(reading, name) for name in _READ)
    if scheme == NO_HANDOVER:
        return tuple(_FIRST.values())
    if scheme == "tHO":
        return _FIRST["transfer"], _FIRST["zero_length"], padding
    return transfer, zero, _FIRST["tho_length"]


def _all_readings_at(parameters: Parameters) -> dict[tuple[str, ...], _Delays]:
    """Delays of every scheme under every reading that matters to it, from one draw."""
    handovers = sample_handovers(parameters)
    found: dict[tuple[str, ...], _Delays] = {}
    for choice in itertools.product(*(CHOICES[name] for name in _READ)):
        read = parameters.replace(**dict(zip(_READ, choice, strict=True)))
        for scheme in SCHEMES:
            key = (scheme, *_what_matters(scheme, read))
            if key not in found:
                solution: Solution = solve(handovers, scheme, read.reading)
                found[key] = _Delays(solution.delay_s, solution.prefill_length_tok)
    return found
