"""Which unstated changes would make the printed numbers follow: an inverse problem."""

from ctho.pages.why_numbers_differ.curves import (
    curves,
    largest_ratio,
    printed_marks,
    steps_in_figure_4,
)
from ctho.pages.why_numbers_differ.fit import Search, fit_all
from ctho.pages.why_numbers_differ.ranking import AS_GOOD, as_good, of_size, ranking, rounded

__all__ = [
    "AS_GOOD",
    "Search",
    "as_good",
    "curves",
    "fit_all",
    "largest_ratio",
    "of_size",
    "printed_marks",
    "ranking",
    "rounded",
    "steps_in_figure_4",
]
