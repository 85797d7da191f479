"""Which prefills are measured: models, element types, lengths and batch sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctho.kv_cache import model_config

__all__ = ["CPU_PLANS", "GPU_PLANS", "PrefillPlan"]


@dataclass(frozen=True)
class PrefillPlan:
    """One profile file: a model and the points (length, batch size) at which it is timed.

    Lengths begin at one token, so that a curve through the points is known down to L -> 0+.

    Where `layers_measured` is below the model's number of layers, the delay of the whole
    model is scaled up from it, layers / layers_measured * body + head; the head and the
    body are timed apart.

    Attributes:
        name: of the file.
        title: what it is, for a reader.
        config: content of the model's `config.json`.
        dtype: "bf16" or "fp32".
        lengths_tok: batch size -> lengths, ascending.
        layers_measured: layers that are built; None for all of them.
        min_runs: runs of every point, after a warm-up.
        max_runs: runs of a point that takes little time.
    """

    name: str
    title: str
    config: Mapping[str, Any]
    dtype: str
    lengths_tok: Mapping[int, tuple[int, ...]]
    layers_measured: int | None = None
    min_runs: int = 2
    max_runs: int = 7

    @property
    def layers(self) -> int:
        """Layers of the whole model."""
        return int(self.config["num_hidden_layers"])

    @property
    def essential(self) -> frozenset[tuple[int, int]]:
        """The two shortest lengths of every batch size, without which there is no curve."""
        return frozenset((n, size) for size, row in self.lengths_tok.items() for n in row[:2])

    @property
    def points(self) -> list[tuple[int, int]]:
        """(length, batch size): the essential ones, then cheap before dear."""
        pairs = [(length, size) for size, row in self.lengths_tok.items() for length in row]
        return sorted(pairs, key=lambda p: (p not in self.essential, p[0] * p[1], p[1]))


SMALL_CONFIG: Mapping[str, Any] = {
    "model_type": "qwen2",
    "hidden_size": 256,
    "intermediate_size": 1024,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "hidden_act": "silu",
    "max_position_embeddings": 8192,
    "max_window_layers": 4,
    "rms_norm_eps": 1e-6,
    "rope_theta": 1000000.0,
    "sliding_window": None,
    "tie_word_embeddings": True,
    "use_cache": True,
    "use_sliding_window": False,
    "vocab_size": 4096,
}
"""Qwen2's layers, small enough to be timed wherever the tests run."""

CPU_PLANS = (
    PrefillPlan(
        name="prefill-small-fp32-cpu",
        title="4 layers of width 256, fp32",
        config=SMALL_CONFIG,
        dtype="fp32",
        lengths_tok={
            1: (1, 8, 32, 64, 128, 256, 512, 1024, 1536, 2048),
            2: (1, 8, 32, 64, 128, 256, 512, 1024, 1536, 2048),
            4: (1, 8, 32, 64, 128, 256, 512, 1024, 1536, 2048),
            8: (1, 8, 32, 64, 128, 256, 512, 1024),
        },
        min_runs=3,
        max_runs=15,
    ),
    PrefillPlan(
        name="prefill-qwen2.5-7b-layer-bf16-cpu",
        title="Qwen2.5-7B, one layer of true width scaled to 28, bf16",
        config=model_config("Qwen2.5-7B"),
        dtype="bf16",
        lengths_tok={1: (1, 8, 32, 64, 128, 256), 2: (1, 8, 32, 64)},
        layers_measured=1,
    ),
    PrefillPlan(
        name="prefill-qwen2.5-7b-layer-fp32-cpu",
        title="Qwen2.5-7B, one layer of true width scaled to 28, fp32",
        config=model_config("Qwen2.5-7B"),
        dtype="fp32",
        lengths_tok={1: (1, 8, 32, 64, 128, 256, 512), 2: (1, 8, 64, 256), 4: (1, 8, 64, 128)},
        layers_measured=1,
    ),
    PrefillPlan(
        name="prefill-qwen2.5-0.5b-fp32-cpu",
        title="Qwen2.5-0.5B, all 24 layers, fp32",
        config=model_config("Qwen2.5-0.5B"),
        dtype="fp32",
        lengths_tok={
            1: (1, 8, 32, 64, 128, 256, 512, 1024, 2048),
            2: (1, 8, 32, 128, 512),
            4: (1, 8, 32, 128, 512),
        },
    ),
)
"""Measured on a processor, one thread; together a few minutes."""

_GPU_LENGTHS_TOK = (1, 16, 64, 256, 512, 1024, 2048, 3072, 4096, 5120)

GPU_PLANS = tuple(
    PrefillPlan(
        name=f"prefill-qwen2.5-7b-{dtype}-gpu",
        title=f"Qwen2.5-7B, all 28 layers, {dtype}",
        config=model_config("Qwen2.5-7B"),
        dtype=dtype,
        lengths_tok=dict.fromkeys((1, 2, 4, 8, 12), _GPU_LENGTHS_TOK),
        min_runs=5,
        max_runs=20,
    )
    for dtype in ("bf16", "fp16")
)
"""Measured where a GPU is present, in fp16 on one without bf16, up to what its memory holds."""
