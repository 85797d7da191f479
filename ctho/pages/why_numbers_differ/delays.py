"""Handover delays of many variants of the simulation at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctho.backhaul import backhaul_tok_per_s, lindley_delay_s
from ctho.crossing import affine_crossing
from ctho.handover import batch_start_s
from ctho.pages.why_numbers_differ.worlds import Worlds

__all__ = ["Draws", "delays_s"]

Array = NDArray[np.float64]

BISECTIONS = 10
"""Halves the range of the prefill length to a few tokens, on which both delays are straight lines
unless they bend just there."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Numbers in [0, 1) for the starts and contexts of K users, each `[K, N]`.

    A Latin hypercube: each user's N starts, and his N contexts, fall one into each Nth of the
    range. Means over it are far closer to the expectation than over independent draws, and
    every hypothesis meets the same.
    """

    start_unit: Array
    context_unit: Array

    @classmethod
    def of(cls, realisations: int, num_ues: int, seed: int) -> Draws:
        """`realisations` draws for `num_ues` users."""
        rng = np.random.default_rng(seed)
        strata = np.tile(np.arange(realisations), (2 * num_ues, 1))
        unit = (rng.permuted(strata, axis=1) + rng.random(strata.shape)) / realisations
        return cls(unit[:num_ues], unit[num_ues:])

    def first(self, num_ues: int) -> Draws:
        """Of the first users alone."""
        return Draws(self.start_unit[:num_ues], self.context_unit[:num_ues])

    def in_groups(self, num_ues: int) -> Draws:
        """Groups of `num_ues` users as instances of their own, K / `num_ues` times as many."""
        return Draws(
            *(
                np.concatenate(np.split(unit, unit.shape[0] // num_ues), axis=1)
                for unit in (self.start_unit, self.context_unit)
            )
        )


def delays_s(worlds: Worlds, draws: Draws) -> dict[str, Array]:
    """Worst-user handover delay of each scheme in each world, seconds, `[W, N]`.

    The solver's own crossing runs on all worlds at once, each with its slope and wait. K is that
    of the draws.
    """
    delay = {name: np.empty((len(worlds), draws.start_unit.shape[1])) for name in _SCHEMES}
    for link_idles in (True, False):
        for early_leave in (False, True):
            exact = worlds["transfer"] == "exact"
            members = (exact == link_idles) & (worlds["early_leave_batch"] == early_leave)
            if members.any():
                found = _delays_s(worlds.take(members), draws, link_idles, early_leave)
                for name, values in zip(_SCHEMES, found, strict=True):
                    delay[name][members] = values
    return delay


_SCHEMES = ("ctHO", "tHO", "cHO")


def _delays_s(
    worlds: Worlds, draws: Draws, link_idles: bool, early_leave: bool
) -> tuple[Array, Array, Array]:
    def column(name: str) -> Array:
        return worlds[name][:, np.newaxis]

    num_ues = draws.start_unit.shape[0]
    rate = backhaul_tok_per_s(column("backhaul_gbps"), column("kv_bits_per_tok"))
    rate = rate * column("rate_factor")
    slope = column("prefill_s_per_tok") * num_ues ** column("batch_exponent")
    low, high = (end[:, np.newaxis] for end in worlds.context_range_tok())
    longest = column("context_max_tok")
    near, far = np.sort([column("start_min_m"), column("start_max_m")], axis=0)

    # Who starts ahead is handed over first, in every world.
    order = np.argsort(-draws.start_unit, axis=0)
    start_unit, context_unit = (
        np.take_along_axis(unit, order, axis=0)[:, np.newaxis]
        for unit in (draws.start_unit, draws.context_unit)
    )
    way = column("boundary_m") - near
    tau = (way - (far - near) * start_unit) / column("speed_mps")  # [K, W, N]
    context = np.minimum(low + (high - low) * context_unit, longest)
    gap = np.diff(tau, axis=0, prepend=tau[:1])
    service = context / rate
    start = batch_start_s(tau[-1], column("cycle_s"))
    wait = start - tau[0] + column("prefill_offset_s")

    padded = np.where(column("tho_length") == "context_max", longest, context.max(axis=0))
    tho = wait + slope * padded
    cho = lindley_delay_s(_flat(gap), _flat(service), link_idles=link_idles).max(axis=0)
    cho = np.maximum(cho.reshape(wait.shape), 0.0)
    if early_leave:
        ctho = _early_leave_s(tau, gap, service, start, wait, slope * rate)
    else:
        everywhere = np.broadcast_to(slope * rate, wait.shape)
        length = affine_crossing(
            _flat(gap), _flat(service), wait.ravel(), everywhere.ravel(), link_idles=link_idles
        ).reshape(wait.shape)
        ctho = np.where(length > 0, wait + slope * rate * length, cho)
    waits = column("zero_length") == "waits_for_batch"
    cho = np.where(waits, np.maximum(cho, wait), cho)
    ctho = np.where(waits, np.maximum(ctho, wait), ctho)
    added = column("added_s")
    return ctho + added, tho + added, cho + added


def _early_leave_s(
    tau: Array, gap: Array, service: Array, start: Array, wait: Array, slope: Array
) -> Array:
    """Delay of ctHO where those with their whole cache by t_s are not in the batch, `[W, N]`."""
    shape, num_ues = wait.shape, tau.shape[0]
    delay = lindley_delay_s(_flat(gap), _flat(service)).reshape(num_ues, *shape)
    early = tau + delay <= start
    first = np.where(early, np.inf, tau).min(axis=0)
    # With nobody left there is no batch to wait for, and the length that is found says nothing.
    nobody = np.isinf(first)
    wait = wait + tau[0] - np.where(nobody, tau[0], first)
    floor = np.where(early, delay, 0.0).max(axis=0)

    def transfer(length: Array) -> Array:
        work = np.where(early, service, np.maximum(service - length, 0.0))
        return lindley_delay_s(_flat(gap), _flat(work)).max(axis=0).reshape(shape)

    low, high = np.zeros(shape), service.max(axis=0)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        short = wait + slope * middle < transfer(middle)
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    ahead, behind = (transfer(end) - wait - slope * end for end in (low, high))
    length = low + (high - low) * np.clip(ahead / (ahead - behind), 0.0, 1.0)
    crossing = np.maximum(np.maximum(wait + slope * length, transfer(length)), floor)
    crossing = np.where(nobody, np.inf, crossing)
    return np.minimum(crossing, delay.max(axis=0))


def _flat(values: Array) -> Array:
    return values.reshape(values.shape[0], -1)
