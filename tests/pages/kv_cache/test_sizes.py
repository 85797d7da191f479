"""Cache sizes against a count by hand from the models' published shapes."""

from __future__ import annotations

import pandas as pd
import pytest

from ctho.checks import InputError
from ctho.kv_cache import model_names
from ctho.pages.kv_cache.sizes import (
    context_table,
    model_cache,
    model_table,
    range_cells,
    shortcut_table,
    three_digits,
)


def test_a_model_with_a_window_has_a_row_for_each_range() -> None:
    table = model_table(["gemma-3-1b", "Qwen2.5-7B", "gemma-3-1b-it"], "bf16")
    assert table["bytes_per_tok"].tolist() == [26_624, 4_096, 57_344]
    assert table["kv_bits_per_tok"].tolist() == [212_992, 32_768, 458_752]
    assert table["from_tok"].tolist() == [0, 512, 0]
    assert table["to_tok"].fillna(-1).tolist() == [512, -1, -1]
    assert table["layers"].tolist() == [26, 26, 28]


def test_a_reader_gets_ranges_without_a_gap_and_what_holds_for_a_model_once() -> None:
    table = model_table(["gemma-3-1b", "Qwen3-Next-80B-A3B"], "bf16")
    two_windows = pd.DataFrame(
        [
            ("two", 3, 0, 10, 6, 48, 7),
            ("two", 3, 10, 20, 4, 32, 7),
            ("two", 3, 20, None, 2.5, 20, 7),
        ],
        columns=table.columns,
    )
    assert range_cells(table) == [
        ["gemma-3-1b-it", "26", "up to 512", "26,624", ""],
        ["", "", "beyond 512", "4,096", ""],
        ["Qwen3-Next-80B-A3B-Instruct", "48", "any", "24,576", "77,856,768"],
    ]
    assert range_cells(two_windows) == [
        ["two", "3", "up to 10", "6", "7"],
        ["", "", "to 20", "4", ""],
        ["", "", "beyond 20", "2.5", ""],
    ]


def test_transfer_times_are_bits_over_the_link() -> None:
    table = context_table(["Qwen2.5-7B", "Qwen3-Next-80B-A3B"], [1, 3072, 1], 4.5, "bf16")
    assert table["context_tok"].tolist() == [1, 3072] * 2
    for size, seconds in zip(table["bytes"], table["transfer_s"], strict=True):
        assert seconds == pytest.approx(size * 8 / 4.5e9)
    assert table["bytes"].tolist()[:2] == [57_344, 176_160_768]
    with pytest.raises(InputError, match="context_tok"):
        context_table(["Qwen2.5-7B"], [0], 4.5, "bf16")


def test_values_may_have_another_type_but_not_in_a_latent() -> None:
    assert model_cache("Qwen2.5-7B", "int8", "int4").bits_per_tok == 458_752 * 3 // 8
    assert model_cache("Qwen2.5-7B", "int8").bits_per_tok == 458_752 // 2
    assert model_cache("DeepSeek-V3", "int8", "int4").bits_per_tok == 70_272 * 4
    with pytest.raises(InputError, match="value_dtype"):
        model_cache("DeepSeek-V3", "int8", "int5")


def test_the_shortcut_is_right_for_plain_models_and_wrong_for_others() -> None:
    table = shortcut_table(model_names(), 8192).set_index("model")
    assert table.loc["Qwen2.5-7B-Instruct", "ratio"] == 1
    assert table.loc["Qwen3-4B", "ratio"] == pytest.approx(80 / 128)
    assert table.loc["DeepSeek-V2-Lite", "ratio"] == pytest.approx(2 * 16 * 128 / 576)
    assert table.loc["Qwen3-4B", "bytes"] == 8192 * 147_456
    assert table.loc["Qwen3-4B", "shortcut_bytes"] == 8192 * 2 * 36 * 8 * 80 * 2
    inside = shortcut_table(["Mistral-7B-Instruct-v0.1"], 4096)["ratio"].iloc[0]
    beyond = shortcut_table(["Mistral-7B-Instruct-v0.1"], 8192)["ratio"].iloc[0]
    assert (inside, beyond) == (1, 2)


@pytest.mark.parametrize("value", [2.664e-5, 0.0123, 0.6401, 9.996, 58.72, 99.96, 176.2, 57_311.4])
def test_three_digits_are_near_and_never_an_exponent_for_what_is_large(value: float) -> None:
    shown = three_digits(value)
    assert float(shown.replace(",", "")) == pytest.approx(value, rel=5e-3)
    assert not shown.endswith(".")
    assert "e" not in shown or value < 1e-4
