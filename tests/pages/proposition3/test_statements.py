"""The sentences of the page on Proposition 3 say what their numbers say."""

import pandas as pd
import pytest

from ctho import AffinePrefill, Handover, solve
from ctho.pages.proposition3 import statements as statements
from ctho.pages.proposition3.restriction import READINGS, RestrictionCheck, readings_over_rates
from ctho.pages.proposition3.whole_tokens import best_grid_length, grid_cost_bound_s
from ctho.pages.proposition3.witnesses import newton_table
from ctho.pages.proposition3.zero_length import zero_length_table
from ctho.simulation import Parameters

SMALL = Parameters(realisations=300)


def test_the_examples_of_the_box():
    zero, boundary, tiles, curve = statements.failures_in_words()
    assert "after 1 ms; the printed form gives 2 ms" in zero
    assert "a = 0" in boundary
    assert "give 2 s and 1.5 s, yet $L = 1$ gives 1 s" in tiles
    assert "early" in curve


def test_both_cases_of_the_theorem():
    fast = solve(Handover([0.0], [10], 10_000, AffinePrefill(1e-4, 0.1)))
    assert "case 1" in statements.optimum_in_words(fast, newton_table(fast.handover))
    slow = solve(Handover([0.0], [1000], 1000, AffinePrefill(1e-4, 0.1)))
    words = statements.optimum_in_words(slow, newton_table(slow.handover))
    assert "case 2. Newton takes one step" in words
    assert statements.steps_as_markdown(newton_table(fast.handover)) == ""
    assert "| 1 | 0.00 |" in statements.steps_as_markdown(newton_table(slow.handover))


def test_the_grid_in_words():
    h = Handover([0.0], [3], 1, AffinePrefill(1.0, 0.0))
    words = statements.grid_in_words(best_grid_length(h), 1, float(grid_cost_bound_s(h)))
    assert "In steps of 1 token the best length here is 1 tokens" in words
    assert words.count("5e+05 µs") == 3


def test_the_jump_over_the_rates():
    table = zero_length_table(SMALL, [2, 50])
    share = table[table["what"] == "no batch"].set_index("x")["mean"]
    assert share[2] < 0.05 < 0.9 < share[50]
    words = statements.zero_length_in_words(table)
    assert "From 50 Gbps on" in words
    assert "stays above" in statements.zero_length_in_words(table[table["x"] == 2])
    both = table[table["x"] == 50].set_index("what")["mean"]
    assert both["ctHO"] <= both["cHO"] < both["crossing only"]


def test_checks_and_readings():
    checks = pd.DataFrame({"claim": ["one", "two"], "instances": [7, 7], "worst": [0.0, 2e-8]})
    words = statements.check_in_words(checks)
    assert "2 claims on 7 random instances" in words
    assert "**2.0e-08**" in words
    assert '"two"' in words
    assert len(statements.checks_as_markdown(checks).splitlines()) == 4
    check = RestrictionCheck(9, 1e-17, 2e-17, 0.5, 0.25)
    assert "50.0%" in statements.restriction_check_in_words(check)


@pytest.mark.parametrize(("ratio", "word"), [(0.9, "shortens"), (1.1, "does not shorten")])
def test_the_reading_that_leaves_the_batch(ratio, word):
    names = ["the delivered leave the batch", "Eq. (18) over the undelivered"]
    table = pd.DataFrame({"x": [4.5, 4.5], "reading": names, "ratio": [ratio, 0.96]})
    table = table.assign(lower=[0.4, 0.5], higher=[0.1, 0.0])
    words = statements.readings_in_words(table, 4.5)
    assert f"{word} the mean worst-user delay ({ratio - 1:+.1%})" in words
    assert "4.0% less" in words
    same = table.assign(lower=0.0, higher=0.0)
    assert "same delay in every instance" in statements.readings_in_words(same, 4.5)


def test_the_readings_over_the_rates():
    table = readings_over_rates(SMALL, [4.5, 10])
    assert len(table) == 2 * len(READINGS)
    lines = statements.readings_as_markdown(table, 10).splitlines()
    assert len(lines) == 2 + len(READINGS) + 2
    first = table[table["x"] == 10].iloc[2]
    assert f"{first['ratio']:.3f} ± " in lines[4]
    assert f"{first['lower']:.1%}" in lines[4]
