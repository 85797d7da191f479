"""What accelerators can do at most: the paper's a and b beside memory and arithmetic limits.

A forward pass must read the weights once, and do a multiplication and an addition for each weight
and token, so for B contexts of at least L tokens

    p(L) >= max{ weights / bandwidth,  2 B L (weights in the layers) / peak }.

Neither bound depends on software. Attention's own arithmetic is left out, so both stay bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd
import yaml

from ctho.checks import check_choice, check_number
from ctho.data_files import data_path
from ctho.kv_cache import model_config
from ctho.simulation.parameters import Parameters

__all__ = [
    "Device",
    "Weights",
    "device_records",
    "devices",
    "limits_table",
    "model_weights",
    "needed_flop_per_s",
]

FLOP_PER_WEIGHT = 2
"""One multiplication and one addition for each weight and token."""


@dataclass(frozen=True)
class Device:
    """An accelerator's published limits.

    Attributes:
        name: short name; the records hold the full one and where the two figures come from.
        peak_flop_per_s: dense bfloat16 arithmetic, FLOP per second.
        memory_byte_per_s: memory bandwidth, bytes per second.
    """

    name: str
    peak_flop_per_s: float
    memory_byte_per_s: float


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


@cache
def device_records() -> Mapping[str, Any]:
    """The content of `data/devices.yaml`."""
    records: Mapping[str, Any] = yaml.safe_load(data_path("devices.yaml").read_text("utf-8"))
    return records


def devices(names: Sequence[str] | None = None) -> tuple[Device, ...]:
    """The recorded accelerators, or those of `names`.

    Raises:
        InputError: a name that is not recorded.
    """
    known = {
        record["name"]: Device(
            record["name"], record["peak_flop_per_s"], record["memory_byte_per_s"]
        )
        for record in device_records()["devices"]
    }
    return tuple(
        known[check_choice("device_names", name, known)]
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


def needed_flop_per_s(parameters: Parameters) -> float:
    """Arithmetic of K contexts that reach L in a L seconds, 2 K w / a, FLOP per second.

    Raises:
        InputError: a is 0.
    """
    a = check_number("prefill_s_per_tok", parameters.prefill_s_per_tok, above=0)
    weights = model_weights(device_records()["model"])
    return FLOP_PER_WEIGHT * weights.layers * parameters.num_ues / a


def limits_table(parameters: Parameters, device_names: Sequence[str] | None = None) -> pd.DataFrame:
    """Limits of each device for the recorded model, and where the line a L + b stands.

    Args:
        parameters: a, b and K.
        device_names: which devices; all by default.

    Returns:
        One row a device with the columns device, weight_gbyte, floor_all_ms (all weights over the
        bandwidth), floor_ms (those a pass has to read), compute_us_per_tok (one context at
        peak arithmetic), utilisation (that over a), utilisation_batch (K times as much),
        memory_bound_tok (below this length a L + b is faster than the weights can be read).

    Raises:
        InputError: a is 0, or a name that is not recorded.
    """
    a = check_number("prefill_s_per_tok", parameters.prefill_s_per_tok, above=0)
    records = device_records()
    weights, size = model_weights(records["model"]), records["bytes_per_weight"]
    rows = []
    for device in devices(device_names):
        floor_s = weights.read * size / device.memory_byte_per_s
        compute_s = FLOP_PER_WEIGHT * weights.layers / device.peak_flop_per_s
        rows.append(
            {
                "device": device.name,
                "weight_gbyte": weights.total * size / 1e9,
                "floor_all_ms": 1e3 * weights.total * size / device.memory_byte_per_s,
                "floor_ms": 1e3 * floor_s,
                "compute_us_per_tok": 1e6 * compute_s,
                "utilisation": compute_s / a,
                "utilisation_batch": parameters.num_ues * (compute_s / a),
                "memory_bound_tok": max(floor_s - parameters.prefill_offset_s, 0.0) / a,
            }
        )
    return pd.DataFrame(rows)
