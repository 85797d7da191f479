"""Each decision on curves made for it: it can say yes, no, and that it cannot tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ctho.pages.claims import load_claims
from ctho.pages.claims.evidence import Evidence
from ctho.pages.claims.registry import DECISIONS
from ctho.pages.claims.verdicts import (
    HOLDS,
    NOT_DECIDABLE,
    NOT_REPRODUCED,
    OPEN,
    REPRODUCED,
    Finding,
)
from ctho.simulation import Parameters

Array = NDArray[np.float64]

REALISATIONS = 400
NOISE = np.random.default_rng(3).normal(size=(3, REALISATIONS))
SAME_NOISE = 0.05 * NOISE[0]


class Made(Evidence):
    """Evidence with given means at the points of any figure, and noise on each sample."""

    def __init__(self, means: Mapping[str, list[float]], noise: float = 0.0) -> None:
        super().__init__(Parameters(realisations=REALISATIONS))
        self._means = means
        self._noise = noise

    def points(self, figure: str) -> tuple[float, ...]:
        return tuple(float(i) for i in range(len(next(iter(self._means.values())))))

    def samples(self, figure: str, x: float, scheme: str) -> Array:
        own = NOISE[1 + int(x) % 2] * self._noise
        return self._means[scheme][int(x)] + SAME_NOISE + own

    def prefill_lengths(self, figure: str, x: float) -> Array:
        return self.samples(figure, x, "L")


class Unpaired(Made):
    """Each scheme has noise of its own."""

    def samples(self, figure: str, x: float, scheme: str) -> Array:
        return self._means[scheme][int(x)] + 0.01 * NOISE["ab".index(scheme)]


def decide(name: str, evidence: Evidence, **given: Any) -> Finding:
    return DECISIONS[name](evidence, **given)


AT = {"figure": "fig3d", "x": 0}


@pytest.mark.parametrize(
    ("mean", "verdict"),
    [(0.95, REPRODUCED), (0.93, REPRODUCED), (0.926, OPEN), (0.66, NOT_REPRODUCED)],
)
def test_about(mean: float, verdict: str) -> None:
    made = Made({"ctHO": [mean]})
    finding = decide("mean_near", made, value=0.95, within=0.025, at=AT, scheme="ctHO")
    assert finding.verdict == verdict
    assert finding.ours.ci_low < finding.ours.mean < finding.ours.ci_high


@pytest.mark.parametrize(
    ("excess", "verdict"),
    [(2.15, REPRODUCED), (2.9, HOLDS), (2.0, NOT_REPRODUCED), (2.1001, OPEN), (2.1999, OPEN)],
)
def test_more_than_by_a_difference(excess: float, verdict: str) -> None:
    made = Unpaired({"a": [1 + excess], "b": [1.0]})
    given = {"value": 2.1, "within": 0.1, "at": AT, "over": "a", "under": "b"}
    finding = decide("difference_more_than", made, **given)
    assert finding.verdict == verdict


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(3.15, REPRODUCED), (4.6, HOLDS), (2.5, NOT_REPRODUCED)]
)
def test_more_than_by_a_ratio(ratio: float, verdict: str) -> None:
    made = Made({"cHO": [ratio], "ctHO": [1.0]})
    given = {"value": 3.1, "within": 0.1, "at": AT, "over": "cHO", "under": "ctHO"}
    assert decide("ratio_more_than", made, **given).verdict == verdict


@pytest.mark.parametrize(
    ("quoted", "verdict"), [(2.0, NOT_DECIDABLE), (3.0, NOT_DECIDABLE), (3.5, NOT_REPRODUCED)]
)
def test_up_to_is_refuted_by_a_quoted_point_alone(quoted: float, verdict: str) -> None:
    made = Made({"cHO": [quoted, 9.0], "ctHO": [1.0, 1.0]})
    finding = decide(
        "largest_ratio", made, value=3.1, within=0.05, over="cHO", under="ctHO",
        figures=["fig3a"], quoted=[{"figure": "fig3a", "x": 0}],
    )  # fmt: skip
    assert finding.verdict == verdict


def test_the_papers_own_numbers_are_compared_with_their_rounding() -> None:
    given = {"value": 3.1, "under": 1.0, "within": 0.05}
    made = Made({})
    assert decide("printed_ratio_at_most", made, over=2.5, **given).verdict == REPRODUCED
    assert decide("printed_ratio_at_most", made, over=3.1, **given).verdict == OPEN
    assert decide("printed_ratio_at_most", made, over=4.0, **given).verdict == NOT_REPRODUCED


@pytest.mark.parametrize(
    ("means", "noise", "verdict"),
    [
        ([1.0, 1.001, 0.999], 0.0, REPRODUCED),
        ([1.0, 1.1, 1.0], 0.0, NOT_REPRODUCED),
        ([1.0, 0.9, 1.0], 0.0, NOT_REPRODUCED),
        ([1.0, 1.0, 1.0], 0.5, OPEN),
    ],
)
def test_flat(means: list[float], noise: float, verdict: str) -> None:
    made = Made({"tHO": means}, noise)
    finding = decide("flat", made, figure="fig3a", scheme="tHO", within_percent=1)
    assert finding.verdict == verdict


@pytest.mark.parametrize(
    ("means", "noise", "verdict"),
    [
        ([3.0, 2.0, 1.0], 0.0, REPRODUCED),
        ([3.0, 2.0, 2.0], 0.0, NOT_REPRODUCED),
        ([3.0, 2.0, 2.5], 0.0, NOT_REPRODUCED),
        ([3.0, 2.99, 2.98], 0.5, OPEN),
    ],
)
def test_falls_and_its_mirror_rises(means: list[float], noise: float, verdict: str) -> None:
    falls = decide("falls", Made({"a": means}, noise), figure="fig3a", schemes=["a"])
    mirrored = Made({"a": [-mean for mean in means]}, noise)
    assert falls.verdict == verdict
    assert decide("rises", mirrored, figure="fig3a", schemes=["a"]).verdict == verdict


def test_one_scheme_that_does_not_rise_is_found() -> None:
    made = Made({"a": [1.0, 2.0], "b": [1.0, 0.9]})
    finding = decide("rises", made, figure="fig3d", schemes=["a", "b"])
    assert finding.verdict == NOT_REPRODUCED
    assert "of b" in finding.where


def test_the_length_rises() -> None:
    assert decide("length_rises", Made({"L": [1, 2, 3]}), figure="fig3b").verdict == REPRODUCED
    assert decide("length_rises", Made({"L": [1, 3, 2]}), figure="fig3b").verdict == NOT_REPRODUCED


@pytest.mark.parametrize(
    ("best", "verdict"), [([1.0, 1.0], REPRODUCED), ([1.0, 2.5], NOT_REPRODUCED)]
)
def test_lowest_everywhere(best: list[float], verdict: str) -> None:
    made = Made({"ctHO": best, "tHO": [2.0, 2.0], "cHO": [3.0, 3.0]})
    given = {"figures": ["fig3a"], "scheme": "ctHO", "others": ["tHO", "cHO"]}
    assert decide("lowest", made, **given).verdict == verdict


@pytest.mark.parametrize(
    ("over", "verdict"), [([2.0, 3.0, 4.5], REPRODUCED), ([2.0, 4.0, 3.5], NOT_REPRODUCED)]
)
def test_the_gap_widens(over: list[float], verdict: str) -> None:
    made = Made({"cHO": over, "ctHO": [1.0, 1.0, 1.0]})
    given = {"figure": "fig3d", "over": "cHO", "under": "ctHO"}
    assert decide("gap_widens", made, **given).verdict == verdict


@pytest.mark.parametrize(
    ("over", "verdict"),
    [
        ([3.0, 2.0, 1.05], REPRODUCED),
        ([3.0, 2.0, 1.5], NOT_REPRODUCED),  # shrinks, but not by enough
        ([3.0, 1.01, 1.05], NOT_REPRODUCED),  # small, but grows again
    ],
)
def test_approaching(over: list[float], verdict: str) -> None:
    made = Made({"cHO": over, "ctHO": [1.0, 1.0, 1.0]})
    given = {"figure": "fig3a", "over": "cHO", "under": "ctHO", "share": 0.1}
    assert decide("approaches", made, **given).verdict == verdict


@pytest.mark.parametrize(
    ("alone", "verdict"),
    [
        ([0.0, 3.0, 9.0], REPRODUCED),
        ([0.0, 1.2, 2.4], NOT_REPRODUCED),  # faster, but not much
        ([0.0, 9.0, 9.5], NOT_REPRODUCED),  # much in all, but not at each step
        ([5.0, 5.0, 5.0], NOT_REPRODUCED),
    ],
)
def test_growing_fastest(alone: list[float], verdict: str) -> None:
    made = Made({"no-HO": alone, "ctHO": [0.0, 1.0, 2.0]})
    given = {"figure": "fig4", "scheme": "no-HO", "others": ["ctHO"], "factor": 2}
    assert decide("grows_fastest", made, **given).verdict == verdict


@pytest.mark.parametrize(("than", "verdict"), [(3.0, REPRODUCED), (1.5, NOT_REPRODUCED)])
def test_lower_at_a_point(than: float, verdict: str) -> None:
    made = Made({"no-HO": [than], "ctHO": [1.0], "tHO": [2.0]})
    given = {"at": {"figure": "fig4", "x": 0}, "schemes": ["ctHO", "tHO"], "than": "no-HO"}
    assert decide("lower_at", made, **given).verdict == verdict


class Crossing(Made):
    """ctHO exceeds no-HO by what falls linearly to 0 at a given D_bs."""

    def __init__(self, at_m: float) -> None:
        super().__init__({"ctHO": []})
        self._at_m = at_m

    def points(self, figure: str) -> tuple[float, ...]:
        return (300.0, 350.0, 400.0, 450.0)

    def samples(self, figure: str, x: float, scheme: str) -> Array:
        return SAME_NOISE + 0.01 * (self._at_m - x) if scheme == "ctHO" else 0 * SAME_NOISE

    def fresh_samples(self, figure: str, x: float, scheme: str) -> Array:
        return self.samples(figure, x, scheme)


@pytest.mark.parametrize(
    ("at_m", "verdict"),
    [(375, REPRODUCED), (380, REPRODUCED), (430, HOLDS), (355, NOT_REPRODUCED),
     (387.4, OPEN), (600, NOT_REPRODUCED)],
)  # fmt: skip
def test_best_below(at_m: float, verdict: str) -> None:
    finding = decide(
        "best_below", Crossing(at_m), value=375, within=12.5, figure="fig4", under="ctHO"
    )
    assert finding.verdict == verdict
    if at_m < 450:
        noise_mean_m = float(SAME_NOISE.mean()) / 0.01
        assert finding.ours.mean == pytest.approx(at_m + noise_mean_m, abs=0.01)
        half = 1.96 * float(SAME_NOISE.std(ddof=1)) / np.sqrt(REALISATIONS) / 0.01
        assert finding.ours.ci_high - finding.ours.mean == pytest.approx(half, rel=1e-3)


def test_the_cache_of_the_model_and_that_of_the_simulation() -> None:
    given = {"model": "Qwen2.5-7B-Instruct", "dtype": "bf16"}
    made = Made({})
    assert decide("kv_bits_of_model", made, value=458_752, **given).verdict == REPRODUCED
    assert decide("kv_bits_of_model", made, value=458_753, **given).verdict == NOT_REPRODUCED
    size = {"value": 176, "within": 0.5, "context_tok": 3072}
    assert decide("kv_megabytes", made, **size).verdict == REPRODUCED
    eight_bit = Evidence(Parameters(kv_bits_per_tok=229_376))
    assert decide("kv_megabytes", eight_bit, **size).verdict == NOT_REPRODUCED


def test_every_decision_is_used_by_a_claim() -> None:
    assert {claim.decide for claim in load_claims()} == set(DECISIONS)
