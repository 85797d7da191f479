"""ctHO: a common prefix is prefilled while the rest of each cache crosses the link."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ctho.checks import InputError
from ctho.crossing import affine_crossing, general_crossing
from ctho.handover import Handover
from ctho.prefill.base import Coefficient
from ctho.schemes.base import CommonLength, SchemeStyle
from ctho.solution import Reading, least_transfer_delay_s

Array = NDArray[np.float64]

ROUND_UP = 1 + 8 * float(np.finfo(float).eps)
"""A few units in the last place, more than the rounding error of a length."""

AFFINE_RTOL = 1e-9
"""How far a prefill model's line may lie from its delay, relative to either."""


class CtHO(CommonLength):
    """L* that minimises V(L) = max{D_pf(L), D*_tx(L)} over L >= 0, Eq. (15).

    It lies at the crossing of the two (Proposition 3) or at L = 0, where no batch is waited for;
    where several L are optimal it is the smallest.
    """

    name = "ctHO"
    style = SchemeStyle("#0072B2", "o", "-")

    def length_tok(self, handover: Handover, reading: Reading) -> Array:
        """L* of each instance; exact up to rounding for an affine p(L)."""
        affine = handover.prefill.affine(handover.num_ues)
        wait = handover.batch_wait_s.reshape(-1)
        longest = handover.longest_context_tok.reshape(-1)
        if affine is None:
            length = general_crossing(
                partial(_prefill_delay_s, handover, wait),
                partial(least_transfer_delay_s, handover, reading),
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


SCHEME = CtHO()


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


def _prefill_delay_s(
    handover: Handover, wait: Array, length: Array, instance: NDArray[np.intp]
) -> Array:
    """D_pf(L) of some instances, also as L -> 0+, seconds, `[n]`."""
    return wait[instance] + handover.prefill.delay_s(length, handover.num_ues)
