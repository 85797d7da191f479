"""Eqs. (1) to (10) on many instances, each computed in an independent way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ctho.backhaul import transfer_delay_s
from ctho.handover import Handover, prefilled_tok, transferred_tok
from ctho.prefill import AffinePrefill
from ctho.proofs.event_by_event import Service, serve
from ctho.proofs.witness_table import gap_s, random_length_tok
from ctho.solution import delay_at_length
from ctho.solver import solve

__all__ = ["model_deviations_s"]

Array = NDArray[np.float64]


def model_deviations_s(h: Handover, rng: np.random.Generator) -> dict[str, float]:
    """Eqs. (1) to (10) on one instance, at a random length: deviations in seconds by claim."""
    tau, context, rate = h.handover_s, h.context_tok, float(h.backhaul_tok_per_s)
    length = random_length_tok(h, rng)
    at = delay_at_length(h, length)
    split = prefilled_tok(context, length) + transferred_tok(context, length) - context
    # Eq. (10) to the letter: rates added up until a user has all their tokens.
    service = serve(tau, at.remaining_tok, rate, "first come first served")
    done = _completion_by_integral_s(service, tau, at.remaining_tok)
    wait = float(h.batch_start_s) - float(tau.max())
    shuffle = rng.permutation(h.num_ues)
    mixed = solve(h.replace(handover_s=tau[shuffle], context_tok=context[shuffle]))
    best = solve(h)
    return {
        "the split adds up, Eqs. (2), (3)": float(np.abs(split).max()) / rate,
        "completion by adding up the rates, Eq. (10)": gap_s(
            done - tau, transfer_delay_s(tau, at.remaining_tok, rate)
        ),
        "worst user of Eqs. (5) to (8) is the larger of the two worst delays, Eq. (16)": gap_s(
            at.per_user_delay_s.max(), at.delay_s
        ),
        "the batch starts at or after $\\tau_K$, within one cycle, Eq. (9)": max(
            -wait, wait - float(h.cycle_s)
        ),
        "the order in which users are listed plays no part, Eq. (1)": gap_s(
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
        h.replace(
            handover_s=tau * factor,
            backhaul_tok_per_s=rate / factor,
            prefill=AffinePrefill(slope * factor, offset * factor),
            cycle_s=h.cycle_s * factor,
        )
    )
    factor_tok = float(2.0 ** rng.integers(0, 5))  # contexts stay at least one token
    longer = solve(
        h.replace(
            context_tok=context * factor_tok,
            backhaul_tok_per_s=rate * factor_tok,
            prefill=AffinePrefill(slope / factor_tok, offset),
        )
    )
    return {
        "slower clock, same optimum": gap_s(slower.delay_s / factor, best.delay_s)
        + gap_s(slower.prefill_length_tok, best.prefill_length_tok) / rate,
        "finer tokens, same optimum": gap_s(longer.delay_s, best.delay_s)
        + gap_s(longer.prefill_length_tok / factor_tok, best.prefill_length_tok) / rate,
    }


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
