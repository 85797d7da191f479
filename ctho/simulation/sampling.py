"""Seeded draws of handover instances, the same bytes however the work is split.

Realisations come in chunks of fixed size, each with a stream of its own that is spawned
from the one seed. A chunk draws uniform numbers user by user, and the parameters only
rescale them: the points of a sweep and all schemes meet the same randomness, and
K = 4 sees the first four users of K = 12.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctho.handover import Handover
from ctho.mobility import handover_time_s
from ctho.simulation.parameters import Parameters

__all__ = ["Chunk", "chunks", "handovers_of_chunk", "sample_handovers", "unit_draws"]

Array = NDArray[np.float64]

CHUNK_REALISATIONS = 5_000


@dataclass(frozen=True)
class Chunk:
    """A piece of a Monte Carlo run: its place, its stream and its size."""

    stream: np.random.SeedSequence
    realisations: int


def chunks(parameters: Parameters) -> Iterator[Chunk]:
    """Split the realisations of `parameters` into chunks with spawned streams."""
    left = parameters.realisations
    count = -(-left // CHUNK_REALISATIONS)
    for stream in np.random.SeedSequence(parameters.seed).spawn(count):
        size = min(left, CHUNK_REALISATIONS)
        left -= size
        yield Chunk(stream, size)


def unit_draws(chunk: Chunk, num_ues: int) -> tuple[Array, Array]:
    """Uniform numbers in [0, 1) for start positions and contexts, each `[N, K]`."""
    draws = np.random.default_rng(chunk.stream).random((num_ues, 2, chunk.realisations))
    return draws[:, 0].T, draws[:, 1].T


def handovers_of_chunk(parameters: Parameters, chunk: Chunk) -> Handover:
    """The handover instances of one chunk, `[N, K]` (Section IV-A).

    x_i(0) is uniform on [start_min_m, start_max_m]; C_i is uniform on the integers from
    context_min_tok to context_max_tok, both included.
    """
    p = parameters
    start_unit, context_unit = unit_draws(chunk, p.num_ues)
    start = p.start_min_m + (p.start_max_m - p.start_min_m) * start_unit
    sizes = p.context_max_tok - p.context_min_tok + 1
    context = p.context_min_tok + np.floor(sizes * context_unit)
    return Handover(
        handover_time_s(start, p.speed_mps, p.boundary_m),
        context,
        p.backhaul_tok_per_s,
        p.prefill,
        p.cycle_s,
    )


def sample_handovers(parameters: Parameters) -> Handover:
    """All realisations as one batch, `[realisations, K]`."""
    parts = [handovers_of_chunk(parameters, chunk) for chunk in chunks(parameters)]
    return Handover(
        np.concatenate([part.handover_s for part in parts]),
        np.concatenate([part.context_tok for part in parts]),
        parameters.backhaul_tok_per_s,
        parameters.prefill,
        parameters.cycle_s,
    )
