"""Whether the figures' tables of a build hold the means that the ledger rests on."""

from __future__ import annotations

from typing import NamedTuple

from ctho.checks import InputError
from ctho.pages.claims.ledger import Ledger
from ctho.pages.shared.results import read_table, rows

__all__ = ["ROUNDING", "Agreement", "agreement"]

ROUNDING = 1e-8
"""The ledger's total delays come from a polynomial good to 1e-9; those of the tables do not."""


class Agreement(NamedTuple):
    """How many of the means are in a table, and the largest difference as a share of the mean."""

    compared: int
    largest: float


def agreement(ledger: Ledger) -> Agreement:
    """Compare the ledger's means with those of `results/fig3a.csv` and so on, as far as made."""
    differences = []
    for figure in dict.fromkeys(figure for figure, *_ in ledger.means):
        try:
            table = read_table(figure)
        except InputError:
            continue
        own = ((ledger.means.get((figure, row.x, row.scheme)), row.mean) for row in rows(table))
        differences += [abs(theirs / mean - 1) for mean, theirs in own if mean is not None]
    return Agreement(len(differences), max(differences, default=0.0))
