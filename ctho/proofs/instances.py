"""Small random instances for the checks of the derivation pages, every awkward case among them.

The paper's own distribution has no ties, no single user, no release before time 0, and at
its default rate seldom an idle link, so a wrong statement can pass on it. Here each
feature of an instance is drawn on its own, and any of them meets any other.

Beside them stands what a witness asks of an instance: that it is one, and affine in L.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ctho.checks import InputError, check_integer
from ctho.handover import Handover
from ctho.prefill import AffinePrefill

__all__ = ["affine_prefill", "one_instance", "random_handovers", "time_scale_s"]

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Array]

CYCLES_S = (0.01, 0.05, 1.0)
LONGEST_TOK = 8192


def random_handovers(rng: np.random.Generator, count: int, max_ues: int = 6) -> list[Handover]:
    """Draw instances of 1 to `max_ues` users each, one :class:`Handover` per instance.

    Releases: spread out, tied in groups, all at once, on cycle boundaries, or so far apart that
    the link idles; before time 0, around it or after it; in any order. Contexts: any,
    equal, growing with time, one token beside very many. Links: from one that takes
    days for a context to one that takes microseconds. Prefill: the paper's, free, slow,
    or with a long start.

    Args:
        rng: where all numbers come from.
        count: how many instances, at least 1.
        max_ues: the largest K, at least 1.

    Raises:
        InputError: a count below 1.

    >>> [h.num_ues for h in random_handovers(np.random.default_rng(1), 3, max_ues=1)]
    [1, 1, 1]
    """
    count = check_integer("count", count, at_least=1)
    max_ues = check_integer("max_ues", max_ues, at_least=1)
    return [_draw(rng, max_ues) for _ in range(count)]


def time_scale_s(handover: Handover) -> Array:
    """How long an instance is: (tau_K - tau_1) + S_K(0) / R, seconds, `[...]`, above 0.

    Deviations between two computations of a delay are measured in it. It bounds the
    transfer delay at every L and the rounding of differences of release times, so that a
    delay of nearly 0 makes no deviation look large.

    >>> h = Handover([0.0, 1.0], [100, 800], 1000, AffinePrefill())
    >>> float(time_scale_s(h))
    1.9
    """
    tau, context = handover.handover_s, handover.context_tok
    return np.ptp(tau, axis=-1) + context.sum(axis=-1) / handover.backhaul_tok_per_s


def one_instance(handover: Handover) -> tuple[Array, Array, float]:
    """Release times (seconds) and contexts (tokens), sorted by release, `[K]` each, and R.

    Raises:
        InputError: more than one instance.
    """
    if handover.batch_shape:
        raise InputError("the shape of the batch", handover.batch_shape, "(), one instance")
    users = handover.release_order
    return users.handover_s[:, 0], users.tokens[:, 0], float(users.rate[0])


def affine_prefill(handover: Handover) -> tuple[float, float]:
    """(a, b) of an affine prefill delay that is the same for all instances.

    Raises:
        InputError: the prefill delay is not affine in L, or differs from instance to instance.
    """
    affine = handover.prefill.affine(handover.num_ues)
    if affine is None or np.ndim(affine[0]) or np.ndim(affine[1]):
        raise InputError("prefill", handover.prefill, "affine in L, and the same for all instances")
    return float(affine[0]), float(affine[1])


def _draw(rng: np.random.Generator, max_ues: int) -> Handover:
    num_ues = int(rng.integers(1, max_ues + 1))
    context = _one_of(rng, CONTEXTS)(rng, num_ues)
    cycle = float(rng.choice(CYCLES_S))
    spread = _one_of(rng, RELEASES)(rng, num_ues)
    # A link is slow or fast by what it carries while the users arrive.
    rate = float(context.sum() * 10 ** rng.uniform(-1.5, 1.5))
    if rng.random() < 0.15:
        rate *= float(rng.choice([1e-5, 1e5]))
    origin = float(rng.choice([-2.0, 0.0, 1.0])) * float(rng.choice([1.0, rng.random()]))
    tau = origin + spread
    if rng.random() < 0.3:
        tau = np.round(tau / cycle) * cycle
    slope = float(rng.choice([0.0, 1e-6, 9.4267e-5, 1e-3]))
    offset = float(rng.choice([0.0, 2.4e-3, 0.5]))
    shuffle = rng.permutation(num_ues) if rng.random() < 0.5 else np.arange(num_ues)
    return Handover(tau[shuffle], context[shuffle], rate, AffinePrefill(slope, offset), cycle)


def _one_of(rng: np.random.Generator, draws: tuple[Draw, ...]) -> Draw:
    return draws[int(rng.integers(len(draws)))]


def _spread_out(rng: np.random.Generator, num_ues: int) -> Array:
    return np.sort(rng.uniform(0, 1, num_ues))


def _tied(rng: np.random.Generator, num_ues: int) -> Array:
    return np.sort(rng.choice([0.0, 0.25, 1.0], num_ues))


def _all_at_once(rng: np.random.Generator, num_ues: int) -> Array:
    return np.zeros(num_ues)


def _far_apart(rng: np.random.Generator, num_ues: int) -> Array:
    return np.cumsum(rng.uniform(5, 50, num_ues)) - 5


def _any_size(rng: np.random.Generator, num_ues: int) -> Array:
    return rng.integers(1, LONGEST_TOK + 1, num_ues).astype(float)


def _equal(rng: np.random.Generator, num_ues: int) -> Array:
    return np.full(num_ues, float(rng.integers(1, LONGEST_TOK + 1)))


def _growing(rng: np.random.Generator, num_ues: int) -> Array:
    return np.sort(_any_size(rng, num_ues))


def _one_or_many(rng: np.random.Generator, num_ues: int) -> Array:
    return rng.choice([1.0, float(LONGEST_TOK)], num_ues)


RELEASES: tuple[Draw, ...] = (_spread_out, _spread_out, _tied, _all_at_once, _far_apart)
CONTEXTS: tuple[Draw, ...] = (_any_size, _any_size, _equal, _growing, _one_or_many)
