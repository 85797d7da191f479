"""The page on the rate schedule: its deadlines, its bars, and what other orders cost."""

import json

import numpy as np
import pandas as pd
import pytest

from ctho import solve
from ctho.proofs.event_by_event import ORDERS, serve
from ctho.simulation import Parameters, sample_handovers
from ctho.simulation.one_instance import one_handover
from tests.pages import by_hand
from tests.rendering import numbers, table_rows

FEW = {"realisations": 100, "check_instances": 3, "num_ues_values": [1, 3]}
PAGES = {
    "default": FEW,
    "one user": {
        **FEW,
        "num_ues": 1,
        "handover_s": [2.1],
        "context_tok": [3000],
        "num_ues_values": [1],
        "check_instances": 1,
    },
    "one is late": {**FEW, "handover_s": [1.0, 2.0], "context_tok": [900, 4000], "num_ues": 2},
    "slow": {**FEW, "backhaul_gbps": 0.5, "kv_bits_per_tok": 3e5},
    "nothing to send": {**FEW, "prefill_length_tok": 5000.0, "start_min_m": 130.0},
}


class Shown:
    """A page, its parameters, and the link of its instance."""

    def __init__(self, page, given):
        self.page = page("rate_schedule", **given)
        self.cells, self.names = self.page.cells, self.page.names
        self.parameters = Parameters.from_names(given)
        h = one_handover(self.parameters, self.names["handover_s"], self.names["context_tok"])
        remaining = by_hand.left(h.context_tok, given.get("prefill_length_tok", 0.0))
        self.link = (h.handover_s.tolist(), remaining, float(h.backhaul_tok_per_s))
        self.points = sorted({*given["num_ues_values"], self.parameters.num_ues})

    def result(self, name):
        return pd.read_csv(self.page.build_dir / "results" / f"{name}.csv")


@pytest.fixture(params=PAGES.values(), ids=PAGES)
def shown(request, page):
    return Shown(page, request.param)


@pytest.fixture
def default(page):
    return Shown(page, FEW)


def instance_in(shown):
    return shown.cells["box"].rpartition("The instance of this page.**")[2]


def late_users(link):
    """How many miss a deadline with the slack of Eq. (18)."""
    slack = by_hand.printed_s(*link)
    return sum(end - tau > slack * (1 + 1e-9) + 1e-12 for tau, _, end in by_hand.transfers(*link))


def test_the_deadlines_hold_with_either_slack_or_not(shown):
    text = instance_in(shown)
    exact, printed = by_hand.exact_s(*shown.link), by_hand.printed_s(*shown.link)
    late = late_users(shown.link)
    told = numbers(text)
    assert told[0] == pytest.approx(exact, rel=1e-5)
    assert "every deadline is met" in text
    if late:
        short = pytest.approx([printed, late, len(shown.link[0]), exact - printed], rel=1e-5)
        assert told[2:] == short
        assert ("deadlines of" in text) == (late > 1)
        assert "misses" in text
    else:
        assert told[1:] == [18]
        assert "the same slack" in text


def test_the_pages_read_every_kind_of_instance(page):
    assert {min(late_users(Shown(page, given).link), 2) for given in PAGES.values()} == {0, 1, 2}


def test_a_slack_that_is_short_by_a_thousandth_is_missed(page):
    given = {"handover_s": [1.0, 2.0], "context_tok": [4000, 4004], "check_instances": 1}
    assert "misses the deadline of" in instance_in(Shown(page, {**FEW, **given}))


def test_the_schedule_is_that_of_the_recursion(shown):
    head, *rows = table_rows(shown.cells["segments"])
    assert head == ["user", "released (s)", "served from (s)", "to (s)", "delay (s)"]
    expected = [
        [user, tau, start, end, end - tau]
        for user, (tau, start, end) in enumerate(by_hand.transfers(*shown.link), 1)
        if end > start
    ]
    assert len(rows) == len(expected)
    for row, values in zip(rows, expected, strict=True):
        assert [numbers(cell)[0] for cell in row] == pytest.approx(values, abs=5.1e-5)


def test_largest_first_comes_near_the_factor_k(shown):
    k, excess, ratio, bound = numbers(shown.cells["late-order"])
    assert k == bound == shown.parameters.num_ues
    end, least = k + excess * k * (k + 1) / 2, 1 + excess * k * (k + 1) / 2
    assert ratio == pytest.approx(end / least, abs=5.1e-5)


def served(parameters, scheme):
    """Each user's delay under every order, `[N, K]`, at the length of a scheme."""
    batch = sample_handovers(parameters)
    tokens = solve(batch, scheme).remaining_tok
    link = (batch.handover_s, tokens, parameters.backhaul_tok_per_s)
    return {order: serve(*link, order).delay_s for order in ORDERS}


def test_the_comparison_is_that_of_the_realisations(default):
    table = default.result("rate_schedule_orders")
    assert len(table) == len(default.points) * 2 * len(ORDERS)
    for row in table.itertuples():
        delays = served(default.parameters.replace(num_ues=row.num_ues), row.scheme)
        worst = {order: delay.max(axis=1) for order, delay in delays.items()}
        mine, first = worst[row.order], worst["first come first served"]
        assert row.mean == pytest.approx(mine.mean())
        assert row.to_first == pytest.approx(mine.mean() / first.mean())
        assert row.share_worse == pytest.approx(np.mean(mine - first > 1e-7 * first))
        assert row.mean_user == pytest.approx(delays[row.order].mean())
        half = 1.96 * mine.std(ddof=1) / 10
        assert [row.ci_low, row.ci_high] == pytest.approx(
            [row.mean - half, row.mean + half], rel=1e-4
        )
        apart = mine - row.to_first * first
        spread = 1.96 * apart.std(ddof=1) / 10 / first.mean()
        assert row.to_first_high - row.to_first == pytest.approx(spread, rel=1e-3, abs=1e-9)


def test_the_costliest_order_is_named_or_none(shown):
    table = shown.result("rate_schedule_orders")
    sentences = shown.cells["comparison-words"].split("With the tokens of ")[1:]
    for scheme, sentence in zip(("cHO", "ctHO"), sentences, strict=True):
        part = table[(table["scheme"] == scheme) & (table["order"] != "first come first served")]
        most = part.sort_values("to_first").iloc[-1]
        assert sentence.startswith(scheme)
        if part["share_worse"].max() == 0:
            assert "no difference" in sentence
            assert numbers(sentence) == []
            continue
        assert most["order"] in sentence
        told = numbers(sentence)
        assert told[0] == most["num_ues"]
        shares = [100 * (most["to_first"] - 1), 100 * most["share_worse"]]
        assert told[1:] == pytest.approx(shares, rel=0.06)
        assert "% more on the mean" in sentence


def test_the_table_has_its_rows_and_columns(shown):
    table = shown.result("rate_schedule_orders")
    part = table[table["num_ues"] == shown.parameters.num_ues]
    head, *rows = table_rows(shown.cells["comparison-table"])
    named = [
        "tokens of",
        "order",
        "worst user (s)",
        "relative",
        "worse on",
        "mean of all users (s)",
    ]
    assert head == named
    for row, one in zip(rows, part.itertuples(), strict=True):
        assert row[:2] == [one.scheme, one.order]
        digit = 1e-3 if part["mean_user"].min() > 0.05 else 1e-6
        mean, *half = numbers(row[2])
        assert [mean, *half] == pytest.approx([one.mean, one.ci_high - one.mean], abs=0.51 * digit)
        assert numbers(row[3])[0] == pytest.approx(one.to_first, abs=5.1e-4)
        assert numbers(row[4])[0] == pytest.approx(100 * one.share_worse, rel=0.06)
        assert numbers(row[5]) == pytest.approx([one.mean_user], abs=0.51 * digit)
        assert row[3] == "1" or "± 0.000" not in row[3]


def test_the_figures_are_saved_under_their_names(default):
    assert list(default.page.figures) == ["rate_schedule_gantt", "rate_schedule_orders"]
    gantt, orders = default.page.figures.values()
    assert len(gantt.axes) == len(ORDERS)
    slowest = by_hand.exact_s(*default.link)
    assert numbers(gantt.axes[0].get_title(loc="left"))[0] == pytest.approx(slowest, rel=1e-3)
    assert [axes.get_title() for axes in orders.axes] == ["tokens of cHO", "tokens of ctHO"]


def test_the_result_for_other_pages(default):
    saved = json.loads((default.page.build_dir / "results" / "rate_schedule.json").read_text())
    assert saved["instances"] == 3
    assert 0 <= saved["worst_deviation"] < 1e-7
    for scheme in ("cHO", "ctHO"):
        worst = {
            order: delay.max(axis=1).mean()
            for order, delay in served(default.parameters, scheme).items()
        }
        first = worst["first come first served"]
        ratios = {order: mean / first for order, mean in worst.items()}
        assert saved["to_first"][scheme] == pytest.approx(ratios)


def test_the_check_counts_what_it_checked(shown):
    text, drawn = shown.cells["checks"], shown.names["instances"]
    _, *rows = table_rows(text)
    assert all(numbers(row[1]) == [len(drawn)] for row in rows)
    sizes = sorted({h.num_ues for h in drawn})
    count, *users, worst = numbers(text.partition("Checked on")[2].partition("** of")[0])
    assert count == len(drawn)
    assert users == ([sizes[0], sizes[-1]] if len(sizes) > 1 else sizes)
    assert worst == pytest.approx(max(numbers(row[2])[0] for row in rows), rel=0.06)
    assert worst < 1e-7
