"""Monte Carlo samples of the delays that the paper plots, one value per realisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import Chunk, chunks, handovers_of_chunk
from ctho.solver import SCHEMES, solve
from ctho.streaming import streaming_delay_s, total_delay_s

__all__ = ["NO_HANDOVER", "delay_samples", "prefill_length_samples", "total_delay_samples"]

Samples = dict[str, NDArray[np.float64]]

NO_HANDOVER = "no-HO"
"""The user stays with the source base station (Section IV-C)."""


def delay_samples(
    parameters: Parameters, schemes: Sequence[str] = tuple(SCHEMES), jobs: int = 1
) -> Samples:
    """Worst-user handover delay D of Eq. (8) for each realisation and scheme.

    Args:
        parameters: what to simulate.
        schemes: names of :data:`ctho.solver.SCHEMES`.
        jobs: worker processes of joblib; the numbers do not depend on it.

    Returns:
        Seconds by scheme, each `[realisations]`, all from the same random numbers.
    """
    return _over_chunks(_delays_of_chunk, parameters, schemes, jobs)


def prefill_length_samples(
    parameters: Parameters, schemes: Sequence[str] = ("ctHO",), jobs: int = 1
) -> Samples:
    """Prefill length L of each realisation and scheme, tokens; arguments as above."""
    return _over_chunks(_lengths_of_chunk, parameters, schemes, jobs)


def total_delay_samples(
    parameters: Parameters,
    schemes: Sequence[str] = (*SCHEMES, NO_HANDOVER),
    jobs: int = 1,
) -> Samples:
    """Worst-user total streaming delay max_i D_i(L, r, G) of Eq. (30); arguments as above.

    All users cross the same boundary at the same speed, so tokens reach a user at a rate
    that depends on the time since his crossing alone. Who resumes later ends later, and the
    worst user is the one with the largest handover delay.
    """
    return _over_chunks(_totals_of_chunk, parameters, schemes, jobs)


def _over_chunks(
    work: Callable[[Parameters, Sequence[str], Chunk], Samples],
    parameters: Parameters,
    schemes: Sequence[str],
    jobs: int,
) -> Samples:
    if jobs == 1:
        parts = [work(parameters, schemes, chunk) for chunk in chunks(parameters)]
    else:
        import joblib  # not needed, and slow to import, for one process

        parts = joblib.Parallel(n_jobs=jobs)(
            joblib.delayed(work)(parameters, schemes, chunk) for chunk in chunks(parameters)
        )
    return {scheme: np.concatenate([part[scheme] for part in parts]) for scheme in schemes}


def _delays_of_chunk(parameters: Parameters, schemes: Sequence[str], chunk: Chunk) -> Samples:
    handovers = handovers_of_chunk(parameters, chunk)
    return {scheme: solve(handovers, scheme, parameters.reading).delay_s for scheme in schemes}


def _lengths_of_chunk(parameters: Parameters, schemes: Sequence[str], chunk: Chunk) -> Samples:
    handovers = handovers_of_chunk(parameters, chunk)
    return {
        scheme: solve(handovers, scheme, parameters.reading).prefill_length_tok
        for scheme in schemes
    }


def _totals_of_chunk(parameters: Parameters, schemes: Sequence[str], chunk: Chunk) -> Samples:
    p = parameters
    handovers = handovers_of_chunk(p, chunk)
    samples: Samples = {}
    for scheme in schemes:
        if scheme == NO_HANDOVER:
            alone = streaming_delay_s(p.radio_link, p.boundary_m, p.speed_mps, p.generated_tok)
            samples[scheme] = np.full(chunk.realisations, float(alone))
        else:
            worst = solve(handovers, scheme, p.reading).delay_s
            offset = p.boundary_m - p.bs_distance_m
            samples[scheme] = total_delay_s(
                p.radio_link, worst, offset, p.speed_mps, p.generated_tok
            )
    return samples
