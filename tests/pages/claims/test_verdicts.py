"""What an interval decides, and what it leaves open."""

from __future__ import annotations

import pytest

from ctho.pages.claims import Verdict
from ctho.pages.claims.verdicts import (
    Contrast,
    all_above,
    decided_above,
    decided_within,
    verdict_where,
)
from ctho.simulation import Estimate


def around(mean: float, half: float) -> Estimate:
    return Estimate(mean, mean - half, mean + half)


@pytest.mark.parametrize(
    ("estimate", "decided"),
    [
        (around(2, 0.5), True),
        (around(1, 0.5), None),
        (around(0, 0.5), False),
        (around(1, 0), False),
    ],
)
def test_above_needs_the_whole_interval(estimate: Estimate, decided: bool | None) -> None:
    assert decided_above(estimate, 1.0) is decided


@pytest.mark.parametrize(
    ("estimate", "decided"),
    [(around(1, 0.1), True), (around(1.2, 0.1), None), (around(0.8, 0.1), None),
     (around(1.5, 0.1), False), (around(0.5, 0.1), False), (around(1, 1), None)],
)  # fmt: skip
def test_within_needs_the_whole_interval(estimate: Estimate, decided: bool | None) -> None:
    assert decided_within(estimate, 0.8, 1.2) is decided


def test_what_is_decided_gives_the_verdict() -> None:
    assert [verdict_where(holds) for holds in (True, False, None)] == [
        Verdict.REPRODUCED,
        Verdict.NOT_REPRODUCED,
        Verdict.OPEN,
    ]
    assert verdict_where(False, Verdict.HOLDS) is Verdict.HOLDS
    assert verdict_where(None, Verdict.HOLDS) is Verdict.OPEN


@pytest.mark.parametrize("verdict", Verdict)
def test_verdicts_are_counted_as_they_are_named(verdict: Verdict) -> None:
    assert verdict.counted(1) == f"1 {verdict}"
    differ = verdict.counted(3) != f"3 {verdict}"
    assert differ == (verdict is Verdict.HOLDS)


def test_all_hold_where_each_interval_does() -> None:
    finding = all_above([Contrast("near", around(1, 0.5)), Contrast("far", around(9, 0.5))], "s")
    assert finding.verdict is Verdict.REPRODUCED
    assert (finding.where, finding.ours, finding.unit) == ("near", around(1, 0.5), "s")


def test_one_below_refutes_and_is_named() -> None:
    finding = all_above([Contrast("good", around(1, 0.5)), Contrast("bad", around(-3, 0.5))], "")
    assert finding.verdict is Verdict.NOT_REPRODUCED
    assert finding.where == "bad"


def test_an_interval_across_the_bound_leaves_it_open() -> None:
    finding = all_above([Contrast("near", around(0.1, 0.5)), Contrast("", around(9, 0.5))], "")
    assert finding.verdict is Verdict.OPEN
    assert finding.where == "near"


def test_the_bound_is_what_they_lie_above() -> None:
    contrasts = [Contrast("", around(2.5, 0.1))]
    assert all_above(contrasts, "", bound=2).verdict is Verdict.REPRODUCED
    assert all_above(contrasts, "", bound=3).verdict is Verdict.NOT_REPRODUCED


def test_one_stray_interval_among_many_does_not_refute() -> None:
    stray = Contrast("stray", around(-0.55, 0.5))
    assert all_above([stray], "").verdict is Verdict.NOT_REPRODUCED
    others = [Contrast("", around(9, 0.5))] * 40
    assert all_above([stray, *others], "").verdict is Verdict.OPEN


def test_a_step_that_is_none_is_no_rise() -> None:
    none = [Contrast("", Estimate(0.0, 0.0, 0.0))]
    assert all_above(none, "").verdict is Verdict.NOT_REPRODUCED
