"""What a scheme does with a handover: its lengths, delays and schedule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ctho.backhaul import lindley_delay_s, transfer_delay_s
from ctho.checks import InputError, check_choice, check_number, check_per_instance
from ctho.handover import Handover, transferred_tok
from ctho.schedule import Schedule, rate_schedule

__all__ = ["Reading", "Solution", "checked_reading", "delay_at_length", "least_transfer_delay_s"]

Array = NDArray[np.float64]


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
        delay_s: worst-user handover delay D of Eq. (8), here V(L) of Eq. (12), seconds, `[...]`.
        prefill_length_tok: L, a real number of tokens, `[...]`.
        prefill_delay_s: D_pf(L) = t_s + p(L) - tau_1, the largest of Eq. (5), seconds, `[...]`;
            0 if no batch runs.
        transfer_delay_s: D*_tx(L), the least value of the largest of Eq. (6), seconds, `[...]`.
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


def checked_reading(reading: Reading | None) -> Reading:
    """The reading, or the default one.

    Raises:
        InputError: something else.
    """
    if reading is None:
        return Reading()
    if not isinstance(reading, Reading):
        raise InputError("reading", reading, "a Reading, such as Reading(transfer='printed')")
    return reading


def delay_at_length(
    handover: Handover,
    prefill_length_tok: Array | float,
    scheme: str = "fixed length",
    reading: Reading | None = None,
) -> Solution:
    """V(L) of Eqs. (14) and (16) at a given length, with the best rate schedule for it.

    Args:
        handover: the instance or batch.
        prefill_length_tok: L >= 0, tokens, `[...]` or a scalar.
        scheme: the name that the solution carries.
        reading: how open points of the paper are read; the default is `Reading()`.

    Raises:
        InputError: a length below 0, or of a shape that does not fit the batch; numbers so
            extreme that a delay overflows.
    """
    reading = checked_reading(reading)
    shape = handover.batch_shape
    length = check_per_instance("prefill_length_tok", prefill_length_tok, shape, at_least=0)
    with np.errstate(over="ignore", invalid="ignore"):
        prefill = handover.batch_wait_s + handover.prefill.delay_s(length, handover.num_ues)
        transfer = least_transfer_delay_s(handover, reading, length.reshape(-1)).reshape(shape)
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


def least_transfer_delay_s(
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
