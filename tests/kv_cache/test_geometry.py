"""Bits of a cache as a function of the context: against a count token by token."""

from __future__ import annotations

import pytest

from ctho.checks import InputError
from ctho.kv_cache import (
    ELEMENT_TYPES,
    AttentionLayers,
    ElementType,
    KvCache,
    KvGeometry,
    LatentLayers,
    SharedLayers,
    StateLayers,
    element_type,
)

BF16 = ELEMENT_TYPES["bf16"]
MIXED = KvGeometry(
    "mixed",
    (
        AttentionLayers(2, kv_heads=3, key_dim=40, value_dim=24),
        AttentionLayers(5, kv_heads=1, key_dim=8, value_dim=8, window_tok=7),
        AttentionLayers(1, kv_heads=1, key_dim=16, value_dim=16, window_tok=3),
        SharedLayers(4),
        StateLayers(3, convolution_elements=10, recurrent_elements=6),
    ),
)


def test_bits_are_the_sum_of_the_segments_token_by_token() -> None:
    cache = KvCache(MIXED)
    segments = cache.segments()
    assert [segment.to_tok for segment in segments] == [3, 7, None]
    expected = float(cache.fixed_state_bytes)
    for tokens in range(20):
        assert cache.bytes_at(tokens) == expected
        segment = next(s for s in segments if s.to_tok is None or tokens < s.to_tok)
        expected += segment.bytes_per_tok


def test_bits_against_every_stored_vector() -> None:
    keys, values = element_type("int8-g16"), element_type("int4-g5-s32-z8")
    bits = 0
    for layer_heads, key_dim, value_dim, kept in (
        (2 * 3, 40, 24, 9),
        (5 * 1, 8, 8, 7),
        (1 * 1, 16, 16, 3),
    ):
        for _ in range(layer_heads * kept):
            bits += 8 * key_dim + 32 * len(range(0, key_dim, 16))
            bits += 4 * value_dim + 40 * len(range(0, value_dim, 5))
    bits += 3 * (10 * 16 + 6 * 32)
    cache = KvCache(MIXED, keys, values)
    assert cache.bits_at(9) == bits
    assert cache.bytes_at(9) == -(-bits // 8)


def test_the_state_follows_the_activations_type() -> None:
    state = KvGeometry("state", (StateLayers(1, 10, 6),))
    sizes = {
        name: KvCache(state, element_type(name), element_type(name)).fixed_state_bytes
        for name in ("fp32", "bf16", "int4")
    }
    assert sizes == {"fp32": 40 + 24, "bf16": 20 + 24, "int4": 20 + 24}


def test_latent_attention_has_no_factor_two() -> None:
    cache = KvCache(KvGeometry("mla", (LatentLayers(27, 512, 64),)))
    assert cache.bytes_per_tok == 27 * 576 * 2


def test_latent_attention_has_one_type() -> None:
    latent = KvGeometry("mla", (LatentLayers(1, 512, 64),))
    with pytest.raises(InputError, match="one vector"):
        KvCache(latent, BF16, ELEMENT_TYPES["int8"])


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("fp32", 4096),
        ("bf16", 2048),
        ("fp16", 2048),
        ("fp8", 1024),
        ("int8", 1024),
        ("int4", 512),
        ("int8-g64", 1024 + 2 * 32),
        ("int4-g64", 512 + 2 * 32),
        ("int4-g128-z0", 512 + 16),
        ("int4-g100-s32", 512 + 2 * (32 + 16)),
        ("int4-g1000-s8-z4", 512 + 12),
    ],
)
def test_bits_of_a_vector_of_128(name: str, bits: int) -> None:
    assert element_type(name).vector_bits(128) == bits


@pytest.mark.parametrize(
    "name",
    ["int5", "", "BF16", "int4-g", "int4-g0", "fp8-g64", "int4-g64-z0-s16", "int4-g-5", None, 4],
)
def test_an_unknown_type_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"^dtype is"):
        element_type(name)


def test_formulas_evaluate_to_the_bits() -> None:
    cache = KvCache(MIXED, element_type("int8-g16"), BF16)
    first, *_ = cache.formulas()
    assert first == "2 layers * 3 KV heads * (40 * 8 + 3 * (16 + 16) + 24 * 16) bits"
    product = first.replace(" layers", "").replace(" KV heads", "").removesuffix(" bits")
    assert eval(product) == MIXED.layers[0].token_bits(cache.keys, cache.values)


@pytest.mark.parametrize("tokens", [-1, 1.5, "3", None, True, float("nan")])
def test_a_length_that_is_no_count_is_refused(tokens: object) -> None:
    with pytest.raises(InputError, match="tokens"):
        KvCache(MIXED).bits_at(tokens)  # type: ignore[arg-type]


def test_shapes_are_checked_on_construction() -> None:
    with pytest.raises(InputError, match="kv_heads"):
        AttentionLayers(1, 0, 8, 8)
    with pytest.raises(InputError, match="window_tok"):
        AttentionLayers(1, 1, 8, 8, window_tok=0)
    with pytest.raises(InputError, match="latent_dim"):
        LatentLayers(1, -512, 64)
    with pytest.raises(InputError, match="recurrent_elements"):
        StateLayers(1, 1, 0)
    with pytest.raises(InputError, match="count"):
        SharedLayers(0)
    with pytest.raises(InputError, match="layers"):
        KvGeometry("none", ())
    with pytest.raises(InputError, match="bits"):
        ElementType("none", 0)


def test_keys_and_values_have_each_their_own_type() -> None:
    geometry = KvGeometry("uneven", (AttentionLayers(2, kv_heads=3, key_dim=40, value_dim=24),))
    cache = KvCache(geometry, ELEMENT_TYPES["fp32"], BF16)
    assert cache.bits_per_tok == 2 * 3 * (40 * 32 + 24 * 16)
