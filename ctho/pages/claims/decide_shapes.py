"""Decisions on claims about the shape of a figure: flat, falling, lowest, widening."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctho.pages.claims.evidence import LENGTH, Evidence, point_name
from ctho.pages.claims.verdicts import (
    Contrast,
    Finding,
    Verdict,
    all_above,
    decided_above,
    verdict_where,
)
from ctho.simulation.statistics import Estimate

__all__ = [
    "approaches",
    "falls",
    "flat",
    "gap_widens",
    "grows_fastest",
    "length_rises",
    "lower_at",
    "lowest",
    "rises",
]


def flat(evidence: Evidence, *, figure: str, scheme: str, within_percent: float) -> Finding:
    """No point's mean differs from the first by more than a small share of it."""
    first, *others = evidence.points(figure)
    changes = []
    for x in others:
        ratio = evidence.estimate("ratio", (figure, x, scheme), (figure, first, scheme))
        percent = Estimate(*(100 * (bound - 1) for bound in ratio))
        where = f"change of {scheme} from {first:,g} to {point_name(figure, x)}"
        changes.append(Contrast(where, percent))
    largest = max(changes, key=lambda change: abs(change.estimate.mean))
    # |change| <= w is two contrasts, one to each side.
    sides = [
        Contrast(where, _minus(side, within_percent))
        for where, change in changes
        for side in (change, _minus(change))
    ]
    return replace(all_above(sides, "%"), ours=largest.estimate, where=largest.where)


def falls(evidence: Evidence, *, figure: str, schemes: Sequence[str]) -> Finding:
    """The means fall at every step of the sweep."""
    steps = (step for s in schemes for step in _steps(evidence, figure, f"fall of {s}", s))
    return all_above(map(_reversed, steps), "s")


def rises(evidence: Evidence, *, figure: str, schemes: Sequence[str]) -> Finding:
    """The means rise at every step of the sweep."""
    steps = (step for s in schemes for step in _steps(evidence, figure, f"rise of {s}", s))
    return all_above(steps, "s")


def length_rises(evidence: Evidence, *, figure: str) -> Finding:
    """The mean prefill length L* of ctHO rises at every step of the sweep."""
    return replace(rises(evidence, figure=figure, schemes=[LENGTH]), unit="tokens")


def lowest(
    evidence: Evidence, *, figures: Sequence[str], scheme: str, others: Sequence[str]
) -> Finding:
    """A scheme has the smallest mean at every point of some figures."""
    return all_above(
        (
            Contrast(
                f"{other} - {scheme} at {point_name(figure, x)}",
                evidence.estimate("difference", (figure, x, other), (figure, x, scheme)),
            )
            for figure in figures
            for other in others
            for x in evidence.points(figure)
        ),
        "s",
    )


def lower_at(
    evidence: Evidence, *, at: Mapping[str, Any], schemes: Sequence[str], than: str
) -> Finding:
    """Every one of some schemes has a smaller mean than another at one point."""
    figure, x = at["figure"], at["x"]
    return all_above(
        (
            Contrast(
                f"{than} - {scheme}, the closest",
                evidence.estimate("difference", (figure, x, than), (figure, x, scheme)),
            )
            for scheme in schemes
        ),
        "s",
    )


def gap_widens(evidence: Evidence, *, figure: str, over: str, under: str) -> Finding:
    """The difference of two means grows at every step of the sweep."""
    return all_above(_steps(evidence, figure, f"growth of {over} - {under}", over, under), "s")


def approaches(evidence: Evidence, *, figure: str, over: str, under: str, share: float) -> Finding:
    """The difference of two means shrinks at every step, and to a small share of the first."""
    steps = _steps(evidence, figure, f"shrinking of {over} - {under}", over, under)
    shrinks = all_above(map(_reversed, steps), "s")
    if shrinks.verdict is not Verdict.REPRODUCED:
        return shrinks
    first, *_, last = evidence.points(figure)
    gaps = [(figure, x, scheme) for x in (first, last) for scheme in (over, under)]
    left = evidence.estimate("gap ratio", *gaps)
    above = decided_above(left, share)
    where = f"{over} - {under} at {point_name(figure, last)} as a share of that at {first:,g}"
    return Finding(verdict_where(None if above is None else not above), left, "", where)


def grows_fastest(
    evidence: Evidence, *, figure: str, scheme: str, others: Sequence[str], factor: float
) -> Finding:
    """A scheme grows more than every other at each step, and by a factor over the whole range."""
    at_each_step = all_above(
        (
            step
            for other in others
            for step in _steps(
                evidence, figure, f"growth of {scheme} less that of {other}", scheme, other
            )
        ),
        "s",
    )
    if at_each_step.verdict is not Verdict.REPRODUCED:
        return at_each_step
    first, *_, last = evidence.points(figure)
    ends = f"{first:,g} to {point_name(figure, last)}"
    return all_above(
        (
            Contrast(
                f"growth of {scheme} over that of {other}, {ends}",
                evidence.estimate(
                    "gap ratio", *((figure, x, s) for s in (other, scheme) for x in (first, last))
                ),
            )
            for other in others
        ),
        "",
        bound=factor,
    )


def _minus(estimate: Estimate, start: float = 0.0) -> Estimate:
    """`start` less an estimate; the ends of the interval change places."""
    # Adding 0.0 turns the -0.0 of a step that is none into 0.0.
    mean, low, high = (start - bound + 0.0 for bound in estimate)
    return Estimate(mean, high, low)


def _reversed(contrast: Contrast) -> Contrast:
    return Contrast(contrast.where, _minus(contrast.estimate))


def _steps(evidence: Evidence, figure: str, what: str, *curves: str) -> Iterator[Contrast]:
    """The change between neighbouring points: of a curve, or of one curve less another."""
    for low, high in itertools.pairwise(evidence.points(figure)):
        if len(curves) == 1:
            change = evidence.estimate("difference", *((figure, x, *curves) for x in (high, low)))
        else:
            gaps = [(figure, x, curve) for x in (low, high) for curve in curves]
            change = evidence.estimate("gap change", *gaps)
        yield Contrast(f"{what} from {low:,g} to {point_name(figure, high)}", change)
