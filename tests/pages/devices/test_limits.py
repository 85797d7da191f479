import numpy as np
import pytest

from ctho.checks import InputError
from ctho.pages.devices.limits import (
    device_records,
    devices,
    limits_table,
    model_weights,
    needed_flop_per_s,
)
from ctho.simulation import Parameters


@pytest.mark.parametrize(
    ("model", "published"),
    [
        ("Qwen2.5-7B-Instruct", 7_615_616_512),
        ("Qwen2.5-0.5B-Instruct", 494_032_768),
        ("Llama-3.1-8B-Instruct", 8_030_261_248),
    ],
)
def test_counted_weights_are_the_published_number(model, published):
    assert model_weights(model).total == published


def test_a_pass_reads_all_but_the_input_table():
    weights = model_weights("Qwen2.5-7B-Instruct")
    assert weights.total - weights.read == 152_064 * 3584
    tied = model_weights("Qwen2.5-0.5B-Instruct")
    assert tied.read == tied.total


def test_floors_are_those_of_the_design_notes():
    limits = limits_table(Parameters(num_ues=4)).set_index("device")
    stated = device_records()["stated_weights"]
    assert round(limits["weight_gbyte"].iloc[0], 1) == stated["weight_gbyte"]
    for row in stated["floors"]:
        assert round(limits.loc[row["device"], "floor_all_ms"], 1) == row["floor_ms"]


def test_limits_answer_what_they_say():
    own = Parameters(num_ues=3, prefill_s_per_tok=5e-5, prefill_offset_s=1e-3)
    limits = limits_table(own)
    line_s = 5e-5 * limits["memory_bound_tok"] + 1e-3
    assert np.allclose(line_s, limits["floor_ms"] / 1e3)
    assert np.allclose(limits["utilisation_batch"], 3 * limits["utilisation"])
    assert np.allclose(limits["utilisation"] * 50, limits["compute_us_per_tok"])


def test_where_the_offset_is_longer_than_reading_no_length_is_bound_by_memory():
    assert (limits_table(Parameters(prefill_offset_s=0.1))["memory_bound_tok"] == 0).all()


def test_arithmetic_at_peak_is_two_operations_for_each_weight_of_the_layers():
    # Qwen2.5-7B: 28 layers, width 3584, 512 keys and as many values, gated width 18944.
    weights = 28 * (3584 * (3584 + 2 * 512) + 3584 * 3584 + 3 * 3584 * 18944)
    limit = limits_table(Parameters(), ["L40S"]).iloc[0]
    assert limit["compute_us_per_tok"] * 1e-6 * 362.05e12 == pytest.approx(2 * weights)
    own = Parameters(num_ues=5, prefill_s_per_tok=1e-4)
    assert needed_flop_per_s(own) == pytest.approx(5 * 2 * weights / 1e-4)


def test_a_line_without_a_slope_and_unknown_devices_are_refused():
    for of_line in (limits_table, needed_flop_per_s):
        with pytest.raises(InputError, match="prefill_s_per_tok"):
            of_line(Parameters(prefill_s_per_tok=0))
    with pytest.raises(InputError, match="H100"):
        devices(["H10"])
