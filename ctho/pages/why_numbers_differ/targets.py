"""The printed numbers that a variant of the simulation has to meet, and what it makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ctho.pages.claims import Claim, load_claims
from ctho.pages.why_numbers_differ.delays import Draws, delays_s
from ctho.pages.why_numbers_differ.figure4 import at_distance, mean_total_s, no_handover_s
from ctho.pages.why_numbers_differ.worlds import Worlds
from ctho.simulation.parameters import Parameters

__all__ = ["Target", "excess_s", "predictions", "targets"]

Array = NDArray[np.float64]

SMALL_K = 4
SLOPE_DRAWS = 256


@dataclass(frozen=True)
class Target:
    """One printed number.

    Attributes:
        claim_id: its claim in the ledger.
        label: what it is, in a few words.
        x: the point of its figure's axis.
        value: what the printed number stands for.
        tolerance: half the range of values that would be printed so.
        unit: of both.
    """

    claim_id: str
    label: str
    x: float
    value: float
    tolerance: float
    unit: str


LABELS: dict[str, str] = {
    "ctho_at_12_users": "ctHO, K = 12",
    "tho_at_12_users": "tHO, K = 12",
    "cho_at_12_users": "cHO, K = 12",
    "ratio_at_2_gbps": "cHO / ctHO, 2 Gbps",
    "no_ho_best_below_375": "no-HO - ctHO, 375 m",
    "no_ho_excess_at_500": "no-HO - ctHO, 500 m",
}
"""The claims of the ledger that print a number of the simulation at a known point."""


@cache
def targets() -> tuple[Target, ...]:
    """The printed numbers, with what they stand for, in the order of :data:`LABELS`.

    A number "about v" stands for v up to its rounding w; one "more than v" for the middle of
    the range [v, v + w] in which it would be printed so. That no-HO and ctHO are equal at 375 m is
    taken as a difference of 0 there, which every variant has, while some never cross; its
    tolerance is the rounding of 375 m times how fast the difference grows with the distance
    under the printed parameters.
    """
    claims = {claim.id: claim for claim in load_claims()}
    return tuple(_target(claims[claim_id], label) for claim_id, label in LABELS.items())


def predictions(worlds: Worlds, draws: Draws) -> Array:
    """What each world makes of each printed number, `[W, targets]`.

    Args:
        worlds: W variants.
        draws: for as many users as the largest point of Figure 3(d) that is printed, in groups
            of :data:`SMALL_K`.
    """
    *users, slow, near, far = (target.x for target in targets())
    few = draws.first(SMALL_K)
    at_large_k = delays_s(worlds, draws.first(int(users[0])))
    at_slow_rate = delays_s(
        worlds.replace(backhaul_gbps=slow), draws.in_groups(SMALL_K), ("cHO", "ctHO")
    )
    columns = [at_large_k[scheme].mean(axis=1) for scheme in ("ctHO", "tHO", "cHO")]
    columns.append(at_slow_rate["cHO"].mean(axis=1) / at_slow_rate["ctHO"].mean(axis=1))
    columns += [excess_s(worlds, few, distance_m) for distance_m in (near, far)]
    return np.stack(columns, axis=1)


def excess_s(worlds: Worlds, draws: Draws, distance_m: float) -> Array:
    """What no-HO takes longer than ctHO on average, at a distance of Figure 4, seconds, `[W]`."""
    there = at_distance(worlds, distance_m)
    with_handover = mean_total_s(there, delays_s(there, draws, ("ctHO",))["ctHO"])
    return no_handover_s(there) - with_handover


def _target(claim: Claim, label: str) -> Target:
    assert claim.value is not None
    within = claim.given["within"]
    if claim.decide == "best_below":
        draws, null = Draws.of(SLOPE_DRAWS, SMALL_K, seed=0), Worlds.printed(Parameters())
        below, above = (
            float(excess_s(null, draws, claim.value + side)[0]) for side in (-within, within)
        )
        return Target(claim.id, label, claim.value, 0.0, (above - below) / 2, "s")
    x, value = claim.given["at"]["x"], claim.value
    if claim.decide.endswith("_more_than"):
        value, within = value + within / 2, within / 2
    return Target(claim.id, label, x, value, within, claim.unit)
