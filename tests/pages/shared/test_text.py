"""Numbers, tables and boxes in words."""

import math

import pandas as pd
import pytest

from ctho.pages.shared import box
from ctho.pages.shared.text import markdown_table, percent, with_interval, witnesses_as_markdown
from tests.rendering import table_rows


def test_paragraphs_stay_apart():
    lines = box("A title", "One.", "Two.", kind="tip").data.splitlines()
    assert lines == ["::::{admonition} A title", ":class: tip", "", "One.", "", "Two.", "::::"]


def test_witnesses_say_how_many_and_how_much():
    table = pd.DataFrame({"claim": ["a", "b"], "instances": [3, 3000], "worst": [0.0, 2.5e-12]})
    assert table_rows(witnesses_as_markdown(table))[1:] == [
        ["a", "3", "0"],
        ["b", "3,000", "2.5e-12"],
    ]


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0 %"), (0.0999, "10 %"), (0.5, "50 %"), (1, "100 %")]
)
def test_percent(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("ci_high", "text"),
    [(1.5, "1.000 ± 0.500"), (1.0006, "1.000 ± 0.001"), (1.0002, "1.000 ± < 0.001"), (1, "1.000")],
)
def test_an_interval_is_shown_where_there_is_one_and_never_as_zero(ci_high, text):
    assert with_interval(1.0, ci_high) == text.replace(" ", "\u00a0")


def test_an_infinite_mean_has_no_digits():
    assert with_interval(math.inf, math.nan) == "∞"


@pytest.mark.parametrize(("rows", "align"), [([["1"]], None), ([["1", "2"]], "r")])
def test_a_table_whose_rows_do_not_fit_its_head_is_refused(rows, align):
    with pytest.raises(ValueError, match="as many cells"):
        markdown_table(["x", "y"], rows, align)
