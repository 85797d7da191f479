"""Sentences of the page on Proposition 1, as Markdown."""

from __future__ import annotations

from ctho.proofs.instances import time_scale_s
from ctho.proofs.window_program import Optimum
from ctho.solver import Solution

__all__ = ["optimum_in_words"]

SAME_WITHIN = 1e-9
"""Two optima agree if they differ by at most this part of the instance's time scale."""


def optimum_in_words(best: Solution, joint: Optimum) -> str:
    """The stepwise and the joint optimum of one instance, and whether they agree.

    Args:
        best: the stepwise optimum.
        joint: that of the linear program over length and rates together.
    """
    apart = abs(float(best.delay_s) - joint.delay_s)
    scale = float(time_scale_s(best.handover))
    verdict = "the same" if apart <= SAME_WITHIN * scale else f"another, {apart:.3g} s away"
    length = float(best.prefill_length_tok)
    way = f"with $L^\\star$ = {length:,.1f} tokens" if length > 0 else "without a batch, at $L = 0$"
    return (
        f"Step by step the least worst-user delay is **{float(best.delay_s):.6g} s**, {way}. The "
        f"linear program over length and rates together finds {verdict}: {joint.delay_s:.6g} s."
    )
