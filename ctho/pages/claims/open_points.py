"""The four points that the paper leaves open, and every way to read them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from ctho.simulation.parameters import Parameters
from ctho.simulation.sweeps import FIGURE_SWEEPS

__all__ = ["CHOICES", "OpenPoints", "all_readings"]

CHOICES: dict[str, tuple[str, ...]] = {
    "transfer": ("exact", "printed"),
    "zero_length": ("skips_batch", "waits_for_batch"),
    "tho_length": ("longest_context", "context_max"),
    "fig4_boundary": ("moving", "fixed"),
}
"""The open points and how each can be read; the first is the default."""


class OpenPoints(NamedTuple):
    """One reading of the paper: a choice of :data:`CHOICES` for each open point.

    The first three are those of `Parameters`, and of the solver's `Reading`. The fourth is
    where the cell boundary of Figure 4 lies: midway between the base stations, or at 150 m.

    >>> OpenPoints(tho_length="context_max").changed
    {'tho_length': 'context_max'}
    >>> OpenPoints(tho_length="context_max").name, OpenPoints().name
    ('tho_length=context_max', 'default')
    """

    transfer: str = "exact"
    zero_length: str = "skips_batch"
    tho_length: str = "longest_context"
    fig4_boundary: str = "moving"

    @property
    def changed(self) -> dict[str, str]:
        """The points that are not read as by default."""
        chosen = self._asdict().items()
        return {point: choice for point, choice in chosen if choice != CHOICES[point][0]}

    @property
    def name(self) -> str:
        """What differs from the default, in one word of a file."""
        return ", ".join(f"{point}={choice}" for point, choice in self.changed.items()) or "default"

    def applied(self, parameters: Parameters) -> Parameters:
        """`parameters` read this way; Figure 4's boundary shows in :meth:`at_point` alone."""
        return parameters.replace(
            transfer=self.transfer, zero_length=self.zero_length, tho_length=self.tho_length
        )

    def at_point(self, parameters: Parameters, figure: str, x: float) -> Parameters:
        """`parameters` at the point `x` of a figure's sweep, read this way."""
        if figure == "fig4" and self.fig4_boundary == "fixed":
            return self.applied(parameters.replace(bs_distance_m=x))
        return self.applied(FIGURE_SWEEPS[figure].point(parameters, x))


def all_readings() -> Iterator[OpenPoints]:
    """Every combination of :data:`CHOICES`, the default first."""
    return itertools.starmap(OpenPoints, itertools.product(*CHOICES.values()))
