"""What the transformers library really stored, beside the formula; see `data/profiles`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pandas as pd

from ctho.data_files import data_path, read_json
from ctho.kv_cache import (
    AttentionLayers,
    ElementType,
    KvCache,
    element_type,
    library_bytes,
    model_geometry,
)

__all__ = ["kv_record", "measured_table", "quantised_table"]


def kv_record() -> Mapping[str, Any]:
    """The content of `data/profiles/kv-cache.json`."""
    content: Mapping[str, Any] = read_json(data_path("profiles/kv-cache.json"), "profile")
    return content


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
        stored, recent = (_cache_of_few(entry, kind) for kind in (codes, element_type("bf16")))
        elements = recent.bits_at(entry["prefill_tok"]) // recent.keys.bits
        formula = stored.bytes_at(entry["prefill_tok"]) + recent.bytes_at(entry["decoded_tok"])
        names = ("backend", "bits", "group_size", "prefill_tok", "decoded_tok")
        records.append(
            {
                **{name: entry[name] for name in names},
                "measured_bytes": entry["cache_bytes"],
                "formula_bytes": formula,
                "bits_per_element": stored.bits_at(entry["prefill_tok"]) / elements,
            }
        )
    return pd.DataFrame(records)


def _cache_of_few(entry: Mapping[str, Any], element: ElementType) -> KvCache:
    """The cache of an entry's model cut to the entry's layers."""
    geometry = model_geometry(entry["model"])
    (group,) = geometry.layers
    assert isinstance(group, AttentionLayers)
    few = dataclasses.replace(group, count=entry["layers"])
    return KvCache(dataclasses.replace(geometry, layers=(few,)), element, element)
