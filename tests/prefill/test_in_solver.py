"""Every prefill model by name in an instance, as `ctho solve` reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ctho.checks import InputError
from ctho.instance import answer, handover_from_mapping
from ctho.pages.prefill.profiles import profile_names
from ctho.solution import delay_at_length

INSTANCE = {
    "handover_s": [0.3, 0.0],
    "context_tok": [400, 250],
    "backhaul_gbps": 0.05,
    "kv_bits_per_tok": 98_304,
    "cycle_s": 0.01,
}

MODELS: list[dict[str, Any]] = [
    {"prefill_s_per_tok": 1e-3, "prefill_offset_s": 0.01},
    {"model": "affine", "prefill_s_per_tok": 1e-3, "prefill_offset_s": 0.01},
    {
        "model": "quadratic",
        "prefill_s_per_tok": 1e-3,
        "prefill_offset_s": 0.01,
        "prefill_s_per_tok2": 1e-6,
    },
    {
        "model": "batch_aware",
        "prefill_offset_s": 0.01,
        "prefill_s_per_tok_per_ue": 5e-4,
        "prefill_s_per_tok2_per_ue": 1e-6,
    },
    {"model": "profile", "file": "prefill-small-fp32-cpu"},
    {
        "model": "profile",
        "points": [
            {"length_tok": 10, "num_ues": 2, "delay_s": 0.02},
            {"length_tok": 500, "num_ues": 2, "delay_s": 0.6},
        ],
    },
]


@pytest.mark.parametrize("prefill", MODELS, ids=lambda prefill: str(next(iter(prefill.values()))))
def test_no_length_on_a_grid_is_better(prefill: dict[str, Any]) -> None:
    handover = handover_from_mapping({**INSTANCE, "prefill": prefill})
    best = answer(handover)["ctHO"]["delay_s"]
    tried = [
        float(delay_at_length(handover, length).delay_s) for length in np.linspace(0, 400, 801)
    ]
    assert best <= min(tried) * (1 + 1e-12)
    assert best >= min(tried) - 0.5 * 1.2e-3 * 2  # half a step of the grid, at the steepest p(L)


def test_the_named_affine_model_is_the_papers() -> None:
    plain, named = (handover_from_mapping({**INSTANCE, "prefill": p}) for p in MODELS[:2])
    assert answer(plain) == answer(named)


@pytest.mark.parametrize("name", profile_names())
def test_a_context_beyond_the_profile_is_refused(name: str) -> None:
    prefill = {"model": "profile", "file": name}
    instance = {**INSTANCE, "context_tok": [9000, 250], "prefill": prefill}
    with pytest.raises(InputError, match="the longest measured for 2 contexts"):
        answer(handover_from_mapping(instance))


def test_a_misspelt_model_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean quadratic"):
        handover_from_mapping({**INSTANCE, "prefill": {"model": "quadratc"}})
