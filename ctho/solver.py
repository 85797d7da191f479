"""The three schemes: ctHO (Propositions 1 to 3), tHO (Eq. 26) and cHO (Eq. 27)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np
from numpy.typing import NDArray

from ctho.backhaul import lindley_delay_s, transfer_delay_s
from ctho.checks import InputError, check_choice, check_number, check_per_instance
from ctho.crossing import affine_crossing, general_crossing
from ctho.handover import Handover, transferred_tok
from ctho.prefill.base import Coefficient
from ctho.schedule import Schedule, rate_schedule

__all__ = ["SCHEMES", "Reading", "Solution", "delay_at_length", "solve"]

Array = NDArray[np.float64]

CHUNK_CELLS = 1 << 17
"""Users times instances solved together: small enough that a column stays in the cache."""

RETAINED_CELLS = 3 << 20
"""Floats of the block in :func:`_keep_freed_memory`, 24 MiB; glibc's limit is 32 MiB."""


ROUND_UP = 1 + 8 * float(np.finfo(float).eps)
"""A few units in the last place, more than the rounding error of a length."""


AFFINE_RTOL = 1e-9
"""How far a prefill model's line may lie from its delay, relative to either."""


@dataclass(frozen=True)
class Reading:
    """How the points that the paper leaves open, or prints wrongly, are read.

    The default is the correct or most literal reading; the others serve comparisons.

    Attributes:
        transfer: "exact" for the minimum transfer delay, "printed" for the lower bound
            that Eq. (18) prints. Schedules are exact under both.
        zero_length: at L = 0 "skips_batch", where nothing waits for the batch, or
            "waits_for_batch", where users wait until t_s + p(0) as for L -> 0+.
        tho_length_tok: the length that tHO pads to, tokens; None is the longest context
            of the instance, max_i C_i.

    Raises:
        InputError: another word, or a length below 1.
    """

    transfer: str = "exact"
    zero_length: str = "skips_batch"
    tho_length_tok: float | None = None

    def __post_init__(self) -> None:
        check_choice("transfer", self.transfer, ("exact", "printed"))
        check_choice("zero_length", self.zero_length, ("skips_batch", "waits_for_batch"))
        if self.tho_length_tok is not None:
            check_number("tho_length_tok", self.tho_length_tok, at_least=1)


@dataclass(frozen=True, eq=False)
class Solution:
    """What a scheme does with a handover instance, and how long it takes.

    Attributes:
        handover: the instance.
        scheme: "ctHO", "tHO" or "cHO".
        reading: how open points were read.
        delay_s: worst-user handover delay D = V(L) of Eq. (12), seconds, `[...]`.
        prefill_length_tok: L, a real number of tokens, `[...]`.
        prefill_delay_s: D_pf(L) = t_s + p(L) - tau_1, seconds, `[...]`; 0 if no batch runs.
        transfer_delay_s: D*_tx(L), seconds, `[...]`.
    """

    handover: Handover
    scheme: str
    reading: Reading
    delay_s: Array
    prefill_length_tok: Array
    prefill_delay_s: Array
    transfer_delay_s: Array

    @cached_property
    def remaining_tok(self) -> Array:
        """n_i^(tx)(L), Eq. (3), tokens, `[..., K]`."""
        return transferred_tok(self.handover.context_tok, self.prefill_length_tok)

    @cached_property
    def per_user_delay_s(self) -> Array:
        """D_i of Eq. (7) under the rate schedule, seconds, `[..., K]`, in input order."""
        h = self.handover
        transfer = transfer_delay_s(h.handover_s, self.remaining_tok, h.backhaul_tok_per_s)
        if self.reading.zero_length == "skips_batch":
            batch_runs = self.prefill_length_tok > 0
        else:
            batch_runs = np.ones_like(self.prefill_length_tok, dtype=bool)
        done = h.batch_start_s + h.prefill.delay_s(self.prefill_length_tok, h.num_ues)
        prefill = np.where(batch_runs, done, -np.inf)[..., np.newaxis] - h.handover_s
        return np.maximum(transfer, prefill)

    def schedule(self) -> Schedule:
        """The rate schedule of Eqs. (23) to (25), for one instance.

        Raises:
            InputError: the solution is a batch.
        """
        h = self.handover
        if h.batch_shape:
            raise InputError("the shape of the batch", h.batch_shape, "(), one instance")
        return rate_schedule(h.handover_s, self.remaining_tok, float(h.backhaul_tok_per_s))


def solve(handover: Handover, scheme: str = "ctHO", reading: Reading | None = None) -> Solution:
    """Prefill length and delays of a scheme, for one instance or a batch.

    ctHO minimises V(L) = max{D_pf(L), D*_tx(L)} over L >= 0, Eq. (15). The minimum is at the
    crossing of the two (Proposition 3) or at L = 0, where no batch is waited for; where
    several L are optimal the smallest is returned. tHO prefills everything, cHO nothing.
    For an affine p(L) the crossing is exact up to rounding. O(K log K) for each instance.

    Args:
        handover: the instance or batch, users on the last axis.
        scheme: a key of :data:`SCHEMES`.
        reading: how open points of the paper are read; the default is `Reading()`.

    Raises:
        InputError: an unknown scheme, a `tho_length_tok` below the longest context, or numbers
            so extreme that a delay overflows.

    >>> from ctho.prefill import AffinePrefill
    >>> one = Handover([0.0], [3072], 9809.222, AffinePrefill())
    >>> best = solve(one)
    >>> round(float(best.delay_s), 4), round(float(best.prefill_length_tok), 1)
    (0.1517, 1583.9)
    """
    if not isinstance(handover, Handover):
        raise InputError("handover", handover, "a Handover, one instance or a batch")
    check_choice("scheme", scheme, SCHEMES)
    reading = _checked(reading)
    length_of = SCHEMES[scheme]
    _keep_freed_memory()
    # What overflows is refused when the delays are known.
    with np.errstate(over="ignore", invalid="ignore"):
        solved = [
            delay_at_length(part, length_of(part, reading), scheme, reading)
            for part in handover.parts(max(1, CHUNK_CELLS // handover.num_ues))
        ]
    if len(solved) == 1:
        return solved[0]

    def whole(field: str) -> Array:
        values = np.concatenate([getattr(part, field) for part in solved])
        return values.reshape(handover.batch_shape)

    return Solution(
        handover,
        scheme,
        reading,
        delay_s=whole("delay_s"),
        prefill_length_tok=whole("prefill_length_tok"),
        prefill_delay_s=whole("prefill_delay_s"),
        transfer_delay_s=whole("transfer_delay_s"),
    )


def delay_at_length(
    handover: Handover,
    prefill_length_tok: Array | float,
    scheme: str = "fixed length",
    reading: Reading | None = None,
) -> Solution:
    """V(L) of Eq. (16) at a given length, with the best rate schedule for it.

    Args:
        handover: the instance or batch.
        prefill_length_tok: L >= 0, tokens, `[...]` or a scalar.
        scheme: the name that the solution carries.
        reading: how open points of the paper are read; the default is `Reading()`.

    Raises:
        InputError: a length below 0, or of a shape that does not fit the batch; numbers so
            extreme that a delay overflows.
    """
    reading = _checked(reading)
    shape = handover.batch_shape
    length = check_per_instance("prefill_length_tok", prefill_length_tok, shape, at_least=0)
    with np.errstate(over="ignore", invalid="ignore"):
        prefill = handover.batch_wait_s + handover.prefill.delay_s(length, handover.num_ues)
        transfer = _transfer_delay_s(handover, reading, length.reshape(-1)).reshape(length.shape)
    if reading.zero_length == "skips_batch":
        prefill = np.where(length > 0, prefill, 0.0)
    if (prefill < 0).any():
        allowed = "at least the wait for the batch: a prefill delay cannot be negative"
        raise InputError("the prefill completion", float(prefill.min()), allowed)
    delay = np.maximum(prefill, transfer)
    if not np.isfinite(delay).all():
        worst = float(delay[~np.isfinite(delay)][0])
        raise InputError(
            f"the delay of {scheme}", worst, "a finite time; some number is too extreme"
        )
    return Solution(handover, scheme, reading, delay, length, prefill, transfer)


@cache
def _keep_freed_memory() -> None:
    """Let the C library keep what is freed, once in the life of a process.

    glibc gives a large block back to the system when it is freed, and the next array then
    costs a page fault for every 4 KiB, more than the arithmetic on it. Its threshold for that
    rises to the largest such block freed so far, so a block is allocated, left untouched
    and freed. Elsewhere this does nothing.
    """
    np.empty(RETAINED_CELLS)


def _checked(reading: Reading | None) -> Reading:
    if reading is None:
        return Reading()
    if not isinstance(reading, Reading):
        raise InputError("reading", reading, "a Reading, such as Reading(transfer='printed')")
    return reading


def _ctho_length_tok(handover: Handover, reading: Reading) -> Array:
    """L* of Proposition 3."""
    affine = handover.prefill.affine(handover.num_ues)
    wait = handover.batch_wait_s.reshape(-1)
    longest = handover.longest_context_tok.reshape(-1)
    if affine is None:
        length = general_crossing(
            partial(_prefill_delay_s, handover, wait),
            partial(_transfer_delay_s, handover, reading),
            longest,
        )
    else:
        _check_affine(handover, *affine)
        slope, offset = (np.reshape(value, -1) for value in affine)
        users = handover.release_order
        crossing = affine_crossing(
            users.gap,
            users.service,
            wait + offset,
            slope * users.rate,
            link_idles=reading.transfer == "exact",
        )
        # Rounded down, the length would leave a little more to transfer than fits, and a
        # very slow link turns that into a long time; rounded up, it costs only prefill.
        length = crossing * users.rate * ROUND_UP
    return np.minimum(length, longest).reshape(handover.batch_shape)


def _check_affine(handover: Handover, slope: Coefficient, offset: Coefficient) -> None:
    """Refuse a model whose `affine` contradicts its `delay_s`, which would place the crossing."""
    longest = float(handover.longest_context_tok.max())
    line = np.asarray(slope * longest + offset)
    delay = handover.prefill.delay_s(longest, handover.num_ues)
    apart = np.abs(delay - line) > AFFINE_RTOL * np.maximum(np.abs(delay), np.abs(line))
    wrong = np.isfinite(delay) & apart
    if wrong.any():
        said, is_so = float(line[wrong].flat[0]), float(delay[wrong].flat[0])
        raise InputError(f"prefill.affine at {longest:g} tokens", said, f"delay_s there, {is_so:g}")


def _tho_length_tok(handover: Handover, reading: Reading) -> Array:
    """L = C_max, Eq. (26): everything is prefilled."""
    longest = handover.longest_context_tok
    if reading.tho_length_tok is None:
        return longest
    if reading.tho_length_tok < longest.max():
        allowed = f"at least the longest context, {longest.max():g}"
        raise InputError("tho_length_tok", reading.tho_length_tok, allowed)
    return np.full(handover.batch_shape, float(reading.tho_length_tok))


def _cho_length_tok(handover: Handover, reading: Reading) -> Array:
    """L = 0, Eq. (27): everything crosses the link."""
    return np.zeros(handover.batch_shape)


SCHEMES: dict[str, Callable[[Handover, Reading], Array]] = {
    "ctHO": _ctho_length_tok,
    "tHO": _tho_length_tok,
    "cHO": _cho_length_tok,
}
"""Each scheme by name: the prefill length that it picks, tokens, `[...]`."""


def _prefill_delay_s(
    handover: Handover, wait: Array, length: Array, instance: NDArray[np.intp]
) -> Array:
    """D_pf(L) of some instances, also as L -> 0+, seconds, `[n]`."""
    return wait[instance] + handover.prefill.delay_s(length, handover.num_ues)


def _transfer_delay_s(
    handover: Handover,
    reading: Reading,
    length: Array,
    instance: NDArray[np.intp] | slice = slice(None),
) -> Array:
    """D*_tx(L) of some instances, seconds, `[n]`."""
    users = handover.release_order
    work = np.maximum(users.tokens[:, instance] - length, 0.0) / users.rate[instance]
    link_idles = reading.transfer == "exact"
    delay = lindley_delay_s(users.gap[:, instance], work, link_idles=link_idles)
    return np.maximum(delay.max(axis=0), 0.0)
