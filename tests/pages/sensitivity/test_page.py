"""The page on shadow prices as it reads, under several parameters."""

import re
from itertools import groupby

import numpy as np
import pytest

from ctho import AffinePrefill, Handover
from ctho.pages.sensitivity.prices import dual_prices, shadow_prices
from tests.pages.sensitivity.by_hand import (
    SETS,
    OneInstance,
    Worth,
    half_width,
    parameters_of,
    rates_of,
)
from tests.rendering import numbers, table_rows


@pytest.fixture(scope="module")
def worths():
    """The worth at every rate of each set, found once."""
    found = {}

    def worths_of(given):
        key = id(given)
        if key not in found:
            found[key] = {gbps: Worth(given, gbps) for gbps in rates_of(given)}
        return found[key]

    return worths_of


@pytest.fixture
def along(worths, given):
    return worths(given)


@pytest.fixture
def here(along, given):
    return along[given.get("backhaul_gbps", 4.5)]


def after(text, words):
    """The first number behind some words."""
    return numbers(text.partition(words)[2])[0]


def test_what_upgrades_are_worth_at_the_pages_own_rate(shown, here):
    text = shown.cells["box"]
    p = here.parameters
    assert (after(text, "At "), after(text, "$K$ = ")) == (p.backhaul_gbps, p.num_ues)
    assert after(text, "mean worst-user delay of ") == pytest.approx(
        1e3 * here.delay_s.mean(), abs=0.06
    )
    per_gbps = here.link_ms / p.backhaul_gbps
    for words, expected in {
        "one Gbps more takes **": here.one_gbps_ms,
        "faster GPU takes off **": here.gpu_10_ms,
        "faster link **": here.link_10_ms,
        "made of ": here.link_ms,
        "by the link, ": here.gpu_ms,
        "by the GPU and ": here.wait_ms,
    }.items():
        assert after(text, words) == pytest.approx(expected.mean(), abs=0.06, rel=1e-3), words
    assert after(text, "ms (") == pytest.approx(per_gbps.mean(), abs=0.06, rel=1e-3)
    assert "± 0.0 ms" not in text.replace("\u00a0", " ")


def test_the_better_buy_is_the_one_that_is_worth_more(shown, here):
    text = shown.cells["box"]
    link, gpu = here.link_10_ms, here.gpu_10_ms
    apart = half_width(link) + half_width(gpu)
    surplus = link.mean() - gpu.mean()
    for words, holds in {
        "the link is the better buy": surplus > apart,
        "the GPU is the better buy": surplus < -apart,
        "does not tell": abs(surplus) <= apart,
    }.items():
        assert (words in text) == holds, words


def test_where_the_better_buy_changes_hands(shown, along, given):
    text = shown.cells["box"]
    surplus = {gbps: worth.surplus_ms for gbps, worth in along.items()}
    better = [ahead for ahead, _ in groupby(s > 0 for s in surplus.values() if s)]
    names = ["link" if ahead else "GPU" for ahead in better]
    if len(better) == 2:
        found = re.search(r"below it the (\w+) is worth more, above it the (\w+)\.", text)
        assert list(found.groups()) == names
        balance = after(text, "worth the same at **")
        assert all(balance > gbps for gbps, s in surplus.items() if (s > 0) == better[0])
        assert all(balance < gbps for gbps, s in surplus.items() if (s > 0) == better[1])
        assert abs(Worth(given, balance).surplus_ms) < 0.02 * max(map(abs, surplus.values()))
        peak = max(along, key=lambda gbps: along[gbps].link_ms.mean())
        assert after(text, "per cent of link is worth most at ") == peak
        none = numbers(text.partition("no batch is best in ")[2])
        assert none == [along[peak].no_batch.sum(), given["realisations"]]
    elif len(better) == 1:
        found = re.search(r"At no .* per cent of (\w+) worth more than a per cent of (\w+)\.", text)
        assert found[2] == names[0]
        assert {*found.groups()} == {"link", "GPU"}
    else:
        assert ("more than once" in text) == (len(better) > 2)
        assert ("are worth the same" in text) == (not better)


def test_the_worth_over_the_rates_in_its_columns(shown, along):
    head, *rows = table_rows(shown.cells["operator-table"])
    assert [float(row[0]) for row in rows] == list(along)
    columns = {
        "1 Gbps more (ms)": lambda worth: worth.one_gbps_ms,
        "10 % link (ms)": lambda worth: worth.link_10_ms,
        "10 % GPU (ms)": lambda worth: worth.gpu_10_ms,
        "mean λ": lambda worth: worth.share,
        "no batch (share)": lambda worth: worth.no_batch,
    }
    assert head == ["Gbps", *columns]
    for worth, (_, *cells) in zip(along.values(), rows, strict=True):
        for (name, samples_of), cell in zip(columns.items(), cells, strict=True):
            samples = samples_of(worth)
            least = 0.006 if "(ms)" in name else 6e-4
            mean, *half = numbers(cell)
            assert mean == pytest.approx(samples.mean(), abs=least)
            if half and "<" not in cell:
                assert half[0] > 0
                assert half[0] == pytest.approx(half_width(samples), abs=least, rel=0.02)


def check_prices_shown(cells, instance, handover):
    """The table of prices: each column under its head, each row in its unit."""
    head, *rows = table_rows(cells)
    assert head == ["price", "closed form", "HiGHS", "left", "quotient", "right", "quotient"]
    closed, dual = shadow_prices(handover).as_array(), dual_prices(handover).as_array()
    for which, (name, *shown) in enumerate(rows):
        assert rf"\partial {'Rab'[which]}$" in name
        assert ["(µs per token/s)", "(tokens)", "(s per s)"][which] in name
        factor = 1e6 if which == 0 else 1
        left, right = (instance.slope(which, side) for side in (-1, 1))
        expected = [closed[which], dual[which], left, left, right, right]
        for cell, price in zip(shown, expected, strict=True):
            if np.isnan(price):
                assert cell == "n/a"
            elif cell != "n/a":
                assert float(cell) == pytest.approx(factor * price, rel=1e-3, abs=1e-6)
                assert cell != "-0"


def handover_of(instance):
    rate, slope, offset = instance.values
    return Handover(*instance.users, rate, AffinePrefill(slope, offset), instance.cycle_s)


def test_the_prices_of_the_instance(shown, given):
    instance = OneInstance(given)
    check_prices_shown(shown.cells["instance-table"], instance, handover_of(instance))


def test_the_kink_by_hand_is_as_the_page_says(page):
    by_hand = OneInstance({"handover_s": [0.0, 0.0], "context_tok": [1000, 2000]})
    by_hand.values = np.array([1000, 1e-3, 0.0])
    shown = page("sensitivity", **SETS["default"])
    check_prices_shown(shown.cells["kink-table"], by_hand, handover_of(by_hand))
    assert by_hand.delay_s(by_hand.values) == pytest.approx(1)
    rate, slope, offset = ([by_hand.slope(which, side) for side in (-1, 1)] for which in range(3))
    said = r"A slower link (\w+)\s+\$(.*)\$ ms per token/s, a faster one (\w+) \$\\tfrac(.)(.)\$ ms"
    slower, half, faster, one, three = re.search(said, shown.cells["kink"]).groups()
    assert (slower, faster) == ("costs", "gains")  # D* falls with R
    assert rate == pytest.approx([-1e-3 * float(half), -1e-3 * int(one) / int(three)], rel=1e-3)
    assert slope[1] > 1.1 * slope[0]
    assert np.isnan(offset[0])
    assert offset[1] > 0


def test_the_kinks_of_the_instance_are_named(shown, given):
    text = shown.cells["instance-words"]
    instance = OneInstance(given)
    sides = [[instance.slope(which, side) for side in (-1, 1)] for which in range(3)]
    kinks = [
        letter
        for letter, (left, right) in zip("Rab", sides, strict=True)
        if abs(left - right) > 1e-3 * abs(right)
    ]
    assert re.findall(r"partial ([Rab])\$", text) == kinks
    assert ("on a kink in" in text) == bool(kinks)
    assert ("on no kink" in text) == (not kinks)
    if not kinks:
        assert after(text, "agree within ") < 1e-6
    p = parameters_of(given)
    assert ("With $a = 0$" in text) == (p.prefill_s_per_tok == 0 and not kinks)
    assert ("cannot fall" in text) == (p.prefill_s_per_tok == 0 or p.prefill_offset_s == 0)


def test_the_check_counts_what_it_compared(shown, given):
    text = shown.cells["check-words"]
    count = given["check_instances"]
    assert text.startswith(f"On {count} random instance{'s' if count > 1 else ''},")
    head, *rows = table_rows(text)
    assert head == ["compared", "numbers", "worst deviation"]
    assert len(rows) == 3
    for _, compared, worst in rows:
        assert (worst == "n/a") == (compared == "0")
        assert worst == "n/a" or float(worst) < 1e-6


def test_every_branch_of_every_sentence_is_read_once(page):
    pages = [page("sensitivity", **given) for given in SETS.values()]
    for cell, words in {
        "box": [
            "the link is the better buy",
            "the GPU is the better buy",
            "does not tell",
            "below it the GPU",
            "per cent of GPU worth more than",
            "per cent of link worth more than",
            "more than once",
            "are worth the same.",
        ],
        "instance-words": ["on a kink", "on no kink", "With $a = 0$", "cannot fall"],
        "check-words": ["1 random instance,", "n/a"],
    }.items():
        for each in words:
            assert any(each in shown.cells[cell] for shown in pages), (cell, each)
