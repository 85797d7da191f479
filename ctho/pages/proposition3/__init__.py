"""Proposition 3: the crossing, whole tokens, L = 0 and the restriction to slow users."""
