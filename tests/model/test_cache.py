"""The cache that the real model code leaves behind, byte for byte against the formula."""

from __future__ import annotations

import pytest

from ctho.checks import InputError
from ctho.kv_cache import (
    KvCache,
    KvGeometry,
    element_type,
    geometry_from_config,
    library_bytes,
    model_config,
    model_geometry,
    model_names,
)
from ctho.profiling.kv import measured_caches, measured_quantised_bytes

# At the edge of Gemma 3's window and beyond that of all but Phi-3.5.
LENGTHS_TOK = (1, 511, 512, 4097)


@pytest.mark.parametrize("model", model_names())
def test_every_recorded_model(model: str) -> None:
    cache = KvCache(model_geometry(model))
    for measured in measured_caches(model_config(model), LENGTHS_TOK):
        assert measured.cache_bytes == library_bytes(cache, measured.tokens)
        windows = [group.window_tok for group in cache.geometry.layers]
        if all(window is None or measured.tokens < window for window in windows):
            assert measured.cache_bytes == cache.bytes_at(measured.tokens)
            assert measured.storage_bytes == measured.cache_bytes


def test_the_papers_model_at_its_quoted_context() -> None:
    (measured,) = measured_caches(model_config("Qwen2.5-7B-Instruct"), [3072])
    assert measured.cache_bytes == 176_160_768


TINY = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 6,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "vocab_size": 128,
    "max_position_embeddings": 256,
    "pad_token_id": 0,
}


@pytest.mark.parametrize(
    "changes",
    [
        {"model_type": "llama"},
        {"model_type": "llama", "head_dim": None},
        {"model_type": "llama", "num_key_value_heads": None},
        {"model_type": "mistral", "sliding_window": 8},
        {"model_type": "mistral", "sliding_window": None},
        {"model_type": "mixtral", "sliding_window": None, "num_local_experts": 2},
        {"model_type": "qwen2", "use_sliding_window": False, "sliding_window": 8},
        {
            "model_type": "qwen2",
            "use_sliding_window": True,
            "sliding_window": 8,
            "max_window_layers": 2,
        },
        {"model_type": "qwen3", "use_sliding_window": False, "sliding_window": None},
        {"model_type": "qwen2_moe", "num_experts": 4, "num_experts_per_tok": 2},
        {"model_type": "gemma"},
        {"model_type": "gemma2", "sliding_window": 8},
        {"model_type": "gemma3_text", "sliding_window": 8},
        {"model_type": "gemma3_text", "sliding_window": 8, "sliding_window_pattern": 2},
        {"model_type": "cohere2", "sliding_window": 8},
        {"model_type": "cohere2", "sliding_window": 8, "sliding_window_pattern": 3},
        {
            "model_type": "gpt_oss",
            "sliding_window": 8,
            "num_local_experts": 2,
            "num_experts_per_tok": 1,
        },
    ],
    ids=lambda changes: "-".join(str(value) for value in changes.values()),
)
def test_fields_mean_to_the_library_what_they_mean_here(changes: dict[str, object]) -> None:
    config = {**TINY, **changes}
    cache = KvCache(geometry_from_config(config, "tiny"))
    for measured in measured_caches(config, (5, 20)):
        assert measured.cache_bytes == library_bytes(cache, measured.tokens)


SHAPE = KvGeometry.uniform("two layers of Qwen2.5-7B", 2, 4, 128)


@pytest.mark.parametrize(
    ("backend", "bits"), [("quanto", 4), ("quanto", 2), ("hqq", 4), ("hqq", 8)]
)
@pytest.mark.parametrize("decoded_tok", [0, 3])
def test_quantised_caches_with_their_metadata(backend: str, bits: int, decoded_tok: int) -> None:
    codes, bf16 = element_type(f"int{bits}-g64"), element_type("bf16")
    expected = KvCache(SHAPE, codes, codes).bytes_at(192)
    expected += KvCache(SHAPE, bf16, bf16).bytes_at(decoded_tok)
    measured = measured_quantised_bytes(SHAPE, backend, bits, 64, 192, decoded_tok)
    assert measured == expected


def test_a_prefill_has_at_least_one_token() -> None:
    with pytest.raises(InputError, match="lengths_tok"):
        measured_caches({**TINY, "model_type": "llama"}, [0])
