"""Monte Carlo samples of the delays that the paper plots, one value per realisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ctho.handover import Handover
from ctho.schemes import PAPER_SCHEMES, Scheme
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import Chunk, chunks, handovers_of_chunk
from ctho.solver import solve
from ctho.streaming import streaming_delay_s, total_delay_s

__all__ = ["NO_HANDOVER", "delay_samples", "prefill_length_samples", "total_delay_samples"]

Array = NDArray[np.float64]
Samples = dict[str, Array]
Schemes = Sequence[str | Scheme]

NO_HANDOVER = "no-HO"
"""The user stays with the source base station (Section IV-C)."""


def delay_samples(
    parameters: Parameters, schemes: Schemes = PAPER_SCHEMES, jobs: int = 1
) -> Samples:
    """Worst-user handover delay D of Eq. (8) for each realisation and scheme.

    Args:
        parameters: what to simulate.
        schemes: names of :data:`ctho.schemes.SCHEMES`, or schemes of one's own.
        jobs: worker processes of joblib; the numbers do not depend on it.

    Returns:
        Seconds by scheme, each `[realisations]`, all from the same random numbers.
    """
    return _over_chunks(_delay, parameters, schemes, jobs)


def prefill_length_samples(
    parameters: Parameters, schemes: Schemes = ("ctHO",), jobs: int = 1
) -> Samples:
    """Prefill length L of each realisation and scheme, tokens; arguments as above."""
    return _over_chunks(_length, parameters, schemes, jobs)


def total_delay_samples(
    parameters: Parameters,
    schemes: Schemes = (*PAPER_SCHEMES, NO_HANDOVER),
    jobs: int = 1,
) -> Samples:
    """Worst-user total streaming delay max_i D_i(L, r, G) of Eq. (30); arguments as above.

    All users cross the same boundary at the same speed, so tokens reach a user at a rate
    that depends on the time since their crossing alone. Who resumes later ends later, and the
    worst user is the one with the largest handover delay.
    """
    return _over_chunks(_total, parameters, schemes, jobs)


Work = Callable[[Parameters, Chunk, Handover, str | Scheme], Array]
"""What is measured of one scheme on the handovers of a chunk, `[realisations of the chunk]`."""


def _over_chunks(
    work: Work,
    parameters: Parameters,
    schemes: Schemes,
    jobs: int,
) -> Samples:
    if jobs == 1:
        parts = [_chunk(work, parameters, schemes, chunk) for chunk in chunks(parameters)]
    else:
        import joblib  # not needed, and slow to import, for one process

        parts = joblib.Parallel(n_jobs=jobs)(
            joblib.delayed(_chunk)(work, parameters, schemes, chunk) for chunk in chunks(parameters)
        )
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _chunk(
    work: Work,
    parameters: Parameters,
    schemes: Schemes,
    chunk: Chunk,
) -> Samples:
    handovers = handovers_of_chunk(parameters, chunk)
    return {
        scheme if isinstance(scheme, str) else scheme.name: work(
            parameters, chunk, handovers, scheme
        )
        for scheme in schemes
    }


def _delay(p: Parameters, chunk: Chunk, handovers: Handover, scheme: str | Scheme) -> Array:
    return solve(handovers, scheme, p.reading).delay_s


def _length(p: Parameters, chunk: Chunk, handovers: Handover, scheme: str | Scheme) -> Array:
    return solve(handovers, scheme, p.reading).prefill_length_tok


def _total(p: Parameters, chunk: Chunk, handovers: Handover, scheme: str | Scheme) -> Array:
    if scheme == NO_HANDOVER:
        alone = streaming_delay_s(p.radio_link, p.boundary_m, p.speed_mps, p.generated_tok)
        return np.full(chunk.realisations, float(alone))
    worst = solve(handovers, scheme, p.reading).delay_s
    offset = p.boundary_m - p.bs_distance_m
    return total_delay_s(p.radio_link, worst, offset, p.speed_mps, p.generated_tok)
