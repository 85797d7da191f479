import matplotlib.pyplot as plt
import numpy as np
import pytest

from ctho import AffinePrefill, Handover
from ctho.pages.proposition3.figure import newton_figure, zero_length_figure
from ctho.pages.proposition3.witnesses import near_optimum, newton_table
from ctho.pages.proposition3.zero_length import zero_length_table
from ctho.simulation import Parameters
from ctho.simulation.one_instance import delay_curves

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
