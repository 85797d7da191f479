"""Which unstated changes would make the printed numbers follow: an inverse problem."""

from ctho.pages.why_numbers_differ.fit import Search, fit_all

__all__ = ["Search", "fit_all"]
