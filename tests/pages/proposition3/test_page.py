"""The page on Proposition 3 as it reads, under several parameters."""

import re

import numpy as np
import pytest

from ctho import solve
from ctho.pages.proposition3.restriction import (
    leave_the_batch,
    leave_the_problem,
    printed_over_undelivered,
)
from ctho.simulation import sample_handovers
from tests.pages.proposition3.by_hand import SETS, jump_at, parameters_of, rates_of
from tests.rendering import numbers, table_rows

EVERYONE = "everyone counts"


def test_the_box_names_four_points_with_their_examples(shown):
    text = shown.cells["box"]
    assert re.findall(r"^(\d+)\. ", text, re.MULTILINE) == ["1", "2", "3", "4"]
    zero = re.search(r"cache is there after (.*) ms; the printed form gives (.*) ms", text)
    # One token at 1000 tokens/s, beside a batch that computes nothing for b = 2 ms.
    assert [float(each) for each in zero.groups()] == [1, 2]
    tiles = re.search(r"The boundaries give (.*) s and (.*) s, yet \$L = 1\$ gives (.*) s", text)
    # All of two tokens at 1 token/s; two tiles; one tile beside one token.
    assert [float(each) for each in tiles.groups()] == [2, 2 * 0.75, max(0.75, 1)]


def test_the_case_of_the_theorem_and_the_way_to_the_optimum(shown, one):
    text = shown.cells["climb-words"]
    nothing, wait = one.transfer(0), one.wait
    plain = re.sub(r"\$[^$]*\$", "", text)
    assert numbers(plain)[:2] == pytest.approx([1e3 * nothing, 1e3 * wait], abs=0.006)
    assert f"case {1 if nothing <= wait else 2}." in text
    steps = table_rows(shown.cells["climb-table"])[1:]
    if nothing <= wait:
        assert numbers(plain)[-1] == pytest.approx(1e3 * nothing, abs=0.006)
        assert not steps
        assert "no step" in text
    else:
        best = [one.crossing, 1e3 * one.prefill(one.crossing)]
        assert numbers(plain)[-2:] == pytest.approx(best, abs=0.006)
        word = "step" if len(steps) == 1 else "steps"
        assert f"takes {len(steps)} {word} (at most $K$ = {one.tau.size})" in text


def test_the_steps_of_the_table_are_newtons(shown, one):
    head, *rows = table_rows(shown.cells["climb-table"]) or [[]]
    length, order = 0.0, np.argsort(one.tau, kind="stable")
    tau, context = one.tau[order], one.context[order]
    for number, cells in enumerate(rows, start=1):
        step = dict(zip(head, cells, strict=True))
        value = {name: numbers(cell)[0] for name, cell in step.items()}
        assert value["step"] == number
        assert value["from $L$ (tokens)"] == pytest.approx(length, abs=0.01)
        there = one.transfer(length)
        assert value[r"$D^\star_{(\mathrm{tx})}$ there (s)"] == pytest.approx(there, abs=1e-5)
        users = [int(user) for user in numbers(step["window"])]
        first, last = users[0] - 1, users[-1] - 1
        sent = np.maximum(context[first : last + 1] - length, 0)
        assert sent.sum() / one.rate - (tau[last] - tau[first]) == pytest.approx(there, abs=1e-5)
        assert value["senders"] == np.count_nonzero(sent)
        length = value["to $L$ (tokens)"]
        meets = value[r"$D^{(\mathrm{pf})}$ there (s)"]
        assert meets == pytest.approx(one.prefill(length), abs=1e-5)
    assert length == pytest.approx(one.crossing, abs=0.01)


def test_the_grid_and_what_it_costs(shown, one):
    text = shown.cells["integer-words"]
    q, best = one.step, one.crossing
    most = 1e6 * q * one.a * one.tau.size / (one.a * one.rate + one.tau.size)
    if best == 0:
        assert numbers(text) == [0, q, pytest.approx(most, abs=0.06)]
        return
    multiples = np.arange(np.ceil(one.context.max() / q) + 1) * q
    values = np.array([one.value(length) for length in multiples])
    below = q * np.floor(best / q)
    slope = one.transfer(below) - one.transfer(below + 1e-3)
    allowed = min(one.a * (below + q - best), slope / 1e-3 * (best - below))
    expected = [q, multiples[values.argmin()], best]
    expected += [1e6 * (values.min() - one.value(best)), 1e6 * allowed, most]
    assert numbers(text) == pytest.approx(expected, abs=0.06)


def test_where_no_batch_is_best_and_where_cho_overtakes(shown, given):
    text = shown.cells["zero-words"]
    rates = rates_of(given)
    at = {gbps: jump_at(given, gbps) for gbps in rates}
    shares = [rates[0], at[rates[0]][0], given["realisations"]]
    shares += [rates[-1], at[rates[-1]][0]] if len(rates) > 1 else []
    ahead = [gbps for gbps in rates if at[gbps][1] < at[gbps][2]]
    first, _, second = text.partition(". ")
    assert numbers(first) == shares
    assert "mean of cHO below" in second or "mean of cHO is below" in second
    if ahead:
        _, _, crossing, best = at[ahead[-1]]
        listed, _, loss = second.partition(" Gbps, so that")
        assert numbers(listed) == ahead
        assert numbers(loss)[-2:] == [ahead[-1], pytest.approx(crossing / best, abs=0.006)]
    else:
        assert second.startswith("At no rate drawn")


def test_the_check_counts_its_claims_and_quotes_the_worst(shown, given):
    head, *rows = table_rows(shown.cells["check-table"])
    assert head == ["claim", "instances", "worst deviation"]
    worst = {claim: float(deviation) for claim, _, deviation in rows}
    assert {instances for _, instances, _ in rows} == {str(given["check_instances"])}
    text = shown.cells["check-words"]
    count = given["check_instances"]
    assert text.startswith(
        f"{len(rows)} claims on {count} random instance{'s' if count > 1 else ''},"
    )
    quoted = re.search(r'deviation is \*\*(.*)\*\* .* in the row "(.*)"\.', text)
    assert float(quoted[1]) == pytest.approx(max(worst.values()), rel=0.06)
    assert worst[quoted[2]] == max(worst.values())


def undelivered(given):
    """In how many instances somebody is not served at t_s, and finds the link busy."""
    drawn = sample_handovers(parameters_of(given))
    unit = np.random.default_rng(20260328).uniform(0, 1, given["realisations"])
    lengths = unit * drawn.context_tok.max(axis=1)
    some = late = 0
    for tau, context, length, start in zip(
        drawn.handover_s, drawn.context_tok, lengths, drawn.batch_start_s, strict=True
    ):
        rate, free = float(drawn.backhaul_tok_per_s[0]), -np.inf
        for i in np.argsort(tau, kind="stable"):
            sends = max(context[i] - length, 0) / rate
            busy, free = free > tau[i], max(free, tau[i]) + sends if sends else free
            if sends and free > start:
                some, late = some + 1, late + busy
                break
    return some, late


def test_how_often_the_restriction_matters(shown, given):
    text = shown.cells["restriction-check"]
    some, late = undelivered(given)
    assert numbers(text)[0] == given["realisations"]
    assert all(deviation < 1e-12 for deviation in numbers(text)[1:3])
    if some:
        each = re.search(
            r"In ([\d,]+) of them \((.*)\) somebody .* in ([\d,]+) of these \((.*)\)", text
        )
        assert (each[1], each[3]) == (str(some), str(late))
        shares = [numbers(each[group])[0] for group in (2, 4)]
        exact = [100 * some / given["realisations"], 100 * late / some]
        assert shares == pytest.approx(exact, abs=0.5)
    else:
        assert "In none of them is anybody undelivered" in text


def own_and_all_rates(given):
    own = given.get("backhaul_gbps", 4.5)
    return own, sorted({*given.get("restriction_gbps_values", [2.0, 4.5, 10.0, 20.0]), own})


def delays_at(given, gbps):
    drawn = sample_handovers(parameters_of({**given, "backhaul_gbps": gbps}))
    return {
        EVERYONE: solve(drawn).delay_s,
        "Eq. (18) over the undelivered": printed_over_undelivered(drawn),
        "the delivered leave the batch": leave_the_batch(drawn),
        "the delivered leave the problem": leave_the_problem(drawn),
    }


def test_the_restrictions_in_their_columns(shown, given):
    own, rates = own_and_all_rates(given)
    head, *rows = table_rows(shown.cells["restriction-table"])
    assert [numbers(cell)[-1] for cell in head[1:]] == [*rates, own, own]
    assert ["lower" in head[-2], "higher" in head[-1]] == [True, True]
    at = {gbps: delays_at(given, gbps) for gbps in rates}
    assert [row[0] for row in rows] == list(at[own])
    for name, *cells in rows:
        ratios = [at[gbps][name].mean() / at[gbps][EVERYONE].mean() for gbps in rates]
        assert [numbers(cell)[0] for cell in cells[:-2]] == pytest.approx(ratios, abs=6e-4)
        assert "± 0.000" not in "".join(cells).replace("\u00a0", " ")
        change = at[own][name] / at[own][EVERYONE] - 1
        shares = [100 * (change < -1e-9).mean(), 100 * (change > 1e-9).mean()]
        assert [numbers(cell)[0] for cell in cells[-2:]] == pytest.approx(shares, abs=0.5)


def test_what_leaving_does_to_the_mean(shown, given):
    own, _ = own_and_all_rates(given)
    text = shown.cells["restriction-words"]
    delay = {name: values.mean() for name, values in delays_at(given, own).items()}
    leaving = delay["the delivered leave the batch"] / delay[EVERYONE] - 1
    low = 1 - delay["Eq. (18) over the undelivered"] / delay[EVERYONE]
    first, _, second = text.partition(". ")
    assert numbers(first)[0] == own
    if abs(leaving) > 1e-9:
        assert numbers(first)[1] == pytest.approx(100 * abs(leaving), rel=0.05)
    for word, holds in (
        ("shortens", leaving < -1e-9),
        ("lengthens", leaving > 1e-9),
        ("changes the delay of no instance", abs(leaving) < 1e-9),
    ):
        assert (word in first) == holds
    assert ("less than" in second) == (low > 1e-9)
    if low > 1e-9:
        assert numbers(second)[1] == pytest.approx(100 * low, rel=0.05)


def test_every_branch_of_every_sentence_is_read_once(page):
    pages = [page("proposition3", **given) for given in SETS.values()]
    for cell, words in {
        "climb-words": ["case 1", "case 2", "1 step ", "3 steps "],
        "integer-words": ["best multiple", "multiple of every"],
        "zero-words": ["loses against a baseline", "At no rate drawn"],
        "restriction-check": ["somebody is undelivered", "anybody undelivered"],
        "restriction-words": ["shortens", "lengthens", "of no instance", "just what", "less than"],
    }.items():
        for each in words:
            assert any(each in shown.cells[cell] for shown in pages), (cell, each)
