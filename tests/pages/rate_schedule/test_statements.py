import pytest

from ctho import transfer_delay_s
from ctho.pages.rate_schedule import statements as schedule_words
from ctho.pages.rate_schedule.bars import order_bars
from ctho.pages.rate_schedule.orders import compare_orders
from ctho.proofs.enumerated import window_table
from ctho.simulation import Parameters

LOW = ([0.0, 1.0], [100, 800], 1000)


EXACT = ([0.0, 0.05], [100, 800], 1000)


FEW = Parameters(realisations=200)


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
