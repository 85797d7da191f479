import matplotlib.pyplot as plt
import numpy as np
import pytest

from ctho.pages.sensitivity.figure import one_instance_figure, worth_figure
from ctho.pages.sensitivity.worth import price_sweep, rate_curve
from ctho.simulation import Parameters

SMALL = Parameters(realisations=50)


LISTS = [1.03, 1.13, 1.24, 1.25], [2100, 1200, 1200, 5100]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def line(axes, label):
    return next(line for line in axes.get_lines() if line.get_label() == label)


def test_the_worth_of_upgrades_and_where_it_changes_hands():
    sweep = price_sweep(SMALL, [1, 4.5, 20])
    left, right = worth_figure(sweep, 3.5).axes
    link = sweep[sweep["what"] == "link_10_percent_ms"]["mean"]
    np.testing.assert_array_equal(line(right, "10 % faster link").get_ydata(), link)
    assert any(drawn.get_xdata()[0] == 3.5 for drawn in right.get_lines())
    total = line(left, "all, mean of $D^*$").get_ydata()
    parts = [line(left, name).get_ydata() for name in ("link", "GPU", "waiting for each other")]
    np.testing.assert_allclose(np.sum(parts, axis=0), total)
    without = worth_figure(sweep, float("nan")).axes[1]
    assert len(without.get_lines()) == len(right.get_lines()) - 1


def test_one_instance_over_the_rate():
    curve = rate_curve(SMALL, *LISTS, points=20)
    upper, lower = one_instance_figure(curve, 4.5).axes
    np.testing.assert_array_equal(upper.get_lines()[0].get_ydata(), curve["delay_s"])
    np.testing.assert_array_equal(line(lower, "1 % faster GPU").get_ydata(), curve["gpu_ms"])
