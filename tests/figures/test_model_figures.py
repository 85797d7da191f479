"""The figures of the derivation pages draw what their tables hold."""

import numpy as np
import pytest

from ctho import AffinePrefill, Handover, solve
from ctho.figures import save
from ctho.figures.flow import flow_figure
from ctho.figures.gap_map import gap_map_figure
from ctho.figures.joint import joint_figure
from ctho.figures.service_orders import order_comparison_figure, orders_figure
from ctho.study import Parameters
from ctho.study.flow import flow_curves, flow_users, order_bars
from ctho.study.joint import delays_by_order
from ctho.study.order_comparison import compare_orders
from ctho.study.service_orders import ORDERS
from ctho.study.transfer_gap import gap_map
from ctho.study.transfer_windows import window_table

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
def test_the_flow_names_both_values(link):
    table = window_table(*link)
    text = words_in(flow_figure(flow_curves(*link), flow_users(*link, table)))
    assert f"{table.exact_s:.4g} s" in text
    assert f"Eq. (18) = {table.printed_s:.4g} s" in text


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_every_order_is_drawn_with_its_worst_delay(link):
    bars = order_bars(*link)
    text = words_in(orders_figure(bars))
    for order, part in bars.groupby("order"):
        assert f"{order}: worst delay {part['worst_s'].iloc[0]:.4g} s" in text


def test_nothing_to_send_is_said():
    link = ([0.0, 1.0], [0, 0], 10.0)
    assert "Nobody has anything to send" in words_in(orders_figure(order_bars(*link)))
    table = window_table(*link)
    assert "Eq. (18) = 0 s" in words_in(flow_figure(flow_curves(*link), flow_users(*link, table)))


def test_the_map_has_a_number_in_each_cell():
    table = gap_map(FEW, "backhaul_gbps", [1.0, 50.0], "num_ues", [1, 2, 4])
    figure = gap_map_figure(table)
    assert [len(axes.texts) for axes in figure.axes] == [6] * 4
    drawn = {text.get_text() for text in figure.axes[0].texts}
    expected = table[table["scheme"] == "cHO"]["share_low"]
    assert drawn == {f"{100 * share:.0f}" for share in expected}
    assert len(gap_map_figure(table, ["mean_low"]).axes) == 2


def test_the_comparison_has_a_line_for_each_order():
    figure = order_comparison_figure(compare_orders(FEW, [1, 3]))
    for axes in figure.axes:
        assert len(axes.get_lines()) >= len(ORDERS)
        assert axes.get_ylim()[0] < 1


def test_the_value_function_lies_below_every_order():
    h = Handover([1.0, 1.1, 1.25], [3000, 1200, 4500], 9809.0, AffinePrefill())
    best = solve(h)
    table = delays_by_order(h)
    wide = table.pivot_table(index="prefill_length_tok", columns="order", values="delay_s")
    value = wide.pop("value function")
    assert (wide.to_numpy() >= value.to_numpy()[:, np.newaxis] - 1e-12).all()
    assert value.min() >= float(best.delay_s) - 1e-12
    figure = joint_figure(table, float(best.prefill_length_tok), float(best.delay_s))
    assert f"{float(best.delay_s):.4g} s" in words_in(figure)


def test_the_same_table_gives_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path))
    link = LINKS["idle"]
    contents = []
    for _ in range(2):
        table = window_table(*link)
        path = save(flow_figure(flow_curves(*link), flow_users(*link, table)), "flow")
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]
