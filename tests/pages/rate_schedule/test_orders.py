"""Other orders of service never help the worst user, and cost at most a factor K."""

import pytest

from ctho.pages.rate_schedule.orders import FIRST, compare_orders, costliest, late_order_ratio
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
    table = compare_orders(FEW.replace(start_min_m=130.0), [3], ["cHO"])
    assert table["to_first"].to_numpy() == pytest.approx(1, rel=1e-9)


def test_the_factor_k_is_approached():
    assert 4 - 1e-3 < late_order_ratio(4, excess=1e-6) <= 4


def test_the_costliest_order_of_each_scheme_is_not_the_first(table):
    most = costliest(table).set_index("scheme")
    assert list(most.index) == ["cHO", "ctHO"]
    for scheme, row in most.iterrows():
        assert row["to_first"] == table.loc[table["scheme"] == scheme, "to_first"].max()
    assert (costliest(table[table["num_ues"] == 1])["order"] != FIRST).all()


def test_with_nothing_to_send_no_order_is_worse():
    # All arrive on a cycle boundary, and prefill is free: ctHO leaves nothing to the link.
    free = FEW.replace(start_min_m=130.0, prefill_s_per_tok=0.0, prefill_offset_s=0.0)
    table = compare_orders(free, [3], ["ctHO"])
    assert (table["mean"] == 0).all()
    assert (table[["to_first", "to_first_low", "to_first_high"]] == 1).all().all()
