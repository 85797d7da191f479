"""What the ranking of hypotheses says, in words made from the fits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ctho.pages.claims.evidence import point_name
from ctho.pages.why_numbers_differ.curves import largest_ratio
from ctho.pages.why_numbers_differ.fit import Fit
from ctho.pages.why_numbers_differ.ranking import fitted_in_words, name, null_fit, of_size, rounded
from ctho.pages.why_numbers_differ.targets import targets
from ctho.simulation.parameters import Parameters

__all__ = [
    "constant_in_words",
    "equally_good",
    "jumps_in_words",
    "null_in_words",
    "pairs_in_words",
    "ratios_in_words",
    "realisations_in_words",
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


def realisations_in_words(used: int) -> str:
    """Why the values on this page are not to the last digit those of the ledger."""
    ledger = Parameters().realisations
    if used == ledger:
        return f"The fits average over {used:,} realisations, as the ledger does."
    return (
        f"The fits average over {used:,} realisations, the ledger over {ledger:,}, so the same "
        "quantity may differ in its last digits."
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
        else "No single change meets every printed number. The best:\n"
        + _met_and_missed(first, indent="  ")
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
    place = without_worst.index(fit) + 1
    then = (
        "it is the best of them"
        if place == 1
        else f"it is number {place} and *{name(without_worst[0].changes)}* the best"
    )
    return (
        f"The fit puts the constant at {fit.numbers[0]:.2f} s, to be compared with "
        f"{suspected_s:g} s; by misfit it is number {singles.index(fit) + 1} of the single "
        f"changes.\n\n{_met_and_missed(fit)}\n\n"
        f"Without the number that each single change misses by most, {then}, with a misfit of "
        f"{rounded(_without_worst(fit))}."
    )


def pairs_in_words(fits: Sequence[Fit]) -> str:
    """The best pairs beside the best single change."""
    pairs, single = of_size(fits, 2), of_size(fits, 1)[0]
    near = [f for f in pairs if f.score <= pairs[0].score + AS_GOOD]
    return (
        f"The best of {len(pairs)} pairs has a misfit of {rounded(pairs[0].misfit)}, the best "
        f"single change {rounded(single.misfit)}. The best pair:\n\n{_met_and_missed(pairs[0])}"
        f"\n\nWithin {AS_GOOD:g} of its score:\n\n" + "\n".join(f"- {_named(f)}" for f in near)
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


def _met_and_missed(fit: Fit, indent: str = "") -> str:
    """The printed numbers as a list: met within the tolerance, or missed by how much."""
    pairs = sorted(zip(targets(), fit.residuals, strict=True), key=lambda pair: abs(pair[1]) > 1)
    return "\n".join(
        f"{indent}- {target.label}: "
        + ("met" if abs(off) <= 1 else f"missed by {abs(off):.1f} times the tolerance")
        for target, off in pairs
    )


def _without_worst(fit: Fit) -> float:
    return fit.misfit - float((fit.residuals**2).max())


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
