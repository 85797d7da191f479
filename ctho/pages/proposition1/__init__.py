"""Proposition 1: one step at a time loses nothing."""
