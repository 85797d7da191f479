"""Shadow prices: what one more unit of each parameter is worth."""
