"""The unstated changes that might explain the printed numbers, each on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ctho.pages.why_numbers_differ.worlds import Worlds

__all__ = ["CHANGES", "Change", "together"]


@dataclass(frozen=True)
class Change:
    """One thing that may differ from what the paper states.

    Attributes:
        name: in a few words.
        group: changes of one group exclude each other.
        fixed: what it sets, for a change without a free number.
        free: the name that its free number multiplies or sets, "" without one.
        grid: values of the free number to start from, ascending; its ends are its bounds.
        times: whether the number is a factor on the paper's value.
        unit: of the free number.
    """

    name: str
    group: str
    fixed: tuple[tuple[str, Any], ...] = ()
    free: str = ""
    grid: tuple[float, ...] = ()
    times: bool = False
    unit: str = ""

    def applied(self, worlds: Worlds, number: ArrayLike | None = None) -> Worlds:
        """`worlds` with this change, at values of its free number."""
        if not self.free:
            return worlds.replace(**dict(self.fixed))
        value = np.asarray(number, float)
        return worlds.replace(**{self.free: worlds[self.free] * value if self.times else value})


def together(changes: Sequence[Change], worlds: Worlds, numbers: ArrayLike) -> Worlds:
    """`worlds` with several changes; `numbers[n, free]` are the free ones in their order."""
    columns = list(np.atleast_2d(np.asarray(numbers, float)).T)
    for change in changes:
        worlds = change.applied(worlds, columns.pop(0) if change.free else None)
    return worlds


def _setting(name: str, group: str, **fixed: Any) -> Change:
    return Change(name, group, fixed=tuple(fixed.items()))


CYCLES_S = (0.01, *(round(0.025 * step, 3) for step in range(1, 61)))
"""Delays jump where a handover slips into the next cycle, so this grid has to be fine."""

CHANGES: tuple[Change, ...] = (
    Change(
        "longest context", "C_max", free="context_max_tok", unit="tokens",
        grid=(2048, 3584, 5120, 6656, 8192),
    ),
    Change(
        "batch cycle", "T_c", free="cycle_s", unit="s",
        grid=CYCLES_S,
    ),
    Change(
        "constant in the prefill completion", "b", free="prefill_offset_s", unit="s",
        grid=(0.0024, 0.15, 0.3, 0.45, 0.6),
    ),
    Change(
        "factor on a", "a", free="prefill_s_per_tok", times=True,
        grid=(0.5, 1, 1.5, 2.2, 3),
    ),
    Change(
        "speed", "v", free="speed_mps", unit="m/s",
        grid=(8, 10, 12, 14, 15, 16, 17, 18, 19, 20, 22, 25, 28, 32),
    ),
    Change(
        "nearest start", "x(0)", free="start_min_m", unit="m",
        grid=(70, 90, 105, 112, 116, 120, 125, 130),
    ),
    Change(
        "power of K in the prefill time", "batch", free="batch_exponent",
        grid=(0, 0.15, 0.3, 0.6, 1),
    ),
    Change(
        "factor on the link rate", "R", free="rate_factor", grid=(0.5, 0.8, 1, 1.4, 2),
    ),
    Change(
        "constant in every handover", "D", free="added_s", unit="s",
        grid=(0, 0.15, 0.3, 0.45, 0.6),
    ),
    Change(
        "factor on the radio rate", "W", free="bandwidth_hz", times=True,
        grid=(0.8, 0.95, 1.1, 1.3, 1.5),
    ),
    _setting("all contexts the longest", "C", contexts="all longest"),
    _setting("all contexts at the mean", "C", contexts="all at the mean"),
    _setting("contexts from 1 token on", "C", context_min_tok=1),
    _setting("tHO pads to the longest possible", "tHO", tho_length="context_max"),
    _setting("served users leave the batch", "users", early_leave_batch=True),
    _setting("boundary of Figure 4 at 150 m", "x_b", fig4_boundary="fixed"),
    _setting("users stand still while they wait", "x_i(t)", moves_while_waiting=False),
    _setting("Eq. (18) as printed", "D_tx", transfer="printed"),
    _setting("everybody waits for the batch", "L = 0", zero_length="waits_for_batch"),
)  # fmt: skip
"""Every change that is tried, alone and in pairs."""
