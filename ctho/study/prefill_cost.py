"""What a wrong prefill model costs: the delay that the solver predicts against what it gets."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pandas as pd

from ctho.handover import Handover
from ctho.prefill import PrefillModel
from ctho.solver import delay_at_length, solve

__all__ = ["assumption_cost"]


def assumption_cost(handover: Handover, assumed: Mapping[str, PrefillModel]) -> pd.DataFrame:
    """Solve a handover under assumed prefill models, then run each answer under the true one.

    The solver picks L under the model that it is given and predicts V(L) with it; what the
    users get is V(L) under `handover.prefill`. No assumption can get less than the solution
    under the true model, the first row.

    Args:
        handover: one instance (no leading axes) with the true prefill model.
        assumed: name -> model that the solver believes in.

    Returns:
        One row a model: assumed, prefill_length_tok, predicted_s, got_s, misprediction
        (predicted / got - 1) and excess (got / best - 1).
    """
    best = solve(handover)
    records = []
    for name, model in {"measured curve": handover.prefill, **assumed}.items():
        believed = solve(dataclasses.replace(handover, prefill=model))
        length = float(believed.prefill_length_tok)
        got = float(delay_at_length(handover, length).delay_s)
        predicted = float(believed.delay_s)
        records.append(
            {
                "assumed": name,
                "prefill_length_tok": length,
                "predicted_s": predicted,
                "got_s": got,
                "misprediction": predicted / got - 1,
                "excess": got / float(best.delay_s) - 1,
            }
        )
    return pd.DataFrame(records)
