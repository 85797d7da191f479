import numpy as np
import pytest

from ctho.checks import InputError
from ctho.pages.followup.measurements import Measurements, followup_records, measurements
from ctho.pages.followup.predictions import (
    affine_fit,
    block_cost,
    leave_one_out,
    parallel_law,
    piecewise_fit,
    predictions,
    savings,
)
from ctho.prefill import AffinePrefill

DATA = measurements(1024, 0.3)


def made(slope, offset, rate_gbps=0.3):
    """Measurements that a line would give exactly."""
    context = np.array([1000.0, 2000.0, 4000.0])
    rate = rate_gbps * 1e9 / DATA.kv_bits_per_tok
    recomputation = slope * context + offset
    return Measurements(
        context_tok=context,
        full_copy_s=context / rate,
        recomputation_s=recomputation,
        ctho_s=recomputation / (1 + slope * rate),
        kv_bits_per_tok=DATA.kv_bits_per_tok,
        backhaul_gbps=rate_gbps,
    )


def test_the_cache_and_the_link_are_those_of_the_table():
    assert DATA.kv_bits_per_tok / 8 == 262_144
    assert DATA.backhaul_tok_per_s == pytest.approx(0.3e9 / 8 / 262_144)
    assert DATA.context_tok.tolist() == [1024, 2048, 4096]
    assert DATA.full_copy_s[0] == 7.165
    assert DATA.recomputation_s[1] == 1.208
    assert DATA.ctho_s[2] == 2.058


def test_the_goodput_that_full_copies_need_is_the_links_if_the_model_holds():
    assert made(5e-4, 0.1, 0.7).needed_gbps == pytest.approx(0.7)


def test_measurements_of_the_model_itself_are_predicted_without_error():
    data = made(5e-4, 0.1)
    table = predictions(data, affine_fit(data.context_tok, data.recomputation_s))
    assert np.allclose(table["error_percent"], 0, atol=1e-8)
    assert np.allclose(leave_one_out(data)["error_percent"], 0, atol=1e-8)


def test_an_error_is_in_percent_and_positive_where_the_prediction_is_late():
    data = made(5e-4, 0.1)
    late = predictions(data, AffinePrefill(2 * 5e-4, 2 * 0.1)).set_index("quantity")
    assert late.loc["recomputation", "error_percent"].to_numpy() == pytest.approx(100)
    assert late.loc["full copy", "error_percent"].to_numpy() == pytest.approx(0)


def test_ctho_is_the_closed_form_of_one_user():
    prefill = AffinePrefill(4.7e-4, 0.13)
    table = predictions(DATA, prefill).set_index("quantity")
    ctho = table.loc["ctHO"]
    expected = table.loc["recomputation", "predicted_s"] / (1 + 4.7e-4 * DATA.backhaul_tok_per_s)
    assert np.allclose(ctho["predicted_s"], expected, rtol=1e-12)
    assert np.allclose(4.7e-4 * ctho["prefill_length_tok"] + 0.13, expected, rtol=1e-12)
    copy = table.loc["full copy", "predicted_s"]
    assert np.allclose(copy, DATA.context_tok / DATA.backhaul_tok_per_s)


def test_the_context_left_out_plays_no_part_in_its_own_prediction():
    table = leave_one_out(DATA).set_index(["quantity", "left_out_tok"])
    c, r = DATA.context_tok, DATA.recomputation_s
    slope = (r[2] - r[1]) / (c[2] - c[1])
    assert table.loc[("recomputation", c[0]), "predicted_s"] == pytest.approx(
        r[1] + slope * (c[0] - c[1])
    )
    assert len(table) == 2 * len(c)


def test_the_law_is_exact_without_an_offset_and_low_with_one():
    exact = parallel_law(made(5e-4, 0.0)).iloc[:3]
    assert np.allclose(exact["error_percent"], 0, atol=1e-9)
    assert (parallel_law(made(5e-4, 0.1)).iloc[:3]["error_percent"] < 0).all()


def test_the_law_takes_each_column_of_both_tables():
    law = parallel_law(DATA).set_index("case")
    rows = followup_records()["table_2"]["rows"]
    assert len(law) == len(DATA.context_tok) + len(rows)
    names = {"full_copy_s": "full_copy_ms", "recomputation_s": "recomputation_ms"}
    for row in rows:
        for ours, theirs in {**names, "measured_s": "ctho_ms"}.items():
            assert law.loc[f"Table 2, {row['model']}", ours] == pytest.approx(row[theirs] / 1e3)
    assert law.loc["Table 1, 2,048 tokens", "measured_s"] == DATA.ctho_s[1]


def test_a_saving_is_the_part_of_recomputation_that_is_not_needed():
    saved = savings(parallel_law(DATA))
    assert saved["measured_percent"][0] == pytest.approx(100 * (581 - 554) / 581)
    assert saved["predicted_percent"][0] == pytest.approx(100 * 581 / (581 + 7165))


def test_curves_through_the_points():
    prefill = piecewise_fit(DATA.context_tok, DATA.recomputation_s)
    assert np.allclose(prefill.delay_s(DATA.context_tok, 1), DATA.recomputation_s)
    assert prefill.delay_s(512, 1) == pytest.approx(DATA.recomputation_s[0] / 2, rel=1e-5)


def test_a_line_that_would_start_below_0_goes_through_the_origin():
    slope, offset = affine_fit([1000, 2000, 3000], [0.1, 0.3, 0.5]).affine(1)
    assert offset == 0
    assert slope == pytest.approx((0.1 + 2 * 0.3 + 3 * 0.5) / (1 + 4 + 9) / 1000)


def test_a_line_needs_two_lengths_and_times():
    with pytest.raises(InputError, match="two different"):
        affine_fit([1000, 1000], [0.1, 0.2])
    with pytest.raises(InputError, match="delay_s"):
        affine_fit([1000, 2000], [0.1, -0.2])
    with pytest.raises(InputError, match="tokens_per_k"):
        measurements(0, 0.3)
    with pytest.raises(InputError, match="backhaul_gbps"):
        measurements(1024, 0)


@pytest.mark.parametrize("block", [1, 16, 512])
def test_the_best_split_in_blocks_is_that_of_a_search(block):
    prefill = piecewise_fit(DATA.context_tok, DATA.recomputation_s)
    table = block_cost(DATA, prefill, block)
    assert (table["cost_ms"] >= -1e-9).all()
    assert np.allclose(table["cost_ms"], 1e3 * (table["blocks_s"] - table["free_s"]))
    for context, found in zip(DATA.context_tok, table["blocks_s"], strict=True):
        splits = np.arange(block, context + 1, block)
        transfer = (context - splits) / DATA.backhaul_tok_per_s
        delays = np.maximum(prefill.delay_s(splits, 1), transfer)
        assert found == pytest.approx(delays.min(), rel=1e-9)


def test_blocks_longer_than_the_context_leave_the_pure_schemes():
    prefill = piecewise_fit(DATA.context_tok, DATA.recomputation_s)
    table = block_cost(DATA, prefill, 1e6)
    pure = np.minimum(DATA.recomputation_s, DATA.context_tok / DATA.backhaul_tok_per_s)
    assert np.allclose(table["blocks_s"], pure)
