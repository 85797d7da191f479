"""From clean notebooks to a book: execute, canonicalise, assemble, check.

Only :func:`provenance_card` is imported here, since notebooks import it; the runner and the
checks are imported by those that use them.
"""

from ctho.pages.shared.provenance import provenance_card

__all__ = ["provenance_card"]
