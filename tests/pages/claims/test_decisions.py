"""Each decision on curves made for it: it can say yes, no, and that it cannot tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ctho.pages.claims import Finding, Verdict, load_claims
from ctho.pages.claims.evidence import LENGTH, Evidence
from ctho.pages.claims.published import DECISIONS
from ctho.simulation import Parameters

Array = NDArray[np.float64]

REPRODUCED, HOLDS, NOT_REPRODUCED, NOT_DECIDABLE, OPEN = Verdict

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

    def samples(self, figure: str, x: float, curve: str) -> Array:
        own = NOISE[1 + int(x) % 2] * self._noise
        return self._means[curve][int(x)] + SAME_NOISE + own


class Unpaired(Made):
    """Each scheme has noise of its own."""

    def samples(self, figure: str, x: float, curve: str) -> Array:
        return self._means[curve][int(x)] + 0.01 * NOISE["ab".index(curve)]


class ByFigure(Made):
    """ctHO takes 1 s everywhere, and the other scheme what its figure's list says."""

    def points(self, figure: str) -> tuple[float, ...]:
        return tuple(float(i) for i in range(len(self._means[figure])))

    def samples(self, figure: str, x: float, curve: str) -> Array:
        return np.full(REALISATIONS, 1.0 if curve == "ctHO" else self._means[figure][int(x)])


def decide(name: str, evidence: Evidence, **given: Any) -> Finding:
    return DECISIONS[name](evidence, **given)


AT = {"figure": "fig3d", "x": 0}


@pytest.mark.parametrize(
    ("mean", "verdict"),
    [(0.95, REPRODUCED), (0.93, REPRODUCED), (0.926, OPEN), (0.66, NOT_REPRODUCED)],
)
def test_about(mean: float, verdict: Verdict) -> None:
    made = Made({"ctHO": [mean]})
    finding = decide("mean_near", made, value=0.95, within=0.025, at=AT, scheme="ctHO")
    assert finding.verdict is verdict
    assert finding.ours.mean == pytest.approx(mean + SAME_NOISE.mean())
    assert finding.ours.ci_low < finding.ours.mean < finding.ours.ci_high
    assert (finding.unit, finding.where) == ("s", "ctHO at K = 0")


@pytest.mark.parametrize(
    ("excess", "verdict"),
    [(2.15, REPRODUCED), (2.9, HOLDS), (2.0, NOT_REPRODUCED), (2.1001, OPEN), (2.1999, OPEN)],
)
def test_more_than_by_a_difference(excess: float, verdict: Verdict) -> None:
    made = Unpaired({"a": [1 + excess], "b": [1.0]})
    given = {"value": 2.1, "within": 0.1, "at": AT, "over": "a", "under": "b"}
    finding = decide("difference_more_than", made, **given)
    assert finding.verdict is verdict
    assert finding.ours.mean == pytest.approx(excess, abs=2e-3)
    assert (finding.unit, finding.where) == ("s", "a - b at K = 0")


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(3.15, REPRODUCED), (4.6, HOLDS), (2.5, NOT_REPRODUCED)]
)
def test_more_than_by_a_ratio(ratio: float, verdict: Verdict) -> None:
    made = Made({"cHO": [ratio], "ctHO": [1.0]})
    given = {"value": 3.1, "within": 0.1, "at": AT, "over": "cHO", "under": "ctHO"}
    finding = decide("ratio_more_than", made, **given)
    assert finding.verdict is verdict
    assert finding.ours.mean == pytest.approx(ratio, abs=2e-2)
    assert (finding.unit, finding.where) == ("", "cHO / ctHO at K = 0")


@pytest.mark.parametrize(
    ("quoted", "verdict"), [(2.0, NOT_DECIDABLE), (3.0, NOT_DECIDABLE), (3.5, NOT_REPRODUCED)]
)
def test_up_to_is_refuted_by_a_quoted_point_alone(quoted: float, verdict: Verdict) -> None:
    made = Made({"cHO": [quoted, 9.0], "ctHO": [1.0, 1.0]})
    finding = decide(
        "largest_ratio", made, value=3.1, within=0.05, over="cHO", under="ctHO",
        figures=["fig3a"], quoted=[{"figure": "fig3a", "x": 0}],
    )  # fmt: skip
    assert finding.verdict is verdict


@pytest.mark.parametrize("figure", ["fig3a", "fig3b", "fig3c", "fig3d"])
def test_up_to_looks_at_every_point_of_every_figure(figure: str) -> None:
    means = {f"fig3{letter}": [2.0, 2.1, 2.2] for letter in "abcd"} | {figure: [2.0, 5.0, 2.2]}
    finding = decide(
        "largest_ratio", ByFigure(means), value=3.1, within=0.05, over="cHO", under="ctHO",
        figures=[f"fig3{letter}" for letter in "abcd"], quoted=[{"figure": "fig3a", "x": 0}],
    )  # fmt: skip
    assert finding.verdict is NOT_DECIDABLE
    assert finding.ours.mean == pytest.approx(5.0)
    found = {"fig3a": "1 Gbps", "fig3b": "1 tokens/s", "fig3c": "C_max = 1", "fig3d": "K = 1"}
    assert f"cHO / ctHO at {found[figure]}," in finding.where


def test_of_several_quoted_points_the_largest_refutes() -> None:
    means = {"fig3a": [9.0, 2.0], "fig3d": [3.4]}
    quoted = [{"figure": "fig3a", "x": 1}, {"figure": "fig3d", "x": 0}]
    finding = decide(
        "largest_ratio", ByFigure(means), value=3.1, within=0.05, over="cHO", under="ctHO",
        figures=["fig3a"], quoted=quoted,
    )  # fmt: skip
    assert finding.verdict is NOT_REPRODUCED
    assert finding.ours.mean == pytest.approx(3.4)
    assert finding.where == "cHO / ctHO at K = 0"


def test_the_papers_own_numbers_are_compared_with_their_rounding() -> None:
    given = {"value": 3.1, "under": 1.0, "within": 0.05}
    made = Made({})
    assert decide("printed_ratio_at_most", made, over=2.5, **given).verdict is REPRODUCED
    assert decide("printed_ratio_at_most", made, over=3.1, **given).verdict is OPEN
    far = decide("printed_ratio_at_most", made, over=4.0, **given)
    assert far.verdict is NOT_REPRODUCED
    assert far.ours == pytest.approx((4.0, 3.95 / 1.05, 4.05 / 0.95))


@pytest.mark.parametrize(
    ("means", "noise", "verdict"),
    [
        ([1.0, 1.002, 0.999], 0.0, REPRODUCED),
        ([1.0, 1.1, 1.0], 0.0, NOT_REPRODUCED),
        ([1.0, 0.9, 1.0], 0.0, NOT_REPRODUCED),
        ([1.0, 1.0, 1.0], 0.5, OPEN),
    ],
)
def test_flat(means: list[float], noise: float, verdict: Verdict) -> None:
    made = Made({"tHO": means}, noise)
    finding = decide("flat", made, figure="fig3a", scheme="tHO", within_percent=1)
    assert finding.verdict is verdict
    if noise == 0.0:
        change = 100 * (means[1] - 1) / (1 + SAME_NOISE.mean())
        assert finding.ours.mean == pytest.approx(change)
        assert (finding.unit, finding.where) == ("%", "change of tHO from 0 to 1 Gbps")


@pytest.mark.parametrize(
    ("means", "noise", "verdict"),
    [
        ([3.0, 2.0, 1.0], 0.0, REPRODUCED),
        ([3.0, 2.0, 2.0], 0.0, NOT_REPRODUCED),
        ([3.0, 2.0, 2.5], 0.0, NOT_REPRODUCED),
        ([3.0, 2.99, 2.98], 0.5, OPEN),
    ],
)
def test_falls_and_its_mirror_rises(means: list[float], noise: float, verdict: Verdict) -> None:
    falls = decide("falls", Made({"a": means}, noise), figure="fig3a", schemes=["a"])
    mirrored = Made({"a": [-mean for mean in means]}, noise)
    rises = decide("rises", mirrored, figure="fig3a", schemes=["a"])
    assert falls.verdict is rises.verdict is verdict
    if noise == 0.0:
        smallest = min(-np.diff(means))
        assert falls.ours.mean == pytest.approx(smallest)
        assert rises.ours.mean == pytest.approx(smallest)


def test_one_scheme_that_does_not_rise_is_found() -> None:
    made = Made({"a": [1.0, 2.0], "b": [1.0, 0.9]})
    finding = decide("rises", made, figure="fig3d", schemes=["a", "b"])
    assert finding.verdict is NOT_REPRODUCED
    assert "of b" in finding.where


def test_the_length_rises() -> None:
    rising = decide("length_rises", Made({LENGTH: [1, 2, 4]}), figure="fig3b")
    assert rising.verdict is REPRODUCED
    assert rising.ours.mean == pytest.approx(1)
    assert (rising.unit, rising.where) == ("tokens", "rise of L* from 0 to 1 tokens/s")
    falling = decide("length_rises", Made({LENGTH: [1, 3, 2]}), figure="fig3b")
    assert falling.verdict is NOT_REPRODUCED


@pytest.mark.parametrize(
    ("best", "verdict"), [([1.0, 1.0], REPRODUCED), ([1.0, 2.5], NOT_REPRODUCED)]
)
def test_lowest_everywhere(best: list[float], verdict: Verdict) -> None:
    made = Made({"ctHO": best, "tHO": [2.0, 2.0], "cHO": [3.0, 3.0]})
    given = {"figures": ["fig3a"], "scheme": "ctHO", "others": ["tHO", "cHO"]}
    finding = decide("lowest", made, **given)
    assert finding.verdict is verdict
    assert finding.ours.mean == pytest.approx(2.0 - max(best))
    assert finding.where.startswith("tHO - ctHO at ")


@pytest.mark.parametrize(
    ("over", "verdict"), [([2.0, 3.0, 4.5], REPRODUCED), ([2.0, 4.0, 3.5], NOT_REPRODUCED)]
)
def test_the_gap_widens(over: list[float], verdict: Verdict) -> None:
    made = Made({"cHO": over, "ctHO": [1.0, 1.0, 1.0]})
    given = {"figure": "fig3d", "over": "cHO", "under": "ctHO"}
    finding = decide("gap_widens", made, **given)
    assert finding.verdict is verdict
    assert finding.ours.mean == pytest.approx(min(np.diff(over)))
    assert finding.where.startswith("growth of cHO - ctHO from ")


@pytest.mark.parametrize(
    ("over", "verdict"),
    [
        ([3.0, 2.0, 1.05], REPRODUCED),
        ([3.0, 2.0, 1.5], NOT_REPRODUCED),  # shrinks, but not by enough
        ([3.0, 1.01, 1.05], NOT_REPRODUCED),  # small, but grows again
    ],
)
def test_approaching(over: list[float], verdict: Verdict) -> None:
    made = Made({"cHO": over, "ctHO": [1.0, 1.0, 1.0]})
    given = {"figure": "fig3a", "over": "cHO", "under": "ctHO", "share": 0.1}
    finding = decide("approaches", made, **given)
    assert finding.verdict is verdict
    if over[2] <= over[1]:
        assert finding.ours.mean == pytest.approx((over[2] - 1) / 2)
        assert finding.where == "cHO - ctHO at 2 Gbps as a share of that at 0"
    else:
        assert finding.ours.mean == pytest.approx(over[1] - over[2])


@pytest.mark.parametrize(
    ("alone", "verdict"),
    [
        ([0.0, 3.0, 9.0], REPRODUCED),
        ([0.0, 1.2, 2.4], NOT_REPRODUCED),  # faster, but not much
        ([0.0, 9.0, 9.5], NOT_REPRODUCED),  # much in all, but not at each step
        ([5.0, 5.0, 5.0], NOT_REPRODUCED),
    ],
)
def test_growing_fastest(alone: list[float], verdict: Verdict) -> None:
    made = Made({"no-HO": alone, "ctHO": [0.0, 1.0, 2.0]})
    given = {"figure": "fig4", "scheme": "no-HO", "others": ["ctHO"], "factor": 2}
    finding = decide("grows_fastest", made, **given)
    assert finding.verdict is verdict
    at_each_step = min(np.diff(alone)) - 1
    expected = at_each_step if at_each_step < 0 else (alone[-1] - alone[0]) / 2
    assert finding.ours.mean == pytest.approx(expected)


@pytest.mark.parametrize(("than", "verdict"), [(3.0, REPRODUCED), (1.5, NOT_REPRODUCED)])
def test_lower_at_a_point(than: float, verdict: Verdict) -> None:
    made = Made({"no-HO": [than], "ctHO": [1.0], "tHO": [2.0]})
    given = {"at": {"figure": "fig4", "x": 0}, "schemes": ["ctHO", "tHO"], "than": "no-HO"}
    finding = decide("lower_at", made, **given)
    assert finding.verdict is verdict
    assert finding.ours.mean == pytest.approx(than - 2.0)
    assert finding.where == "no-HO - tHO, the closest"


class Crossing(Made):
    """ctHO exceeds no-HO by what falls linearly to 0 at a given D_bs."""

    def __init__(self, at_m: float) -> None:
        super().__init__({"ctHO": []})
        self._at_m = at_m

    def points(self, figure: str) -> tuple[float, ...]:
        return (300.0, 350.0, 400.0, 450.0)

    def samples(self, figure: str, x: float, curve: str) -> Array:
        return SAME_NOISE + 0.01 * (self._at_m - x) if curve == "ctHO" else 0 * SAME_NOISE


@pytest.mark.parametrize(
    ("at_m", "verdict"),
    [(375, REPRODUCED), (380, REPRODUCED), (430, HOLDS), (355, NOT_REPRODUCED),
     (387.4, OPEN), (600, NOT_REPRODUCED)],
)  # fmt: skip
def test_best_below(at_m: float, verdict: Verdict) -> None:
    finding = decide(
        "best_below", Crossing(at_m), value=375, within=12.5, figure="fig4", under="ctHO"
    )
    assert finding.verdict is verdict
    if at_m >= 450:
        assert "never cross" in finding.where
        assert finding.ours.mean == pytest.approx(0.01 * (at_m - 450) + SAME_NOISE.mean())
    else:
        noise_mean_m = float(SAME_NOISE.mean()) / 0.01
        assert finding.ours.mean == pytest.approx(at_m + noise_mean_m, abs=0.01)
        half = 1.96 * float(SAME_NOISE.std(ddof=1)) / np.sqrt(REALISATIONS) / 0.01
        assert finding.ours.ci_high - finding.ours.mean == pytest.approx(half, rel=1e-3)


def test_the_cache_of_the_model_and_that_of_the_simulation() -> None:
    given = {"model": "Qwen2.5-7B-Instruct", "dtype": "bf16"}
    made = Made({})
    assert decide("kv_bits_of_model", made, value=458_752, **given).verdict is REPRODUCED
    assert decide("kv_bits_of_model", made, value=458_753, **given).verdict is NOT_REPRODUCED
    size = {"value": 176, "within": 0.5, "context_tok": 3072}
    assert decide("kv_megabytes", made, **size).verdict is REPRODUCED
    eight_bit = Evidence(Parameters(kv_bits_per_tok=229_376))
    assert decide("kv_megabytes", eight_bit, **size).verdict is NOT_REPRODUCED


def test_every_decision_is_used_by_a_claim() -> None:
    assert {claim.decide for claim in load_claims()} == set(DECISIONS)
