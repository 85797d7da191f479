"""Which unstated changes would make the printed numbers follow: an inverse problem."""

from ctho.pages.why_numbers_differ import ranking, statements
from ctho.pages.why_numbers_differ.changes import CHANGES, Change
from ctho.pages.why_numbers_differ.curves import curves, printed_marks
from ctho.pages.why_numbers_differ.fit import Fit, Search, combinations, fit_all
from ctho.pages.why_numbers_differ.targets import Target, targets

__all__ = [
    "CHANGES",
    "Change",
    "Fit",
    "Search",
    "Target",
    "combinations",
    "curves",
    "fit_all",
    "printed_marks",
    "ranking",
    "statements",
    "targets",
]
