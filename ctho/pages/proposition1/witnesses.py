"""Proposition 1 on many instances: the stepwise optimum against the joint one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ctho.handover import Handover
from ctho.pages.proposition1.joint import random_pair_delays_s
from ctho.proofs.rate_program import joint_optimum_by_rates
from ctho.proofs.witness_table import gap_s, witness_table
from ctho.solver import solve

__all__ = ["check_proposition1"]

PAIRS = 50
"""Pairs (L, r) that are tried against the optimum of an instance."""


def check_proposition1(handovers: Sequence[Handover], rng: np.random.Generator) -> pd.DataFrame:
    """Stepwise against joint optimum, and Eq. (13) link by link on random pairs (L, r)."""
    return witness_table(handovers, lambda h: _proposition1(h, rng))


def _proposition1(h: Handover, rng: np.random.Generator) -> dict[str, float]:
    best = solve(h)
    pair, value = random_pair_delays_s(rng, h, PAIRS)
    return {
        "joint optimum over $(L, r)$ by linear program (HiGHS)": abs(
            float(best.delay_s) - joint_optimum_by_rates(h).delay_s
        ),
        "$V(L^\\star)$ is attained by the pair $(L^\\star, r^\\star)$": gap_s(
            best.per_user_delay_s.max(), best.delay_s
        ),
        f"$V(L) \\le D(L, r)$ for {PAIRS} random pairs each": float((value - pair).max()),
        "$V(L^\\star) \\le V(L)$ for their lengths": float((best.delay_s - value).max()),
    }
