import pytest

from ctho.pages.proposition2.flow import flow_curves, flow_users
from ctho.pages.proposition2.flow_figure import flow_figure
from ctho.pages.proposition2.gap import gap_map
from ctho.pages.proposition2.gap_figure import gap_map_figure
from ctho.pages.rate_schedule.bars import order_bars
from ctho.pages.rate_schedule.figure import orders_figure
from ctho.pages.shared import save
from ctho.proofs.enumerated import window_table
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
def test_the_flow_names_both_values(link):
    table = window_table(*link)
    text = words_in(flow_figure(flow_curves(*link), flow_users(*link, table)))
    assert f"{table.exact_s:.4g} s" in text
    assert f"Eq. (18) = {table.printed_s:.4g} s" in text


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


def test_the_same_table_gives_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path))
    link = LINKS["idle"]
    contents = []
    for _ in range(2):
        table = window_table(*link)
        path = save(flow_figure(flow_curves(*link), flow_users(*link, table)), "flow")
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]
