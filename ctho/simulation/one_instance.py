"""One handover instance: given by its lists or drawn, and its delays at many lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctho.checks import InputError
from ctho.handover import Handover
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import chunks, handovers_of_chunk
from ctho.solution import delay_at_length

__all__ = ["delay_curves", "delays_at_lengths", "one_handover"]

Array = NDArray[np.float64]


def one_handover(
    parameters: Parameters,
    handover_s: Sequence[float] = (),
    context_tok: Sequence[float] = (),
) -> Handover:
    """The instance that the lists give; if they are empty, the first draw of the seed.

    Raises:
        InputError: one list without the other, or lists that are not an instance.
    """
    p = parameters
    if not len(handover_s) and not len(context_tok):
        drawn = handovers_of_chunk(p, next(iter(chunks(p))))
        handover_s, context_tok = drawn.handover_s[0], drawn.context_tok[0]
    elif not len(handover_s) or not len(context_tok):
        empty = "context_tok" if len(handover_s) else "handover_s"
        raise InputError(empty, [], "a list as long as the other one, or both must be empty")
    return Handover(handover_s, context_tok, p.backhaul_tok_per_s, p.prefill, p.cycle_s)


def delays_at_lengths(handover: Handover, length_tok: Array) -> tuple[Array, Array, Array]:
    """D_pf(L), D*_tx(L) and V(L) of one instance at lengths `[n]`, seconds, each `[n]`."""
    at = delay_at_length(handover.repeated(length_tok.size), length_tok)
    return at.prefill_delay_s, at.transfer_delay_s, at.delay_s


def delay_curves(handover: Handover, points: int = 201) -> pd.DataFrame:
    """D_pf(L), D*_tx(L) and V(L) = max of both for L on a grid over (0, C_max], seconds.

    The first row stands for L -> 0+, where the batch is already waited for.
    """
    longest = float(handover.longest_context_tok)
    lengths = np.linspace(0, longest, points)
    lengths[0] = np.finfo(float).tiny
    solutions = [delay_at_length(handover, length) for length in lengths]
    return pd.DataFrame(
        {
            "prefill_length_tok": np.linspace(0, longest, points),
            "prefill_delay_s": [float(s.prefill_delay_s) for s in solutions],
            "transfer_delay_s": [float(s.transfer_delay_s) for s in solutions],
            "delay_s": [float(s.delay_s) for s in solutions],
        }
    )
