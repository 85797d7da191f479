"""Variants of the paper's simulation, with any of its unstated details changed, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import check_keys
from ctho.simulation.parameters import Parameters

__all__ = ["Worlds"]

Column = NDArray[Any]

PARAMETERS = (
    "context_min_tok",
    "context_max_tok",
    "cycle_s",
    "backhaul_gbps",
    "kv_bits_per_tok",
    "prefill_s_per_tok",
    "prefill_offset_s",
    "start_min_m",
    "start_max_m",
    "speed_mps",
    "boundary_m",
    "bs_distance_m",
    "bandwidth_hz",
    "transfer",
    "zero_length",
    "tho_length",
)
"""Names of :class:`ctho.simulation.Parameters` that a world has."""

OWN: dict[str, float | str | bool] = {
    "batch_exponent": 0.0,  # g of p(L) = a K^g L + b
    "rate_factor": 1.0,  # on R, at every rate that a figure states
    "added_s": 0.0,  # added to every handover delay, whatever the scheme
    "contexts": "uniform",  # or "all longest", or "all at the mean"
    "early_leave_batch": False,  # ctHO's batch is for those alone who lack cache at t_s
    "fig4_boundary": "moving",  # or "fixed"
    "moves_while_waiting": True,  # on towards the target, in Figure 4
}
"""What a world has beyond the paper's parameters, as it is in the paper."""


class Worlds:
    """W variants of the simulation; `worlds[name]` is a column `[W]`.

    Names are those of the parameters that matter here and of :data:`OWN`.

    >>> two = Worlds.printed(Parameters()).replace(cycle_s=[0.01, 0.5])
    >>> len(two), two["speed_mps"].tolist()
    (2, [20.0, 20.0])
    """

    def __init__(self, columns: dict[str, Column]) -> None:
        self._columns = columns

    @classmethod
    def printed(cls, parameters: Parameters) -> Worlds:
        """One world, with the paper's parameters."""
        values = {**{name: getattr(parameters, name) for name in PARAMETERS}, **OWN}
        return cls({name: np.array([value]) for name, value in values.items()})

    @classmethod
    def joined(cls, parts: Sequence[Worlds]) -> Worlds:
        """All worlds of all parts, in order."""
        return cls(
            {name: np.concatenate([part[name] for part in parts]) for name in parts[0]._columns}
        )

    def __len__(self) -> int:
        return len(self._columns["cycle_s"])

    def __getitem__(self, name: str) -> Column:
        return self._columns[name]

    def replace(self, **changes: ArrayLike) -> Worlds:
        """The same with some columns changed; of one world as many as the longest column.

        Raises:
            InputError: an unknown name.
        """
        check_keys("Worlds", changes, list(self._columns))
        new = {name: np.atleast_1d(np.asarray(values)) for name, values in changes.items()}
        count = max([len(self), *(len(values) for values in new.values())])
        return Worlds(
            {
                name: values if len(values) == count else np.broadcast_to(values, (count,))
                for name, values in {**self._columns, **new}.items()
            }
        )

    def take(self, rows: NDArray[np.intp]) -> Worlds:
        """Some of the worlds."""
        return Worlds({name: values[rows] for name, values in self._columns.items()})

    def context_range_tok(self) -> tuple[Column, Column]:
        """Ends of the ranges that contexts are spread over evenly, as real numbers, each `[W]`."""
        # Half a token to each side gives the integers' mean.
        low, high = self["context_min_tok"] - 0.5, self["context_max_tok"] + 0.5
        only = np.where(self["contexts"] == "all longest", high - 0.5, (low + high) / 2)
        spread = self["contexts"] == "uniform"
        return np.where(spread, low, only), np.where(spread, high, only)
