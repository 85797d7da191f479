"""What accelerators can do at most: the paper's a and b beside memory and arithmetic limits.

A forward pass must read the weights once, and do a multiplication and an addition for each weight
and token, so for B contexts of at least L tokens

    p(L) >= max{ weights / bandwidth,  2 B L (weights in the layers) / peak }.

Neither bound depends on software. Attention's own arithmetic is left out, so both stay bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd
import yaml

from ctho.checks import check_choice, check_integer
from ctho.data_files import data_path
from ctho.kv_cache import model_config

__all__ = [
    "FLOP_PER_WEIGHT",
    "Device",
    "Weights",
    "device_records",
    "devices",
    "limits_table",
    "model_weights",
]

FLOP_PER_WEIGHT = 2
"""One multiplication and one addition for each weight and token."""


@dataclass(frozen=True)
class Device:
    """An accelerator's published limits.

    Attributes:
        name: short name.
        product: full name.
        peak_flop_per_s: dense bfloat16 arithmetic, FLOP per second.
        memory_byte_per_s: memory bandwidth, bytes per second.
        source: where the two figures come from.
    """

    name: str
    product: str
    peak_flop_per_s: float
    memory_byte_per_s: float
    source: str


@dataclass(frozen=True)
class Weights:
    """How many weights a dense decoder-only model has, and where.

    Attributes:
        layers: weights of the matrices in the decoder layers; every token meets each of them.
        small: biases and norms.
        embedding: the input table, of which a token reads one row.
        output: the matrix to the vocabulary, which only the last position needs; 0 if it is
            the embedding itself.
    """

    layers: int
    small: int
    embedding: int
    output: int

    @property
    def total(self) -> int:
        """All weights of the model."""
        return self.layers + self.small + self.embedding + self.output

    @property
    def read(self) -> int:
        """Weights that one forward pass has to read: all but the input table."""
        return self.total - self.embedding if self.output else self.total


@lru_cache(maxsize=1)
def device_records() -> Mapping[str, Any]:
    """The content of `data/devices.yaml`."""
    records: Mapping[str, Any] = yaml.safe_load(data_path("devices.yaml").read_text("utf-8"))
    return records


def devices(names: Sequence[str] | None = None) -> tuple[Device, ...]:
    """The recorded accelerators, or those of `names`.

    Raises:
        InputError: a name that is not recorded.
    """
    keys = ("name", "product", "peak_flop_per_s", "memory_byte_per_s", "source")
    known = {
        record["name"]: Device(**{key: record[key] for key in keys})
        for record in device_records()["devices"]
    }
    return tuple(
        known[check_choice("device_names", name, tuple(known))]
        for name in (known if names is None else names)
    )


def model_weights(model: str) -> Weights:
    """Count the weights of a recorded dense model with gated feed-forward layers.

    Norms inside attention, which some models add, are not counted; they are a few per million.

    Raises:
        InputError: the model is not recorded.

    >>> model_weights("Qwen2.5-7B-Instruct").total
    7615616512
    """
    config = model_config(model)
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    heads = config["num_attention_heads"]
    head_dim = config.get("head_dim", hidden // heads)
    query, keys_values = heads * head_dim, 2 * config["num_key_value_heads"] * head_dim
    matrices = hidden * (query + keys_values) + query * hidden + 3 * hidden * inner
    # Qwen2 has biases on query, key and value whatever its config says; others say so.
    biased = config["model_type"] == "qwen2" or config.get("attention_bias", False)
    small = 2 * hidden + (query + keys_values if biased else 0)
    table = config["vocab_size"] * hidden
    layers = config["num_hidden_layers"]
    return Weights(
        layers=layers * matrices,
        small=layers * small + hidden,
        embedding=table,
        output=0 if config.get("tie_word_embeddings", False) else table,
    )


def limits_table(
    prefill_s_per_tok: float,
    prefill_offset_s: float,
    num_ues: int,
    device_names: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Limits of each device for the recorded model, and where the paper's a and b stand.

    Args:
        prefill_s_per_tok: a, seconds per token of the common length.
        prefill_offset_s: b, seconds per batch.
        num_ues: K, contexts in the batch.
        device_names: which devices; all by default.

    Returns:
        One row a device with the columns device, weight_gbyte, floor_all_ms (all weights over the
        bandwidth), floor_ms (those a pass has to read), compute_us_per_tok (one context at
        peak arithmetic), utilisation (that over a), utilisation_batch (K times as much),
        memory_bound_tok (below this length a L + b is faster than the weights can be read).
    """
    batch = check_integer("num_ues", num_ues, at_least=1)
    records = device_records()
    weights, size = model_weights(records["model"]), records["bytes_per_weight"]
    rows = []
    for device in devices(device_names):
        floor_s = weights.read * size / device.memory_byte_per_s
        compute_s = FLOP_PER_WEIGHT * weights.layers / device.peak_flop_per_s
        share = compute_s / prefill_s_per_tok if prefill_s_per_tok else float("inf")
        short_s = max(floor_s - prefill_offset_s, 0.0)
        rows.append(
            {
                "device": device.name,
                "weight_gbyte": weights.total * size / 1e9,
                "floor_all_ms": 1e3 * weights.total * size / device.memory_byte_per_s,
                "floor_ms": 1e3 * floor_s,
                "compute_us_per_tok": 1e6 * compute_s,
                "utilisation": share,
                "utilisation_batch": batch * share,
                "memory_bound_tok": short_s / prefill_s_per_tok if short_s else 0.0,
            }
        )
    return pd.DataFrame(rows)
