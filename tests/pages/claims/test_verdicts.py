"""What an interval decides, and what it leaves open."""

from __future__ import annotations

import pytest

from ctho.pages.claims.verdicts import Contrast, all_above, decided_above, decided_within
from ctho.simulation.statistics import Estimate


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


def test_all_hold_where_each_interval_does() -> None:
    joint = all_above([Contrast("near", around(1, 0.5)), Contrast("far", around(9, 0.5))])
    assert joint.holds is True
    assert joint.weakest.where == "near"


def test_one_below_refutes_and_is_named() -> None:
    joint = all_above([Contrast("good", around(1, 0.5)), Contrast("bad", around(-3, 0.5))])
    assert joint.holds is False
    assert joint.weakest.where == "bad"


def test_an_interval_across_the_bound_leaves_it_open() -> None:
    assert all_above([Contrast("", around(0.1, 0.5)), Contrast("", around(9, 0.5))]).holds is None


def test_one_stray_interval_among_many_does_not_refute() -> None:
    stray = Contrast("stray", around(-0.55, 0.5))
    assert all_above([stray]).holds is False
    others = [Contrast("", around(9, 0.5))] * 40
    assert all_above([stray, *others]).holds is None


def test_a_step_that_is_none_is_no_rise() -> None:
    assert all_above([Contrast("", Estimate(0.0, 0.0, 0.0))]).holds is False
