"""Total streaming delays of Figure 4 in many variants of the simulation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.streaming import streaming_delay_s
from ctho.study.claims.total_delay import TotalDelay
from ctho.study.hypotheses.worlds import Worlds
from ctho.study.parameters import Parameters

__all__ = ["at_distance", "mean_total_s", "no_handover_s"]

Array = NDArray[np.float64]

LINK = ("speed_mps", "bandwidth_hz", "boundary_m", "bs_distance_m")
"""What a world can change of the curve from handover delay to total delay."""


def at_distance(worlds: Worlds, distance_m: ArrayLike) -> Worlds:
    """The worlds at distances D_bs, the boundary where each world has it."""
    fixed = worlds["fig4_boundary"] == "fixed"
    middle = np.where(fixed, worlds["boundary_m"], np.asarray(distance_m, float) / 2)
    return worlds.replace(bs_distance_m=distance_m, boundary_m=middle)


def no_handover_s(worlds: Worlds) -> Array:
    """Streaming delay of a user who stays with the source base station, seconds, `[W]`."""
    alone = np.empty(len(worlds))
    for link, members in _links(worlds):
        alone[members] = _curve(link)[0]
    return alone


def mean_total_s(worlds: Worlds, delay_s: Array) -> Array:
    """Mean total delay of Eq. (30) over realisations of the handover delay `[W, N]`, `[W]`."""
    mean = np.empty(len(worlds))
    for link, members in _links(worlds):
        _, total = _curve(link)
        own = delay_s[members]
        moving = worlds["moves_while_waiting"][members, np.newaxis]
        taken = np.where(moving, total(own.ravel()).reshape(own.shape), own + total(np.zeros(1)))
        mean[members] = taken.mean(axis=1)
    return mean


def _links(worlds: Worlds) -> Iterator[tuple[tuple[float, ...], NDArray[np.bool_]]]:
    """Each radio link that occurs, and which worlds have it."""
    columns = np.stack([worlds[name] for name in LINK], axis=1)
    links, of_world = np.unique(columns, axis=0, return_inverse=True)
    for i, link in enumerate(links):
        yield tuple(link.tolist()), of_world == i


@cache
def _curve(link: tuple[float, ...]) -> tuple[float, TotalDelay]:
    """The delay of no-HO, and the total delay as a function of the handover delay."""
    p = Parameters().replace(**dict(zip(LINK, link, strict=True)))
    alone = streaming_delay_s(p.radio_link, p.boundary_m, p.speed_mps, p.generated_tok)
    return float(alone), TotalDelay(p)
