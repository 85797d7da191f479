import matplotlib.pyplot as plt
import numpy as np
import pytest

from ctho.pages.exact_vs_printed.figure import forms_figure
from ctho.pages.exact_vs_printed.forms import compare_forms
from ctho.simulation import SWEEPS, Parameters

SMALL = Parameters(realisations=50)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def line(axes, label):
    return next(line for line in axes.get_lines() if line.get_label() == label)


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
