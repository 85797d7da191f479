"""The pictures of Proposition 3, of the shadow prices and of the two forms draw their tables."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from ctho import AffinePrefill, Handover
from ctho.figures.forms import forms_figure
from ctho.figures.proposition3 import newton_figure, zero_length_figure
from ctho.figures.sensitivity import one_instance_figure, worth_figure
from ctho.study import SWEEPS, Parameters
from ctho.study.forms import compare_forms
from ctho.study.price_sweep import price_sweep, rate_curve
from ctho.study.proposition3 import near_optimum, newton_table
from ctho.study.timeline import delay_curves
from ctho.study.zero_length import zero_length_table

SMALL = Parameters(realisations=50)
LISTS = [1.03, 1.13, 1.24, 1.25], [2100, 1200, 1200, 5100]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def line(axes, label):
    return next(line for line in axes.get_lines() if line.get_label() == label)


@pytest.mark.parametrize(
    "h",
    [
        Handover(*LISTS, 9809.0, AffinePrefill()),
        Handover([0.0], [10], 10_000, AffinePrefill(1e-4, 0.1)),
        Handover([-1.0, -1.0], [5, 5], 1, AffinePrefill(0.0, 0.0)),
    ],
    ids=["climb", "no batch", "all at once"],
)
def test_newtons_lines_start_on_the_transfer_curve(h):
    steps = newton_table(h)
    figure = newton_figure(delay_curves(h), steps, near_optimum(h, 1.0))
    left = figure.axes[0]
    dashed = [drawn for drawn in left.get_lines() if drawn.get_linestyle() == "--"]
    assert len(dashed) == len(steps)
    for drawn, step in zip(dashed, steps.to_dict("records"), strict=True):
        assert drawn.get_xdata()[0] == step["length_tok"]
        assert drawn.get_ydata()[-1] == step["next_delay_s"]


def test_the_jump_is_drawn_over_the_rates():
    table = zero_length_table(SMALL, [2, 20])
    left, right = zero_length_figure(table).axes
    crossing = table[table["what"] == "crossing only"]["mean"]
    np.testing.assert_array_equal(line(left, "crossing only").get_ydata(), crossing)
    assert right.get_ylim() == (0, 100)


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


def test_both_forms_of_every_figure():
    names = ["fig3d", "fig4"]
    comparison = compare_forms(SMALL, names)
    figure = forms_figure(comparison, {name: SWEEPS[name].label for name in names})
    assert len(figure.axes) == 4
    chosen = comparison[
        (comparison["figure"] == "fig3d")
        & (comparison["scheme"] == "ctHO")
        & (comparison["form"] == "exact")
    ]
    delays, excess = figure.axes[0], figure.axes[1]
    np.testing.assert_array_equal(line(delays, "ctHO, exact").get_ydata(), chosen["mean"])
    np.testing.assert_array_equal(line(excess, "ctHO, exact").get_ydata(), 100 * chosen["excess"])
