"""From clean notebooks to a book: execute, canonicalise, assemble, check."""
