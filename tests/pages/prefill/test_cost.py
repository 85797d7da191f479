"""A wrong prefill model never gets a shorter delay, and the right one loses nothing."""

from __future__ import annotations

import numpy as np
import pytest

from ctho.checks import InputError
from ctho.pages.prefill.cost import (
    TRUTH,
    assumed_models,
    assumption_cost,
    cost_over_rates,
    profiled_parameters,
)
from ctho.pages.prefill.profiles import profile_names, recorded_profile
from ctho.prefill import AffinePrefill, QuadraticPrefill
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.solution import delay_at_length

SMALL = recorded_profile("prefill-small-fp32-cpu")
PARAMETERS = Parameters(
    num_ues=4,
    context_min_tok=64,
    context_max_tok=1024,
    kv_bits_per_tok=8192,
    backhaul_gbps=0.03,
    prefill_model="profile",
    prefill_file="prefill-small-fp32-cpu",
    realisations=40,
)
HANDOVERS = sample_handovers(PARAMETERS)


def test_costs_of_every_assumption() -> None:
    table = assumption_cost(HANDOVERS, assumed_models(SMALL, 4)).set_index("assumed")
    assert table.index[0] == TRUTH
    assert table.loc[TRUTH, ["excess", "misprediction", "worst_excess"]].tolist() == [0, 0, 0]
    assert (table["excess"] >= -1e-9).all()
    assert (table["worst_excess"] >= table["excess"] - 1e-9).all()
    np.testing.assert_allclose(
        table["misprediction"], table["predicted_s"] / table["got_s"] - 1, atol=1e-15
    )
    np.testing.assert_allclose(
        table["excess"], table["got_s"] / table["got_s"].iloc[0] - 1, atol=1e-15
    )


def test_what_is_assumed_is_named_by_its_batch_size() -> None:
    names = {
        1: ["affine, one context"],
        3: ["affine, one context"],
        4: ["affine, one context", "affine, 4 contexts"],
    }
    for num_ues, first in names.items():
        models = assumed_models(SMALL, num_ues)
        assert list(models) == [*first, "affine, all points", "batch-aware"]
    together = assumed_models(SMALL, 4)["affine, 4 contexts"].affine(4)
    alone = assumed_models(SMALL, 4)["affine, one context"].affine(4)
    every = assumed_models(SMALL, 4)["affine, all points"].affine(4)
    assert together is not None
    assert alone is not None
    assert every is not None
    assert together[0] > every[0] > alone[0]


def test_the_best_length_beats_a_grid() -> None:
    best = assumption_cost(HANDOVERS, {})["got_s"].iloc[0]
    lengths = np.linspace(0, 64, 65)
    tried = [delay_at_length(HANDOVERS, length).delay_s for length in lengths]
    assert best <= np.min(tried, axis=0).mean() * (1 + 1e-12)


def test_believing_the_truth_costs_nothing() -> None:
    truth = QuadraticPrefill(1e-4, 1e-3, 1e-8)
    handovers = HANDOVERS.replace(prefill=truth)
    table = assumption_cost(handovers, {"same": truth, "none": AffinePrefill(0.0, 0.0)})
    assert table["excess"].tolist()[:2] == [0, 0]
    assert table["excess"].iloc[2] > 0
    assert table["predicted_s"].iloc[2] < table["got_s"].iloc[2]
    assert table["misprediction"].iloc[2] < 0


def test_a_table_over_link_rates() -> None:
    rates = [0.03, 0.1]
    table = cost_over_rates(PARAMETERS, rates, assumed_models(SMALL, 4))
    assert table["backhaul_gbps"].unique().tolist() == rates
    slow = table[table["backhaul_gbps"] == 0.03].drop(columns="backhaul_gbps")
    assert slow.equals(assumption_cost(HANDOVERS, assumed_models(SMALL, 4)))
    truths = table[table["assumed"] == TRUTH].set_index("backhaul_gbps")["got_s"]
    assert truths[0.03] > truths[0.1]


def test_the_cache_is_that_of_the_profiled_model() -> None:
    profiled = profiled_parameters(PARAMETERS.replace(kv_bits_per_tok=1), SMALL, "bf16")
    assert profiled == PARAMETERS.replace(kv_bits_per_tok=2 * 4 * 2 * 32 * 16)
    assert profiled_parameters(PARAMETERS, SMALL, "int8").kv_bits_per_tok == 2 * 4 * 2 * 32 * 8
    with pytest.raises(InputError, match="kv_dtype"):
        profiled_parameters(PARAMETERS, SMALL, "bf17")


@pytest.mark.parametrize("name", profile_names())
def test_what_was_not_measured_is_refused(name: str) -> None:
    profile = recorded_profile(name)
    for num_ues in profile.curve.batch_sizes:
        longest = int(profile.points.query("num_ues == @num_ues")["length_tok"].max())
        at_most = PARAMETERS.replace(num_ues=num_ues, context_max_tok=longest)
        assert profiled_parameters(at_most, profile, "bf16").context_max_tok == longest
        with pytest.raises(InputError, match="context_max_tok"):
            profiled_parameters(at_most.replace(context_max_tok=longest + 1), profile, "bf16")
    with pytest.raises(InputError, match="num_ues"):
        profiled_parameters(PARAMETERS.replace(num_ues=99), profile, "bf16")


def test_an_unknown_profile_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean prefill-small-fp32-cpu"):
        recorded_profile("prefill-smal-fp32-cpu")
