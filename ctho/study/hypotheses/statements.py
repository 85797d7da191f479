"""What the ranking of hypotheses says, in words made from the fits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ctho.study.claims.evidence import point_name
from ctho.study.hypotheses.curves import largest_ratio
from ctho.study.hypotheses.fit import Fit
from ctho.study.hypotheses.ranking import fitted_in_words, name, null_fit, of_size, rounded
from ctho.study.hypotheses.targets import targets

__all__ = [
    "constant_in_words",
    "equally_good",
    "jumps_in_words",
    "null_in_words",
    "pairs_in_words",
    "ratios_in_words",
    "singles_in_words",
    "unknown_in_words",
]

CONSTANT = "constant in the prefill completion"

AS_GOOD = 10.0
"""Scores this close are taken as equal: a likelihood ratio of exp(5), about 150 to 1."""

HELPS_BELOW = 0.9
"""A change helps if it leaves less than this share of the null's misfit."""


def null_in_words(fits: Sequence[Fit]) -> str:
    """What the printed parameters make of the printed numbers."""
    null = null_fit(fits)
    return (
        f"The printed parameters meet {null.met} of the {null.residuals.size} numbers. Their "
        f"misfit is {rounded(null.misfit)}; if each number were off by its tolerance it would be "
        f"{null.residuals.size}. Of {len(fits)} hypotheses they rank {fits.index(null) + 1}."
    )


def singles_in_words(fits: Sequence[Fit]) -> str:
    """The best single changes, and those that do not help."""
    null, singles = null_fit(fits), of_size(fits, 1)
    first, second = singles[:2]
    useless = [f for f in singles if f.misfit > HELPS_BELOW * null.misfit]
    complete = [f for f in singles if f.met == f.residuals.size]
    answer = (
        f"*{name(complete[0].changes)}* meets every printed number."
        if complete
        else f"No single change meets every printed number. {_sentence(first, 'The best')}"
    )
    return "\n".join(
        [
            f"- The best single change is {_named(first)}; next comes {_named(second)}.",
            f"- {answer}",
            f"- {len(useless)} of {len(singles)} single changes leave more than "
            f"{100 * HELPS_BELOW:.0f} % of the misfit: "
            f"{', '.join(name(f.changes) for f in useless)}.",
        ]
    )


def constant_in_words(fits: Sequence[Fit], suspected_s: float) -> str:
    """The test of the lead: one constant added to the prefill completion."""
    singles = of_size(fits, 1)
    fit = next(f for f in singles if f.changes[0].name == CONSTANT)
    without_worst = sorted(singles, key=_without_worst)
    return (
        f"The fit puts the constant at {fit.numbers[0]:.2f} s, where {suspected_s:g} s was "
        f"suspected; by misfit it is number {singles.index(fit) + 1} of the single changes. "
        f"{_sentence(fit)} If each hypothesis may leave out the number that it misses by most, "
        f"it is number {without_worst.index(fit) + 1}, with a misfit of "
        f"{rounded(_without_worst(fit))}; the best then is *{name(without_worst[0].changes)}*."
    )


def pairs_in_words(fits: Sequence[Fit]) -> str:
    """The best pairs beside the best single change."""
    pairs, single = of_size(fits, 2), of_size(fits, 1)[0]
    near = [f for f in pairs if f.score <= pairs[0].score + AS_GOOD]
    return (
        f"The best of {len(pairs)} pairs has a misfit of {rounded(pairs[0].misfit)}, the best "
        f"single change {rounded(single.misfit)}. {_sentence(pairs[0])} Within {AS_GOOD:g} of its "
        f"score: {'; '.join(_named(f) for f in near)}."
    )


def unknown_in_words(fits: Sequence[Fit]) -> str:
    """Which hypotheses the printed numbers cannot tell apart."""
    near = equally_good(fits)
    involved = sorted({change.name for f in near for change in f.changes})
    free, printed = len(fits[0].numbers), len(targets())
    lie = _counted(len(near), "hypothesis lies", "hypotheses lie")
    changes = _counted(len(involved), "change is", "different changes are")
    return (
        f"{lie} within {AS_GOOD:g} of the best score, and the printed numbers do not tell them "
        f"apart: {'; '.join(_named(f) for f in near)}. {changes} involved. The best fits {free} "
        f"free numbers to {printed} printed ones, so {printed - free} are left to test it."
    )


def equally_good(fits: Sequence[Fit]) -> list[Fit]:
    """Hypotheses with a score close to the best."""
    return [fit for fit in fits if fit.score <= fits[0].score + AS_GOOD]


def jumps_in_words(table: pd.DataFrame, hypothesis: str) -> str:
    """Whether ctHO's curve in Figure 4 is smooth: its steps then grow or shrink steadily."""
    curve = table[(table["figure"] == "fig4") & (table["scheme"] == "ctHO")]["mean"].to_numpy()
    steps = np.diff(curve)
    turns = int((np.diff(np.sign(np.diff(steps))) != 0).sum())
    shape = "steadily" if turns == 0 else f"with {turns} turns between growing and shrinking"
    return (
        f"- {hypothesis}: from point to point ctHO rises by {steps.min():.2f} to "
        f"{steps.max():.2f} s, {shape}."
    )


def ratios_in_words(table: pd.DataFrame, hypothesis: str) -> str:
    """The largest ratios of Figure 3 under a hypothesis, beside the abstract's 3.1 and 3.7."""
    parts = []
    for over in ("cHO", "tHO"):
        value, figure, x = largest_ratio(table, over, "ctHO")
        parts.append(f"{over} / ctHO at most {value:.2f}, at {point_name(figure, x)}")
    return f"- {hypothesis}: {'; '.join(parts)}."


def _named(fit: Fit) -> str:
    numbers = f"{fitted_in_words(fit)}; " if fit.numbers else ""
    return f"*{name(fit.changes)}* ({numbers}misfit {rounded(fit.misfit)})"


def _sentence(fit: Fit, subject: str = "It") -> str:
    """Which printed numbers a hypothesis meets and which it misses by how much."""
    pairs = list(zip(targets(), fit.residuals, strict=True))
    met = [target.label for target, residual in pairs if abs(residual) <= 1]
    missed = [
        f"{target.label} by {abs(residual):.2g}" for target, residual in pairs if abs(residual) > 1
    ]
    text = f"{subject} meets " + (_listed(met) if met else "none") + " within the tolerance"
    return text + (f" and misses, in tolerances, {_listed(missed)}." if missed else ".")


def _without_worst(fit: Fit) -> float:
    return fit.misfit - float((fit.residuals**2).max())


def _listed(items: Sequence[str]) -> str:
    return "; ".join(items)


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
