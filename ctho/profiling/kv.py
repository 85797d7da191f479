"""Bytes of the cache that the real model code leaves behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctho.checks import check_integer
from ctho.kv_cache import AttentionLayers, KvGeometry
from ctho.profiling.library import causal_lm, library_config

__all__ = [
    "MeasuredCache",
    "measured_caches",
    "measured_quantised_bytes",
]

_CONSTANTS = {"_sliding_window_tensor", "optimizer", "qtype", "quantizer"}


@dataclass(frozen=True)
class MeasuredCache:
    """The cache after a real forward pass.

    Attributes:
        tokens: length of the prefill.
        cache_bytes: bytes of the tensors that the cache holds.
        storage_bytes: bytes of the memory behind them. Right after a prefill beyond a
            window the library's windowed layers are views of tensors over all tokens.
    """

    tokens: int
    cache_bytes: int
    storage_bytes: int


def measured_caches(config: Mapping[str, Any], lengths_tok: Sequence[int]) -> list[MeasuredCache]:
    """The cache that a real forward pass leaves, bf16, on the meta device.

    Shapes and types are those of the full model; no memory is taken and nothing is
    computed, so that a model of 671 billion weights takes seconds.

    Args:
        config: content of the model's `config.json`.
        lengths_tok: lengths of the prefill, each at least 1.
    """
    import torch
    from transformers import DynamicCache

    shape = library_config(config)
    model = causal_lm(shape, torch.bfloat16, "meta")
    measured = []
    for length in lengths_tok:
        check_integer("lengths_tok", length, at_least=1)
        ids = torch.zeros((1, length), dtype=torch.long, device="meta")
        with torch.no_grad():
            cache = model(
                input_ids=ids, cache=DynamicCache(config=shape), use_cache=True, logits_to_keep=1
            ).cache
        tensors = [tensor for layer in cache.layers for tensor in _held_tensors(layer)]
        storages = [tensor.untyped_storage() for tensor in tensors]
        measured.append(
            MeasuredCache(
                tokens=length,
                cache_bytes=_num_bytes(tensors),
                # A storage behind two tensors counts once; `_cdata` is its identity.
                storage_bytes=sum({s._cdata: s.nbytes() for s in storages}.values()),
            )
        )
    return measured


def measured_quantised_bytes(
    geometry: KvGeometry,
    backend: str,
    bits: int,
    group_size: int,
    prefill_tok: int,
    decoded_tok: int = 0,
) -> int:
    """Bytes in transformers' own quantised cache, scales and zero points included.

    The prefill is stored as codes; tokens decoded after it stay in bf16 until the library's
    residual buffer (128 tokens) is full.

    Args:
        geometry: a model whose layers are all of one plain attention kind.
        backend: "quanto" or "hqq".
        bits: bits of a code.
        group_size: elements with one scale and one zero point.
        prefill_tok: tokens of the first pass.
        decoded_tok: single tokens after it, fewer than the residual buffer holds.
    """
    import torch
    from transformers import AutoConfig, QuantizedCache

    (group,) = geometry.layers
    assert isinstance(group, AttentionLayers)
    shape = AutoConfig.for_model("llama", num_hidden_layers=group.count)
    cache = QuantizedCache(backend, shape, nbits=bits, q_group_size=group_size)
    generator = torch.Generator().manual_seed(0)
    for length in (prefill_tok, *([1] * decoded_tok)):
        size = (1, group.kv_heads, length, group.key_dim)
        states = torch.randn(size, generator=generator).to(torch.bfloat16)
        for layer in range(group.count):
            cache.update(states, states, layer)
    return _num_bytes(tensor for layer in cache.layers for tensor in _held_tensors(layer))


def _held_tensors(layer: Any) -> list[Any]:
    # The library's own constants (a window's length) are no part of the cache.
    held = {name: value for name, value in vars(layer).items() if name not in _CONSTANTS}
    return list(_tensors(held))


def _num_bytes(tensors: Iterable[Any]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def _tensors(value: Any) -> Iterator[Any]:
    """Plain tensors inside a value; a quantised tensor is taken apart into what it stores."""
    import torch

    if type(value) in (torch.Tensor, torch.nn.Parameter):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _tensors(entry)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _tensors(entry)
    elif isinstance(value, torch.Tensor):
        yield from _tensors(vars(value))
