import matplotlib.pyplot as plt
import pytest

from ctho.pages.devices.limits import devices, limits_table
from ctho.pages.devices.map_figure import regime_figure
from ctho.pages.devices.profile_figure import prefill_figure
from ctho.pages.devices.profiles import prefill_curves
from ctho.pages.devices.regimes import device_speeds, log_grid, regime_map
from ctho.simulation import Parameters


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def texts(axes):
    return {text.get_text() for text in axes.texts}


def test_the_map_marks_what_is_on_it():
    table = regime_map(
        Parameters(realisations=20), log_grid("r", 1, 20, 5), log_grid("s", 3e3, 6e4, 4)
    )
    links = {"slow": 0.1, "inside": 5.0}
    axes = regime_figure(table, (4.5, 1e4), links, device_speeds(4, 3072), 4, None).axes[0]
    assert "inside" in texts(axes)
    assert "slow" not in texts(axes)
    assert {device.name for device in devices()} <= texts(axes)
    assert {"tHO ahead of cHO", "cHO ahead of tHO"} <= texts(axes)


def test_a_map_on_which_one_pure_scheme_leads_has_no_line_between_them():
    table = regime_map(
        Parameters(realisations=20), log_grid("r", 0.1, 0.5, 4), log_grid("s", 3e4, 6e4, 4)
    )
    axes = regime_figure(table, (0.2, 4e4), {}, device_speeds(4, 3072), 4, None).axes[0]
    assert not any("ahead of" in text for text in texts(axes))


@pytest.mark.parametrize(("num_ues", "panels"), [(1, 1), (4, 2)])
def test_one_panel_for_each_batch_size(num_ues, panels):
    limits = limits_table(9.4e-5, 2.4e-3, num_ues)
    figure = prefill_figure(prefill_curves(num_ues), limits, 9.4e-5, 2.4e-3)
    assert len(figure.axes) == panels
    names = figure.axes[-1].get_legend_handles_labels()[1]
    assert names == [*(device.name for device in devices()), "paper, aL + b"]
