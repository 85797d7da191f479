"""The samples that decide claims, drawn once and shared by all claims and readings."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ctho.pages.claims.open_points import OpenPoints
from ctho.schemes import PAPER_SCHEMES
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.simulate import NO_HANDOVER
from ctho.simulation.statistics import Estimate, mean_estimate, ratio_estimate
from ctho.simulation.sweeps import FIGURE_SWEEPS
from ctho.simulation.total_delay import TotalDelay
from ctho.solver import solve
from ctho.streaming import streaming_delay_s

__all__ = ["LENGTH", "Evidence", "Place", "point_name"]

Array = NDArray[np.float64]
Result = TypeVar("Result")
Place = tuple[str, float, str]
"""A figure, a point of its axis and a curve: a scheme, "no-HO" or :data:`LENGTH`."""

LENGTH = "L*"
"""The prefill length of ctHO, in tokens; the other curves are delays in seconds."""

_POINTS = {
    "fig3a": "{x:g} Gbps",
    "fig3b": "{x:,g} tokens/s",
    "fig3c": "C_max = {x:,g}",
    "fig3d": "K = {x:g}",
    "fig4": "D_bs = {x:g} m",
}

_STATISTICS: dict[str, Callable[..., Estimate]] = {
    "mean": mean_estimate,
    "difference": lambda a, b: mean_estimate(a - b),
    "ratio": ratio_estimate,
    "gap change": lambda a, b, c, d: mean_estimate((c - d) - (a - b)),
    "gap ratio": lambda a, b, c, d: ratio_estimate(c - d, a - b),
}


def point_name(figure: str, x: float) -> str:
    """A point of a figure's axis in words.

    >>> point_name("fig3d", 12)
    'K = 12'
    """
    return _POINTS[figure].format(x=x)


class Evidence:
    """Per-realisation samples at the points of the paper's sweeps, under one reading.

    All curves, points and readings meet the same random numbers, so differences are paired.

    Attributes:
        parameters: what is not swept.
        reading: how the open points are read.
    """

    def __init__(self, parameters: Parameters, reading: OpenPoints | None = None) -> None:
        self.parameters = parameters
        self.reading = reading if reading is not None else OpenPoints()
        self._store: dict[Hashable, Any] = {}

    def under(self, reading: OpenPoints) -> Evidence:
        """The same evidence under another reading; what is computed already is shared."""
        other = Evidence(self.parameters, reading)
        other._store = self._store
        return other

    def once(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """`compute()`, or what it gave for the same key before."""
        if key not in self._store:
            self._store[key] = compute()
        result: Result = self._store[key]
        return result

    def points(self, figure: str) -> tuple[float, ...]:
        """The points of a figure's sweep."""
        return FIGURE_SWEEPS[figure].values

    def samples(self, figure: str, x: float, curve: str) -> Array:
        """What the figure plots, before the mean, `[realisations]`.

        Args:
            figure: a key of :data:`ctho.simulation.SWEEPS`.
            x: a point of its axis, or another value of the swept quantity.
            curve: a scheme, "no-HO" in Figure 4, or :data:`LENGTH`.
        """
        reading = self.reading_of(figure, curve)
        key = (figure, x, curve, reading)
        return self.once(key, lambda: self._sampled(figure, x, curve, reading))

    def estimate(self, how: str, *places: Place) -> Estimate:
        """A statistic of the samples at some places, with its 95 % interval.

        Args:
            how: "mean" of one place; "difference" or "ratio" of the means of two; "gap change",
                how far (c - d) exceeds (a - b); "gap ratio", (c - d) over (a - b).
            places: (figure, x, curve) each.
        """
        key = (how, *((place, self.reading_of(place[0], place[2])) for place in places))
        return self.once(key, lambda: _STATISTICS[how](*(self.samples(*p) for p in places)))

    def places(self) -> Iterator[Place]:
        """Every scheme at every point of the figures, in their order."""
        for figure in FIGURE_SWEEPS:
            schemes = (*PAPER_SCHEMES, NO_HANDOVER) if figure == "fig4" else PAPER_SCHEMES
            yield from ((figure, x, scheme) for x in self.points(figure) for scheme in schemes)

    def reading_of(self, figure: str, curve: str) -> OpenPoints:
        """The reading, with what a figure and a curve do not meet as by default.

        Readings share what does not depend on them: with everything prefilled nothing is
        transferred and L > 0, only tHO pads, and without handover the boundary alone matters.
        """
        reading, default = self.reading, OpenPoints()
        if figure != "fig4":
            reading = reading._replace(fig4_boundary=default.fig4_boundary)
        if curve != "tHO":
            reading = reading._replace(tho_length=default.tho_length)
        if curve in ("tHO", NO_HANDOVER):
            reading = reading._replace(transfer=default.transfer, zero_length=default.zero_length)
        return reading

    def _sampled(self, figure: str, x: float, curve: str, reading: OpenPoints) -> Array:
        p = reading.at_point(self.parameters, figure, x)
        if curve == NO_HANDOVER:
            alone = streaming_delay_s(p.radio_link, p.boundary_m, p.speed_mps, p.generated_tok)
            return np.full(p.realisations, float(alone))
        # D_bs plays no part in the handover itself, so points of Figure 4 may share one.
        here = p.replace(bs_distance_m=self.parameters.bs_distance_m) if figure == "fig4" else p
        solved = self.once((here, curve), lambda: self._solved(here, curve))
        if figure != "fig4":
            return solved
        total = self.once((p.bs_distance_m, p.boundary_m), lambda: TotalDelay(p))
        return total(solved)

    def _solved(self, p: Parameters, curve: str) -> Array:
        drawn = OpenPoints().applied(p)  # no reading changes the draws
        handovers = self.once(drawn, lambda: sample_handovers(drawn))
        if curve == LENGTH:
            return solve(handovers, "ctHO", p.reading).prefill_length_tok
        return solve(handovers, curve, p.reading).delay_s
