"""Sentences of the prefill page follow their tables."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from ctho.pages.prefill import statements as statements
from ctho.pages.prefill.cost import TRUTH
from ctho.pages.prefill.fit import affine_by_batch, compare_forms
from ctho.pages.prefill.profiles import profile_names, recorded_profile
from ctho.prefill import BatchAwarePrefill, prefill_from_mapping


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_says_how_it_was_measured(name: str) -> None:
    recorded = recorded_profile(name)
    said = statements.machine_in_words(recorded)
    machine = recorded.content["machine"]
    for part in (recorded.title, recorded.content["date"], machine["processor"], "load of"):
        assert part in said
    scaled = recorded.content["layers_measured"] < recorded.content["layers"]
    assert ("layers was built" in said) == scaled


def test_r_squared_is_said_to_flatter_only_where_it_does() -> None:
    table = pd.DataFrame(
        {
            "form": ["affine", "quadratic"],
            "formula": ["x", "y"],
            "r_squared": [0.99, 0.999],
            "max_relative_error": [0.2, 0.02],
            "cv_relative_error": [0.1, 0.01],
        }
    )
    said = statements.forms_in_words(table)
    assert "picks **quadratic**" in said
    assert "0.9900 for affine, which is off by 20.0 %" in said
    assert "flatters" not in statements.forms_in_words(table.tail(1))


def test_a_negative_offset_is_named_where_there_is_one() -> None:
    table = pd.DataFrame(
        {
            "num_ues": [1, 4],
            "a_s_per_tok": [1e-3, 3e-3],
            "b_s": [0.0, 0.1],
            "max_relative_error": [0.1, 0.1],
            "plain_b_s": [-0.01, 0.1],
            "plain_error": [0.5, 0.1],
        }
    )
    said = statements.batches_in_words(table)
    assert "From 1 to 4 contexts $a$ grows 3.00 times" in said
    assert "$b < 0$ at $B$ = 1:" in said
    assert "$b < 0$" not in statements.batches_in_words(table.tail(1))


def test_the_dearest_and_the_cheapest_assumption() -> None:
    table = pd.DataFrame(
        {
            "assumed": [TRUTH, "cheap", "dear"],
            "prefill_length_tok": [1.0, 2.0, 3.0],
            "predicted_s": [1.0, 1.0, 0.5],
            "got_s": [1.0, 1.01, 2.0],
            "misprediction": [0.0, -0.01, -0.75],
            "excess": [0.0, 0.01, 1.0],
            "worst_excess": [0.0, 0.02, 1.5],
        }
    )
    said = statements.cost_in_words(table, 4, 0.01)
    assert "dearest assumption is **dear**" in said
    assert "cheapest is cheap: 1.0 % longer" in said
    shown = statements.cost_as_markdown(table.assign(misprediction=[-1e-5, -0.01, 0.75]))
    assert shown.count("\n") == 4
    for change in ("| 0.0 % |", "| \N{MINUS SIGN}1.0 % |", "| +75.0 % |"):
        assert change in shown


@pytest.mark.parametrize("name", profile_names())
def test_the_printed_instance_can_be_read_back(name: str) -> None:
    lines = statements.instance_json(recorded_profile(name)).splitlines()[1:-1]
    fitted, measured = (json.loads("{" + line + "}")["prefill"] for line in lines)
    assert isinstance(prefill_from_mapping(fitted), BatchAwarePrefill)
    assert prefill_from_mapping(measured) == recorded_profile(name).curve


def test_tables_in_markdown_have_a_line_for_each_row() -> None:
    points = recorded_profile("prefill-small-fp32-cpu").points
    for text, count in (
        (statements.forms_as_markdown(compare_forms(points)), 3),
        (statements.batches_as_markdown(affine_by_batch(points)), points["num_ues"].nunique()),
        (statements.profiles_as_markdown(), len(profile_names())),
    ):
        assert len(text.splitlines()) == count + 2
