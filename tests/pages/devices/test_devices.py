import numpy as np
import pandas as pd
import pytest

from ctho.checks import InputError
from ctho.data_files import data_path
from ctho.pages.devices.limits import device_records, devices, limits_table, model_weights
from ctho.pages.devices.profiles import (
    device_prefill,
    prefill_curves,
    prefill_times,
    second_profile_us_per_tok,
    stated_table,
)
from ctho.pages.devices.statements import (
    arithmetic_sentences,
    batch_sentence,
    memory_sentences,
    profile_sentences,
)
from ctho.prefill import AffinePrefill

A, B = AffinePrefill().affine(1)


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
    limits = limits_table(A, B, num_ues=4).set_index("device")
    stated = device_records()["stated_weights"]
    assert round(limits["weight_gbyte"].iloc[0], 1) == stated["weight_gbyte"]
    for row in stated["floors"]:
        assert round(limits.loc[row["device"], "floor_all_ms"], 1) == row["floor_ms"]


def test_limits_answer_what_they_say():
    limits = limits_table(A, B, num_ues=4)
    line_s = A * limits["memory_bound_tok"] + B
    assert np.allclose(line_s, limits["floor_ms"] / 1e3)
    assert np.allclose(limits["utilisation_batch"], 4 * limits["utilisation"])
    assert np.allclose(limits["utilisation"] * A * 1e6, limits["compute_us_per_tok"])


@pytest.mark.parametrize("device", [device.name for device in devices()])
def test_no_sum_of_kernels_beats_the_limits(device):
    times = prefill_times(device)
    limit = limits_table(A, B, 1).set_index("device").loc[device]
    weights = model_weights(device_records()["model"])
    layers_s = limit["floor_ms"] / 1e3 * weights.layers / weights.read
    arithmetic_s = times["num_ues"] * times["length_tok"] * limit["compute_us_per_tok"] / 1e6
    assert (times["matmul_s"] >= np.maximum(layers_s, arithmetic_s)).all()
    assert (times["attention_s"] > 0).all()


def test_sums_agree_with_the_stated_figures():
    table = stated_table()
    assert len(table) == 4
    assert table["deviation_percent"].abs().max() < 5


def test_a_sum_by_hand():
    # H100, one context of 2048 tokens: four products and one attention, 28 times.
    kernels = pd.read_csv(data_path("device_kernels.csv"))
    own = kernels[(kernels["device"] == "H100") & (kernels["rows"] == 2048)]
    ms = own[own["kernel"] == "matmul"].set_index(["n", "k"])["latency_ms"]
    attention = own[(own["kernel"] == "attention") & (own["num_ues"] == 1)]

    def between(low, high, share):
        return np.exp((1 - share) * np.log(low) + share * np.log(high))

    def share(at, low, high):
        return np.log(at / low) / np.log(high / low)

    layer = (
        between(ms[4096, 3584], ms[5120, 3584], share(4608, 4096, 5120))
        + ms[3584, 3584]
        + between(ms[16384, 3584], ms[65536, 3584], share(37888, 16384, 65536))
        + between(ms[3584, 16384], ms[3584, 65536], share(18944, 16384, 65536))
        + between(*attention.sort_values("heads")["latency_ms"], share(28, 24, 32))
    )
    times = prefill_times("H100").set_index(["num_ues", "length_tok"])
    assert times.loc[(1, 2048), "delay_s"] == pytest.approx(28 * layer / 1e3, rel=1e-12)


def test_beyond_the_profile_the_products_scale_with_the_rows():
    times = prefill_times("A100").set_index(["num_ues", "length_tok"])
    last, beyond = times.loc[(1, 8192)], times.loc[(4, 8192)]
    assert last["measured"]
    assert not beyond["measured"]
    assert beyond["matmul_s"] == pytest.approx(4 * last["matmul_s"])


def test_a_batch_counts_or_not():
    single = device_prefill("A100", 4, counts_batch=False)
    batch = device_prefill("A100", 4, counts_batch=True)
    assert single.delay_s(4096, 4) == pytest.approx(batch.delay_s(4096, 1))
    assert 3.5 < batch.delay_s(4096, 4) / batch.delay_s(4096, 1) < 4.5


def test_a_returned_table_is_the_callers_own():
    table = prefill_times("H100")
    table["delay_s"] = 0.0
    assert (prefill_times("H100")["delay_s"] > 0).all()


def test_unknown_devices_and_large_batches_are_refused():
    with pytest.raises(InputError, match="H100"):
        devices(["H10"])
    with pytest.raises(InputError, match="device"):
        prefill_times("TPU")
    with pytest.raises(InputError, match="num_ues"):
        prefill_curves(64)


def test_sentences_follow_the_numbers():
    limits = limits_table(A, B, num_ues=4)
    assert "every device" in memory_sentences(limits, B)
    assert "No device" in memory_sentences(limits_table(A, 0.1, 4), 0.1)
    assert "some devices: A100" in memory_sentences(limits_table(A, 4e-3, 4), 4e-3).replace(
        " can read the weights once", ""
    )
    assert "peak of the A100 and L40S: neither can run a batch of" in arithmetic_sentences(
        limits, A, 4
    )
    slowest = limits[limits["device"].isin(["L40S", "H100"])].assign(utilisation_batch=[1.5, 0.5])
    assert ": it cannot run a batch of" in arithmetic_sentences(slowest, A, 4)
    everyone = limits.assign(utilisation_batch=1.5)
    assert "any device here: none of these can run" in arithmetic_sentences(everyone, A, 4)
    alone = arithmetic_sentences(limits_table(1e-6, B, 1), 1e-6, 1)
    assert "any device" in alone
    assert "contexts" not in alone
    assert "any device" in arithmetic_sentences(limits_table(A, B, 12), A, 12)
    assert "could do that" in arithmetic_sentences(limits_table(A, B, 1), A, 1)


def test_profile_sentences_notice_a_curve_that_does_not_rise():
    table = stated_table()
    times = {name: prefill_times(name) for name in table["device"]}
    second = second_profile_us_per_tok()
    assert "does not rise" not in profile_sentences(table, times, second)
    flat = times["H100"]
    flat["delay_s"] = 1e-5 * flat["length_tok"] + 1e-3
    assert "does not rise on H100" in profile_sentences(table, {**times, "H100": flat}, second)
    assert second[0] < second[1]


def test_batch_sentence_for_one_and_for_many():
    assert "A batch of 4 takes 1.0 times at 16 tokens" in batch_sentence(prefill_curves(4), 4)
    assert "no batch" in batch_sentence(prefill_curves(1), 1)
