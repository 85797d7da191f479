"""One call for every scheme: ctHO (Propositions 1 to 3), tHO (Eq. 26), cHO (Eq. 27) and others."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np

from ctho.checks import InputError, check_choice
from ctho.handover import Handover
from ctho.schemes import SCHEMES, Scheme
from ctho.solution import Reading, Solution, checked_reading

__all__ = ["solve"]

CHUNK_CELLS = 1 << 17
"""Users times instances solved together: small enough that a column stays in the cache."""

RETAINED_CELLS = 3 << 20
"""Floats of the block in :func:`_keep_freed_memory`, 24 MiB; glibc's limit is 32 MiB."""


def solve(
    handover: Handover, scheme: str | Scheme = "ctHO", reading: Reading | None = None
) -> Solution:
    """Prefill length and delays of a scheme, for one instance or a batch.

    ctHO solves problem P of Eq. (11) in the two steps of Proposition 1, which lose nothing by
    Eq. (13): it minimises V(L) = max{D_pf(L), D*_tx(L)} over L >= 0, Eq. (15). The minimum is at
    the crossing of the two (Proposition 3) or at L = 0, where no batch is waited for; where
    several L are optimal the smallest is returned. tHO prefills everything, cHO nothing.
    For an affine p(L) the crossing is exact up to rounding. O(K log K) for each instance.

    Args:
        handover: the instance or batch, users on the last axis.
        scheme: a key of :data:`ctho.schemes.SCHEMES`, or a scheme of one's own.
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
    reading = checked_reading(reading)
    chosen = _scheme(scheme)
    _keep_freed_memory()
    # What overflows is refused when the delays are known.
    with np.errstate(over="ignore", invalid="ignore"):
        solved = [
            chosen.solve(part, reading)
            for part in handover.parts(max(1, CHUNK_CELLS // handover.num_ues))
        ]
    return solved[0] if len(solved) == 1 else _joined(handover, solved)


def _scheme(scheme: str | Scheme) -> Scheme:
    if isinstance(scheme, Scheme) and not isinstance(scheme, type):
        return scheme
    return SCHEMES[check_choice("scheme", scheme, SCHEMES)]


def _joined(handover: Handover, solved: list[Solution]) -> Solution:
    """The solutions of the parts of a flattened batch as that of the batch, `[...]`."""
    whole: dict[str, Any] = {"handover": handover}
    for spec in fields(solved[0]):
        parts = [getattr(part, spec.name) for part in solved]
        if isinstance(parts[0], np.ndarray):  # [n] or [n, K]
            values = np.concatenate(parts)
            whole[spec.name] = values.reshape(handover.batch_shape + values.shape[1:])
    return replace(solved[0], **whole)


@cache
def _keep_freed_memory() -> None:
    """Let the C library keep what is freed, once in the life of a process.

    glibc gives a large block back to the system when it is freed, and the next array then
    costs a page fault for every 4 KiB, more than the arithmetic on it. Its threshold for that
    rises to the largest such block freed so far, so a block is allocated, left untouched
    and freed. Elsewhere this does nothing.
    """
    np.empty(RETAINED_CELLS)
