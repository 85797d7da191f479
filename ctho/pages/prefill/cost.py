"""What a wrong prefill model costs: the delay that the solver predicts against what users get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ctho.checks import InputError
from ctho.handover import Handover
from ctho.kv_cache import KvCache, element_type, geometry_from_config
from ctho.pages.prefill.fit import fitted_model
from ctho.pages.prefill.profiles import RecordedProfile
from ctho.pages.shared.text import plural
from ctho.prefill import PrefillModel
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.solution import delay_at_length
from ctho.solver import solve

__all__ = [
    "TRUTH",
    "assumed_models",
    "assumption_cost",
    "cost_over_rates",
    "profiled_parameters",
]

TRUTH = "measured curve"
"""Name of the row in which the solver knows the true prefill delays."""


def profiled_parameters(
    parameters: Parameters, profile: RecordedProfile, kv_dtype: str
) -> Parameters:
    """The parameters with s_KV of the profiled model in an element type.

    Raises:
        InputError: an unknown element type, or contexts longer, or more users, than the profile
            measured together.
    """
    longest = profile.curve.longest_tok(parameters.num_ues)
    if parameters.context_max_tok > longest:
        together = plural(parameters.num_ues, "context")
        allowed = f"at most {longest:g}, the longest measured for {together}"
        raise InputError("context_max_tok", parameters.context_max_tok, allowed)
    element = element_type(kv_dtype, "kv_dtype")
    geometry = geometry_from_config(profile.content["model"], "the profiled model")
    return parameters.replace(kv_bits_per_tok=KvCache(geometry, element, element).bits_per_tok)


def assumed_models(profile: RecordedProfile, num_ues: int) -> dict[str, PrefillModel]:
    """Models that one might fit to a profile, from the paper's assumptions to none of them.

    "affine, one context" is the paper's p(L) = a L + b with a measured once and used for
    every batch size; "affine, K contexts" is measured at the batch size in question, so
    that only the straight line is assumed.
    """
    points = profile.points
    smallest = profile.curve.batch_sizes[0]
    sizes = {smallest, num_ues} & set(profile.curve.batch_sizes)
    models = {}
    for size in sorted(sizes):
        contexts = "one context" if size == 1 else f"{size} contexts"
        own = points[points["num_ues"] == size]
        models[f"affine, {contexts}"] = fitted_model(own, "affine")
    models["affine, all points"] = fitted_model(points, "affine")
    models["batch-aware"] = fitted_model(points, "batch_aware")
    return models


def assumption_cost(handovers: Handover, assumed: Mapping[str, PrefillModel]) -> pd.DataFrame:
    """Solve handovers under assumed prefill models, then run each answer under the true one.

    The solver picks L under the model that it is given and predicts V(L) with it; what the
    users get is V(L) under `handovers.prefill`. No assumption gets less than the solution
    under the true model, the first row.

    Args:
        handovers: one instance or a batch, with the true prefill model.
        assumed: name -> model that the solver believes in.

    Returns:
        One row a model, delays as means over the batch: assumed, prefill_length_tok,
        predicted_s, got_s, misprediction (predicted / got - 1), excess (got / best - 1),
        worst_excess (the largest of one instance).
    """
    best = solve(handovers)
    records = []
    for name, model in {TRUTH: handovers.prefill, **assumed}.items():
        believed = best if name == TRUTH else solve(handovers.replace(prefill=model))
        got = delay_at_length(handovers, believed.prefill_length_tok).delay_s
        predicted_s, got_s = float(believed.delay_s.mean()), float(got.mean())
        records.append(
            {
                "assumed": name,
                "prefill_length_tok": float(believed.prefill_length_tok.mean()),
                "predicted_s": predicted_s,
                "got_s": got_s,
                "misprediction": predicted_s / got_s - 1,
                "excess": got_s / float(best.delay_s.mean()) - 1,
                "worst_excess": float(np.max(got / best.delay_s)) - 1,
            }
        )
    return pd.DataFrame(records)


def cost_over_rates(
    parameters: Parameters,
    backhaul_gbps_values: Sequence[float],
    assumed: Mapping[str, PrefillModel],
) -> pd.DataFrame:
    """:func:`assumption_cost` at several link rates; column backhaul_gbps comes first."""
    tables = []
    for rate in backhaul_gbps_values:
        table = assumption_cost(sample_handovers(parameters.replace(backhaul_gbps=rate)), assumed)
        table.insert(0, "backhaul_gbps", rate)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)
