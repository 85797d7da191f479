"""Decisions on claims about the shape of a figure: flat, falling, lowest, widening."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ctho.pages.claims.evidence import Evidence, Place, point_name
from ctho.pages.claims.registry import decision
from ctho.pages.claims.verdicts import (
    NOT_REPRODUCED,
    OPEN,
    REPRODUCED,
    Contrast,
    Finding,
    Joint,
    all_above,
    decided_above,
)
from ctho.simulation.statistics import Estimate

__all__ = [
    "approaches",
    "falls",
    "flat",
    "gap_widens",
    "grows_fastest",
    "length_rises",
    "lowest",
    "rises",
]


def _finding(joint: Joint, unit: str) -> Finding:
    verdict = OPEN if joint.holds is None else REPRODUCED if joint.holds else NOT_REPRODUCED
    return Finding(verdict, joint.weakest.estimate, unit, joint.weakest.where)


def _minus(estimate: Estimate, start: float = 0.0) -> Estimate:
    """`start` less an estimate; the ends of the interval change places."""
    # Adding 0.0 turns the -0.0 of a step that is none into 0.0.
    mean, low, high = (start - bound + 0.0 for bound in estimate)
    return Estimate(mean, high, low)


@decision
def flat(evidence: Evidence, *, figure: str, scheme: str, within_percent: float) -> Finding:
    """No point's mean differs from the first by more than a small share of it."""
    first, *others = evidence.points(figure)
    changes = []
    for x in others:
        ratio = evidence.estimate("ratio", (figure, x, scheme), (figure, first, scheme))
        percent = Estimate(*(100 * (bound - 1) for bound in ratio))
        changes.append(
            Contrast(f"change of {scheme} from {first:g} to {point_name(figure, x)}", percent)
        )
    largest = max(changes, key=lambda change: abs(change.estimate.mean))
    # |change| <= w is two contrasts, one to each side.
    sides = [
        Contrast(where, _minus(side, within_percent))
        for where, change in changes
        for side in (change, _minus(change))
    ]
    joint = all_above(sides)
    return _finding(Joint(joint.holds, largest), "%")


@decision
def falls(evidence: Evidence, *, figure: str, schemes: Sequence[str]) -> Finding:
    """The means fall at every step of the sweep."""
    return _finding(
        all_above(
            [
                Contrast(f"fall of {scheme} {where}", _minus(step))
                for scheme in schemes
                for where, step in _steps(evidence, figure, scheme)
            ]
        ),
        "s",
    )


@decision
def rises(evidence: Evidence, *, figure: str, schemes: Sequence[str]) -> Finding:
    """The means rise at every step of the sweep."""
    return _finding(
        all_above(
            [
                Contrast(f"rise of {scheme} {where}", step)
                for scheme in schemes
                for where, step in _steps(evidence, figure, scheme)
            ]
        ),
        "s",
    )


@decision
def length_rises(evidence: Evidence, *, figure: str) -> Finding:
    """The mean prefill length L* of ctHO rises at every step of the sweep."""
    return _finding(
        all_above(
            [
                Contrast(
                    f"rise of L* from {low:g} to {point_name(figure, high)}",
                    evidence.length_change(figure, low, high),
                )
                for low, high in itertools.pairwise(evidence.points(figure))
            ]
        ),
        "tokens",
    )


@decision
def lowest(
    evidence: Evidence, *, figures: Sequence[str], scheme: str, others: Sequence[str]
) -> Finding:
    """A scheme has the smallest mean at every point of some figures."""
    return _finding(
        all_above(
            [
                Contrast(
                    f"{other} - {scheme} at {point_name(figure, x)}",
                    evidence.estimate("difference", (figure, x, other), (figure, x, scheme)),
                )
                for figure in figures
                for other in others
                for x in evidence.points(figure)
            ]
        ),
        "s",
    )


def _steps(evidence: Evidence, figure: str, scheme: str) -> list[Contrast]:
    """The change of a scheme's mean between neighbouring points."""
    return [
        Contrast(
            f"from {low:g} to {point_name(figure, high)}",
            evidence.estimate("difference", (figure, high, scheme), (figure, low, scheme)),
        )
        for low, high in itertools.pairwise(evidence.points(figure))
    ]


def _gap_steps(evidence: Evidence, figure: str, over: str, under: str) -> list[Contrast]:
    """The change of the difference of two schemes between neighbouring points."""
    return [
        Contrast(
            f"from {low:g} to {point_name(figure, high)}",
            evidence.estimate("gap change", *_gap_places(figure, low, high, over, under)),
        )
        for low, high in itertools.pairwise(evidence.points(figure))
    ]


def _gap_places(
    figure: str, low: float, high: float, over: str, under: str
) -> tuple[Place, Place, Place, Place]:
    return (figure, low, over), (figure, low, under), (figure, high, over), (figure, high, under)


@decision
def gap_widens(evidence: Evidence, *, figure: str, over: str, under: str) -> Finding:
    """The difference of two means grows at every step of the sweep."""
    joint = all_above(_gap_steps(evidence, figure, over, under))
    where = f"growth of {over} - {under} {joint.weakest.where}"
    return _finding(Joint(joint.holds, Contrast(where, joint.weakest.estimate)), "s")


@decision
def approaches(evidence: Evidence, *, figure: str, over: str, under: str, share: float) -> Finding:
    """The difference of two means shrinks at every step, and to a small share of the first."""
    shrinks = all_above(
        [
            Contrast(f"shrinking of {over} - {under} {where}", _minus(step))
            for where, step in _gap_steps(evidence, figure, over, under)
        ]
    )
    if shrinks.holds is not True:
        return _finding(shrinks, "s")
    first, *_, last = evidence.points(figure)
    left = evidence.estimate("gap ratio", *_gap_places(figure, first, last, over, under))
    above = decided_above(left, share)
    where = f"{over} - {under} at {point_name(figure, last)} as a share of that at {first:g}"
    return _finding(Joint(None if above is None else not above, Contrast(where, left)), "")


@decision
def grows_fastest(
    evidence: Evidence, *, figure: str, scheme: str, others: Sequence[str], factor: float
) -> Finding:
    """A scheme grows more than every other at each step, and by a factor over the whole range."""
    at_each_step = all_above(
        [
            Contrast(f"growth of {scheme} less that of {other} {where}", step)
            for other in others
            for where, step in _gap_steps(evidence, figure, scheme, other)
        ]
    )
    if at_each_step.holds is not True:
        return _finding(at_each_step, "s")
    first, *_, last = evidence.points(figure)
    by_factor = all_above(
        [
            Contrast(
                f"growth of {scheme} over that of {other}, {first:g} to {point_name(figure, last)}",
                evidence.estimate(
                    "gap ratio",
                    (figure, first, other),
                    (figure, last, other),
                    (figure, first, scheme),
                    (figure, last, scheme),
                ),
            )
            for other in others
        ],
        bound=factor,
    )
    return _finding(by_factor, "")
