"""Whether the figures' tables of a build hold the means that the ledger rests on."""

from __future__ import annotations

from typing import NamedTuple

from ctho.checks import InputError
from ctho.pages.claims.ledger import Ledger
from ctho.pages.shared.results import read_table, rows

__all__ = ["ROUNDING", "Agreement", "agreement"]

ROUNDING = 1e-9
"""Two ways to compute one mean differ by no larger share than this."""


class Agreement(NamedTuple):
    """What the tables say of the means.

    Attributes:
        without_table: the figures whose table this build has not made.
        compared: how many of the means are in a table.
        largest: the largest difference between a table and the ledger, as a share of the mean.
    """

    without_table: tuple[str, ...]
    compared: int
    largest: float


def agreement(ledger: Ledger) -> Agreement:
    """Compare the ledger's means with `results/fig3a.csv` and so on of this build."""
    without, differences = [], [0.0]
    for figure in dict.fromkeys(figure for figure, *_ in ledger.means):
        try:
            table = read_table(figure)
        except InputError:
            without.append(figure)
            continue
        own = ((ledger.means.get((figure, row.x, row.scheme)), row.mean) for row in rows(table))
        differences += [abs(theirs / mean - 1) for mean, theirs in own if mean is not None]
    return Agreement(tuple(without), len(differences) - 1, max(differences))
