"""Figure 2: the two delays over the prefill length, and where they cross."""
