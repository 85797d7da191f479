"""What the drawings of Proposition 2 hold: the curves, the two delays, the cells of the maps."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Annotation

from ctho.pages.proposition2.flow import flow_curves, flow_users
from ctho.pages.proposition2.flow_figure import EXACT_COLOUR, PRINTED_COLOUR, flow_figure
from ctho.pages.proposition2.gap_figure import gap_map_figure
from ctho.proofs.enumerated import window_table
from tests.pages import by_hand
from tests.rendering import numbers

LINKS = {
    "idle": ([0.0, 1.0], [100, 800], 1000.0),
    "one user": ([2.0], [50], 10.0),
    "in any order": ([1.4, 1.0, 1.2], [900, 200, 300], 1000.0),
    "ties and nothing to send": ([-1.0, -1.0, 0.5], [30, 0, 20], 10.0),
    "nothing at all": ([0.0, 1.0], [0, 0], 10.0),
}


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(params=LINKS.values(), ids=LINKS)
def link(request):
    return request.param


def drawn(link):
    return flow_figure(flow_curves(*link), flow_users(*link, window_table(*link))).axes[0]


def test_the_curves_are_released_delivered_and_counted(link):
    axes = drawn(link)
    released, delivered, counted = axes.lines
    labels = ["released, $A(t)$", "delivered at best, $A^*(t)$"]
    assert [line.get_label() for line in axes.lines[:2]] == labels
    total, first = 0.0, min(link[0])
    for (tau, sent), (_, _, end) in zip(
        by_hand.by_release(*link[:2]), by_hand.transfers(*link), strict=True
    ):
        total += sent
        assert [tau, total] in released.get_xydata().tolist()
        assert np.interp(end, *delivered.get_data()) == pytest.approx(total)
    assert released.get_drawstyle() == "steps-post"
    assert released.get_xydata()[0].tolist() == [first, 0]
    assert counted.get_xydata().ravel() == pytest.approx([first, 0, first + total / link[2], total])


def test_the_arrows_are_as_long_as_the_delays(link):
    axes = drawn(link)
    arrows = [text for text in axes.texts if isinstance(text, Annotation) and text.arrow_patch]
    labels = [text for text in axes.texts if text.get_text()]
    lengths = [arrow.xyann[0] - arrow.xy[0] for arrow in arrows]
    delays = [by_hand.exact_s(*link), by_hand.printed_s(*link)]
    assert lengths == pytest.approx(delays)
    assert [numbers(label.get_text())[-1] for label in labels] == pytest.approx(delays, rel=1e-3)
    assert ["Eq. (18)" in label.get_text() for label in labels] == [False, True]
    assert [label.get_color() for label in labels] == [EXACT_COLOUR, PRINTED_COLOUR]
    # The exact delay lies between the release and the end of a worst user, at that user's S_k.
    sent = np.cumsum([tokens for _, tokens in by_hand.by_release(*link[:2])])
    ends = {
        (tau, total, end)
        for (tau, _, end), total in zip(by_hand.transfers(*link), sent, strict=True)
    }
    begin, level = arrows[0].xy
    assert any((begin, level, arrows[0].xyann[0]) == pytest.approx(end, abs=1e-12) for end in ends)


def map_table():
    rates, users = [1.0, 50.0, 400.0], [1, 4]
    rows = [
        (rate, num_ues, scheme, (i + 2 * j + 5 * k) / 20, (i + 2 * j + 5 * k) / 40)
        for i, rate in enumerate(rates)
        for j, num_ues in enumerate(users)
        for k, scheme in enumerate(("cHO", "ctHO"))
    ]
    columns = ["backhaul_gbps", "num_ues", "scheme", "share_low", "mean_low"]
    return pd.DataFrame(rows, columns=columns)


def test_each_cell_of_a_map_is_its_row_of_the_table():
    figure = gap_map_figure(map_table())
    assert len(figure.axes) == 4
    rates = [label.get_text() for label in figure.axes[2].get_xticklabels()]
    users = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    for i, (measure, darkest) in enumerate((("share_low", 100), ("mean_low", 50))):
        for j, scheme in enumerate(("cHO", "ctHO")):
            axes = figure.axes[2 * i + j]
            part = map_table()[map_table()["scheme"] == scheme]
            cells = {}
            for text in axes.texts:
                column, row = (int(place) for place in text.get_position())
                cells[float(rates[column]), int(users[row])] = text.get_text()
            assert cells == {
                (row.backhaul_gbps, row.num_ues): f"{100 * getattr(row, measure):.0f}"
                for row in part.itertuples()
            }
            (mesh,) = axes.collections
            assert mesh.get_clim() == (0, darkest)
            assert mesh.get_array().max() == pytest.approx(100 * part[measure].max())
            assert axes.get_title().startswith(f"{scheme}: low ")
            assert ("share of instances" in axes.get_title()) == (measure == "share_low")
    assert figure.axes[2].get_xlabel() == "Backhaul rate $R_{bh}$ (Gbps)"
    assert figure.axes[0].get_ylabel() == "Number of users $K$"


def test_a_map_of_one_measure():
    figure = gap_map_figure(map_table(), ["mean_low"])
    assert len(figure.axes) == 2
    assert all("on the mean" in axes.get_title() for axes in figure.axes)


def test_dark_cells_carry_white_numbers():
    for axes in gap_map_figure(map_table(), ["share_low"]).axes:
        for text in axes.texts:
            assert (text.get_color() == "white") == (float(text.get_text()) > 55)
