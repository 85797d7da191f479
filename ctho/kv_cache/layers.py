"""What one kind of layer keeps of the context: four small classes with one interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ctho.checks import InputError, check_integer
from ctho.kv_cache.elements import ELEMENT_TYPES, ElementType

__all__ = ["AttentionLayers", "LatentLayers", "LayerGroup", "SharedLayers", "StateLayers"]


class LayerGroup(Protocol):
    """`count` layers of one kind."""

    @property
    def count(self) -> int:
        """Layers of the group."""
        ...

    @property
    def window_tok(self) -> int | None:
        """Tokens that a layer keeps at most; None for all of them."""
        ...

    def token_bits(self, keys: ElementType, values: ElementType) -> int:
        """Bits that a token adds inside the window, over all `count` layers."""
        ...

    def fixed_bits(self, keys: ElementType) -> int:
        """Bits whatever the context's length, over all `count` layers."""
        ...

    def formula(self, keys: ElementType, values: ElementType) -> str:
        """The sum behind :meth:`token_bits` (or :meth:`fixed_bits`), in bits."""
        ...


@dataclass(frozen=True)
class AttentionLayers:
    """Layers with keys and values per token: multi-head, grouped-query or multi-query attention.

    Attributes:
        count: number of such layers, at least 1.
        kv_heads: key-value heads, which groups of query heads share.
        key_dim: elements of a key, the explicit head_dim of the model.
        value_dim: elements of a value.
        window_tok: tokens a layer keeps at most; None for all.

    >>> bf16 = ELEMENT_TYPES["bf16"]
    >>> AttentionLayers(28, kv_heads=4, key_dim=128, value_dim=128).token_bits(bf16, bf16)
    458752
    """

    count: int
    kv_heads: int
    key_dim: int
    value_dim: int
    window_tok: int | None = None

    def __post_init__(self) -> None:
        for name in ("count", "kv_heads", "key_dim", "value_dim"):
            check_integer(name, getattr(self, name), at_least=1)
        if self.window_tok is not None:
            check_integer("window_tok", self.window_tok, at_least=1)

    def token_bits(self, keys: ElementType, values: ElementType) -> int:
        """Bits of one token: layers * KV heads * (key + value)."""
        vectors = keys.vector_bits(self.key_dim) + values.vector_bits(self.value_dim)
        return self.count * self.kv_heads * vectors

    def fixed_bits(self, keys: ElementType) -> int:
        """0."""
        return 0

    def formula(self, keys: ElementType, values: ElementType) -> str:
        """The product behind the bits, in words."""
        key, value = keys.vector_formula(self.key_dim), values.vector_formula(self.value_dim)
        window = "" if self.window_tok is None else f", last {self.window_tok:,} tokens"
        heads = f"{self.kv_heads} KV head{'s' if self.kv_heads > 1 else ''}"
        return f"{_layers(self.count)} * {heads} * ({key} + {value}) bits{window}"


@dataclass(frozen=True)
class LatentLayers:
    """Layers with multi-head latent attention: one latent and one rotary key per token.

    Keys and values of all heads are computed from the latent, so there is no factor 2 and
    no number of heads.

    Attributes:
        count: number of such layers, at least 1.
        latent_dim: kv_lora_rank, elements of the latent.
        rope_dim: qk_rope_head_dim, elements of the key part that carries the position.
    """

    count: int
    latent_dim: int
    rope_dim: int

    def __post_init__(self) -> None:
        for name in ("count", "latent_dim", "rope_dim"):
            check_integer(name, getattr(self, name), at_least=1)

    @property
    def window_tok(self) -> None:
        """None: every token stays."""
        return None

    def token_bits(self, keys: ElementType, values: ElementType) -> int:
        """Bits of one token: layers * (latent + rotary key); the latent is both key and value."""
        if keys != values:
            raise InputError(
                "value_dtype", values.name, f"{keys.name}, as latent attention stores one vector"
            )
        vectors = keys.vector_bits(self.latent_dim) + keys.vector_bits(self.rope_dim)
        return self.count * vectors

    def fixed_bits(self, keys: ElementType) -> int:
        """0."""
        return 0

    def formula(self, keys: ElementType, values: ElementType) -> str:
        """The product behind the bits, in words."""
        latent, rope = keys.vector_formula(self.latent_dim), keys.vector_formula(self.rope_dim)
        return f"{_layers(self.count)} * (latent {latent} + rotary key {rope}) bits"


@dataclass(frozen=True)
class StateLayers:
    """Layers with linear attention: a state of fixed size instead of keys and values.

    The convolution's window has the activations' type (bf16 beside a quantised cache); the
    recurrent state is accumulated in fp32.

    Attributes:
        count: number of such layers, at least 1.
        convolution_elements: channels times kernel size.
        recurrent_elements: value heads times key dim times value dim.
    """

    count: int
    convolution_elements: int
    recurrent_elements: int

    def __post_init__(self) -> None:
        for name in ("count", "convolution_elements", "recurrent_elements"):
            check_integer(name, getattr(self, name), at_least=1)

    @property
    def window_tok(self) -> None:
        """None: there is nothing per token."""
        return None

    def token_bits(self, keys: ElementType, values: ElementType) -> int:
        """0."""
        return 0

    def fixed_bits(self, keys: ElementType) -> int:
        """Bits of the states: layers * (convolution + recurrent)."""
        return self.count * (
            self.convolution_elements * self._activation_bits(keys)
            + self.recurrent_elements * ELEMENT_TYPES["fp32"].bits
        )

    def formula(self, keys: ElementType, values: ElementType) -> str:
        """The product behind the bits, in words."""
        return (
            f"{_layers(self.count)} * (convolution {self.convolution_elements} * "
            f"{self._activation_bits(keys)} + recurrent {self.recurrent_elements} * 32) bits, "
            "whatever the context"
        )

    @staticmethod
    def _activation_bits(keys: ElementType) -> int:
        return ELEMENT_TYPES["bf16"].bits if keys.quantised else keys.bits


@dataclass(frozen=True)
class SharedLayers:
    """Layers that read another layer's keys and values and keep none themselves.

    Attributes:
        count: number of such layers, at least 1.
    """

    count: int

    def __post_init__(self) -> None:
        check_integer("count", self.count, at_least=1)

    @property
    def window_tok(self) -> None:
        """None: there is nothing per token."""
        return None

    def token_bits(self, keys: ElementType, values: ElementType) -> int:
        """0."""
        return 0

    def fixed_bits(self, keys: ElementType) -> int:
        """0."""
        return 0

    def formula(self, keys: ElementType, values: ElementType) -> str:
        """The product behind the bits, in words."""
        return f"{_layers(self.count)} * 0 bits (they share the cache of other layers)"


def _layers(count: int) -> str:
    return f"{count} layer{'s' if count > 1 else ''}"
