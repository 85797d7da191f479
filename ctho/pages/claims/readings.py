"""The readings of the paper under which every claim is checked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from ctho.checks import check_choice, check_keys
from ctho.simulation.parameters import Parameters
from ctho.simulation.sweeps import SWEEPS

__all__ = ["CHOICES", "LABELS", "PaperReading", "all_readings"]

CHOICES: dict[str, tuple[str, ...]] = {
    "transfer": ("exact", "printed"),
    "zero_length": ("skips_batch", "waits_for_batch"),
    "tho_length": ("longest_context", "context_max"),
    "fig4_boundary": ("moving", "fixed"),
}
"""The open points and how each can be read; the first is the default."""

LABELS: dict[str, str] = {
    "transfer": "transfer delay: the minimum, or Eq. (18) as printed",
    "zero_length": "L = 0: nothing waits for the batch, or everybody does",
    "tho_length": "tHO pads to the longest context of the instance, or to the largest possible",
    "fig4_boundary": "Figure 4: the boundary lies midway between the base stations, or at 150 m",
}
"""Each open point in words, its readings in the order of :data:`CHOICES`."""


@dataclass(frozen=True)
class PaperReading:
    """One choice for each open point.

    Raises:
        InputError: a word that is not in :data:`CHOICES`.

    >>> PaperReading(tho_length="context_max").changed()
    {'tho_length': 'context_max'}
    """

    transfer: str = "exact"
    zero_length: str = "skips_batch"
    tho_length: str = "longest_context"
    fig4_boundary: str = "moving"

    def __post_init__(self) -> None:
        for spec in fields(self):
            check_choice(spec.name, getattr(self, spec.name), CHOICES[spec.name])

    @classmethod
    def from_mapping(cls, mapping: Any) -> PaperReading:
        """The reading with some points changed.

        Raises:
            InputError: not a mapping, or an unknown point or choice.
        """
        return cls(**check_keys("reading", mapping, list(CHOICES)))

    def changed(self) -> dict[str, str]:
        """The points that are not read as by default."""
        chosen = self.as_dict().items()
        return {name: choice for name, choice in chosen if choice != CHOICES[name][0]}

    def as_dict(self) -> dict[str, str]:
        """Every point and its choice."""
        return {name: getattr(self, name) for name in CHOICES}

    def applied(self, parameters: Parameters) -> Parameters:
        """`parameters` read this way; Figure 4's boundary shows in :meth:`at_point` alone."""
        return parameters.replace(
            transfer=self.transfer, zero_length=self.zero_length, tho_length=self.tho_length
        )

    def at_point(self, parameters: Parameters, figure: str, x: float) -> Parameters:
        """`parameters` at the point `x` of a figure's sweep, read this way."""
        if figure == "fig4" and self.fig4_boundary == "fixed":
            return self.applied(parameters.replace(bs_distance_m=x))
        return self.applied(SWEEPS[figure].point(parameters, x))


def all_readings() -> Iterator[PaperReading]:
    """Every combination of :data:`CHOICES`, the default first."""
    for choice in itertools.product(*CHOICES.values()):
        yield PaperReading(*choice)
