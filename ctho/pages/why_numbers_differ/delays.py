"""Handover delays of many variants of the simulation at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ctho.backhaul import backhaul_tok_per_s, lindley_delay_s
from ctho.crossing import affine_crossing
from ctho.handover import Handover
from ctho.pages.why_numbers_differ.worlds import Worlds
from ctho.prefill import AffinePrefill
from ctho.schemes import PAPER_SCHEMES
from ctho.solution import Reading, delay_at_length
from ctho.solver import solve

__all__ = ["Draws", "delays_s", "early_leave_s"]

Array = NDArray[np.float64]

CELLS = 1 << 17
"""Users times instances times worlds solved together, which keeps a column in the cache."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Numbers in [0, 1) for the starts and contexts of K users, `[2, K, N]`.

    A Latin hypercube: each user's N starts, and their N contexts, fall one into each Nth of the
    range. Means over it are far closer to the expectation than over independent draws, and
    every hypothesis meets the same.
    """

    unit: Array

    @classmethod
    def of(cls, realisations: int, num_ues: int, seed: int) -> Draws:
        """`realisations` draws for `num_ues` users."""
        rng = np.random.default_rng(seed)
        strata = np.tile(np.arange(realisations), (2 * num_ues, 1))
        unit = (rng.permuted(strata, axis=1) + rng.random(strata.shape)) / realisations
        return cls(unit.reshape(2, num_ues, realisations))

    def first(self, num_ues: int) -> Draws:
        """Of the first users alone."""
        return Draws(self.unit[:, :num_ues])

    def in_groups(self, num_ues: int) -> Draws:
        """Groups of `num_ues` users as instances of their own, K / `num_ues` times as many."""
        groups = np.split(self.unit, self.unit.shape[1] // num_ues, axis=1)
        return Draws(np.concatenate(groups, axis=2))


def delays_s(
    worlds: Worlds, draws: Draws, schemes: Sequence[str] = PAPER_SCHEMES
) -> dict[str, Array]:
    """Worst-user handover delay of each scheme in each world, seconds, `[W, N]`.

    The worlds that are read alike are batches of the solver. K is that of the draws.
    """
    _, num_ues, count = draws.unit.shape
    delay = {scheme: np.empty((len(worlds), count)) for scheme in schemes}
    at_once = max(1, CELLS // (num_ues * count))
    readings = product(("exact", "printed"), ("skips_batch", "waits_for_batch"), (False, True))
    for transfer, zero_length, early_leave in readings:
        alike = np.flatnonzero(
            (worlds["transfer"] == transfer)
            & (worlds["zero_length"] == zero_length)
            & (worlds["early_leave_batch"] == early_leave)
        )
        for begin in range(0, alike.size, at_once):
            rows = alike[begin : begin + at_once]
            members = worlds.take(rows)
            handovers = _handovers(members, draws)
            for scheme in schemes:
                found = _delay_s(members, handovers, scheme, Reading(transfer, zero_length))
                delay[scheme][rows] = found + members["added_s"][:, np.newaxis]
    return delay


def _delay_s(worlds: Worlds, handovers: Handover, scheme: str, reading: Reading) -> Array:
    """Delays of worlds that are read alike, seconds, `[W, N]`."""
    if scheme == "tHO":
        pads = (worlds["tho_length"] == "context_max")[:, np.newaxis]
        longest_possible = worlds["context_max_tok"][:, np.newaxis]
        length = np.where(pads, longest_possible, handovers.longest_context_tok)
        return delay_at_length(handovers, length, scheme, reading).delay_s
    if scheme == "ctHO" and worlds["early_leave_batch"][0]:
        at_zero = delay_at_length(handovers, 0.0, scheme, reading)
        return np.maximum(early_leave_s(handovers), at_zero.prefill_delay_s)
    return solve(handovers, scheme, reading).delay_s


def early_leave_s(handovers: Handover) -> Array:
    """Delay of ctHO where who has the whole cache by t_s at L = 0 is not in the batch, `[...]`.

    They still use the link, and the prefill delay counts from the first of the others.
    """
    users, start = handovers.release_order, handovers.batch_start_s.reshape(-1)
    affine = handovers.prefill.affine(handovers.num_ues)
    assert affine is not None  # no change takes that away
    slope, offset = (np.reshape(value, -1) for value in affine)
    delay = lindley_delay_s(users.gap, users.service)
    early = users.handover_s + delay <= start
    # Work that no length changes is the same as a gap shorter by it before the next user.
    gap = users.gap.copy()
    gap[1:] -= np.where(early, users.service, 0.0)[:-1]
    service = np.where(early, 0.0, users.service)
    first = np.where(early, np.inf, users.handover_s).min(axis=0)
    nobody = np.isinf(first)
    wait = start - np.where(nobody, start, first) + offset
    length_s = affine_crossing(gap, service, wait, slope * users.rate)
    served_s = np.where(early, delay, 0.0).max(axis=0)
    with_batch = np.maximum(wait + slope * users.rate * length_s, served_s)
    without = delay.max(axis=0)
    best = np.where(nobody, without, np.minimum(with_batch, without))
    return best.reshape(handovers.batch_shape)


def _handovers(worlds: Worlds, draws: Draws) -> Handover:
    """The instances of every world, `[W, N, K]`, laid out in memory as the solver works."""
    start, context = draws.unit[:, :, np.newaxis]  # each [K, 1, N]
    num_ues, _, count = start.shape

    def each(values: Array) -> Array:
        return np.broadcast_to(values[:, np.newaxis], (len(worlds), count))

    near, far = np.sort([worlds["start_min_m"], worlds["start_max_m"]], axis=0)
    left_m = each(worlds["boundary_m"] - near) - each(far - near) * start
    low, high = (each(end) for end in worlds.context_range_tok())
    # Half a token below the shortest context of 1 there is none.
    context_tok = np.clip(low + (high - low) * context, 1.0, each(worlds["context_max_tok"]))
    rate = backhaul_tok_per_s(worlds["backhaul_gbps"], worlds["kv_bits_per_tok"])
    slope = worlds["prefill_s_per_tok"] * num_ues ** worlds["batch_exponent"]
    return Handover(
        np.moveaxis(left_m / each(worlds["speed_mps"]), 0, -1),
        np.moveaxis(context_tok, 0, -1),
        each(rate * worlds["rate_factor"]),
        AffinePrefill(each(slope), each(worlds["prefill_offset_s"])),
        each(worlds["cycle_s"]),
    )
