"""The ranking of hypotheses as a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ctho.pages.shared.text import markdown_table
from ctho.pages.why_numbers_differ.changes import Change
from ctho.pages.why_numbers_differ.fit import Fit
from ctho.pages.why_numbers_differ.targets import Target, targets

__all__ = [
    "fitted_in_words",
    "name",
    "null_fit",
    "of_size",
    "ranking",
    "ranking_as_markdown",
    "rounded",
    "targets_as_markdown",
]

NULL = "printed parameters"


def name(changes: Sequence[Change]) -> str:
    """The changes of a hypothesis in words."""
    return " + ".join(change.name for change in changes) or NULL


def fitted_in_words(fit: Fit) -> str:
    """The fitted numbers with their units, "-" without any."""
    free = [change for change in fit.changes if change.free]
    return (
        ", ".join(
            f"{number:.4g} {change.unit}".strip()
            if number < 1000
            else f"{number:,.0f} {change.unit}".strip()
            for change, number in zip(free, fit.numbers, strict=True)
        )
        or "-"
    )


def ranking(fits: Sequence[Fit]) -> pd.DataFrame:
    """All hypotheses, the best score first.

    Returns:
        Columns rank, hypothesis, changes (their number), fitted, misfit, score, met (printed
        numbers met), worst (the one missed by most), misfit_without_worst, and for each printed
        number its prediction and its residual, named by its claim.
    """
    labels = [target.label for target in targets()]
    records = []
    for rank, fit in enumerate(fits, start=1):
        worst = int(np.abs(fit.residuals).argmax())
        records.append(
            {
                "rank": rank,
                "hypothesis": name(fit.changes),
                "changes": len(fit.changes),
                "fitted": fitted_in_words(fit),
                "misfit": fit.misfit,
                "score": fit.score,
                "met": fit.met,
                "worst": labels[worst],
                "misfit_without_worst": fit.misfit - float(fit.residuals[worst] ** 2),
                **{
                    f"{kind}_{target.claim_id}": float(values[i])
                    for kind, values in (("predicted", fit.predicted), ("residual", fit.residuals))
                    for i, target in enumerate(targets())
                },
            }
        )
    return pd.DataFrame(records)


def ranking_as_markdown(fits: Sequence[Fit], pairs: int, top: int | None = None) -> str:
    """No change, every single change, and the best pairs, in the order of their score.

    Args:
        fits: all hypotheses, the best first.
        pairs: how many pairs to show.
        top: how many rows stand open, the others folded below; all if None.
    """
    shown = [*of_size(fits, 0), *of_size(fits, 1), *of_size(fits, 2)[:pairs]]
    places = {id(fit): rank for rank, fit in enumerate(fits, start=1)}
    head = [
        "Rank",
        "Hypothesis",
        "Fitted",
        "Misfit",
        "Score",
        "Met",
        "Missed by most",
        "Misfit else",
    ]
    labels = [target.label for target in targets()]
    body = []
    for fit in sorted(shown, key=lambda fit: fit.score):
        worst = int(np.abs(fit.residuals).argmax())
        body.append(
            [
                str(places[id(fit)]),
                name(fit.changes),
                fitted_in_words(fit),
                rounded(fit.misfit),
                rounded(fit.score),
                f"{fit.met} of {fit.residuals.size}",
                f"{labels[worst]} ({fit.residuals[worst]:+.1f})",
                rounded(fit.misfit - float(fit.residuals[worst] ** 2)),
            ]
        )
    if top is None or len(body) <= top:
        return markdown_table(head, body)
    return "\n\n".join(
        [
            markdown_table(head, body[:top]),
            f"<details><summary>The other {len(body) - top}</summary>",
            markdown_table(head, body[top:]),
            "</details>",
        ]
    )


def targets_as_markdown(fits: Sequence[Fit]) -> str:
    """The printed numbers: what each stands for, its tolerance, and what the null makes of it."""
    null = null_fit(fits)
    head = ["Printed number", "Stands for", "Tolerance", "Printed parameters give"]
    return markdown_table(
        head,
        (
            [t.label, _with_unit(t.value, t), f"± {_with_unit(t.tolerance, t)}", _with_unit(p, t)]
            for t, p in zip(targets(), null.predicted, strict=True)
        ),
    )


def of_size(fits: Sequence[Fit], count: int) -> list[Fit]:
    """The hypotheses of so many changes, in their order."""
    return [fit for fit in fits if len(fit.changes) == count]


def null_fit(fits: Sequence[Fit]) -> Fit:
    """That of no change."""
    return of_size(fits, 0)[0]


def rounded(value: float) -> str:
    """A misfit, with a decimal while it is small."""
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def _with_unit(value: float, target: Target) -> str:
    return f"{value:.3g} {target.unit}".strip()
