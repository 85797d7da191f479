"""Which unstated changes would make the printed numbers follow: an inverse problem."""

from ctho.study.hypotheses import ranking, statements
from ctho.study.hypotheses.changes import CHANGES, Change
from ctho.study.hypotheses.curves import curves, printed_marks
from ctho.study.hypotheses.fit import Fit, Search, combinations, fit_all
from ctho.study.hypotheses.targets import Target, targets

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
