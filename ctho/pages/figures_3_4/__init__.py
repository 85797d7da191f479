"""Figures 3 and 4: the schemes compared along the paper's sweeps."""
