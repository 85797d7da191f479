"""Prefill profiles of real devices, and which scheme pays off on which device and link."""
