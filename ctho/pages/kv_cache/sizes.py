"""Cache sizes of recorded models as tables: by their layers, and as common shortcuts have them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ctho.backhaul import backhaul_tok_per_s
from ctho.checks import check_integer
from ctho.kv_cache import KvCache, LatentLayers, element_type, model_config, model_geometry
from ctho.pages.shared.results import rows

__all__ = [
    "context_table",
    "model_cache",
    "model_table",
    "range_cells",
    "shortcut_table",
    "three_digits",
]


def model_cache(model: str, dtype: str, value_dtype: str = "") -> KvCache:
    """The cache of a recorded model; latent attention has one type, that of the keys.

    Args:
        model: a name of `data/models`.
        dtype: element type of the keys.
        value_dtype: that of the values, the keys' where it is empty.

    Raises:
        InputError: an unknown model or element type.
    """
    geometry, keys = model_geometry(model), element_type(dtype)
    values = element_type(value_dtype, "value_dtype") if value_dtype else keys
    latent = any(isinstance(group, LatentLayers) for group in geometry.layers)
    return KvCache(geometry, keys, keys if latent else values)


def model_table(models: Sequence[str], dtype: str, value_dtype: str = "") -> pd.DataFrame:
    """One row a model and range of context lengths; two names of one model are one.

    Columns model, layers, from_tok, to_tok (NaN for no end), bytes_per_tok, kv_bits_per_tok,
    fixed_state_bytes.
    """
    table = pd.DataFrame(
        {
            "model": cache.geometry.name,
            "layers": cache.geometry.num_layers,
            "from_tok": segment.from_tok,
            "to_tok": segment.to_tok,
            "bytes_per_tok": segment.bytes_per_tok,
            "kv_bits_per_tok": segment.bytes_per_tok * 8,
            "fixed_state_bytes": cache.fixed_state_bytes,
        }
        for cache in (model_cache(model, dtype, value_dtype) for model in models)
        for segment in cache.segments()
    )
    return table.drop_duplicates(ignore_index=True)


def range_cells(sizes: pd.DataFrame) -> list[list[str]]:
    """The cells of :func:`model_table` for a reader; what a model's first row says stands once.

    Columns: model, layers, range of contexts in tokens, bytes per token, fixed state in bytes.
    """
    cells = []
    for row in rows(sizes):
        first, last = row.from_tok == 0, pd.isna(row.to_tok)
        if first:
            reach = "any" if last else f"up to {row.to_tok:,.0f}"
        else:
            reach = f"beyond {row.from_tok:,}" if last else f"to {row.to_tok:,.0f}"
        state = f"{row.fixed_state_bytes:,}" if row.fixed_state_bytes else ""
        model = [row.model, f"{row.layers}"] if first else ["", ""]
        cells.append([*model, reach, f"{row.bytes_per_tok:,.12g}", state if first else ""])
    return cells


def context_table(
    models: Sequence[str],
    context_tok: Sequence[int],
    backhaul_gbps: float,
    dtype: str,
    value_dtype: str = "",
) -> pd.DataFrame:
    """One row a model and context: columns model, context_tok, bytes, transfer_s.

    Two names of one model are one.

    Raises:
        InputError: a context that is not a whole number of at least 1.
    """
    records = []
    for model in models:
        cache = model_cache(model, dtype, value_dtype)
        for tokens in context_tok:
            check_integer("context_tok", tokens, at_least=1)
            # One "token" of the whole context's bits: seconds over the link.
            rate = backhaul_tok_per_s(backhaul_gbps, cache.bits_at(tokens))
            records.append((cache.geometry.name, tokens, cache.bytes_at(tokens), 1 / float(rate)))
    table = pd.DataFrame(records, columns=["model", "context_tok", "bytes", "transfer_s"])
    return table.drop_duplicates(ignore_index=True)


def shortcut_table(models: Sequence[str], context_tok: int) -> pd.DataFrame:
    """What a one-line calculator gives for a context, bf16, against the layers themselves.

    The shortcut is 2 * layers * KV heads * (hidden size / query heads) * 2 bytes * tokens. It
    knows no explicit head_dim, no latent, no window, no shared or linear layer. Models whose
    config has no query heads are left out.

    Columns model, bytes, shortcut_bytes, ratio (shortcut / bytes).
    """
    records = []
    for model in models:
        config = model_config(model)
        config = config.get("text_config", config)
        heads = config.get("num_attention_heads")
        if heads is None:
            continue
        kv_heads = config.get("num_key_value_heads", heads)
        head_elements = kv_heads * config["hidden_size"] // heads
        shortcut = 2 * config["num_hidden_layers"] * head_elements * 2 * context_tok
        cache = model_cache(model, "bf16")
        actual = cache.bytes_at(context_tok)
        records.append((cache.geometry.name, actual, shortcut, shortcut / actual))
    return pd.DataFrame(records, columns=["model", "bytes", "shortcut_bytes", "ratio"])


def three_digits(value: float) -> str:
    """A number above 0 with three digits that count, or more before the point.

    >>> three_digits(57_311.04), three_digits(0.31325), three_digits(999.7)
    ('57,311', '0.313', '1,000')
    """
    return f"{value:,.0f}" if value >= 99.95 else f"{value:#.3g}"
