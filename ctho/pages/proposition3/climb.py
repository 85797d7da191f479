"""Newton's climb to the crossing of Proposition 3, and V(L) around the optimum, as tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ctho.handover import Handover
from ctho.proofs.newton import affine_prefill, newton_path
from ctho.simulation.one_instance import delays_at_lengths
from ctho.solver import solve

__all__ = ["near_optimum", "newton_table"]


def newton_table(handover: Handover) -> pd.DataFrame:
    """Newton's steps of one instance, one row a step; steps and users are counted from 1.

    Returns:
        Columns step, length_tok, delay_s (D*_tx there), first and last (users of the window),
        senders, next_tok, next_delay_s (D_pf there); no row where there is no step.
    """
    slope, offset = affine_prefill(handover)
    wait = float(handover.batch_wait_s) + offset
    path = newton_path(handover)
    lengths = np.array([step.length_tok for step in path])
    ends = np.array([step.next_tok for step in path])
    return pd.DataFrame(
        {
            "step": np.arange(1, len(path) + 1),
            "length_tok": lengths,
            "delay_s": delays_at_lengths(handover, lengths)[1],
            "first": [step.first + 1 for step in path],
            "last": [step.last + 1 for step in path],
            "senders": [step.senders for step in path],
            "next_tok": ends,
            "next_delay_s": wait + slope * ends,
        }
    )


def near_optimum(handover: Handover, step_tok: float, steps: int = 3) -> pd.DataFrame:
    """V(L) around L*: densely, and at the multiples of `step_tok` (column on_grid).

    Returns:
        Columns prefill_length_tok, delay_s, on_grid.
    """
    length = float(solve(handover).prefill_length_tok)
    nearest = np.floor(length / step_tok)
    grid = np.arange(max(nearest - steps + 1, 0), nearest + steps + 1) * step_tok
    dense = np.linspace(grid[0], grid[-1], 401)
    # The jump at 0 is a point of its own.
    dense = np.unique(np.append(dense[dense > 0], length if length > 0 else dense[1]))
    lengths = np.concatenate([dense, grid])
    return pd.DataFrame(
        {
            "prefill_length_tok": lengths,
            "delay_s": delays_at_lengths(handover, lengths)[2],
            "on_grid": np.arange(lengths.size) >= dense.size,
        }
    )
