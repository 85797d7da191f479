"""The page on Proposition 2: its instance, how often and how much, its tables and its maps."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

from ctho.pages.proposition2.gap import FAST_LINK_GBPS
from ctho.simulation import Parameters, sample_handovers
from ctho.simulation.one_instance import one_handover
from tests.pages import by_hand
from tests.rendering import numbers, table_rows

FEW = {
    "realisations": 100,
    "check_instances": 3,
    "backhaul_gbps_values": [1, 30.0],
    "num_ues_values": [1, 3],
    "spread_s_values": [0.0, 2.0],
}
PAGES = {
    "default": FEW,
    "one user": {
        **FEW,
        "num_ues": 1,
        "handover_s": [2.1],
        "context_tok": [3000],
        "backhaul_gbps_values": [2],
        "num_ues_values": [1],
        "spread_s_values": [0.0],
        "check_instances": 1,
    },
    "slow link": {**FEW, "backhaul_gbps": 0.5, "prefill_length_tok": 800.0, "num_ues": 3},
    "fast link": {**FEW, "backhaul_gbps": 1000.0, "prefill_length_tok": 5000.0, "speed_mps": 10.0},
}


class Shown:
    """A page, its parameters, and the link of its instance."""

    def __init__(self, page, given):
        self.page = page("proposition2", **given)
        self.cells, self.names = self.page.cells, self.page.names
        self.parameters = Parameters.from_names(given)
        h = one_handover(self.parameters, self.names["handover_s"], self.names["context_tok"])
        remaining = by_hand.left(h.context_tok, given.get("prefill_length_tok", 0.0))
        self.link = (h.handover_s.tolist(), remaining, float(h.backhaul_tok_per_s))

    def result(self, name):
        return pd.read_csv(self.page.build_dir / "results" / f"{name}.csv")


@pytest.fixture(params=PAGES.values(), ids=PAGES)
def shown(request, page):
    return Shown(page, request.param)


@pytest.fixture
def default(page):
    return Shown(page, FEW)


def paragraph(shown, title):
    return shown.cells["box"].partition(f"**{title}.**")[2].partition("\n\n")[0]


def each(parameters):
    """Every realisation as an instance of its own."""
    batch = sample_handovers(parameters)
    for tau, context in zip(batch.handover_s, batch.context_tok, strict=True):
        rate = parameters.backhaul_tok_per_s
        yield batch.replace(
            handover_s=tau,
            context_tok=context,
            backhaul_tok_per_s=rate,
            cycle_s=parameters.cycle_s,
        )


@cache
def both_forms(parameters, scheme):
    """Share where Eq. (18) is low, and how much of the mean it misses, at a scheme's length."""
    forms = []
    for h in each(parameters):
        length = by_hand.optimum(h)[0] if scheme == "ctHO" else 0.0
        tokens = by_hand.left(h.context_tok, length)
        link = (h.handover_s, tokens, parameters.backhaul_tok_per_s)
        forms.append((by_hand.printed_s(*link), by_hand.exact_s(*link)))
    printed, exact = np.array(forms).T
    return np.mean(exact - printed > 1e-8 * exact), (exact - printed).sum() / exact.sum()


@cache
def designs(parameters):
    """What ctHO promises by Eq. (18), what that delivers, and the best: `[3, N]`, seconds."""
    rows = []
    for h in each(parameters):
        length, promised = by_hand.optimum(h, by_hand.printed_s)
        tokens = by_hand.left(h.context_tok, length)
        start = by_hand.batch_start_s(h.handover_s, h.cycle_s) - float(h.handover_s.min())
        prefill = start + float(h.prefill.delay_s(length, 1)) if length else 0.0
        transfer = by_hand.exact_s(h.handover_s, tokens, parameters.backhaul_tok_per_s)
        rows.append((promised, max(prefill, transfer), by_hand.optimum(h)[1]))
    return np.array(rows).T


def told_percent(share):
    """As a page tells it: two digits."""
    return pytest.approx(100 * share, rel=0.06, abs=1e-9)


def test_the_instance_is_read_out_right(shown):
    text = paragraph(shown, "The instance of this page")
    exact, printed = by_hand.exact_s(*shown.link), by_hand.printed_s(*shown.link)
    windows = by_hand.windows(*shown.link)
    told = numbers(text)
    if exact == 0:
        assert "Nobody" in text
        assert told == [0]
        return
    first, last = max(windows, key=windows.get)
    users = [first, last] if first < last else [last]
    if printed == pytest.approx(exact, rel=1e-12):
        assert "is exact" in text
        assert told == [18, pytest.approx(exact, rel=1e-5), *users]
    else:
        idle = by_hand.idle_s(*shown.link)[last - 1]
        close = [pytest.approx(value, rel=1e-5) for value in (printed, exact, idle)]
        low = told_percent(1 - printed / exact)
        assert told == [18, *close[:2], *users, low, last, close[2], 18]
        assert "% low" in text


def test_the_pages_read_every_kind_of_instance_and_of_design(page):
    instances, choices = set(), set()
    for given in PAGES.values():
        shown = Shown(page, given)
        exact, printed = by_hand.exact_s(*shown.link), by_hand.printed_s(*shown.link)
        instances.add((exact > 0, printed == pytest.approx(exact), len(shown.link[0]) > 1))
        promised, delivered, best = designs(shown.parameters).mean(axis=1)
        choices.add((promised == pytest.approx(best), delivered == pytest.approx(best)))
    assert {(True, False, True), (True, True, True), (True, True, False)} < instances
    assert any(not sends for sends, _, _ in instances)
    assert choices == {(True, True), (False, True), (False, False)}


def test_how_often_and_how_much_are_those_of_the_realisations(shown):
    text = paragraph(shown, "Effect").partition(" the printed transfer delay is ")
    assert numbers(text[0]) == [shown.parameters.realisations]
    clauses = text[2].partition(". ")[0].split("; ")
    for scheme, clause in zip(("cHO", "ctHO"), clauses, strict=True):
        often, much = both_forms(shown.parameters, scheme)
        assert scheme in clause.split()
        assert clause.startswith("exact" if often == 0 else "too low")
        assert numbers(clause) == ([told_percent(often), told_percent(much)] if often else [])


def test_promise_and_delivery_are_those_of_the_realisations(shown):
    choice = shown.names["choice"]
    assert paragraph(shown, "Effect").endswith(f". {choice}")
    delays = designs(shown.parameters)
    promised, delivered, best = delays.mean(axis=1)
    half = 1.96 * delays.std(axis=1, ddof=1) / np.sqrt(delays.shape[1])
    digit = 1e-3 if best > 0.05 else 1e-6
    told = numbers(choice)
    means = [pytest.approx(mean, abs=0.51 * digit) for mean in (promised, delivered, best)]
    widths = [pytest.approx(width, abs=0.51 * digit) for width in half]
    below, above = told_percent(1 - promised / best), told_percent(delivered / best - 1)
    if promised == pytest.approx(best, rel=1e-9) and delivered == pytest.approx(best, rel=1e-9):
        assert "the same" in choice
        assert told == []
    elif delivered == pytest.approx(best, rel=1e-9):
        assert told == [18, means[0], widths[0], means[1], widths[1], below]
        assert "below" in choice
        assert "above" not in choice
    else:
        pairs = [value for pair in zip(means, widths, strict=True) for value in pair]
        assert told == [18, *pairs, below, above]
        assert choice.index("promises") < choice.index("delivers") < choice.index("possible")
        assert choice.index(" % below") < choice.index(" % above")


def test_the_smallest_example(default):
    text = paragraph(default, "Smallest example")
    first, second, apart, rate = 100, 800, 1, 1000
    assert numbers(text) == [18, first, second, apart, rate, 18, first / rate, second / rate]


def test_the_windows_are_in_their_places(shown):
    head, *rows, idle = table_rows(shown.cells["window-table"])
    windows = by_hand.windows(*shown.link)
    users = range(1, len(shown.link[0]) + 1)
    assert head == ["$W_{jk}$ (s)", *(f"$k={k}$" for k in users)]
    assert [row[0].partition(",")[0] for row in rows] == [f"$j={j}$" for j in users]
    assert ["Eq. (18)" in row[0] for row in rows] == [j == 1 for j in users]
    bold = []
    for j, row in zip(users, rows, strict=True):
        for k, cell in zip(users, row[1:], strict=True):
            if j > k:
                assert cell == ""
                continue
            assert numbers(cell) == pytest.approx([windows[j, k]], abs=5.1e-5)
            assert not cell.strip("*").startswith("-0.0000")
            bold += [(j, k)] * cell.startswith("**")
    assert len(bold) == 1
    assert windows[bold[0]] == pytest.approx(max(windows.values()), abs=1e-12)
    assert [numbers(cell)[0] for cell in idle[1:]] == pytest.approx(
        by_hand.idle_s(*shown.link), abs=5.1e-5
    )


def test_the_census_is_counted_again(default):
    low = {}
    total = 0
    for first in range(1, 7):
        for second in range(1, 7):
            for gap in range(9):
                total += 1
                link = ([0, gap], [first, second], 1.0)
                if by_hand.printed_s(*link) < by_hand.exact_s(*link):
                    low[first + second, first, second, gap] = link
    (_, first, second, gap), link = min(low.items())
    text = default.cells["census"].replace("$n_1", "$n").replace("n_2$", "n$")
    told = [value for value in numbers(text) if value != 18]
    assert told[0] == total
    assert told[1:5] == [1, 6, 8, len(low)]
    least = [first, second, gap, by_hand.printed_s(*link), by_hand.exact_s(*link)]
    assert told[-5:] == least


def test_fast_links_see_the_first_user_alone(default):
    _, *rows = table_rows(default.cells["fast-links"])
    for users, row in zip(FEW["num_ues_values"], rows, strict=True):
        fast = default.parameters.replace(num_ues=users, backhaul_gbps=FAST_LINK_GBPS)
        batch = sample_handovers(fast)
        order = np.argmin(batch.handover_s, axis=1)
        first = batch.context_tok[np.arange(len(order)), order]
        share = np.mean(first < batch.context_tok.max(axis=1))
        half = 1.96 * np.sqrt(share * (1 - share) / (len(order) - 1))
        assert numbers(row[0]) == [users]
        assert numbers(row[1]) == pytest.approx([100 * (1 - 1 / users)], abs=0.051)
        interval = [100 * max(share - half, 0), 100 * min(share + half, 1)]
        assert numbers(row[2]) == pytest.approx([100 * share, *interval], abs=0.051)


def test_the_design_table_has_its_rows_and_columns(shown):
    head, *rows = table_rows(shown.cells["design"])
    assert head == ["scheme", "delay", "mean (s)", "relative to best"]
    assert [row[1] for row in rows] == ["promised", "delivered", "best"] * 2
    assert [row[0] for row in rows] == ["cHO"] * 3 + ["ctHO"] * 3
    means = designs(shown.parameters).mean(axis=1)
    digit = 1e-4 if means[2] > 0.05 else 1e-7
    for row, mean in zip(rows[3:], means, strict=True):
        assert numbers(row[2])[0] == pytest.approx(mean, abs=0.51 * digit)
        assert numbers(row[3])[0] == pytest.approx(mean / means[2], abs=6e-5)
    _, much = both_forms(shown.parameters, "cHO")
    assert numbers(rows[0][3])[0] == pytest.approx(1 - much, abs=6e-5)
    assert rows[1][2:] == rows[2][2:]
    assert all("0.0000" not in row[3] for row in rows)
    saved = shown.result("proposition2_design")
    assert saved["mean"].tolist()[3:] == pytest.approx(means.tolist(), rel=1e-6)


@pytest.mark.parametrize(("cell", "axis"), [("users", "num_ues"), ("spread", "spread_s")])
def test_the_maps_are_told_by_their_furthest_cell(shown, cell, axis):
    table = shown.result(f"proposition2_gap_by_{cell}")
    sentences = shown.cells[f"map-{cell}-words"].split("For ")[1:]
    for scheme, sentence in zip(("cHO", "ctHO"), sentences, strict=True):
        part = table[table["scheme"] == scheme]
        exact = int((part["share_low"] == 0).sum())
        assert sentence.startswith(f"{scheme} ")
        assert ("whole map" in sentence) == (exact == len(part))
        if exact == len(part):
            continue
        most = part.sort_values("mean_low").iloc[-1]
        told = numbers(sentence)
        assert told.pop(0) == 18
        if exact:
            assert told.pop(0) == exact
        else:
            assert "none of" in sentence
        where = [most["backhaul_gbps"], most[axis]]
        assert told == [len(part), *where, *map(told_percent, most[["mean_low", "share_low"]])]
        assert f"{most['backhaul_gbps']:g} Gbps" in sentence
        assert f"{most[axis]:g} s" in sentence or f"$K={most[axis]:g}$" in sentence


def test_a_cell_of_each_map_is_that_of_its_realisations(default):
    by_users = default.result("proposition2_gap_by_users")
    by_spread = default.result("proposition2_gap_by_spread")
    assert len(by_users) == len(by_spread) == 2 * 2 * 2
    start = 130.0 - 2.0 * 20.0  # two seconds of road before the farthest start
    cells = (
        (by_users["num_ues"] == 3, {"num_ues": 3}, by_users),
        (by_spread["spread_s"] == 2.0, {"start_min_m": start}, by_spread),
    )
    for chosen, change, table in cells:
        point = default.parameters.replace(backhaul_gbps=30.0, **change)
        rows = table[chosen & (table["backhaul_gbps"] == 30)].set_index("scheme")
        for scheme in ("cHO", "ctHO"):
            often, much = both_forms(point, scheme)
            assert rows.loc[scheme, "share_low"] == pytest.approx(often)
            assert rows.loc[scheme, "mean_low"] == pytest.approx(much, rel=1e-6)
            assert rows.loc[scheme, "realisations"] == 100


def test_figures_are_saved_under_their_names_and_hold_their_tables(default):
    figures = default.page.figures
    assert list(figures) == [
        "proposition2_flow",
        "proposition2_gap_by_users",
        "proposition2_gap_by_spread",
    ]
    for name, measures in (("users", ["share_low", "mean_low"]), ("spread", ["mean_low"])):
        table = default.result(f"proposition2_gap_by_{name}")
        axes = figures[f"proposition2_gap_by_{name}"].axes
        for i, measure in enumerate(measures):
            for j, scheme in enumerate(("cHO", "ctHO")):
                part = table[table["scheme"] == scheme][measure]
                shown = [text.get_text() for text in axes[2 * i + j].texts]
                assert shown == [f"{100 * value:.0f}" for value in part]


def test_the_result_for_other_pages(default):
    saved = json.loads((default.page.build_dir / "results" / "proposition2.json").read_text())
    assert saved["instances"] == 3
    assert 0 <= saved["worst_deviation"] < 1e-7
    promised, delivered, best = designs(default.parameters).mean(axis=1)
    ratios = {"promised": promised / best, "delivered": delivered / best, "best": 1.0}
    assert saved["to_best"] == pytest.approx(ratios, rel=1e-6)
    for scheme in ("cHO", "ctHO"):
        often, much = both_forms(default.parameters, scheme)
        assert saved["share_low"][scheme] == pytest.approx(often)
        assert saved["mean_low"][scheme] == pytest.approx(much, rel=1e-6)


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
