import pytest

from ctho.pages.rate_schedule.bars import order_bars
from ctho.pages.rate_schedule.figure import order_comparison_figure, orders_figure
from ctho.pages.rate_schedule.orders import compare_orders
from ctho.proofs.event_by_event import ORDERS
from ctho.simulation import Parameters

FEW = Parameters(realisations=200)


LINKS = {
    "idle": ([0.0, 1.0], [100, 800], 1000.0),
    "one user": ([2.0], [50], 10.0),
    "ties and nothing to send": ([-1.0, -1.0, 0.5], [30, 0, 20], 10.0),
}


def words_in(figure):
    axes = [text.get_text() for each in figure.axes for text in each.texts]
    return " ".join([*axes, *(each.get_title(loc="left") for each in figure.axes)])


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_every_order_is_drawn_with_its_worst_delay(link):
    bars = order_bars(*link)
    text = words_in(orders_figure(bars))
    for order, part in bars.groupby("order"):
        assert f"{order}: worst delay {part['worst_s'].iloc[0]:.4g} s" in text


def test_the_comparison_has_a_line_for_each_order():
    figure = order_comparison_figure(compare_orders(FEW, [1, 3]))
    for axes in figure.axes:
        assert len(axes.get_lines()) >= len(ORDERS)
        assert axes.get_ylim()[0] < 1
