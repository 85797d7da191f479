"""The users whose remaining cache "cannot be fully delivered before batch prefill" (Section III-A).

The paper restricts itself to them between Propositions 2 and 3 and does not say whether the others
leave the transfer delay's maximum, the batch, or the problem. Each way to read that sentence is one
function from a batch of instances to the delay that it attains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ctho.backhaul import lindley_delay_s
from ctho.crossing import general_crossing
from ctho.handover import Handover
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.statistics import mean_estimate, ratio_estimate
from ctho.solution import delay_at_length
from ctho.solver import solve

__all__ = [
    "RESTRICTIONS",
    "OverUndelivered",
    "RestrictionCheck",
    "delivered_in_time",
    "over_undelivered",
    "restriction_table",
    "undelivered_delay_s",
    "witness_restriction",
]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Some = NDArray[np.intp] | slice
"""Which instances of a flattened batch."""

ALL = slice(None)


def delivered_in_time(handover: Handover, length_tok: ArrayLike, deadline_s: ArrayLike) -> Flags:
    """Which sorted users have their remaining cache by a deadline, first come first served.

    Args:
        handover: the instance or batch, N instances in all.
        length_tok: L, tokens, `[...]`.
        deadline_s: on the clock of the releases, seconds, `[...]`.

    Returns:
        `[K, N]` in release order.
    """
    work, delay = _transfers(handover, _flat(handover, length_tok))
    release = handover.release_order.handover_s
    return (work == 0) | (release + delay <= _flat(handover, deadline_s))


def undelivered_delay_s(handover: Handover, length_tok: ArrayLike, *, by: str = "start") -> Array:
    """V(L) with only those users in D*_tx whose cache is not there by the batch's start or end.

    Args:
        handover: the instance or batch.
        length_tok: L > 0, tokens, `[...]`.
        by: "start" of the batch, t_s, or its "end", T^(pf)(L).

    Returns:
        Seconds, `[...]`.
    """
    length = np.asarray(length_tok, float)
    prefill = handover.prefill.delay_s(length, handover.num_ues)
    deadline = handover.batch_start_s + (prefill if by == "end" else 0.0)
    _, delay = _transfers(handover, _flat(handover, length))
    counted = np.where(delivered_in_time(handover, length, deadline), 0.0, delay)
    transfer = counted.max(axis=0).reshape(handover.batch_shape)
    return np.maximum(handover.batch_wait_s + prefill, transfer)


@dataclass(frozen=True, eq=False)
class OverUndelivered:
    """The transfer delay of the users that are not served when the batch starts, each `[n]`.

    Attributes:
        exact_s: the largest of their delays when everybody shares the link, seconds.
        printed_s: Eq. (18) over them alone, seconds.
        late_start_s: how long the first of them waits for the link, seconds.
    """

    exact_s: Array
    printed_s: Array
    late_start_s: Array


def over_undelivered(handover: Handover, length_tok: Array, some: Some = ALL) -> OverUndelivered:
    """Compare Eq. (18) over the undelivered users with what they meet; 0 where there is none.

    Args:
        handover: the instance or batch, N instances in all.
        length_tok: L > 0 of each chosen instance, tokens, `[n]`.
        some: the chosen instances; all by default.
    """
    release = handover.release_order.handover_s[:, some]
    work, delay = _transfers(handover, length_tok, some)
    late = (work > 0) & (release + delay > handover.batch_start_s.reshape(-1)[some])
    first = np.where(late, release, np.inf).min(axis=0)
    own = np.cumsum(np.where(late, work, 0.0), axis=0) - (release - first)
    # The recursion's ( )^+ leaves an exact difference of 0 where the link is free.
    waited = np.where(late & (release == first), delay - own, np.inf).min(axis=0)
    return OverUndelivered(
        np.where(late, delay, 0.0).max(axis=0),
        np.where(late, own, 0.0).max(axis=0),
        np.where(np.isfinite(waited), waited, 0.0),
    )


def printed_over_undelivered(handover: Handover) -> Array:
    """Eq. (18) over those users alone, at each L, with tau_1 the first of theirs."""
    return _optimum(
        handover,
        handover.batch_wait_s.reshape(-1),
        lambda length, some: over_undelivered(handover, length, some).printed_s,
        # At L = 0 there is no batch to be early for, and everybody counts.
        solve(handover, "cHO").delay_s.reshape(-1),
    )


def leave_the_batch(handover: Handover) -> Array:
    """Who has all their cache by t_s at L = 0 resumes then; the batch is for the others.

    The leavers still use the link, and the prefill delay counts from the first of the others.
    """
    return _without_early(handover, keep_link=True)


def leave_the_problem(handover: Handover) -> Array:
    """As before, but the leavers take nothing of the link: a bound, not a schedule."""
    return _without_early(handover, keep_link=False)


RESTRICTIONS: dict[str, Callable[[Handover], Array]] = {
    "everyone counts": lambda handover: solve(handover).delay_s,
    "Eq. (18) over the undelivered": printed_over_undelivered,
    "the delivered leave the batch": leave_the_batch,
    "the delivered leave the problem": leave_the_problem,
}
"""Each way to read the restriction, by name: the delay that it gives, seconds, `[...]`.

The first has all users in the batch and on the link: the problem as Eq. (11) states it.
"""


def restriction_table(
    parameters: Parameters, backhaul_gbps_values: Sequence[float]
) -> pd.DataFrame:
    """Mean delay under each restriction beside that of everyone, on the paper's scenario.

    Returns:
        One row for each (x, restriction): x in Gbps; mean, ci_low, ci_high (seconds); ratio,
        ratio_low, ratio_high, the mean over that of everyone, paired; lower and higher, shares of
        instances with a delay below or above that of everyone.
    """
    rows = []
    for x in backhaul_gbps_values:
        handovers = sample_handovers(parameters.replace(backhaul_gbps=x))
        base = solve(handovers).delay_s
        for restriction, delay_of in RESTRICTIONS.items():
            delay = delay_of(handovers)
            lower, higher = (delay < base * (1 - 1e-9)).mean(), (delay > base * (1 + 1e-9)).mean()
            estimates = (*mean_estimate(delay), *ratio_estimate(delay, base))
            rows.append((x, restriction, *estimates, float(lower), float(higher)))
    columns = ["x", "restriction", "mean", "ci_low", "ci_high", "ratio", "ratio_low", "ratio_high"]
    return pd.DataFrame(rows, columns=[*columns, "lower", "higher"])


@dataclass(frozen=True)
class RestrictionCheck:
    """What the identities of the restriction come to on instances at random lengths.

    Attributes:
        instances: how many.
        value_deviation_s: the largest |V - V with the delivered left out of the maximum|.
        term_deviation_s: the largest |exact - (Eq. (18) over the undelivered + late start)|.
        undelivered: in how many of them somebody is undelivered at the start of the batch.
        late: in how many of these the first such user finds the link busy.
    """

    instances: int
    value_deviation_s: float
    term_deviation_s: float
    undelivered: int
    late: int


def witness_restriction(handovers: Handover, seed: int) -> RestrictionCheck:
    """Test both identities of the page at one random length an instance, L in (0, C_max).

    Args:
        handovers: a batch.
        seed: of the lengths.
    """
    unit = np.random.default_rng(seed).uniform(0.0, 1.0, handovers.batch_shape)
    length = np.maximum(unit, np.finfo(float).tiny) * handovers.longest_context_tok
    value = delay_at_length(handovers, length).delay_s
    left_out = [undelivered_delay_s(handovers, length, by=by) for by in ("start", "end")]
    over = over_undelivered(handovers, length.reshape(-1))
    return RestrictionCheck(
        instances=value.size,
        value_deviation_s=float(np.abs(np.stack(left_out) - value).max()),
        term_deviation_s=float(np.abs(over.exact_s - over.printed_s - over.late_start_s).max()),
        undelivered=int((over.exact_s > 0).sum()),
        late=int((over.late_start_s > 0).sum()),
    )


def _without_early(handover: Handover, *, keep_link: bool) -> Array:
    users = handover.release_order
    early = delivered_in_time(handover, 0.0, handover.batch_start_s)
    early_work = np.where(early & keep_link, users.tokens, 0.0) / users.rate
    first = np.where(early, np.inf, users.handover_s).min(axis=0)
    # With nobody left there is no batch.
    wait = np.where(np.isinf(first), np.inf, handover.batch_start_s.reshape(-1) - first)

    def transfer(length: Array, some: Some) -> Array:
        rest = np.maximum(users.tokens[:, some] - length, 0.0) / users.rate[some]
        work = np.where(early[:, some], early_work[:, some], rest)
        return np.asarray(lindley_delay_s(users.gap[:, some], work).max(axis=0))

    floor = lindley_delay_s(users.gap, early_work).max(axis=0)
    return _optimum(handover, wait, transfer, transfer(np.zeros_like(wait), ALL), floor)


def _optimum(
    handover: Handover,
    wait: Array,
    transfer: Callable[[Array, Some], Array],
    without_s: Array,
    floor: Array | float = 0.0,
) -> Array:
    """The least max{D_pf, transfer, floor} over L > 0, or the delay without a batch, `[...]`."""
    floors = np.broadcast_to(floor, wait.shape)

    def prefill(length: Array, some: Some) -> Array:
        delay = wait[some] + handover.prefill.delay_s(length, handover.num_ues)
        return np.asarray(np.maximum(delay, floors[some]))

    length = general_crossing(prefill, transfer, handover.longest_context_tok.reshape(-1))
    crossing = np.maximum(prefill(length, ALL), transfer(length, ALL))
    return np.minimum(crossing, without_s).reshape(handover.batch_shape)


def _transfers(handover: Handover, length: Array, some: Some = ALL) -> tuple[Array, Array]:
    """What each sorted user still sends at its length, and their delays, seconds, each `[K, n]`."""
    users = handover.release_order
    work = np.maximum(users.tokens[:, some] - length, 0.0) / users.rate[some]
    return work, lindley_delay_s(users.gap[:, some], work)


def _flat(handover: Handover, values: ArrayLike) -> Array:
    return np.broadcast_to(np.asarray(values, float), handover.batch_shape).reshape(-1)
