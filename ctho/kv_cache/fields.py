"""Reading and checking single fields of a `config.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctho.checks import MISSING, InputError, check_choice, check_integer
from ctho.kv_cache.layers import AttentionLayers, LayerGroup

__all__ = [
    "attention_layers",
    "boolean",
    "cyclic_kinds",
    "given_kinds",
    "grouped_query_shape",
    "integer",
    "optional_integer",
]

LARGEST = 10**6
"""No size of a real model comes near; a larger one is a damaged file."""

LARGEST_OF = {
    "num_hidden_layers": 10_000,
    "num_kv_shared_layers": 10_000,
    "max_window_layers": 10_000,
    "sliding_window": 10**9,
}
"""The fields with another bound: layers are fewer, and a window counts tokens."""


def integer(config: Mapping[str, Any], field: str, at_least: int = 1) -> int:
    """The whole number under `field`.

    Raises:
        InputError: missing, null, not a whole number, below `at_least`, or above any real model's.
    """
    if config.get(field) is None:
        raise InputError(field, MISSING if field not in config else None, "a whole number")
    return check_integer(
        field, config[field], at_least=at_least, at_most=LARGEST_OF.get(field, LARGEST)
    )


def optional_integer(config: Mapping[str, Any], field: str) -> int | None:
    """The whole number of at least 1 under `field`, or None where it is missing or null."""
    return None if config.get(field) is None else integer(config, field)


def boolean(config: Mapping[str, Any], field: str, default: bool) -> bool:
    """The truth value under `field`.

    Raises:
        InputError: neither true nor false.
    """
    value = config.get(field, default)
    if not isinstance(value, bool):
        raise InputError(field, value, "true or false")
    return value


def grouped_query_shape(config: Mapping[str, Any]) -> tuple[int, int]:
    """(KV heads, head_dim).

    `head_dim` is a field of its own: in Qwen3-4B it is 128, while hidden_size divided by
    num_attention_heads is 80. Only where a config has no such field is it that quotient.
    Without num_key_value_heads every query head has its own keys and values.

    Raises:
        InputError: query heads that do not share KV heads evenly, or a quotient that is
            not whole.
    """
    stated_kv_heads = optional_integer(config, "num_key_value_heads")
    head_dim = optional_integer(config, "head_dim")
    if stated_kv_heads is not None and head_dim is not None:
        query_heads = optional_integer(config, "num_attention_heads") or stated_kv_heads
    else:
        query_heads = integer(config, "num_attention_heads")
    kv_heads = query_heads if stated_kv_heads is None else stated_kv_heads
    if query_heads % kv_heads:
        raise InputError(
            "num_key_value_heads", kv_heads, f"a divisor of num_attention_heads, {query_heads}"
        )
    if head_dim is None:
        hidden = integer(config, "hidden_size")
        if hidden % query_heads:
            raise InputError(
                "hidden_size",
                hidden,
                f"a multiple of num_attention_heads, {query_heads}, where head_dim is not given",
            )
        head_dim = hidden // query_heads
    return kv_heads, head_dim


def given_kinds(config: Mapping[str, Any], count: int, known: Sequence[str]) -> list[str] | None:
    """`layer_types`, one of `known` for each of `count` layers; None where it is missing or null.

    Raises:
        InputError: not a list, another length, or an unknown kind.
    """
    kinds = config.get("layer_types")
    if kinds is None:
        return None
    if not isinstance(kinds, list) or len(kinds) != count:
        raise InputError(
            "layer_types", kinds, f"a list with one kind for each of num_hidden_layers, {count}"
        )
    return [check_choice(f"layer_types[{i}]", kind, known) for i, kind in enumerate(kinds)]


def cyclic_kinds(count: int, cycle: int, common: str, last: str) -> list[str]:
    """`last` in every `cycle`-th layer, `common` in the others.

    >>> cyclic_kinds(5, 2, "sliding", "full")
    ['sliding', 'full', 'sliding', 'full', 'sliding']
    """
    return [common if (layer + 1) % cycle else last for layer in range(count)]


def attention_layers(
    kinds: Sequence[str], shape: tuple[int, int], window_tok: int | None = None
) -> list[LayerGroup]:
    """Groups of equal layers: those that keep every token, then those with a window."""
    kv_heads, head_dim = shape
    groups: list[LayerGroup] = []
    for kind, window in (("full_attention", None), ("sliding_attention", window_tok)):
        count = kinds.count(kind)
        if count:
            groups.append(AttentionLayers(count, kv_heads, head_dim, head_dim, window))
    return groups
