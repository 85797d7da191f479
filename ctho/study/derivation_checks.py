"""The claims of the derivation pages, each checked on many instances in an independent way.

Every function returns one row per claim: claim (Markdown), instances, worst. The last is the
largest deviation, or the largest violation of an inequality (0 if there is none), as
a part of the instance's own time scale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctho.backhaul import minimum_transfer_delay_s, printed_transfer_bound_s, transfer_delay_s
from ctho.handover import Handover, prefilled_tok, transferred_tok
from ctho.prefill import AffinePrefill
from ctho.schedule import check_schedule, rate_schedule
from ctho.solver import delay_at_length, solve
from ctho.study.instances import time_scale_s
from ctho.study.joint import random_pair_delays_s
from ctho.study.rate_program import joint_optimum_by_rates, least_transfer_delay_by_rates
from ctho.study.service_orders import ORDERS, Service, deadline_order_s, serve, serve_by_priority
from ctho.study.transfer_windows import horizontal_deviation_s, subset_bound_s, window_table

__all__ = ["check_model", "check_proposition1", "check_proposition2", "check_rate_schedule"]

Array = NDArray[np.float64]

PAIRS = 50
"""Pairs (L, r) that are tried against the optimum of an instance."""


def check_model(handovers: Sequence[Handover], rng: np.random.Generator) -> pd.DataFrame:
    """Eqs. (1) to (10) on every instance, at a random length each."""
    return _table(handovers, lambda h: _model(h, rng))


def check_proposition1(handovers: Sequence[Handover], rng: np.random.Generator) -> pd.DataFrame:
    """Stepwise against joint optimum, and Eq. (13) link by link on random pairs (L, r)."""
    return _table(handovers, lambda h: _proposition1(h, rng))


def check_proposition2(handovers: Sequence[Handover], rng: np.random.Generator) -> pd.DataFrame:
    """The minimum transfer delay computed in six ways, at a random length an instance."""
    return _table(handovers, lambda h: _proposition2(h, rng))


def check_rate_schedule(handovers: Sequence[Handover], rng: np.random.Generator) -> pd.DataFrame:
    """Eqs. (23) to (25), feasibility, optimality and the other orders, at a random length each."""
    return _table(handovers, lambda h: _rate_schedule(h, rng))


def _table(
    handovers: Sequence[Handover], violations: Callable[[Handover], dict[str, float]]
) -> pd.DataFrame:
    worst: dict[str, list[float]] = {}
    for handover in handovers:
        scale = float(time_scale_s(handover))
        for claim, seconds in violations(handover).items():
            worst.setdefault(claim, []).append(max(float(seconds), 0.0) / scale)
    rows = [(claim, len(values), max(values)) for claim, values in worst.items()]
    return pd.DataFrame(rows, columns=["claim", "instances", "worst"])


def _model(h: Handover, rng: np.random.Generator) -> dict[str, float]:
    tau, context, rate = h.handover_s, h.context_tok, float(h.backhaul_tok_per_s)
    length = _random_length(h, rng)
    at = delay_at_length(h, length)
    split = prefilled_tok(context, length) + transferred_tok(context, length) - context
    # Eq. (10) to the letter: rates added up until a user has all his tokens.
    service = serve(tau, at.remaining_tok, rate, "first come first served")
    done = _completion_by_integral_s(service, tau, at.remaining_tok)
    wait = float(h.batch_start_s) - float(tau.max())
    shuffle = rng.permutation(h.num_ues)
    mixed = solve(Handover(tau[shuffle], context[shuffle], rate, h.prefill, h.cycle_s))
    best = solve(h)
    return {
        "the split adds up, Eqs. (2), (3)": float(np.abs(split).max()) / rate,
        "completion by adding up the rates, Eq. (10)": _gap(
            done - tau, transfer_delay_s(tau, at.remaining_tok, rate)
        ),
        "worst user of Eqs. (5) to (8) is the larger of the two worst delays, Eq. (16)": _gap(
            at.per_user_delay_s.max(), at.delay_s
        ),
        "the batch starts at or after $\\tau_K$, within one cycle, Eq. (9)": max(
            -wait, wait - h.cycle_s
        ),
        "the order in which users are listed plays no part, Eq. (1)": _gap(
            mixed.delay_s, best.delay_s
        ),
        **_rescaled(h, rng),
    }


def _rescaled(h: Handover, rng: np.random.Generator) -> dict[str, float]:
    """What rescaled seconds or tokens change, at L* and at the batch start of the instance."""
    tau, context, rate = h.handover_s, h.context_tok, float(h.backhaul_tok_per_s)
    slope, offset = h.prefill.affine(h.num_ues) or (0.0, 0.0)
    factor = float(2.0 ** rng.integers(-4, 5))  # a power of 2 leaves every rounding as it was
    best = solve(h)
    slower = solve(
        Handover(
            tau * factor,
            context,
            rate / factor,
            AffinePrefill(slope * factor, offset * factor),
            h.cycle_s * factor,
        )
    )
    factor_tok = float(2.0 ** rng.integers(0, 5))  # contexts stay at least one token
    longer = solve(
        Handover(
            tau,
            context * factor_tok,
            rate * factor_tok,
            AffinePrefill(slope / factor_tok, offset),
            h.cycle_s,
        )
    )
    return {
        "slower clock, same optimum": _gap(slower.delay_s / factor, best.delay_s)
        + _gap(slower.prefill_length_tok, best.prefill_length_tok) / rate,
        "finer tokens, same optimum": _gap(longer.delay_s, best.delay_s)
        + _gap(longer.prefill_length_tok / factor_tok, best.prefill_length_tok) / rate,
    }


def _proposition1(h: Handover, rng: np.random.Generator) -> dict[str, float]:
    best = solve(h)
    pair, value = random_pair_delays_s(rng, h, PAIRS)
    return {
        "joint optimum over $(L, r)$ by linear program (HiGHS)": abs(
            float(best.delay_s) - joint_optimum_by_rates(h).delay_s
        ),
        "$V(L^\\star)$ is attained by the pair $(L^\\star, r^\\star)$": _gap(
            best.per_user_delay_s.max(), best.delay_s
        ),
        f"$V(L) \\le D(L, r)$ for {PAIRS} random pairs each": float((value - pair).max()),
        "$V(L^\\star) \\le V(L)$ for their lengths": float((best.delay_s - value).max()),
    }


def _proposition2(h: Handover, rng: np.random.Generator) -> dict[str, float]:
    tau, rate = h.handover_s, float(h.backhaul_tok_per_s)
    length = _random_length(h, rng)
    tokens = transferred_tok(h.context_tok, length)
    link = (tau, tokens, rate)
    value = float(minimum_transfer_delay_s(*link))
    printed = float(printed_transfer_bound_s(*link))
    table = window_table(*link)
    by_deadline = serve_by_priority(*link, deadline_order_s(tau, value))
    users = np.sort(tau) + table.user_delay_s
    with_idle = tau.min() + np.cumsum(tokens[np.argsort(tau, kind="stable")]) / rate + table.idle_s
    last = int(np.flatnonzero(table.user_delay_s >= table.user_delay_s.max())[0])
    return {
        "least delay by linear program over the rates (HiGHS)": abs(
            value - least_transfer_delay_by_rates(h, length)
        ),
        "earliest deadline first, simulated event by event": abs(
            value - float(by_deadline.worst_delay_s)
        ),
        "largest of all windows $(j, k)$": abs(value - table.exact_s),
        "Carlier's bound over all sets of users": abs(value - subset_bound_s(*link)),
        "horizontal deviation of network calculus": abs(value - horizontal_deviation_s(*link)),
        "Eq. (18) as printed is never above": printed - value,
        "$T_k = \\tau_1 + S_k/R + I_k$": _gap(users, with_idle),
        "Eq. (18) misses at most $I_k$ of a worst user": value - printed - table.idle_s[last],
        "Eq. (18) is exact where, and only where, a worst user is done before the link idles": (
            time_scale_s(h) if table.worst_before_idle != table.printed_is_exact else 0.0
        ),
    }


def _rate_schedule(h: Handover, rng: np.random.Generator) -> dict[str, float]:
    tau, rate = h.handover_s, float(h.backhaul_tok_per_s)
    length = _random_length(h, rng)
    tokens = transferred_tok(h.context_tok, length)
    link = (tau, tokens, rate)
    schedule = rate_schedule(*link)
    check_schedule(schedule, *link)  # raises where a constraint of the problem is broken
    value = float(minimum_transfer_delay_s(*link))
    by_deadline = serve_by_priority(*link, deadline_order_s(tau, value))
    end = np.full(h.num_ues, -np.inf)
    np.maximum.at(end, schedule.user, schedule.end_s)
    worst = float(np.max(end - tau, initial=0.0, where=np.isfinite(end)))
    others = {order: serve(*link, order) for order in ORDERS}
    over = [float(service.end_s.max(initial=tau.min())) for service in others.values()]
    return {
        "earliest deadline first (Eqs. 23 to 25) is first come first served": _gap(
            by_deadline.delay_s, transfer_delay_s(*link)
        ),
        "and serves each user in one piece": float(_pieces(by_deadline) - 1) * value,
        "every deadline $d_i = \\tau_i + D^\\star$ is met": worst - value,
        "the worst user has the least delay that the linear program (HiGHS) finds": abs(
            worst - least_transfer_delay_by_rates(h, length)
        ),
        "no other order has a smaller worst delay": value
        - min(float(service.worst_delay_s) for service in others.values()),
        "every order is done at the same time": max(over) - min(over),
    }


def _random_length(h: Handover, rng: np.random.Generator) -> float:
    """A length where somebody still sends; 0 for one instance in three."""
    return 0.0 if rng.random() < 1 / 3 else 0.99 * float(h.longest_context_tok) * rng.random()


def _completion_by_integral_s(service: Service, tau: Array, tokens: Array) -> Array:
    """inf{t >= tau_i : tokens delivered by t >= n_i} from the rates of the steps, `[K]`."""
    lengths = (service.end_s - service.start_s)[:, np.newaxis]
    received = np.cumsum(lengths * service.rate_tok_per_s, axis=0)
    done = tau.astype(float).copy()
    for user in np.flatnonzero(tokens > 0).tolist():
        # The clock's rounding may leave the last token a hair's breadth short.
        step = int(np.argmax(received[:, user] >= received[-1, user]))
        missing = tokens[user] - (received[step - 1, user] if step else 0.0)
        done[user] = service.start_s[step] + missing / service.rate_tok_per_s[step, user]
    return done


def _pieces(service: Service) -> int:
    """The most separate pieces in which any user is served."""
    served = service.rate_tok_per_s > 0
    most = 1
    for user in range(served.shape[1]):
        steps = np.flatnonzero(served[:, user]).tolist()
        breaks = sum(
            bool(served[first + 1 : second].any() or service.start_s[second] > service.end_s[first])
            for first, second in pairwise(steps)
        )
        most = max(most, 1 + breaks)
    return most


def _gap(found: Array | float, reference: Array | float) -> float:
    return float(np.abs(np.asarray(found) - np.asarray(reference)).max())
