"""What the drawings of the rate schedule hold: bars, waits, and lines over the users."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from ctho.pages.rate_schedule.bars import order_bars
from ctho.pages.rate_schedule.figure import (
    BAR_HEIGHT,
    WORST_COLOUR,
    order_comparison_figure,
    orders_figure,
)
from ctho.pages.shared.theme import ORDER_STYLES
from ctho.proofs.event_by_event import ORDERS, serve
from tests.pages import by_hand
from tests.rendering import numbers

LINKS = {
    "idle": ([0.0, 1.0], [100, 800], 1000.0),
    "one user": ([2.0], [50], 10.0),
    "in any order": ([1.25, 1.0, 1.1], [450, 300, 120], 1000.0),
    "ties and nothing to send": ([-1.0, -1.0, 0.5], [30, 0, 20], 10.0),
}


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(params=LINKS.values(), ids=LINKS)
def link(request):
    return request.param


def test_bars_are_what_each_order_serves(link):
    bars = order_bars(*link)
    users = by_hand.by_release(*link[:2])
    assert list(dict.fromkeys(bars["order"])) == list(ORDERS)
    for order, part in bars.groupby("order"):
        delay = serve(*zip(*users, strict=True), link[2], order).delay_s
        for user, (tau, tokens) in enumerate(users, 1):
            own = part[part["user"] == user]
            sent = ((own["end_s"] - own["start_s"]) * own["share"]).sum() * link[2]
            assert sent == pytest.approx(tokens)
            assert (own["handover_s"] == tau).all()
            assert own["delay_s"].to_numpy() == pytest.approx(delay[user - 1])
            assert (own["start_s"] >= tau).all()
        assert part["worst_s"].to_numpy() == pytest.approx(delay.max())
    first = bars[bars["order"] == "first come first served"]
    served = [row for row in by_hand.transfers(*link) if row[2] > row[1]]
    assert first[["handover_s", "start_s", "end_s"]].to_numpy().ravel() == pytest.approx(
        [value for row in served for value in row]
    )


def test_service_that_goes_on_over_a_release_is_one_bar():
    bars = order_bars([0.0, 0.1, 0.2], [500, 100, 100], 1000.0)
    assert len(bars[bars["order"] == "first come first served"]) == 3
    shared = bars[bars["order"] == "equal sharing"]
    assert shared.loc[shared["user"] == 1, "share"].tolist() == pytest.approx(
        [1, 1 / 2, 1 / 3, 1 / 2, 1]
    )


def test_the_drawing_holds_the_bars_and_marks_the_worst(link):
    bars = order_bars(*link)
    figure = orders_figure(bars)
    for axes, (order, part) in zip(figure.axes, bars.groupby("order", sort=False), strict=True):
        worst = part["worst_s"].iloc[0]
        assert axes.get_title(loc="left").startswith(f"{order}: ")
        assert numbers(axes.get_title(loc="left")) == pytest.approx([worst], rel=1e-3)
        for patch, row in zip(axes.patches, part.itertuples(), strict=True):
            x, width = patch.get_x(), patch.get_width()
            assert [x, x + width] == pytest.approx([row.start_s, row.end_s])
            assert patch.get_height() == pytest.approx(BAR_HEIGHT * row.share)
            assert patch.get_y() + patch.get_height() / 2 == pytest.approx(row.user)
        waits = [line for line in axes.lines if len(line.get_xdata()) == 2]
        for line, row in zip(waits, part.drop_duplicates("user").itertuples(), strict=True):
            end = row.handover_s + row.delay_s
            assert line.get_xdata() == pytest.approx([row.handover_s, end])
            marked = line.get_color() == WORST_COLOUR
            assert marked == (row.delay_s == pytest.approx(worst, rel=1e-9))
    assert figure.axes[-1].get_xlabel() == "Time (s)"


def test_a_user_who_waits_almost_as_long_is_not_marked():
    axes = orders_figure(order_bars([0.0, 5.0], [1000, 999], 1000.0)).axes[0]
    waits = [line.get_color() for line in axes.lines if len(line.get_xdata()) == 2]
    assert [colour == WORST_COLOUR for colour in waits] == [True, False]


def test_nothing_to_send_is_said():
    (text,) = orders_figure(order_bars([0.0, 1.0], [0, 0], 10.0)).axes[0].texts
    assert "Nobody has anything to send" in text.get_text()


def test_the_comparison_has_a_line_for_each_order_and_scheme():
    rows = [
        (k, scheme, order, base := 1 + i / 10 + k / 50 + j / 30, base - 0.01, base + 0.03)
        for k in (1, 3, 8)
        for j, scheme in enumerate(("cHO", "ctHO"))
        for i, order in enumerate(ORDERS)
    ]
    names = ["num_ues", "scheme", "order", "to_first", "to_first_low", "to_first_high"]
    table = pd.DataFrame(rows, columns=names)
    figure = order_comparison_figure(table)
    for axes, scheme in zip(figure.axes, ("cHO", "ctHO"), strict=True):
        assert scheme in axes.get_title().split()
        assert axes.get_xlabel() == "Number of users $K$"
        for container in axes.containers:
            order = container.get_label()
            part = table[(table["scheme"] == scheme) & (table["order"] == order)]
            line, _, (bars,) = container
            assert line.get_color() == ORDER_STYLES[order][0]
            assert line.get_ydata() == pytest.approx(part["to_first"].to_numpy())
            assert line.get_xdata().tolist() == [1, 3, 8]
            ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
            expected = part[["to_first_low", "to_first_high"]].to_numpy()
            assert ends == [pytest.approx(pair) for pair in expected.tolist()]
        assert len(axes.containers) == len(ORDERS)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list(ORDERS)
