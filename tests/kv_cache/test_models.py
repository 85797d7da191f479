"""Bytes per token of named models, and the same from a config.json of each family."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctho.checks import InputError
from ctho.data_files import data_path
from ctho.kv_cache import (
    ARCHITECTURES,
    KvCache,
    geometry_from_file,
    model_config,
    model_geometry,
    model_names,
)

BF16_BYTES_PER_TOK = {
    "Qwen2.5-0.5B": 12_288,
    "Qwen2.5-3B": 36_864,
    "Qwen2.5-7B": 57_344,
    "Qwen2.5-7B-Instruct": 57_344,
    "Qwen2.5-14B": 196_608,
    "Qwen2.5-32B": 262_144,
    "Qwen2.5-72B": 327_680,
    "Llama-3.1-8B": 131_072,
    "Llama-3.1-70B": 327_680,
    "Mistral-7B": 131_072,
    "Qwen3-4B": 147_456,
    "gemma-2-9b": 344_064,
    "gemma-2-27b": 376_832,
    "gemma-3-1b": 26_624,
    "Phi-3.5-mini": 393_216,
    "DeepSeek-V2-Lite": 31_104,
    "DeepSeek-V3": 70_272,
}


def write_config(model: str, folder: Path) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(model_config(model)), encoding="utf-8")
    return path


@pytest.mark.parametrize(("model", "expected"), BF16_BYTES_PER_TOK.items())
def test_bytes_per_token_by_name(model: str, expected: int) -> None:
    assert KvCache(model_geometry(model)).bytes_per_tok == expected


@pytest.mark.parametrize(("model", "expected"), BF16_BYTES_PER_TOK.items())
def test_bytes_per_token_by_config_file(model: str, expected: int, tmp_path: Path) -> None:
    geometry = geometry_from_file(write_config(model, tmp_path))
    assert KvCache(geometry).bytes_per_tok == expected


@pytest.mark.parametrize("model", model_names())
def test_a_config_file_and_the_name_agree_at_every_length(model: str, tmp_path: Path) -> None:
    by_name = KvCache(model_geometry(model))
    by_file = KvCache(geometry_from_file(write_config(model, tmp_path)))
    for tokens in (0, 1, 127, 128, 129, 511, 512, 513, 4096, 4097, 262_145):
        assert by_name.bytes_at(tokens) == by_file.bytes_at(tokens)


def test_the_papers_cache() -> None:
    cache = KvCache(model_geometry("Qwen2.5-7B-Instruct"))
    assert cache.bits_per_tok == 458_752
    assert cache.bytes_at(3072) == 176_160_768


def test_gemma_3_keeps_less_beyond_its_window() -> None:
    segments = KvCache(model_geometry("gemma-3-1b")).segments()
    assert [(s.from_tok, s.to_tok, s.bytes_per_tok) for s in segments] == [
        (0, 512, 26_624),
        (512, None, 4_096),
    ]


def test_gemma_2_halves_beyond_its_window() -> None:
    for model, inside in (("gemma-2-9b", 344_064), ("gemma-2-27b", 376_832)):
        segments = KvCache(model_geometry(model)).segments()
        assert [(s.to_tok, s.bytes_per_tok) for s in segments] == [
            (4096, inside),
            (None, inside // 2),
        ]


def test_mistral_versions_differ_by_their_window() -> None:
    first = KvCache(model_geometry("Mistral-7B-Instruct-v0.1"))
    third = KvCache(model_geometry("Mistral-7B-Instruct-v0.3"))
    assert first.bytes_at(4096) == third.bytes_at(4096)
    assert first.bytes_at(100_000) == first.bytes_at(4096) < third.bytes_at(100_000)


def test_shared_layers_keep_nothing() -> None:
    # gemma-3n-E4B: the last 15 of 35 layers share, so 4 full and 16 windowed layers remain.
    cache = KvCache(model_geometry("gemma-3n-E4B"))
    assert cache.geometry.num_layers == 35
    assert cache.bytes_per_tok == 20 * 2 * 2 * 256 * 2
    assert cache.segments()[-1].bytes_per_tok == 4 * 2 * 2 * 256 * 2


def test_linear_attention_has_a_state_of_fixed_size() -> None:
    cache = KvCache(model_geometry("Qwen3-Next-80B-A3B"))
    channels = 2 * 16 * 128 + 32 * 128
    assert cache.has_state
    assert cache.fixed_state_bytes == 36 * (channels * 4 * 2 + 32 * 128 * 128 * 4)
    assert cache.bytes_per_tok == 12 * 2 * 2 * 256 * 2
    assert cache.bytes_at(0) == cache.fixed_state_bytes
    assert not KvCache(model_geometry("Qwen3-4B")).has_state


def test_an_organisation_and_the_case_are_ignored() -> None:
    assert model_geometry("QWEN/qwen2.5-7b") == model_geometry("Qwen2.5-7B-Instruct")


def test_a_misspelt_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"did you mean Qwen2\.5-7B-Instruct\?"):
        model_geometry("Qwen2.5-7B-Instrct")


def test_every_architecture_but_the_explicit_one_has_a_recorded_model() -> None:
    recorded = {
        model_config(name).get("text_config", model_config(name))["model_type"]
        for name in model_names()
    }
    aliases = {"explicit", "gemma", "gemma3", "gemma3n", "kimi_k2", "qwen2_moe"}
    assert recorded == set(ARCHITECTURES) - aliases


def test_records_name_their_source_and_no_name_is_given_twice() -> None:
    names: list[str] = []
    for path in sorted(data_path("models").glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        assert record["source"].startswith("https://huggingface.co/")
        assert path.stem == record["name"]
        names += [name.lower() for name in (record["name"], *record["aliases"])]
    assert len(names) == len(set(names))
