"""The KV cache of many models: bytes per token, fixed parts, quantised elements."""
