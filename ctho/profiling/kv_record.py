"""Cache bytes of every recorded model, measured, as `data/profiles/kv-cache.json` holds them."""

from __future__ import annotations

import importlib.metadata
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctho.kv_cache import AttentionLayers, KvGeometry, model_config, model_geometry, model_names
from ctho.profiling.kv import measured_caches, measured_quantised_bytes
from ctho.profiling.machine import versions
from ctho.profiling.store import ResumableRecord

__all__ = ["measure_caches"]

SCHEMA = "ctho-kv-cache/1"
LENGTHS_TOK = (100, 5000)
"""Inside every recorded window, and beyond all but the longest."""

QUANTISED_MODEL = "Qwen2.5-7B"
QUANTISED_LAYERS = 2
QUANTISED = (("quanto", 4, 64), ("quanto", 2, 64), ("hqq", 4, 64), ("hqq", 8, 64))
QUANTISED_TOK = (256, 10)
"""Tokens of the prefill, stored as codes, and tokens decoded after it, still in bf16."""


def measure_caches(partial_path: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure all recorded models on the meta device, and the quantised caches.

    Args:
        partial_path: file for the entries until all are measured.
        say: takes a line of progress.
    """
    setting = {
        "schema": SCHEMA,
        "dtype": "bf16",
        "device": "meta",
        "versions": {
            **versions(),
            **{name: importlib.metadata.version(name) for name in ("hqq", "optimum-quanto")},
        },
    }
    record = ResumableRecord(partial_path, setting)
    names = model_names()
    for number, name in enumerate(names, start=1):
        if name not in record.entries:
            caches = measured_caches(model_config(name), LENGTHS_TOK)
            record.add(name, [{"model": name, **vars(cache)} for cache in caches])
        say(f"kv-cache {number}/{len(names)}: {name}")
    for backend, bits, group_size in QUANTISED:
        key = f"{backend}-{bits}-{group_size}"
        if key not in record.entries:
            record.add(key, _quantised(backend, bits, group_size))
        say(f"kv-cache: {backend}, {bits} bits in groups of {group_size}")
    return {
        **setting,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "caches": [entry for name in names for entry in record.entries[name]],
        "quantised": [record.entries[f"{b}-{n}-{g}"] for b, n, g in QUANTISED],
    }


def _quantised(backend: str, bits: int, group_size: int) -> dict[str, Any]:
    (group,) = model_geometry(QUANTISED_MODEL).layers
    assert isinstance(group, AttentionLayers)
    geometry = KvGeometry(QUANTISED_MODEL, (replace(group, count=QUANTISED_LAYERS),))
    prefill_tok, decoded_tok = QUANTISED_TOK
    return {
        "model": QUANTISED_MODEL,
        "layers": QUANTISED_LAYERS,
        "backend": backend,
        "bits": bits,
        "group_size": group_size,
        "prefill_tok": prefill_tok,
        "decoded_tok": decoded_tok,
        "cache_bytes": measured_quantised_bytes(
            geometry, backend, bits, group_size, prefill_tok, decoded_tok
        ),
    }
