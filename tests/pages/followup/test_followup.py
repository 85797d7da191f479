import numpy as np
import pytest

from ctho.checks import InputError
from ctho.pages.followup.followup import (
    Measurements,
    affine_fit,
    block_cost,
    followup_records,
    leave_one_out,
    measurements,
    parallel_law,
    piecewise_fit,
    predictions,
)
from ctho.pages.followup.statements import (
    block_sentence,
    error_sentences,
    law_markdown,
    law_sentences,
    leave_one_out_sentence,
    predictions_markdown,
    tokens_sentence,
)
from ctho.prefill import AffinePrefill

DATA = measurements()


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


def test_measurements_of_the_model_itself_are_predicted_without_error():
    data = made(5e-4, 0.1)
    table = predictions(data, affine_fit(data.context_tok, data.recomputation_s))
    assert np.allclose(table["error_percent"], 0, atol=1e-8)
    assert np.allclose(leave_one_out(data)["error_percent"], 0, atol=1e-8)


def test_ctho_is_the_closed_form_of_one_user():
    prefill = AffinePrefill(4.7e-4, 0.13)
    table = predictions(DATA, prefill).set_index(["quantity", "context_tok"])["predicted_s"]
    expected = table["recomputation"] / (1 + 4.7e-4 * DATA.backhaul_tok_per_s)
    assert np.allclose(table["ctHO"], expected, rtol=1e-12)
    assert np.allclose(table["full copy"], DATA.context_tok / DATA.backhaul_tok_per_s)


def test_the_law_is_exact_without_an_offset_and_low_with_one():
    exact = parallel_law(made(5e-4, 0.0)).iloc[:3]
    assert np.allclose(exact["error_percent"], 0, atol=1e-9)
    assert (parallel_law(made(5e-4, 0.1)).iloc[:3]["error_percent"] < 0).all()


def test_the_law_is_tried_on_both_tables():
    law = parallel_law(DATA)
    rows = followup_records()["table_2"]["rows"]
    assert len(law) == len(DATA.context_tok) + len(rows)
    assert law_markdown(law).count("\n") == len(law) + 1


def test_curves_through_the_points():
    prefill = piecewise_fit(DATA.context_tok, DATA.recomputation_s)
    assert np.allclose(prefill.delay_s(DATA.context_tok, 1), DATA.recomputation_s)
    assert prefill.delay_s(512, 1) == pytest.approx(DATA.recomputation_s[0] / 2, rel=1e-5)
    assert affine_fit([1000, 2000, 3000], [0.1, 0.3, 0.5]).affine(1)[1] == 0


def test_a_line_needs_two_lengths_and_times():
    with pytest.raises(InputError, match="two different"):
        affine_fit([1000, 1000], [0.1, 0.2])
    with pytest.raises(InputError, match="delay_s"):
        affine_fit([1000, 2000], [0.1, -0.2])
    with pytest.raises(InputError, match="tokens_per_k"):
        measurements(tokens_per_k=0)


def test_blocks_cost_at_most_one_block():
    prefill = piecewise_fit(DATA.context_tok, DATA.recomputation_s)
    for block in (1, 16, 512):
        cost = block_cost(DATA, prefill, block)["cost_ms"]
        assert (cost >= -1e-9).all()
        assert (cost <= 1e3 * block / DATA.backhaul_tok_per_s).all()


def test_blocks_longer_than_the_context_leave_the_pure_schemes():
    prefill = piecewise_fit(DATA.context_tok, DATA.recomputation_s)
    table = block_cost(DATA, prefill, 1e6)
    assert np.allclose(table["blocks_s"], np.minimum(DATA.recomputation_s, table["blocks_s"]))
    pure = np.minimum(DATA.recomputation_s, DATA.context_tok / DATA.backhaul_tok_per_s)
    assert np.allclose(table["blocks_s"], pure)


def test_sentences_follow_the_numbers():
    line = affine_fit(DATA.context_tok, DATA.recomputation_s)
    tables = {"line": predictions(DATA, line)}
    assert "cannot confirm the size of the gain" in error_sentences(tables)
    data = made(5e-3, 0.0)
    good = {"line": predictions(data, affine_fit(data.context_tok, data.recomputation_s))}
    assert "smaller than the saving on every" in error_sentences(good)
    assert predictions_markdown(tables).count("\n") == 10
    assert "always below" in law_sentences(parallel_law(DATA))
    above = parallel_law(DATA)
    above["error_percent"] = above["error_percent"].abs()
    assert "always above" in law_sentences(above)
    above.loc[0, "error_percent"] = -1.0
    assert "both sides" in law_sentences(above)


def test_readings_of_the_table_s_k():
    text = tokens_sentence(DATA, measurements(1000))
    assert "1,024, 2,048, 4,096" in text
    assert "1,000, 2,000, 4,000" in text
    slower = 1e-6 * 4000 * DATA.kv_bits_per_tok / DATA.full_copy_s[2]
    assert f"{slower:.1f}" in text


def test_ranges_in_sentences():
    assert "third ctHO time" in leave_one_out_sentence(leave_one_out(DATA))
    prefill = piecewise_fit(DATA.context_tok, DATA.recomputation_s)
    assert "multiples of 16" in block_sentence({"a": block_cost(DATA, prefill, 16)}, 16)
