"""Where a library's cache differs from what the context needs."""

from __future__ import annotations

from ctho.kv_cache.geometry import KvCache

__all__ = ["library_bytes"]


def library_bytes(cache: KvCache, tokens: int) -> int:
    """What transformers' dynamic cache should hold after a prefill of `tokens`.

    It differs from :meth:`KvCache.bytes_at` in one point: a layer with a
    window of W keeps W - 1 tokens, since the next token brings the W-th itself.
    """
    total = cache.bits_at(tokens)
    for group in cache.geometry.layers:
        if group.window_tok is not None and tokens >= group.window_tok:
            total -= group.token_bits(cache.keys, cache.values)
    return -(-total // 8)
