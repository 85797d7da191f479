"""Cache sizes of many models as tables: by formula, as common shortcuts have them, as measured."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ctho.backhaul import backhaul_tok_per_s
from ctho.checks import check_integer
from ctho.data_files import data_path, read_json
from ctho.kv_cache import (
    AttentionLayers,
    ElementType,
    KvCache,
    LatentLayers,
    element_type,
    library_bytes,
    model_config,
    model_geometry,
)

__all__ = [
    "context_table",
    "measured_table",
    "model_table",
    "quantised_table",
    "shortcut_table",
]


def model_cache(model: str, dtype: str, value_dtype: str | None = None) -> KvCache:
    """The cache of a recorded model; latent attention has one type, that of the keys.

    Raises:
        InputError: an unknown model or element type.
    """
    geometry, keys = model_geometry(model), element_type(dtype)
    latent = any(isinstance(group, LatentLayers) for group in geometry.layers)
    if value_dtype is None or latent:
        return KvCache(geometry, keys, keys)
    return KvCache(geometry, keys, element_type(value_dtype, "value_dtype"))


def model_table(models: Sequence[str], dtype: str, value_dtype: str | None = None) -> pd.DataFrame:
    """One row a model and range of context lengths.

    Columns model, layers, from_tok, to_tok (NaN for no end), bytes_per_tok, kv_bits_per_tok,
    fixed_state_bytes.
    """
    records = []
    for model in models:
        cache = model_cache(model, dtype, value_dtype)
        records += [
            {
                "model": cache.geometry.name,
                "layers": cache.geometry.num_layers,
                "from_tok": segment.from_tok,
                "to_tok": segment.to_tok,
                "bytes_per_tok": segment.bytes_per_tok,
                "kv_bits_per_tok": segment.bytes_per_tok * 8,
                "fixed_state_bytes": cache.fixed_state_bytes,
            }
            for segment in cache.segments()
        ]
    return pd.DataFrame(records)


def context_table(
    models: Sequence[str],
    context_tok: Sequence[int],
    backhaul_gbps: float,
    dtype: str,
    value_dtype: str | None = None,
) -> pd.DataFrame:
    """One row a model and context: columns model, context_tok, bytes, transfer_s."""
    records = []
    for model in models:
        cache = model_cache(model, dtype, value_dtype)
        for tokens in context_tok:
            check_integer("context_tok", tokens, at_least=1)
            # One "token" of the whole context's bits: seconds over the link.
            rate = backhaul_tok_per_s(backhaul_gbps, cache.bits_at(tokens))
            records.append(
                {
                    "model": cache.geometry.name,
                    "context_tok": tokens,
                    "bytes": cache.bytes_at(tokens),
                    "transfer_s": 1 / float(rate),
                }
            )
    return pd.DataFrame(records)


def shortcut_table(models: Sequence[str], context_tok: int) -> pd.DataFrame:
    """What a one-line calculator gives for a context, bf16, against the layers themselves.

    The shortcut is 2 * layers * KV heads * (hidden size / query heads) * 2 bytes * tokens. It
    knows no explicit head_dim, no latent, no window, no shared or linear layer.

    Columns model, bytes, shortcut_bytes, ratio (shortcut / bytes).
    """
    records = []
    for model in models:
        config = _text_config(model)
        cache = KvCache(model_geometry(model))
        heads = config.get("num_attention_heads")
        if heads is None:
            continue
        shortcut = (
            2
            * config["num_hidden_layers"]
            * config.get("num_key_value_heads", heads)
            * config["hidden_size"]
            // heads
            * 2
            * context_tok
        )
        actual = cache.bytes_at(context_tok)
        records.append(
            {
                "model": cache.geometry.name,
                "bytes": actual,
                "shortcut_bytes": shortcut,
                "ratio": shortcut / actual,
            }
        )
    return pd.DataFrame(records)


def measured_table() -> pd.DataFrame:
    """Recorded measurements with the real model code beside the formula.

    Columns model, tokens, measured_bytes, formula_bytes, library_bytes (what the library
    should hold, windows of W - 1), storage_bytes (memory behind the tensors).
    """
    records = []
    for entry in kv_record()["caches"]:
        cache = KvCache(model_geometry(entry["model"]))
        records.append(
            {
                "model": entry["model"],
                "tokens": entry["tokens"],
                "measured_bytes": entry["cache_bytes"],
                "formula_bytes": cache.bytes_at(entry["tokens"]),
                "library_bytes": library_bytes(cache, entry["tokens"]),
                "storage_bytes": entry["storage_bytes"],
            }
        )
    return pd.DataFrame(records)


def quantised_table() -> pd.DataFrame:
    """Recorded quantised caches beside the formula, metadata and unquantised rest included.

    Columns backend, bits, group_size, prefill_tok, decoded_tok, measured_bytes,
    formula_bytes, bits_per_element (of the stored prefill, metadata included).
    """
    records = []
    for entry in kv_record()["quantised"]:
        codes = element_type(f"int{entry['bits']}-g{entry['group_size']}")
        stored = _layers_of(entry["model"], entry["layers"], codes)
        recent = _layers_of(entry["model"], entry["layers"], element_type("bf16"))
        formula = stored.bytes_at(entry["prefill_tok"]) + recent.bytes_at(entry["decoded_tok"])
        elements = recent.bits_at(entry["prefill_tok"]) // element_type("bf16").bits
        records.append(
            {
                **{key: entry[key] for key in ("backend", "bits", "group_size")},
                **{key: entry[key] for key in ("prefill_tok", "decoded_tok")},
                "measured_bytes": entry["cache_bytes"],
                "formula_bytes": formula,
                "bits_per_element": stored.bits_at(entry["prefill_tok"]) / elements,
            }
        )
    return pd.DataFrame(records)


def kv_record() -> Mapping[str, Any]:
    """The content of `data/profiles/kv-cache.json`."""
    content: Mapping[str, Any] = read_json(data_path("profiles/kv-cache.json"), "profile")
    return content


def _layers_of(model: str, layers: int, element: ElementType) -> KvCache:
    geometry = model_geometry(model)
    (group,) = geometry.layers
    assert isinstance(group, AttentionLayers)
    few = dataclasses.replace(group, count=layers)
    return KvCache(dataclasses.replace(geometry, layers=(few,)), element, element)


def _text_config(model: str) -> Mapping[str, Any]:
    config = model_config(model)
    text: Mapping[str, Any] = config.get("text_config", config)
    return text
