"""Decisions on the propositions, against linear programs that share no code with the solver."""

from __future__ import annotations

import numpy as np

from ctho.backhaul import transfer_delay_s
from ctho.handover import Handover, transferred_tok
from ctho.pages.claims.evidence import Evidence, point_name
from ctho.pages.claims.open_points import OpenPoints
from ctho.pages.claims.verdicts import Finding, verdict_where
from ctho.proofs.instances import random_handovers, time_scale_s
from ctho.proofs.window_program import best_by_linear_program, schedule_exists
from ctho.simulation.statistics import Estimate, mean_estimate
from ctho.solution import Reading
from ctho.solver import solve

__all__ = ["equation_is_minimum", "length_is_optimal", "policy_is_optimal"]

LP_TOLERANCE = 1e-6
"""HiGHS ends within 1e-7 of feasibility; deviations are shares of the instance's time scale."""

ROUNDING_RTOL = 1e-9

INSTANCE_SEED = 18
"""The instances are test cases, not a sample: they do not change with the seed of the study."""


def _instances(count: int) -> list[Handover]:
    return random_handovers(np.random.default_rng(INSTANCE_SEED), count)


def length_is_optimal(evidence: Evidence, *, instances: int) -> Finding:
    """The two-stage solution has the value of the linear program of the whole problem.

    The program skips the batch at L = 0, so the reading of L = 0 plays no part here.
    """
    reading = Reading(transfer=evidence.reading.transfer)

    def largest_deviation() -> float:
        return max(
            abs(float(solve(h, "ctHO", reading).delay_s) - best_by_linear_program(h).delay_s)
            / float(time_scale_s(h))
            for h in _instances(instances)
        )

    worst = evidence.once(("optimal", instances, reading), largest_deviation)
    verdict = verdict_where(worst <= LP_TOLERANCE)
    where = f"largest deviation from the program in {instances} instances, as a share of their time"
    return Finding(verdict, Estimate(worst, worst, worst), "", where)


def equation_is_minimum(evidence: Evidence, *, figure: str, x: float, scheme: str) -> Finding:
    """Eq. (18) as printed gives the least transfer delay; one instance above it refutes this."""
    exact, printed = (
        evidence.under(OpenPoints(transfer=form)).samples(figure, x, scheme)
        for form in ("exact", "printed")
    )
    too_low = printed < exact * (1 - ROUNDING_RTOL)
    verdict = verdict_where(not too_low.any())
    where = f"share of realisations in which it is too low for {scheme} at {point_name(figure, x)}"
    return Finding(verdict, mean_estimate(too_low.astype(float)), "", where)


def policy_is_optimal(evidence: Evidence, *, instances: int, shortened: float) -> Finding:
    """The one-user-at-a-time policy meets its deadline, and no rates meet one a little earlier."""

    def share_optimal() -> float:
        return float(np.mean([_policy_is_optimal(h, shortened) for h in _instances(instances)]))

    share = evidence.once(("policy", instances, shortened), share_optimal)
    where = f"share of {instances} instances in which no rates are faster"
    return Finding(verdict_where(share == 1), Estimate(share, share, share), "", where)


def _policy_is_optimal(handover: Handover, shortened: float) -> bool:
    length = float(solve(handover).prefill_length_tok) / 2  # below L*, so that much is transferred
    left = transferred_tok(handover.context_tok, length)
    delay = float(transfer_delay_s(handover.handover_s, left, handover.backhaul_tok_per_s).max())
    in_time = schedule_exists(handover, delay * (1 + ROUNDING_RTOL), length)
    earlier = schedule_exists(handover, delay * (1 - shortened), length)
    return in_time and not earlier
