"""How often and how much Eq. (18) is low: limits that are known, and what a design gets."""

import numpy as np
import pandas as pd
import pytest

from ctho import InputError
from ctho.pages.proposition2.gap import (
    fast_link_limit,
    furthest_below,
    gap_map,
    promised_and_delivered,
    two_user_census,
    with_spread,
)
from ctho.simulation import Parameters

FEW = Parameters(realisations=500)


def test_one_user_or_no_spread_leaves_no_gap():
    table = gap_map(FEW, "num_ues", [1, 3], "spread_s", [0.0, 0.5])
    none = table[(table["num_ues"] == 1) | (table["spread_s"] == 0)]
    assert len(none) == 6
    assert (none["share_low"] == 0).all()
    assert none["mean_low"].to_numpy() == pytest.approx(0, abs=1e-12)
    rest = table.drop(none.index)
    assert (rest["share_low"] > 0).all()
    assert (rest["mean_low"] > 0).all()


def test_for_cho_only_rate_times_spread_counts():
    one = gap_map(FEW, "backhaul_gbps", [8.0], "spread_s", [0.5], ["cHO"])
    other = gap_map(FEW, "backhaul_gbps", [2.0], "spread_s", [2.0], ["cHO"])
    assert one["share_low"].item() == other["share_low"].item() > 0
    assert one["mean_low"].item() == pytest.approx(other["mean_low"].item())


def test_slow_links_leave_cho_alone_and_not_ctho():
    table = gap_map(FEW, "backhaul_gbps", [0.5], "num_ues", [4]).set_index("scheme")
    assert table.loc["cHO", "share_low"] == 0
    assert table.loc["ctHO", "share_low"] > 0.3


def test_a_map_is_lowest_in_one_cell_of_each_scheme():
    columns = ["num_ues", "spread_s", "scheme", "share_low", "mean_low"]
    rows = [
        (1, 0.5, "cHO", 0.0, 0.0),
        (1, 0.5, "ctHO", 0.5, 0.02),
        (2, 0.5, "cHO", 0.9, 0.1),  # low more often, but by less
        (2, 0.5, "ctHO", 0.5, 0.01),
        (3, 0.5, "cHO", 0.2, 0.3),
        (3, 0.5, "ctHO", 0.0, 0.0),
    ]
    most = furthest_below(pd.DataFrame(rows, columns=columns))
    assert most[columns[:5]].to_numpy().tolist() == [list(rows[4]), list(rows[1])]
    assert most["cells"].tolist() == [3, 3]
    assert most["exact_cells"].tolist() == [1, 1]


def test_where_nothing_is_sent_nothing_is_missing():
    # All arrive on a cycle boundary, and prefill is free: ctHO leaves nothing to the link.
    at_once = FEW.replace(start_min_m=130.0, prefill_s_per_tok=0.0, prefill_offset_s=0.0)
    table = gap_map(at_once, "num_ues", [3], "backhaul_gbps", [4.5])
    assert table[["share_low", "mean_low"]].to_numpy().tolist() == [[0, 0], [0, 0]]
    design = promised_and_delivered(at_once)
    assert design["to_best"].tolist() == [1] * 6


def test_the_limit_of_fast_links():
    table = fast_link_limit(Parameters(realisations=4000), [1, 2, 4, 8])
    assert (table["ci_low"] <= table["predicted"] + 0.02).all()
    assert (table["predicted"] <= table["ci_high"] + 0.02).all()
    assert table["share_low"].iloc[0] == 0


def test_a_design_promises_less_than_is_possible_and_delivers_more():
    table = promised_and_delivered(FEW).set_index(["scheme", "what"])["mean"]
    assert table["ctHO", "promised"] < table["ctHO", "best"] < table["ctHO", "delivered"]
    assert table["cHO", "promised"] < table["cHO", "best"] == table["cHO", "delivered"]


def test_the_form_that_parameters_ask_for_plays_no_part():
    other = promised_and_delivered(FEW.replace(transfer="printed"))
    assert other.equals(promised_and_delivered(FEW))


def test_the_census_is_complete_and_predicted():
    census = two_user_census(3, 4)
    assert len(census) == 3 * 3 * 5
    assert census["low"].equals(census["predicted"])
    assert census["low"].sum() == 3 + 3 + 2  # 1 before 2 or 3 from gap 2 on, 2 before 3 from gap 3
    assert (census["printed_s"] <= census["exact_s"]).all()


def test_the_spread_is_that_of_the_handovers():
    point = with_spread(Parameters(speed_mps=10), 3.0)
    assert (point.start_max_m - point.start_min_m) / point.speed_mps == pytest.approx(3.0)
    with pytest.raises(InputError, match="spread_s"):
        with_spread(Parameters(), -1)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        (("speed", [1], "num_ues", [1]), "axis of a map"),
        (("num_ues", [1], "num_ues", [2]), "second axis"),
        (("num_ues", [], "spread_s", [1.0]), "num_ues_values"),
        (("num_ues", [0], "spread_s", [1.0]), "num_ues is 0"),
    ],
)
def test_bad_axes_are_refused(axes, message):
    with pytest.raises(InputError, match=message):
        gap_map(FEW, *axes)


def test_same_seed_same_map():
    first, second = (gap_map(FEW, "num_ues", [2], "spread_s", [0.5]) for _ in range(2))
    assert first.equals(second)
    assert np.isfinite(first["mean_low"]).all()
