"""Tables and sentences made from sweeps."""

import numpy as np
import pandas as pd
import pytest

from ctho.pages.figures_3_4.comparison import (
    ratios_to,
    sweep_as_markdown,
    sweep_in_words,
    with_interval,
)
from ctho.simulation import SWEEPS, Parameters, run_sweep


def test_ratios_are_of_means():
    samples = {"ctHO": np.array([1.0, 3.0]), "cHO": np.array([4.0, 8.0])}
    row = ratios_to(samples).iloc[0]
    assert (row["scheme"], row["mean"], row["ratio"]) == ("cHO", 6.0, 3.0)


def test_a_row_for_each_point():
    table = pd.DataFrame(
        {
            "x": [1, 1, 2, 2],
            "scheme": ["a", "b"] * 2,
            "mean": [0.5, 1, 2, 3],
            "ci_high": [0.75, 1, 2, 4],
        }
    )
    lines = sweep_as_markdown(table, "x").splitlines()
    assert lines[0] == "| x | a | b |"
    assert lines[2] == "| 1 | 0.500\u00a0±\u00a00.250 | 1.000\u00a0±\u00a00.000 |"
    assert len(lines) == 4


def test_the_lowest_scheme_is_named_for_what_it_is():
    sweep, p = SWEEPS["fig4"], Parameters(realisations=200)
    words = sweep_in_words(sweep, run_sweep(sweep, p), p)
    assert "no-HO at $D_{bs}$ = 300 m to $D_{bs}$ = 350 m" in words
    one = SWEEPS["fig3a"]
    assert "**ctHO** has the lowest mean" in sweep_in_words(one, run_sweep(one, p), p)


def test_a_small_interval_is_not_shown_as_none():
    assert with_interval(1.0, 1.0002) == "1.000\u00a0±\u00a0<\u00a00.001"
    assert with_interval(1.0, 1.0) == "1.000\u00a0±\u00a00.000"


@pytest.mark.parametrize("values", [[4.5], [2, 4.5]])
def test_each_end_is_compared_once(values):
    sweep, p = SWEEPS["fig3a"], Parameters(realisations=200)
    words = sweep_in_words(sweep, run_sweep(sweep, p, values), p)
    assert words.count("times as long as ctHO") == 2 * len(values)
