"""Measured prefill delay: how well each form of p(L) fits, and what a wrong one costs."""
