"""Other orders of service never help the worst user, and cost at most a factor K."""

import pytest

from ctho.pages.proposition2.gap import with_spread
from ctho.pages.rate_schedule.orders import FIRST, compare_orders, late_order_ratio
from ctho.proofs.event_by_event import ORDERS
from ctho.simulation import Parameters

FEW = Parameters(realisations=400)


@pytest.fixture(scope="module")
def table():
    return compare_orders(FEW, [1, 4])


def test_every_scheme_and_order_has_a_row(table):
    assert len(table) == 2 * 2 * len(ORDERS)


def test_first_come_first_served_is_the_best(table):
    first = table[table["order"] == FIRST]
    assert (first["to_first"] == 1).all()
    assert (first["share_worse"] == 0).all()
    others = table[(table["order"] != FIRST) & (table["num_ues"] == 4)]
    assert (others["to_first_low"] > 1).all()
    assert (others["share_worse"] > 0).all()
    assert (others["to_first"] < 4).all()


def test_one_user_leaves_nothing_to_order(table):
    alone = table[table["num_ues"] == 1]
    assert alone["to_first"].to_numpy() == pytest.approx(1)
    assert (alone["share_worse"] == 0).all()


def test_smallest_first_is_kinder_to_the_mean(table):
    rows = table[(table["num_ues"] == 4) & (table["scheme"] == "cHO")].set_index("order")
    assert rows.loc["smallest first", "mean_user"] < rows.loc[FIRST, "mean_user"]


def test_released_at_once_all_orders_are_the_same():
    table = compare_orders(with_spread(FEW, 0.0), [3], ["cHO"])
    assert table["to_first"].to_numpy() == pytest.approx(1, rel=1e-9)


def test_the_factor_k_is_approached():
    assert 4 - 1e-3 < late_order_ratio(4, excess=1e-6) <= 4
