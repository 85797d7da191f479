"""The cache of a whole model as a function of the context's length."""

from __future__ import annotations

from dataclasses import dataclass

from ctho.checks import InputError, check_integer
from ctho.kv_cache.elements import ELEMENT_TYPES, ElementType
from ctho.kv_cache.layers import AttentionLayers, LayerGroup, StateLayers

__all__ = ["KvCache", "KvGeometry", "Segment"]


@dataclass(frozen=True)
class KvGeometry:
    """The layers of a model, grouped by what they keep; no element type yet.

    Attributes:
        name: the model's name.
        layers: groups of equal layers, at least one of which keeps something.

    Raises:
        InputError: no layers.
    """

    name: str
    layers: tuple[LayerGroup, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))
        if not self.layers:
            raise InputError("layers", 0, "at least 1 layer")

    @property
    def num_layers(self) -> int:
        """Layers of all groups together."""
        return sum(group.count for group in self.layers)

    @classmethod
    def uniform(cls, name: str, num_layers: int, kv_heads: int, head_dim: int) -> KvGeometry:
        """The paper's case, 2 N_l N_kv d_h elements per token (Section IV-A)."""
        return cls(name, (AttentionLayers(num_layers, kv_heads, head_dim, head_dim),))


@dataclass(frozen=True)
class Segment:
    """A range of context lengths over which every token adds the same.

    Attributes:
        from_tok: tokens before the first one of the range.
        to_tok: last token of the range; None for no end.
        bytes_per_tok: what each token of the range adds, bytes (a multiple of 1/8).
    """

    from_tok: int
    to_tok: int | None
    bytes_per_tok: int | float


@dataclass(frozen=True)
class KvCache:
    """A geometry with element types: bits and bytes of one user's cache.

    With H_g the window of layer group g (infinite without one), the cache of N tokens has

        bits(N) = sum_g [ fixed_g + token_g * min(N, H_g) ].

    A window of W tokens counts W of them. To compute the next token W - 1 would do, and
    some libraries keep that many.

    Attributes:
        geometry: layers of the model.
        keys: element type of the keys.
        values: element type of the values.

    Raises:
        InputError: `values` differs from `keys` where one vector serves as both.

    >>> qwen = KvCache(KvGeometry.uniform("Qwen2.5-7B", 28, 4, 128))
    >>> qwen.bits_per_tok, qwen.bytes_at(3072)
    (458752, 176160768)
    """

    geometry: KvGeometry
    keys: ElementType = ELEMENT_TYPES["bf16"]
    values: ElementType = ELEMENT_TYPES["bf16"]

    def __post_init__(self) -> None:
        for group in self.geometry.layers:
            group.token_bits(self.keys, self.values)

    @property
    def bits_per_tok(self) -> int:
        """s_KV, bits that the first token adds: all windows still open, no fixed state."""
        return sum(group.token_bits(self.keys, self.values) for group in self.geometry.layers)

    @property
    def bytes_per_tok(self) -> int | float:
        """Bytes that the first token adds; whole unless the elements are narrower than a byte."""
        return _bytes(self.bits_per_tok)

    @property
    def fixed_state_bytes(self) -> int:
        """Bytes of the linear-attention state, independent of the context; 0 without one."""
        return _whole_bytes(sum(group.fixed_bits(self.keys) for group in self.geometry.layers))

    @property
    def has_state(self) -> bool:
        """Whether some layers keep a state of fixed size instead of keys and values."""
        return any(isinstance(group, StateLayers) for group in self.geometry.layers)

    def bits_at(self, tokens: int) -> int:
        """Bits of a context of `tokens`, the fixed state included.

        Raises:
            InputError: `tokens` is not a whole number of at least 0.
        """
        length = check_integer("tokens", tokens, at_least=0)
        total = 0
        for group in self.geometry.layers:
            kept = length if group.window_tok is None else min(length, group.window_tok)
            total += group.fixed_bits(self.keys) + kept * group.token_bits(self.keys, self.values)
        return total

    def bytes_at(self, tokens: int) -> int:
        """Whole bytes of a context of `tokens`, rounded up."""
        return _whole_bytes(self.bits_at(tokens))

    def segments(self) -> tuple[Segment, ...]:
        """Ranges of context length with their bytes per token, in order.

        >>> cache = KvCache(KvGeometry("two", (AttentionLayers(2, 1, 64, 64, window_tok=512),
        ...                                    AttentionLayers(1, 1, 64, 64))))
        >>> [(s.to_tok, s.bytes_per_tok) for s in cache.segments()]
        [(512, 768), (None, 256)]
        """
        layers = self.geometry.layers
        ends = sorted({group.window_tok for group in layers if group.window_tok is not None})
        segments = []
        for start, end in zip([0, *ends], [*ends, None], strict=True):
            bits = sum(
                group.token_bits(self.keys, self.values)
                for group in layers
                if group.window_tok is None or group.window_tok > start
            )
            segments.append(Segment(start, end, _bytes(bits)))
        return tuple(segments)

    def formulas(self) -> tuple[str, ...]:
        """One line for each group of layers: the product behind its bits."""
        return tuple(group.formula(self.keys, self.values) for group in self.geometry.layers)


def _bytes(bits: int) -> int | float:
    return bits // 8 if bits % 8 == 0 else bits / 8


def _whole_bytes(bits: int) -> int:
    return -(-bits // 8)
