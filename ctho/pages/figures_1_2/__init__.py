"""Figures 1 and 2: one handover drawn, and its two delays over the prefill length."""
