"""Proposition 3 checked on instances: shape of the delays, the crossing, its neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctho.handover import Handover
from ctho.pages.proposition3.whole_tokens import best_grid_length, grid_cost_bound_s
from ctho.proofs.newton import newton_path
from ctho.proofs.window_program import best_by_linear_program
from ctho.proofs.witness_table import witness_table
from ctho.simulation.one_instance import delays_at_lengths
from ctho.solution import delay_at_length
from ctho.solver import solve

__all__ = ["witness_crossing"]

Array = NDArray[np.float64]

GRID_POINTS = 1001


def witness_crossing(handovers: Sequence[Handover]) -> pd.DataFrame:
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
    beyond = least + np.spacing(least)  # a tie is a violation too
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
        "every shorter length on the grid is worse": float(
            np.max(beyond - delay[grid < length], initial=0.0)
        ),
        "$C_{\\max}$ is not better": least - float(delay[-1]),
        **_grid_violations(handover),
    }


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
