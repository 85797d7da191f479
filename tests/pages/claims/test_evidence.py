"""The shared samples are those of the study itself, whatever is shared and interpolated."""

from __future__ import annotations

import numpy as np
import pytest

from ctho.pages.claims.evidence import Evidence
from ctho.pages.claims.readings import CHOICES, PaperReading, all_readings
from ctho.simulation import SWEEPS, Parameters
from ctho.simulation.simulate import delay_samples, prefill_length_samples, total_delay_samples
from ctho.simulation.total_delay import TotalDelay

FEW = Parameters(realisations=300)


def test_there_are_sixteen_readings_and_the_first_is_the_default() -> None:
    readings = list(all_readings())
    assert readings[0] == PaperReading()
    assert len(set(readings)) == 16 == np.prod([len(choices) for choices in CHOICES.values()])


@pytest.mark.parametrize("reading", list(all_readings()), ids=str)
def test_delays_are_those_of_the_sweep_under_the_reading(reading: PaperReading) -> None:
    evidence = Evidence(FEW).under(reading)
    for figure, x in (("fig3a", 2), ("fig3c", 2_048), ("fig3d", 12)):
        direct = delay_samples(reading.applied(SWEEPS[figure].point(FEW, x)))
        for scheme, samples in direct.items():
            assert np.array_equal(evidence.samples(figure, x, scheme), samples)


@pytest.mark.parametrize("boundary", CHOICES["fig4_boundary"])
def test_total_delays_are_those_of_figure_4(boundary: str) -> None:
    evidence = Evidence(FEW, PaperReading(fig4_boundary=boundary))
    moved = SWEEPS["fig4"].point(FEW, 450)
    point = moved if boundary == "moving" else FEW.replace(bs_distance_m=450)
    for scheme, samples in total_delay_samples(point).items():
        assert np.allclose(evidence.samples("fig4", 450, scheme), samples, rtol=1e-9, atol=0)


def test_a_point_needed_once_gives_the_same_samples() -> None:
    evidence = Evidence(FEW)
    for figure, x in (("fig3b", 10_000), ("fig4", 375)):
        assert np.allclose(
            evidence.fresh_samples(figure, x, "ctHO"), evidence.samples(figure, x, "ctHO")
        )


def test_lengths_are_those_of_the_study() -> None:
    point = SWEEPS["fig3b"].point(FEW, 5_000)
    direct = prefill_length_samples(point)["ctHO"]
    assert np.array_equal(Evidence(FEW).prefill_lengths("fig3b", 5_000), direct)


def test_differences_are_paired() -> None:
    evidence = Evidence(FEW)
    places = ("fig3d", 12, "cHO"), ("fig3d", 12, "ctHO")
    paired = evidence.estimate("difference", *places)
    alone = [evidence.estimate("mean", place) for place in places]
    assert paired.mean == pytest.approx(alone[0].mean - alone[1].mean)
    independent = np.hypot(*(e.ci_high - e.mean for e in alone))
    assert paired.ci_high - paired.mean < independent


def test_the_curve_falls_back_to_the_search_where_no_polynomial_fits() -> None:
    # The user passes the target base station while he waits: the curve has a corner there.
    p = Parameters(bs_distance_m=170)
    delay = np.array([0.3, 0.99, 1.01, 3.0])
    direct = TotalDelay(p)._exact(delay)
    assert np.allclose(TotalDelay(p)(delay), direct, rtol=1e-9)
