"""Proposition 2: the minimum transfer delay, where the printed form is low and by how much."""
