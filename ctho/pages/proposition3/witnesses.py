"""Proposition 3 checked on instances: shape of the delays, the crossing, its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ctho.handover import Handover
from ctho.pages.proposition3.whole_tokens import best_grid_length, grid_cost_bound_s
from ctho.proofs.newton import affine_prefill, newton_path
from ctho.proofs.window_program import best_by_linear_program
from ctho.proofs.witness_table import witness_table
from ctho.simulation.one_instance import delays_at_lengths
from ctho.solver import delay_at_length, solve

__all__ = [
    "TiledPrefill",
    "check_crossing",
    "near_optimum",
    "newton_table",
]

Array = NDArray[np.float64]

GRID_POINTS = 1001

NEWTON_COLUMNS = [
    "step",
    "length_tok",
    "delay_s",
    "users",
    "senders",
    "next_tok",
    "next_delay_s",
]


@dataclass(frozen=True)
class TiledPrefill:
    """A prefill that works in whole tiles, p(L) = tile_s * ceil(L / tile_tok).

    Non-decreasing and continuous from the left, but not continuous: the case in which D_pf
    and D*_tx need not cross.

    >>> TiledPrefill(tile_tok=1, tile_s=1.5).delay_s([0.5, 1, 1.01], 1)
    array([1.5, 1.5, 3. ])
    """

    tile_tok: float
    tile_s: float

    def delay_s(self, length_tok: ArrayLike, num_ues: int) -> Array:
        """p(L), seconds, elementwise."""
        return np.asarray(self.tile_s * np.ceil(np.asarray(length_tok, float) / self.tile_tok))

    def affine(self, num_ues: int) -> None:
        """None: a staircase is not affine."""
        return


def check_crossing(handovers: Sequence[Handover]) -> pd.DataFrame:
    """Every claim of the page on every instance, computed another way where there is one."""
    return witness_table(handovers, _violations)


def _violations(handover: Handover) -> dict[str, float]:
    """By how many seconds each claim is violated; at most 0 where it holds."""
    longest = float(handover.longest_context_tok)
    grid = np.linspace(0, longest, GRID_POINTS)
    prefill, transfer, delay = delays_at_lengths(handover, grid)
    best = solve(handover)
    length, least = float(best.prefill_length_tok), float(best.delay_s)
    path = newton_path(handover)
    reached = path[-1].next_tok if path else 0.0
    at_reached = float(delay_at_length(handover, min(reached, longest)).delay_s)
    spacing = longest / (GRID_POINTS - 1)
    rate = float(handover.backhaul_tok_per_s)
    fall = np.diff(transfer)
    return {
        "$D^{(\\mathrm{pf})}$ does not fall": -float(np.diff(prefill).min()),
        "$D^\\star_{(\\mathrm{tx})}$ falls at least at $1/R$": float(fall.max()) + spacing / rate,
        "and at most at $K/R$": -float(fall.min()) - handover.num_ues * spacing / rate,
        "$D^\\star_{(\\mathrm{tx})}$ is convex": -float(np.diff(fall).min()),
        "no length on a fine grid is better": least - float(delay.min()),
        "the linear program (HiGHS) has the same optimum": abs(
            least - best_by_linear_program(handover).delay_s
        ),
        "Newton's method ends at the same delay": abs(at_reached - least),
        "after at most $K$ steps": float(len(path) > handover.num_ues),
        "every shorter length on the grid is worse": _tie(least, delay[grid < length]),
        "$C_{\\max}$ is not better": least - float(delay[-1]),
        **_grid_violations(handover),
    }


def _tie(least: float, shorter: Array) -> float:
    """0 if every delay is above the least; else how far one is below it, and never 0."""
    if not (shorter <= least).any():
        return 0.0
    return max(least - float(shorter.min()), float(np.spacing(least)))


def _grid_violations(handover: Handover) -> dict[str, float]:
    """Whole tokens: every one of them is tried."""
    every = np.arange(np.ceil(float(handover.longest_context_tok)) + 1)
    delay = delays_at_lengths(handover, every)[2]
    whole = best_grid_length(handover)
    cost = float(whole.delay_s - whole.real_delay_s)
    return {
        "no whole number of tokens beats the two neighbours": float(whole.delay_s - delay.min()),
        "their cost is within its bound": cost - float(whole.cost_bound_s),
        "and that within $aK/(aR+K)$": float(whole.cost_bound_s - grid_cost_bound_s(handover)),
    }


def newton_table(handover: Handover) -> pd.DataFrame:
    """Newton's steps of one instance, one row a step, users counted from 1.

    Returns:
        Columns step, length_tok, delay_s (D*_tx there), users (of the window), senders, next_tok,
        next_delay_s (D_pf there).
    """
    slope, offset = affine_prefill(handover)
    wait = float(handover.batch_wait_s) + offset
    rows = []
    for number, step in enumerate(newton_path(handover), start=1):
        transfer = delays_at_lengths(handover, np.array([step.length_tok]))[1]
        rows.append(
            {
                "step": number,
                "length_tok": step.length_tok,
                "delay_s": float(transfer[0]),
                "users": f"{step.first + 1} to {step.last + 1}",
                "senders": step.senders,
                "next_tok": step.next_tok,
                "next_delay_s": wait + slope * step.next_tok,
            }
        )
    return pd.DataFrame(rows, columns=NEWTON_COLUMNS)


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
