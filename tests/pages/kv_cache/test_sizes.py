"""The tables of the cache page, and sentences that follow them."""

from __future__ import annotations

import pandas as pd
import pytest

from ctho.checks import InputError
from ctho.kv_cache import KvCache, model_geometry, model_names
from ctho.pages.kv_cache import statements as statements
from ctho.pages.kv_cache.sizes import (
    context_table,
    measured_table,
    model_cache,
    model_table,
    quantised_table,
    shortcut_table,
)


def test_a_model_with_a_window_has_a_row_for_each_range() -> None:
    table = model_table(["gemma-3-1b", "Qwen2.5-7B"], "bf16")
    assert table["bytes_per_tok"].tolist() == [26_624, 4_096, 57_344]
    assert table["from_tok"].tolist() == [0, 512, 0]
    assert table["to_tok"].isna().tolist() == [False, True, True]


def test_transfer_times_are_bits_over_the_link() -> None:
    table = context_table(["Qwen2.5-7B", "Qwen3-Next-80B-A3B"], [1, 3072], 4.5, "bf16")
    for size, seconds in zip(table["bytes"], table["transfer_s"], strict=True):
        assert seconds == pytest.approx(size * 8 / 4.5e9)
    assert table["bytes"].iloc[1] == 176_160_768


def test_values_may_have_another_type_but_not_in_a_latent() -> None:
    assert model_cache("Qwen2.5-7B", "int8", "int4").bits_per_tok == 458_752 * 3 // 8
    assert model_cache("DeepSeek-V3", "int8", "int4").bits_per_tok == 70_272 * 4
    with pytest.raises(InputError, match="context_tok"):
        context_table(["Qwen2.5-7B"], [0], 4.5, "bf16")


def test_the_shortcut_is_right_for_plain_models_and_wrong_for_others() -> None:
    table = shortcut_table(model_names(), 8192).set_index("model")
    assert table.loc["Qwen2.5-7B-Instruct", "ratio"] == 1
    assert table.loc["Qwen3-4B", "ratio"] == pytest.approx(80 / 128)
    assert table.loc["DeepSeek-V2-Lite", "ratio"] == pytest.approx(2 * 16 * 128 / 576)
    inside = shortcut_table(["Mistral-7B-Instruct-v0.1"], 4096)["ratio"].iloc[0]
    beyond = shortcut_table(["Mistral-7B-Instruct-v0.1"], 8192)["ratio"].iloc[0]
    assert (inside, beyond) == (1, 2)


def test_sentences_change_with_what_was_measured() -> None:
    table = measured_table()
    assert f"{len(table)} of {len(table)} agree byte for byte" in statements.measured_in_words(
        table, "5"
    )
    table.loc[0, "measured_bytes"] += 1
    said = statements.measured_in_words(table, "5")
    assert "1 differ for a reason that is not known" in said
    assert f"1 are larger: {table.loc[0, 'model']}" in said
    expanded = table.assign(
        measured_bytes=table["measured_bytes"].where(
            ~table["model"].str.startswith("DeepSeek"), table["measured_bytes"] * 7
        )
    )
    assert "kept compressed" in statements.measured_in_words(table, "5")
    assert "kept compressed" not in statements.measured_in_words(expanded, "5")


def test_sentences_on_shortcuts_name_both_ends() -> None:
    wrong = shortcut_table(model_names(), 8192)
    said = statements.shortcuts_in_words(wrong, 8192)
    worst = wrong.loc[wrong["ratio"].idxmax()]
    assert f"{worst['ratio']:.2f} times ({worst['model']})" in said
    right = shortcut_table(["Qwen2.5-7B"], 8192)
    assert "right for all 1 models" in statements.shortcuts_in_words(right, 8192)


def test_tables_in_markdown_have_a_line_for_each_row() -> None:
    sizes = model_table(model_names(), "bf16")
    contexts = context_table(model_names(), [100, 5000], 4.5, "bf16")
    shortcuts = shortcut_table(model_names(), 8192)
    for text, count in (
        (statements.models_as_markdown(sizes), len(sizes)),
        (statements.contexts_as_markdown(contexts), len(model_names())),
        (statements.shortcuts_as_markdown(shortcuts), int((shortcuts["ratio"] != 1).sum())),
        (statements.quantised_as_markdown(quantised_table()), len(quantised_table())),
    ):
        lines = text.splitlines()
        assert len(lines) == count + 2
        assert len({line.count("|") for line in lines}) == 1


def test_the_first_models_sentence() -> None:
    said = statements.first_model_in_words(KvCache(model_geometry("Qwen2.5-7B")), 3072, 0.3132, 4.5)
    for part in ("57,344 bytes", "458,752 bits", "176,160,768 bytes", "168.0 MiB", "0.313 s"):
        assert part in said


def test_quantised_sentence_counts_the_metadata() -> None:
    said = statements.quantised_in_words(quantised_table())
    assert "4 bits into 4.5, 12.5% more" in said
    assert isinstance(quantised_table(), pd.DataFrame)
