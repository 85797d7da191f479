"""What a config.json must hold, and how a bad one is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctho.checks import InputError
from ctho.kv_cache import (
    AttentionLayers,
    KvCache,
    geometry_from_config,
    geometry_from_file,
    model_config,
)

LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
}


def layers(**changes: Any) -> tuple[Any, ...]:
    return geometry_from_config({**LLAMA, **changes}, "test").layers


def test_head_dim_is_a_field_of_its_own() -> None:
    assert layers(head_dim=32) == (AttentionLayers(3, 2, 32, 32),)


def test_head_dim_falls_back_to_the_quotient() -> None:
    assert layers() == (AttentionLayers(3, 2, 8, 8),)
    assert layers(head_dim=None) == (AttentionLayers(3, 2, 8, 8),)


def test_without_kv_heads_every_head_has_its_own() -> None:
    assert layers(num_key_value_heads=None) == (AttentionLayers(3, 8, 8, 8),)


def test_qwen_uses_its_window_only_when_told() -> None:
    qwen = {"model_type": "qwen2", "sliding_window": 16, "max_window_layers": 1}
    assert layers(**qwen, use_sliding_window=False) == (AttentionLayers(3, 2, 8, 8),)
    assert layers(**qwen, use_sliding_window=True) == (
        AttentionLayers(1, 2, 8, 8),
        AttentionLayers(2, 2, 8, 8, window_tok=16),
    )


def test_layer_types_win_over_a_pattern() -> None:
    kinds = ["sliding_attention", "full_attention", "full_attention"]
    gemma = {"model_type": "gemma2", "head_dim": 8, "sliding_window": 16}
    assert layers(**gemma, layer_types=kinds)[0].count == 2
    assert layers(**gemma)[0].count == 1


def test_gemma_3_pattern_is_read() -> None:
    gemma = {"model_type": "gemma3_text", "head_dim": 8, "sliding_window": 16}
    assert [group.count for group in layers(**gemma, sliding_window_pattern=3)] == [1, 2]


def test_a_multimodal_config_is_read_through_its_text_config() -> None:
    inside = geometry_from_config({"model_type": "outer", "text_config": LLAMA}, "test")
    assert inside.layers == layers()


def test_any_decoder_can_be_described_explicitly() -> None:
    config = {
        "model_type": "explicit",
        "num_hidden_layers": 2,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "layer_types": ["full_attention", "sliding_attention"],
        "sliding_window": 4,
    }
    cache = KvCache(geometry_from_config(config, "mine"))
    assert cache.bytes_at(10) == (10 + 4) * 2 * 2 * 8 * 2
    for name in config:
        short = {key: value for key, value in config.items() if key != name}
        with pytest.raises(InputError, match=name):
            geometry_from_config(short, "mine")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"num_hidden_layers": 0}, "num_hidden_layers"),
        ({"num_hidden_layers": -3}, "num_hidden_layers"),
        ({"num_hidden_layers": 2.5}, "num_hidden_layers"),
        ({"num_hidden_layers": "3"}, "num_hidden_layers"),
        ({"num_hidden_layers": True}, "num_hidden_layers"),
        ({"num_hidden_layers": None}, "num_hidden_layers"),
        ({"num_hidden_layers": 10**12}, "num_hidden_layers"),
        ({"num_hidden_layers": 10_001}, "num_hidden_layers"),
        ({"hidden_size": 8 * 10**6}, "hidden_size"),
        ({"head_dim": 10**6 + 1}, "head_dim"),
        ({"model_type": "mistral", "sliding_window": 10**9 + 1}, "sliding_window"),
        ({"num_key_value_heads": 0}, "num_key_value_heads"),
        ({"num_key_value_heads": 3}, "num_key_value_heads"),
        ({"num_key_value_heads": 16}, "num_key_value_heads"),
        ({"num_attention_heads": None}, "num_attention_heads"),
        ({"hidden_size": None}, "hidden_size"),
        ({"hidden_size": 65}, "hidden_size"),
        ({"head_dim": -1}, "head_dim"),
        ({"model_type": None}, "model_type"),
        ({"model_type": "lama"}, "model_type"),
        ({"model_type": ["llama"]}, "model_type"),
        ({"model_type": "mistral"}, "sliding_window"),
        ({"model_type": "mistral", "sliding_window": 0}, "sliding_window"),
        ({"model_type": "qwen3"}, "head_dim"),
        ({"model_type": "gemma2"}, "head_dim"),
        ({"model_type": "gemma2", "head_dim": 8}, "sliding_window"),
        ({"model_type": "qwen2", "use_sliding_window": "no"}, "use_sliding_window"),
        ({"model_type": "qwen2", "use_sliding_window": True}, "max_window_layers"),
        ({"model_type": "qwen2", "layer_types": ["full_attention"]}, "layer_types"),
        ({"model_type": "qwen2", "layer_types": ["full_attention", "x", "y"]}, "layer_types[1]"),
        ({"model_type": "deepseek_v3"}, "kv_lora_rank"),
        ({"model_type": "deepseek_v3", "kv_lora_rank": 512}, "qk_rope_head_dim"),
        ({"model_type": "gemma3n", "head_dim": 8, "num_kv_shared_layers": 3}, "num_kv_shared"),
        ({"model_type": "qwen3_next", "head_dim": 8}, "linear_num_key_heads"),
        ({"text_config": 3}, "text_config"),
    ],
)
def test_a_bad_field_is_named(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as refused:
        layers(**changes)
    assert refused.value.field.startswith(field)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"is_encoder_decoder": True},
        {"add_cross_attention": True},
        {"text_config": {**LLAMA, "cross_attention_layers": [3, 8]}},
    ],
)
def test_cross_attention_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="cross-attention grows with a second input"):
        layers(**changes)


def test_an_unknown_architecture_says_what_it_needs() -> None:
    with pytest.raises(InputError) as refused:
        layers(model_type="brandnew")
    for field in ("num_hidden_layers", "num_key_value_heads", "head_dim", "layer_types"):
        assert field in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"model_type": "llama",', "line 1, column"),
        ('{\n"model_type": "llama"\n"x": 1}', "line 3, column 1"),
        ("", "line 1, column 1"),
        ("[1, 2]", "config"),
        ("null", "config"),
        ('{"model_type": "llama", "num_hidden_layers": NaN}', "finite"),
        ('{"model_type": "llama", "model_type": "gemma"}', "given once"),
        ("[" * 100_000, "nested"),
    ],
)
def test_a_malformed_file_is_refused_in_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said) as refused:
        geometry_from_file(path)
    assert "\n" not in str(refused.value)


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    text = json.dumps(model_config("Qwen2.5-0.5B"))
    path = tmp_path / "config.json"
    for length in range(0, len(text), 3):
        path.write_text(text[:length], encoding="utf-8")
        with pytest.raises(InputError):
            geometry_from_file(path)


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a file that exists"):
        geometry_from_file(tmp_path / "none.json")
    with pytest.raises(InputError, match="readable"):
        geometry_from_file(tmp_path)
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        geometry_from_file(tmp_path / "bytes.json")
