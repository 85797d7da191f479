import numpy as np
import pandas as pd
import pytest

from ctho.checks import InputError
from ctho.data_files import data_path
from ctho.pages.devices.limits import device_records, devices, limits_table, model_weights
from ctho.pages.devices.profiles import (
    batch_ratio,
    device_prefill,
    prefill_curves,
    prefill_times,
    second_profile_us_per_tok,
    us_per_token,
)
from ctho.simulation import Parameters


@pytest.mark.parametrize("device", [device.name for device in devices()])
def test_no_sum_of_kernels_beats_the_limits(device):
    times = prefill_times(device)
    limit = limits_table(Parameters()).set_index("device").loc[device]
    weights = model_weights(device_records()["model"])
    layers_s = limit["floor_ms"] / 1e3 * weights.layers / weights.read
    arithmetic_s = times["num_ues"] * times["length_tok"] * limit["compute_us_per_tok"] / 1e6
    assert (times["matmul_s"] >= np.maximum(layers_s, arithmetic_s)).all()
    assert (times["attention_s"] > 0).all()


def test_sums_agree_with_the_figures_that_the_project_started_from():
    for stated in device_records()["stated"]:
        own = us_per_token(stated["length_tok"], [stated["device"]])
        assert own["us_per_tok"].item() == pytest.approx(stated["us_per_tok"], rel=0.05)


def test_time_per_token_is_delay_over_length():
    own = us_per_token(2048, ["H200", "A100"]).set_index("device")
    assert list(own.index) == ["H200", "A100"]
    point = prefill_times("A100").set_index(["num_ues", "length_tok"]).loc[(1, 2048)]
    assert own.loc["A100", "us_per_tok"] * 2048e-6 == pytest.approx(point["delay_s"])
    assert own.loc["A100", "attention_us_per_tok"] * 2048e-6 == pytest.approx(point["attention_s"])


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


def test_the_ratio_of_a_batch_has_the_ends_over_the_devices():
    curves = prefill_curves(4)
    ratio = batch_ratio(curves).set_index("length_tok")
    own = []
    for device in devices():
        times = prefill_times(device.name).set_index(["num_ues", "length_tok"])["delay_s"]
        own.append(times[4, 512] / times[1, 512])
    assert tuple(ratio.loc[512]) == pytest.approx((min(own), max(own)))
    assert (batch_ratio(prefill_curves(1))[["least", "most"]] == 1).all(axis=None)


def test_the_second_profile_leaves_the_operations_between_out_or_in():
    # Thousandths of a second over 32 layers and 4096 tokens, by hand from the record.
    products, everything = second_profile_us_per_tok()
    assert products == pytest.approx(7.4915 * 32 / 4.096)
    assert everything - products == pytest.approx(0.679 * 32 / 4.096)


def test_batches_that_were_not_profiled_are_refused():
    with pytest.raises(InputError, match="device"):
        prefill_times("TPU")
    with pytest.raises(InputError, match="num_ues"):
        prefill_curves(64)
