"""Total streaming delays of Figure 4 in many variants of the simulation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.pages.why_numbers_differ.worlds import Worlds
from ctho.simulation.parameters import Parameters
from ctho.streaming import streaming_delay_s

__all__ = ["LONGEST_S", "at_distance", "mean_total_s", "no_handover_s"]

Array = NDArray[np.float64]
Link = tuple[float, ...]

LINK = ("speed_mps", "bandwidth_hz", "boundary_m", "bs_distance_m")
"""What a world can change of the curve from handover delay to total delay."""

DEGREE = 24
LONGEST_WAIT_S = 6.0
"""The curves are polynomials of this degree on handover delays up to this one."""

LONGEST_S = 60.0
"""A delay beyond this is as wrong as this one; fits need finite numbers."""


class _Curve(NamedTuple):
    alone_s: float
    total_s: np.polynomial.Chebyshev


_CURVES: dict[Link, _Curve] = {}
"""Curves that have been needed: worlds share them, and a root search each would take long."""


def at_distance(worlds: Worlds, distance_m: ArrayLike) -> Worlds:
    """The worlds at distances D_bs, the boundary where each world has it."""
    fixed = worlds["fig4_boundary"] == "fixed"
    middle = np.where(fixed, worlds["boundary_m"], np.asarray(distance_m, float) / 2)
    return worlds.replace(bs_distance_m=distance_m, boundary_m=middle)


def no_handover_s(worlds: Worlds) -> Array:
    """Streaming delay of a user who stays with the source base station, seconds, `[W]`."""
    links, of_world = _links(worlds)
    return np.array([_CURVES[link].alone_s for link in links])[of_world]


def mean_total_s(worlds: Worlds, delay_s: Array) -> Array:
    """Mean total delay of Eq. (30) over realisations of the handover delay `[W, N]`, `[W]`."""
    mean = np.empty(len(worlds))
    links, of_world = _links(worlds)
    moving = worlds["moves_while_waiting"][:, np.newaxis]
    waited = np.minimum(delay_s, LONGEST_WAIT_S)
    for i, link in enumerate(links):
        members = of_world == i
        total, own = _CURVES[link].total_s, waited[members]
        taken = np.where(moving[members], total(own), own + total(0.0))
        mean[members] = taken.mean(axis=1)
    return mean


def _links(worlds: Worlds) -> tuple[list[Link], NDArray[np.intp]]:
    """The radio links that occur, and which of them each world has; their curves are there."""
    columns = np.stack([worlds[name] for name in LINK], axis=1)
    unique, of_world = np.unique(columns, axis=0, return_inverse=True)
    links = [tuple(link.tolist()) for link in unique]
    new = [link for link in links if link not in _CURVES]
    if new:
        _CURVES.update(zip(new, _curves(np.array(new)), strict=True))
    return links, of_world.reshape(-1)


def _curves(links: Array) -> list[_Curve]:
    """Curves of many links from one root search, `[links, 4]`."""
    p = Parameters()
    speed, bandwidth, boundary, distance = (column[:, np.newaxis] for column in links.T)
    # Tokens over W / s_tok are all that counts, so a wider band is fewer tokens.
    tokens = p.generated_tok * p.bandwidth_hz / bandwidth
    nodes = LONGEST_WAIT_S / 2 * (1 + np.polynomial.chebyshev.chebpts1(DEGREE + 1))
    resumed_at = boundary - distance + speed * nodes
    total = nodes + streaming_delay_s(p.radio_link, resumed_at, speed, tokens)
    alone = streaming_delay_s(p.radio_link, boundary, speed, tokens)[:, 0]
    # A user who moves away for good never gets all his tokens.
    lost = ~np.isfinite(total).all(axis=1)
    total[lost] = LONGEST_S
    domain = [0.0, LONGEST_WAIT_S]
    return [
        _Curve(
            min(float(own), LONGEST_S),
            np.polynomial.Chebyshev.fit(nodes, values, DEGREE, domain=domain),
        )
        for own, values in zip(alone, total, strict=True)
    ]
