"""Total streaming delays of Figure 4 in many variants of the simulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.pages.why_numbers_differ.worlds import Worlds
from ctho.simulation.parameters import Parameters
from ctho.simulation.total_delay import TotalDelay, streaming_at_each_s

__all__ = ["LONGEST_S", "at_distance", "mean_total_s", "no_handover_s"]

Array = NDArray[np.float64]
Link = tuple[float, ...]

LINK = ("speed_mps", "bandwidth_hz", "boundary_m", "bs_distance_m")
"""What a world can change of the curve from handover delay to total delay."""

LONGEST_WAIT_S = 6.0
"""A handover delay beyond this is as wrong as this one."""

LONGEST_S = 60.0
"""So is a streaming delay, which is infinite for a user who moves away for good."""

_CURVES: dict[Link, tuple[float, TotalDelay]] = {}
"""No-HO's delay and the curve of links that have been needed: worlds share them."""


def at_distance(worlds: Worlds, distance_m: ArrayLike) -> Worlds:
    """The worlds at distances D_bs, the boundary where each world has it."""
    fixed = worlds["fig4_boundary"] == "fixed"
    middle = np.where(fixed, worlds["boundary_m"], np.asarray(distance_m, float) / 2)
    return worlds.replace(bs_distance_m=distance_m, boundary_m=middle)


def no_handover_s(worlds: Worlds) -> Array:
    """Streaming delay of a user who stays with the source base station, seconds, `[W]`."""
    links, of_world = _links(worlds)
    return np.array([_CURVES[link][0] for link in links])[of_world]


def mean_total_s(worlds: Worlds, delay_s: Array) -> Array:
    """Mean total delay of Eq. (30) over realisations of the handover delay `[W, N]`, `[W]`."""
    mean = np.empty(len(worlds))
    links, of_world = _links(worlds)
    moves = worlds["moves_while_waiting"][:, np.newaxis]
    waited = np.minimum(delay_s, LONGEST_WAIT_S)
    for i, link in enumerate(links):
        members = of_world == i
        total, own = _CURVES[link][1], waited[members]
        taken = np.where(moves[members], total(own), own + total(np.zeros(1)))
        mean[members] = np.minimum(taken, LONGEST_S).mean(axis=1)
    return mean


def _links(worlds: Worlds) -> tuple[list[Link], NDArray[np.intp]]:
    """The radio links that occur, and which of them each world has; their curves are there."""
    columns = np.stack([worlds[name] for name in LINK], axis=1)
    unique, of_world = np.unique(columns, axis=0, return_inverse=True)
    links = [tuple(link.tolist()) for link in unique]
    new = [link for link in links if link not in _CURVES]
    if new:
        points = [Parameters(**dict(zip(LINK, link, strict=True))) for link in new]
        boundary = np.array([[p.boundary_m] for p in points])
        alone = np.minimum(streaming_at_each_s(points, boundary)[:, 0], LONGEST_S)
        curves = zip(alone.tolist(), TotalDelay.at_each(points, LONGEST_WAIT_S), strict=True)
        _CURVES.update(zip(new, curves, strict=True))
    return links, of_world.reshape(-1)
