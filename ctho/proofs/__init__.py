"""Independent witnesses of the theory, which know nothing of the solver."""
