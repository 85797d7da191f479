"""The cache page under several parameters: its sentences true, its tables and figure in place."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import pytest

from ctho.kv_cache import KvCache, model_config, model_geometry, model_names
from tests.rendering import Page, numbers, table_rows

# Layers, elements that a token adds in each (keys and values), window.
SHAPES: dict[str, list[tuple[int, int, int | None]]] = {
    "Qwen2.5-7B-Instruct": [(28, 2 * 4 * 128, None)],
    "Llama-3.1-8B-Instruct": [(32, 2 * 8 * 128, None)],
    "Qwen3-4B": [(36, 2 * 8 * 128, None)],
    "gemma-2-9b-it": [(21, 2 * 8 * 256, 4096), (21, 2 * 8 * 256, None)],
    "gemma-3-1b-it": [(22, 2 * 256, 512), (4, 2 * 256, None)],
    "Mistral-7B-Instruct-v0.1": [(32, 2 * 8 * 128, 4096)],
    "DeepSeek-V3": [(61, 512 + 64, None)],
    "Qwen3-Next-80B-A3B-Instruct": [(12, 2 * 2 * 256, None), (36, 0, None)],
}
# Convolution channels over four tokens in the activations' type, and a state in fp32.
CONVOLUTION, RECURRENT = 36 * (2 * 16 * 128 + 32 * 128) * 4, 36 * 32 * 128 * 128
ACTIVATION_BYTES = {"bf16": 2, "fp32": 4, "int8": 2}
BITS = {"bf16": 16, "fp32": 32, "int8": 8, "int4": 4}

NINE = [*SHAPES, "Qwen3-8B"]
PAGES: dict[str, dict[str, Any]] = {
    "default": {},
    "one token": {
        "models": ["gemma-3-1b-it"],
        "dtype": "int8",
        "value_dtype": "int4",
        "context_tok": [1],
        "backhaul_gbps": 0.0005,
    },
    "fast link": {
        "models": ["Qwen3-Next-80B-A3B-Instruct", "DeepSeek-V3", "Qwen3-Next-80B-A3B"],
        "dtype": "fp32",
        "context_tok": [600, 200_000, 600],
        "backhaul_gbps": 1e6,
    },
    "nine models": {"models": NINE, "dtype": "int8", "context_tok": [20_000, 40]},
}
each_page = pytest.mark.parametrize("which", PAGES)
Pages = Callable[..., Page]


@pytest.fixture
def shown(page: Pages, which: str) -> Page:
    return page("kv_cache", **PAGES[which])


def bits_per_element(given: dict[str, Any]) -> float:
    keys = given.get("dtype", "bf16")
    return (BITS[keys] + BITS[given.get("value_dtype", keys)]) / 2


def state_bytes(model: str, given: dict[str, Any]) -> int:
    if not model.startswith("Qwen3-Next"):
        return 0
    return CONVOLUTION * ACTIVATION_BYTES[given.get("dtype", "bf16")] + RECURRENT * 4


def cache_bytes(model: str, tokens: int, given: dict[str, Any]) -> float:
    elements = sum(
        layers * each * min(tokens, window or tokens) for layers, each, window in SHAPES[model]
    )
    return elements * bits_per_element(given) / 8 + state_bytes(model, given)


def known(models: list[str]) -> list[str]:
    return [model for model in models if model in SHAPES]


near = partial(pytest.approx, rel=5.01e-3)


@each_page
def test_the_first_sentence_counts_the_first_model(shown: Page, which: str) -> None:
    given, names = PAGES[which], shown.names
    model, context = names["models"][0], names["context_tok"]
    tokens = context[1] if len(context) > 1 else context[0]
    text = shown.cells["first-words"]
    head, tail = text.split(", so the first token adds ")
    per_tok, bits, said_tok, size, megabytes, mebibytes, seconds, gbps = numbers(tail)
    expected = cache_bytes(model, tokens, given)
    assert per_tok == cache_bytes(model, 1, given) - state_bytes(model, given)
    assert (bits, said_tok, size) == (8 * per_tok, tokens, expected)
    assert (megabytes, mebibytes) == (near(expected / 1e6), near(expected / 2**20))
    assert gbps == given.get("backhaul_gbps", 4.5)
    assert seconds == near(expected * 8 / (gbps * 1e9))
    assert re.search(r"MB = \S+ MiB, and takes\s\S+ s over \S+ Gbit/s", tail)
    types = [given.get("dtype", "bf16"), given.get("value_dtype", "")]
    assert f"**{model}**" in head
    assert [name for name in BITS if re.search(rf"\b{name}\b", head.split("`")[0])] == [
        name for name in BITS if name in types
    ]
    # The products, evaluated, are the bits.
    products = [product.split(" bits")[0] for product in re.findall(r"`([^`]*)`", head)]
    growing = [product for product in products if "convolution" not in product]
    assert sum(eval(re.sub(r"[A-Za-z]", "", product)) for product in growing) == bits
    assert not re.search(r"(?<![\d,.])1 tokens", shown.text)


@each_page
def test_bytes_per_token_stand_beside_their_model_and_range(shown: Page, which: str) -> None:
    given = PAGES[which]
    head, *rows = table_rows(shown.cells["model-table"])
    assert head == ["Model", "Layers", "Context (tokens)", "Bytes per token", "Fixed state (bytes)"]
    expected = []
    for model in known(list(dict.fromkeys(shown.names["models"]))):
        windows = sorted({window for _, _, window in SHAPES[model] if window})
        for start, end in zip([0, *windows], [*windows, None], strict=True):
            first = start == 0
            reach = f"up to {end:,}" if end else f"beyond {start:,}"
            added = cache_bytes(model, start + 1, given) - cache_bytes(model, start, given)
            layers = sum(count for count, _, _ in SHAPES[model])
            state = f"{state_bytes(model, given):,}" if state_bytes(model, given) else ""
            expected.append(
                [
                    model if first else "",
                    f"{layers}" if first else "",
                    "any" if first and not end else reach,
                    f"{added:,.0f}",
                    state if first else "",
                ]
            )
    assert rows[: len(expected)] == expected
    assert len(rows) == len(expected) + (which == "nine models")
    every_head, *every = table_rows(shown.cells["every-model-table"])
    assert every_head == head
    assert {row[0] for row in every} - {""} == set(model_names())
    assert all(row in every for row in rows)


@each_page
def test_megabytes_and_seconds_stand_under_their_context(shown: Page, which: str) -> None:
    given = PAGES[which]
    head, *rows = table_rows(shown.cells["context-table"])
    lengths = list(dict.fromkeys(shown.names["context_tok"]))
    assert [numbers(title)[0] for title in head[1:]] == lengths
    assert all(title.endswith("(MB; s)") for title in head[1:])
    shown_models = [row[0] for row in rows]
    assert known(shown_models) == known(list(dict.fromkeys(shown.names["models"])))
    gbps = given.get("backhaul_gbps", 4.5)
    for model, *cells in rows:
        for tokens, cell in zip(lengths, cells, strict=True):
            if model in SHAPES:
                size = cache_bytes(model, tokens, given)
                assert numbers(cell) == [near(size / 1e6), near(size * 8 / (gbps * 1e9))]


@each_page
def test_the_figure_draws_megabytes_over_tokens(shown: Page, which: str) -> None:
    (axes,) = shown.figures["kv_cache"].axes
    *lines, mark = axes.get_lines()
    models = list(dict.fromkeys(line.get_label() for line in lines))
    assert len(models) == len(lines)
    assert known(models) == known(list(dict.fromkeys(shown.names["models"])))
    for line in lines:
        if line.get_label() in SHAPES:
            sizes = [cache_bytes(line.get_label(), n, PAGES[which]) for n in line.get_xdata()]
            assert line.get_ydata() == pytest.approx([size / 1e6 for size in sizes])
    context = shown.names["context_tok"]
    low, high = min(64, *context), max(131_072, *context)
    assert axes.get_xlim() == (low, high)
    assert all((line.get_xdata()[0], line.get_xdata()[-1]) == (low, high) for line in lines)
    marked = context[1] if len(context) > 1 else context[0]
    assert set(mark.get_xdata()) == {marked}
    (note,) = axes.texts
    assert note.get_text() == f"{marked:,} token{'s' if marked > 1 else ''}"
    assert note.xy[0] == marked
    assert (axes.get_xlabel(), axes.get_xscale()) == ("Context (tokens)", "log")
    assert (axes.get_ylabel(), axes.get_yscale()) == ("KV cache (MB, $10^6$ bytes)", "log")
    for axis in (axes.xaxis, axes.yaxis):
        assert [axis.get_major_formatter()(value) for value in (0.1, 1e4)] == ["0.1", "10,000"]
    looks = {(line.get_color(), str(line._dash_pattern)) for line in lines}
    assert len(looks) == len(lines)


def plain_shortcut(model: str, tokens: int) -> float | None:
    config = model_config(model)
    config = config.get("text_config", config)
    if "num_attention_heads" not in config:
        return None
    head = config["hidden_size"] / config["num_attention_heads"]
    heads = config.get("num_key_value_heads", config["num_attention_heads"])
    return float(2 * config["num_hidden_layers"] * heads * head * 2 * tokens)


@each_page
def test_the_shortcut_is_called_wrong_where_it_is(shown: Page, which: str) -> None:
    tokens = max(shown.names["context_tok"])
    exact = {model: KvCache(model_geometry(model)).bytes_at(tokens) for model in model_names()}
    shortcuts = {model: plain_shortcut(model, tokens) for model in model_names()}
    ratios = {model: cut / exact[model] for model, cut in shortcuts.items() if cut is not None}
    wrong = {model: ratio for model, ratio in ratios.items() if ratio != 1}
    low, high = min(wrong, key=wrong.__getitem__), max(wrong, key=wrong.__getitem__)

    text = shown.cells["shortcut-words"]
    said = numbers(text.replace(low, "").replace(high, ""))
    assert said[0] == tokens
    assert said[-4:] == [len(wrong), len(ratios), near(wrong[low]), near(wrong[high])]
    assert text.index(low) < text.index(high)
    assert "bf16" in text

    head, *rows = table_rows(shown.cells["shortcut-table"])
    assert head == ["Model", "Layers counted (MB)", "Shortcut (MB)", "Ratio"]
    assert {row[0] for row in rows} == set(wrong)
    for model, layers, cut, ratio in rows:
        assert numbers(layers) == [near(exact[model] / 1e6)]
        assert numbers(cut) == [near((shortcuts[model] or 0) / 1e6)]
        assert numbers(ratio) == [near(wrong[model])]
    shown_ratios = [numbers(row[3])[0] for row in rows]
    assert shown_ratios == sorted(shown_ratios, reverse=True)


def test_tables_lie_under_their_names(page: Pages) -> None:
    shown = page("kv_cache")
    for name, held in {
        "kv_cache_models": "sizes",
        "kv_cache_contexts": "curves",
        "kv_cache_shortcuts": "shortcuts",
        "kv_cache_measured": "measured",
        "kv_cache_quantised": "quantised",
    }.items():
        written = pd.read_csv(shown.build_dir / "results" / f"{name}.csv")
        pd.testing.assert_frame_equal(written, shown.names[held], check_dtype=False)
    assert len(list((shown.build_dir / "results").iterdir())) == 5
    assert set(shown.figures) == {"kv_cache"}


@each_page
def test_provenance_states_the_pages_parameters(shown: Page, which: str) -> None:
    card = shown.cells["provenance"]
    for name in ("models", "dtype", "value_dtype", "context_tok"):
        assert f"`{name} = {shown.names[name]!r}`" in card
    assert f"`backhaul_gbps = {PAGES[which].get('backhaul_gbps', 4.5)!r}`" in card
