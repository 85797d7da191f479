"""The sentences say what the numbers are, on instances of every kind."""

import numpy as np
import pandas as pd
import pytest

from ctho import AffinePrefill, Handover, solve, transfer_delay_s
from ctho.study import Parameters, schedule_words
from ctho.study import derivation_words as words
from ctho.study.flow import order_bars
from ctho.study.joint_words import optimum_in_words
from ctho.study.oracle import Optimum
from ctho.study.order_comparison import compare_orders
from ctho.study.rate_program import joint_optimum_by_rates
from ctho.study.transfer_gap import gap_map, promised_and_delivered, two_user_census
from ctho.study.transfer_windows import window_table

LOW = ([0.0, 1.0], [100, 800], 1000)
EXACT = ([0.0, 0.05], [100, 800], 1000)
NOTHING = ([0.0, 1.0], [0, 0], 1000)
FEW = Parameters(realisations=200)


def test_a_low_instance():
    text = words.instance_in_words(window_table(*LOW))
    assert "Eq. (18) gives 0.1 s" in text
    assert "**0.8 s**" in text
    assert "window of user 2" in text
    assert "88 % low" in text
    assert "idle for 0.9 s" in text


def test_an_exact_instance():
    text = words.instance_in_words(window_table(*EXACT))
    assert "Eq. (18) is exact" in text
    assert "**0.85 s**" in text
    assert "users 1 to 2" in text


def test_an_instance_with_nothing_to_send():
    assert "both forms give 0" in words.instance_in_words(window_table(*NOTHING))


def test_the_windows_mark_the_worst():
    lines = words.windows_as_markdown(window_table(*LOW)).splitlines()
    assert lines[2] == "| $j=1$, Eq. (18) | 0.1000 | -0.1000 |"
    assert lines[3] == "| $j=2$ |  | **0.8000** |"
    assert lines[4] == "| idle until then, $I_k$ | 0.0000 | 0.9000 |"


def test_the_box_follows_the_parameters():
    alone, slow = FEW.replace(num_ues=1), FEW.replace(backhaul_gbps=0.5)
    for point, phrases in (
        (FEW, ("too low for cHO on", "A ctHO that picks $L$ by Eq. (18) promises")),
        (slow, ("exact for cHO; too low for ctHO on",)),
        (alone, ("is exact throughout", "the same by both forms")),
    ):
        here = gap_map(point, "num_ues", [point.num_ues], "backhaul_gbps", [point.backhaul_gbps])
        text = " ".join(
            words.proposition2_in_words(window_table(*LOW), promised_and_delivered(point), here)
        )
        for phrase in phrases:
            assert phrase in text
        assert "Eq. (18) gives 0.1 s; the second user alone needs 0.8 s" in text


def test_checks_say_how_many_and_how_much():
    table = pd.DataFrame({"claim": ["a", "b"], "instances": [3, 3], "worst": [0.0, 2.5e-12]})
    handovers = [Handover([0.0] * k, [5] * k, 10, AffinePrefill()) for k in (1, 4, 2)]
    text = words.checks_in_words(table, handovers)
    assert "| a | 3 | 0 |" in text
    assert "| b | 3 | 2.5e-12 |" in text
    assert "3 random instances of 1 to 4 users" in text
    assert "**2.5e-12**" in text
    assert "1 random instance of 2 users" in words.checks_in_words(table, handovers[2:])


def test_the_census_says_whether_the_prediction_holds():
    census = two_user_census(3, 4)
    assert "low on 8, exactly those with" in words.census_in_words(census)
    assert "are 1 and 2, 2 token times apart: 1 printed, 2 needed" in words.census_in_words(census)
    wrong = census.assign(predicted=False)
    assert "not the same as those" in words.census_in_words(wrong)


def test_maps_tell_where_and_where_not():
    table = gap_map(FEW, "backhaul_gbps", [1.0, 50.0], "num_ues", [1, 4])
    text = words.map_in_words(table)
    assert text.count("it falls furthest below the value at 50 Gbps and $K=4$") == 2
    none = gap_map(FEW, "backhaul_gbps", [1.0], "spread_s", [0.0])
    assert words.map_in_words(none).count("exact on the whole map") == 2


def test_deadlines_with_either_slack():
    for link, phrase in (
        (LOW, "misses the deadline of 1 of 2 users, by up to 0.7 s"),
        (EXACT, "the same slack"),
    ):
        text = schedule_words.schedule_in_words(window_table(*link), *link)
        assert "every deadline is met" in text
        assert phrase in text


def test_segments_are_those_of_the_recursion():
    lines = schedule_words.segments_as_markdown(order_bars(*LOW)).splitlines()
    assert lines[2:] == [
        "| 1 | 0.0000 | 0.0000 | 0.1000 | 0.1000 |",
        "| 2 | 1.0000 | 1.0000 | 1.8000 | 0.8000 |",
    ]


def test_the_comparison_names_the_costliest_order():
    table = compare_orders(FEW, [1, 4])
    text = schedule_words.comparison_in_words(table)
    assert text.count("costs the worst user most") == 2
    assert "$K = 4$" in text
    alone = schedule_words.comparison_in_words(compare_orders(FEW, [1]))
    assert alone.count("makes no difference") == 2
    assert len(schedule_words.comparison_as_markdown(table, 4).splitlines()) == 2 + 8


def test_the_joint_optimum_is_the_same_or_said_not_to_be():
    h = Handover([0.0], [3072], 9809.222, AffinePrefill())
    best = solve(h)
    assert "finds the same" in optimum_in_words(best, joint_optimum_by_rates(h))
    assert "finds another" in optimum_in_words(best, Optimum(0.1, 0.0))
    fast = Handover([0.0, 1.0], [100, 800], 1e6, AffinePrefill())
    assert "without a batch" in optimum_in_words(solve(fast), joint_optimum_by_rates(fast))


def test_bars_deliver_what_each_user_needs():
    tau, tokens, rate = [1.0, 1.1, 1.25], [300, 120, 450], 1000
    bars = order_bars(tau, tokens, rate)
    for _, part in bars.groupby("order"):
        sent = (part["end_s"] - part["start_s"]) * part["share"] * rate
        assert sent.groupby(part["user"]).sum().tolist() == pytest.approx(tokens)
        assert part["worst_s"].iloc[0] == pytest.approx(part["delay_s"].max())
    first = bars[bars["order"] == "first come first served"]
    assert len(first) == 3  # one piece each
    assert first["delay_s"].to_numpy() == pytest.approx(transfer_delay_s(tau, tokens, rate))


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0 %"), (0.0999, "10 %"), (0.5, "50 %"), (1, "100 %")]
)
def test_percent(share, text):
    assert words.percent(share) == text


def test_numbers_stay_numbers():
    assert "np.float" not in words.census_in_words(two_user_census())
    assert np.isfinite(window_table(*LOW).exact_s)
