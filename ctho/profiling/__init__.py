"""Measurements with the real model code: cache bytes and prefill time (extra `model`).

Nothing here imports torch before it measures, and nothing outside imports this package;
what it measures reaches the rest as files in `data/profiles`.
"""
