"""The shared samples are those of the study itself, whatever is shared and interpolated."""

from __future__ import annotations

import numpy as np
import pytest

from ctho.pages.claims.evidence import LENGTH, Evidence
from ctho.pages.claims.open_points import CHOICES, OpenPoints, all_readings
from ctho.simulation import FIGURE_SWEEPS, Parameters
from ctho.simulation.simulate import delay_samples, prefill_length_samples, total_delay_samples
from ctho.simulation.total_delay import TotalDelay

FEW = Parameters(realisations=300)


def test_there_are_sixteen_readings_and_the_first_is_the_default() -> None:
    readings = list(all_readings())
    assert readings[0] == OpenPoints()
    assert len(set(readings)) == 16 == np.prod([len(choices) for choices in CHOICES.values()])
    assert len({reading.name for reading in readings}) == 16


def test_a_readings_choices_reach_the_parameters() -> None:
    reading = OpenPoints("printed", "waits_for_batch", "context_max", "fixed")
    p = reading.at_point(FEW, "fig4", 450)
    assert (p.transfer, p.zero_length, p.tho_length) == reading[:3]
    assert (p.bs_distance_m, p.boundary_m) == (450, FEW.boundary_m)
    assert OpenPoints().at_point(FEW, "fig4", 450).boundary_m == 225
    assert reading.at_point(FEW, "fig3d", 12).num_ues == 12


@pytest.mark.parametrize("reading", list(all_readings()), ids=lambda reading: reading.name)
def test_samples_are_those_of_the_study_under_the_reading(reading: OpenPoints) -> None:
    # Each other reading has filled the store before.
    evidence = Evidence(FEW)
    for other in (*all_readings(), reading):
        evidence = evidence.under(other)
        for figure, x in (("fig3c", 2_048), ("fig3d", 12)):
            evidence.samples(figure, x, "ctHO")
    for figure, x in (("fig3a", 2), ("fig3c", 2_048), ("fig3d", 12)):
        point = reading.applied(FIGURE_SWEEPS[figure].point(FEW, x))
        for scheme, samples in delay_samples(point).items():
            assert np.array_equal(evidence.samples(figure, x, scheme), samples)
        lengths = prefill_length_samples(point)["ctHO"]
        assert np.array_equal(evidence.samples(figure, x, LENGTH), lengths)


@pytest.mark.parametrize("boundary", CHOICES["fig4_boundary"])
def test_total_delays_are_those_of_figure_4(boundary: str) -> None:
    evidence = Evidence(FEW, OpenPoints(fig4_boundary=boundary))
    moved = FIGURE_SWEEPS["fig4"].point(FEW, 450)
    point = moved if boundary == "moving" else FEW.replace(bs_distance_m=450)
    for scheme, samples in total_delay_samples(point).items():
        assert np.allclose(evidence.samples("fig4", 450, scheme), samples, rtol=1e-9, atol=0)


def test_the_default_point_is_one_draw_in_every_figure() -> None:
    evidence = Evidence(FEW)
    default = evidence.samples("fig3a", 4.5, "ctHO")
    for figure, x in (("fig3c", 5_120), ("fig3d", 4)):
        assert evidence.samples(figure, x, "ctHO") is default


def test_differences_are_paired() -> None:
    evidence = Evidence(FEW)
    places = ("fig3d", 12, "cHO"), ("fig3d", 12, "ctHO")
    paired = evidence.estimate("difference", *places)
    alone = [evidence.estimate("mean", place) for place in places]
    assert paired.mean == pytest.approx(alone[0].mean - alone[1].mean)
    independent = np.hypot(*(e.ci_high - e.mean for e in alone))
    assert paired.ci_high - paired.mean < independent


def test_each_statistic_is_what_it_is_called() -> None:
    evidence = Evidence(FEW)
    places = [("fig3d", x, scheme) for x in (2, 12) for scheme in ("cHO", "ctHO")]
    a, b, c, d = (float(evidence.samples(*place).mean()) for place in places)
    for how, expected in {
        "mean": a,
        "difference": a - b,
        "ratio": a / b,
        "gap change": (c - d) - (a - b),
        "gap ratio": (c - d) / (a - b),
    }.items():
        taken = {"mean": 1, "difference": 2, "ratio": 2}.get(how, 4)
        assert evidence.estimate(how, *places[:taken]).mean == pytest.approx(expected), how


def test_the_points_of_the_figures_have_no_hole() -> None:
    evidence = Evidence(FEW)
    expected = {
        "fig3a": [2, 3, 4, 4.5, *range(5, 11)],
        "fig3b": range(5_000, 20_001, 2_500),
        "fig3c": range(2_048, 8_193, 1_024),
        "fig3d": range(2, 13, 2),
        "fig4": range(300, 501, 25),
    }
    places = list(evidence.places())
    for figure, points in expected.items():
        for scheme in ("ctHO", "tHO", "cHO", *(["no-HO"] if figure == "fig4" else [])):
            assert [x for f, x, s in places if (f, s) == (figure, scheme)] == list(points)
    assert len(places) == len(set(places)) == 3 * (10 + 7 + 7 + 6) + 4 * 9


def test_the_curve_falls_back_to_the_search_where_no_polynomial_fits() -> None:
    # The user passes the target base station while they wait: the curve has a corner there.
    p = Parameters(bs_distance_m=170)
    delay = np.array([0.3, 0.99, 1.01, 3.0])
    direct = TotalDelay(p)._exact(delay)
    assert np.allclose(TotalDelay(p)(delay), direct, rtol=1e-9)
