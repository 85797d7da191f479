"""What hypotheses make of the printed numbers, and their ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctho.pages.why_numbers_differ.changes import Change
from ctho.pages.why_numbers_differ.targets import Target

__all__ = ["AS_GOOD", "Fit", "as_good", "ranking", "rounded"]

Array = NDArray[np.float64]

AS_GOOD = 10.0
"""Scores this close are taken as equal: a likelihood ratio of exp(5), about 150 to 1."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A set of changes at its best.

    Attributes:
        changes: none for the null hypothesis.
        numbers: the fitted values of their free numbers.
        predicted: of each printed number.
        residuals: (predicted - printed) / scale.
    """

    changes: tuple[Change, ...]
    numbers: tuple[float, ...]
    predicted: Array
    residuals: Array

    @property
    def name(self) -> str:
        """Its changes, joined by a plus."""
        return " + ".join(change.name for change in self.changes) or "printed parameters"

    @property
    def fitted(self) -> str:
        """The fitted numbers with their units, "-" without any."""
        units = [change.unit for change in self.changes if change.grid]
        values = [round(number, 9) + 0.0 for number in self.numbers]  # beyond that is noise
        shown = [f"{v:.4g}" if v < 1000 else f"{v:,.0f}" for v in values]
        return ", ".join(f"{v} {u}".strip() for v, u in zip(shown, units, strict=True)) or "-"

    @property
    def misfit(self) -> float:
        """Sum of the squared residuals."""
        return float((self.residuals**2).sum())

    @property
    def score(self) -> float:
        """Misfit plus ln n for each change, n the printed numbers (as in Schwarz's criterion)."""
        return self.misfit + len(self.changes) * float(np.log(self.residuals.size))

    @property
    def met(self) -> int:
        """How many printed numbers are met within their scale."""
        return int((np.abs(self.residuals) <= 1).sum())

    @property
    def worst(self) -> int:
        """Which printed number is missed by most."""
        return int(np.abs(self.residuals).argmax())

    @property
    def misfit_without_worst(self) -> float:
        """The misfit without that number."""
        return self.misfit - float(self.residuals[self.worst] ** 2)

    def met_first(self, targets: Sequence[Target]) -> list[tuple[str, float]]:
        """Label and distance in scales of each printed number, those that are met in front."""
        labels, off = [target.label for target in targets], np.abs(self.residuals).tolist()
        return sorted(zip(labels, off, strict=True), key=lambda pair: bool(pair[1] > 1))


def ranking(fits: Sequence[Fit], targets: Sequence[Target]) -> pd.DataFrame:
    """All hypotheses, the best score first.

    Returns:
        Columns rank, hypothesis, changes (their number), fitted, misfit, score, met (printed
        numbers met), worst (the one missed by most), misfit_without_worst, and for each printed
        number its prediction and its residual, named by its claim.
    """
    records = [
        {
            "rank": rank,
            "hypothesis": fit.name,
            "changes": len(fit.changes),
            "fitted": fit.fitted,
            "misfit": fit.misfit,
            "score": fit.score,
            "met": fit.met,
            "worst": targets[fit.worst].label,
            "misfit_without_worst": fit.misfit_without_worst,
            **{f"predicted_{t.claim_id}": float(fit.predicted[i]) for i, t in enumerate(targets)},
            **{f"residual_{t.claim_id}": float(fit.residuals[i]) for i, t in enumerate(targets)},
        }
        for rank, fit in enumerate(fits, start=1)
    ]
    return pd.DataFrame(records)


def as_good(fits: Sequence[Fit]) -> list[Fit]:
    """The first of some hypotheses in their order, and those with a score close to it."""
    return [fit for fit in fits if fit.score <= fits[0].score + AS_GOOD]


def rounded(misfit: float) -> str:
    """A misfit or a score, with a decimal while it is small.

    >>> rounded(6.42), rounded(1372.4)
    ('6.4', '1,372')
    """
    return f"{misfit:,.1f}" if misfit < 100 else f"{misfit:,.0f}"
