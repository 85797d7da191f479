"""The unstated changes that might explain the printed numbers, each on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ctho.pages.why_numbers_differ.worlds import Worlds

__all__ = ["CHANGES", "Change", "hypotheses", "together"]


@dataclass(frozen=True)
class Change:
    """One thing that may differ from what the paper states.

    Attributes:
        name: in a few words.
        group: changes of one group exclude each other.
        sets: a name of :class:`Worlds`, to `to`, or to a free number where there is a grid.
        grid: values of the free number to start from, ascending; its ends are its bounds.
        unit: of the free number.
        times: whether the number is a factor on the paper's value.
        to: the value that is set, without a grid.
    """

    name: str
    group: str
    sets: str
    grid: tuple[float, ...] = ()
    unit: str = ""
    times: bool = False
    to: Any = None


def together(changes: Sequence[Change], worlds: Worlds, numbers: ArrayLike) -> Worlds:
    """`worlds` with several changes; `numbers[n, free]` are the free ones in their order."""
    free = iter(np.atleast_2d(np.asarray(numbers, float)).T)
    for change in changes:
        value = next(free) if change.grid else change.to
        if change.times:
            value = worlds[change.sets] * value
        worlds = worlds.replace(**{change.sets: value})
    return worlds


CYCLES_S = (0.01, *(round(0.025 * step, 3) for step in range(1, 61)))
"""Delays jump where a handover slips into the next cycle, so this grid has to be fine."""

SPEEDS_MPS = (8, 10, 12, 14, 15, 16, 17, 18, 19, 20, 22, 25, 28, 32)

CHANGES: tuple[Change, ...] = (
    Change("longest context", "C_max", "context_max_tok", (2048, 3584, 5120, 6656, 8192), "tokens"),
    Change("batch cycle", "T_c", "cycle_s", CYCLES_S, "s"),
    Change(
        "constant in the prefill completion",
        "b",
        "prefill_offset_s",
        (0.0024, 0.15, 0.3, 0.45, 0.6),
        "s",
    ),
    Change("factor on a", "a", "prefill_s_per_tok", (0.5, 1, 1.5, 2.2, 3), times=True),
    Change("speed", "v", "speed_mps", SPEEDS_MPS, "m/s"),
    Change("nearest start", "x(0)", "start_min_m", (70, 90, 105, 112, 116, 120, 125, 130), "m"),
    Change("power of K in the prefill time", "batch", "batch_exponent", (0, 0.15, 0.3, 0.6, 1)),
    Change("factor on the link rate", "R", "rate_factor", (0.5, 0.8, 1, 1.4, 2)),
    Change("constant in every handover", "D", "added_s", (0, 0.15, 0.3, 0.45, 0.6), "s"),
    Change("factor on the radio rate", "W", "bandwidth_hz", (0.8, 0.95, 1.1, 1.3, 1.5), times=True),
    Change("all contexts the longest", "C", "contexts", to="all longest"),
    Change("all contexts at the mean", "C", "contexts", to="all at the mean"),
    Change("contexts from 1 token on", "C", "context_min_tok", to=1),
    Change("tHO pads to the longest possible", "tHO", "tho_length", to="context_max"),
    Change("served users leave the batch", "users", "early_leave_batch", to=True),
    Change("boundary of Figure 4 at 150 m", "x_b", "fig4_boundary", to="fixed"),
    Change("users stand still while they wait", "x_i(t)", "moves_while_waiting", to=False),
    Change("Eq. (18) as printed", "D_tx", "transfer", to="printed"),
    Change("everybody waits for the batch", "L = 0", "zero_length", to="waits_for_batch"),
)
"""Every change that is tried, alone and in pairs."""


def hypotheses() -> list[tuple[Change, ...]]:
    """No change, each alone, and pairs that do not exclude each other."""
    pairs = [pair for pair in combinations(CHANGES, 2) if pair[0].group != pair[1].group]
    return [(), *((change,) for change in CHANGES), *pairs]
