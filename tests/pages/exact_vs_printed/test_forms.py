"""Printed, exact and planned-with-printed delays in order, and what the tables make of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from ctho import InputError, Reading, delay_at_length, solve
from ctho.pages.exact_vs_printed.forms import ESTIMATES, compare_forms, largest_differences
from ctho.pages.exact_vs_printed.statements import (
    conclusions,
    conclusions_as_markdown,
    differences_as_markdown,
    summary_in_words,
)
from ctho.proofs.instances import time_scale_s
from ctho.simulation import SWEEPS, Parameters
from tests.strategies import handovers

SMALL = Parameters(realisations=300)


@given(handovers())
def test_printed_exact_and_printed_plan_come_in_this_order(h):
    printed = solve(h, reading=Reading("printed"))
    exact = solve(h)
    true = float(delay_at_length(h, printed.prefill_length_tok).delay_s)
    slack = 1e-12 * float(time_scale_s(h))
    assert float(printed.delay_s) <= float(exact.delay_s) + slack
    assert float(exact.delay_s) <= true + slack
    assert printed.prefill_length_tok <= exact.prefill_length_tok * (1 + 1e-12)


@pytest.fixture(scope="module")
def comparison():
    return compare_forms(SMALL, ["fig3a", "fig4"])


def test_every_point_scheme_and_form_is_there(comparison):
    points = len(SWEEPS["fig3a"].values) * 7 + len(SWEEPS["fig4"].values) * 9
    assert len(comparison) == points
    assert list(comparison.columns) == ["figure", "x", "scheme", "form", *ESTIMATES]


def test_only_what_transfers_differs(comparison):
    still = comparison[comparison["scheme"].isin(["tHO", "no-HO"])]
    assert (still["excess"] == 0).all()
    ctho = comparison[comparison["scheme"] == "ctHO"].pivot(
        index=["figure", "x"], columns="form", values="excess"
    )
    assert (ctho["printed"] == 0).all()
    assert (ctho["exact"] > 0).all()
    assert (ctho["printed plan, true delay"] >= ctho["exact"]).all()


def test_a_number_of_the_table_is_the_mean_of_its_samples(comparison):
    row = comparison[
        (comparison["figure"] == "fig3a")
        & (comparison["x"] == 4.5)
        & (comparison["scheme"] == "cHO")
    ].set_index("form")
    from ctho.simulation import sample_handovers

    drawn = sample_handovers(SMALL)
    for form in ("exact", "printed"):
        delay = solve(drawn, "cHO", Reading(form)).delay_s
        assert row.loc[form, "mean"] == pytest.approx(float(delay.mean()), rel=1e-12)
        ctho = solve(drawn, "ctHO", Reading(form)).delay_s
        assert row.loc[form, "ratio"] == pytest.approx(float(delay.mean() / ctho.mean()))


def test_the_largest_difference_is_the_largest(comparison):
    largest = largest_differences(comparison)
    for row in largest.to_dict("records"):
        same = comparison[
            (comparison["figure"] == row["figure"])
            & (comparison["scheme"] == row["scheme"])
            & (comparison["form"] == row["form"])
        ]
        assert row["excess"] == same["excess"].max()
    assert "printed" not in set(largest["form"])
    assert len(differences_as_markdown(largest).splitlines()) == 2 + len(largest)


def table_of(**means):
    """fig4 at three distances with made-up means, the same in both forms unless given twice."""
    rows = []
    for form in ("printed", "exact"):
        for scheme, values in means.items():
            for x, value in zip((300.0, 400.0, 500.0), values[form], strict=True):
                estimates = dict.fromkeys(ESTIMATES, 0.0) | {"mean": value}
                rows.append({"figure": "fig4", "x": x, "scheme": scheme, "form": form} | estimates)
    return pd.DataFrame(rows)


def test_the_crossing_and_the_gap_of_figure_4():
    ctho = {"printed": [1.0, 1.0, 1.0], "exact": [1.0, 1.5, 1.5]}
    alone = {"printed": [0.5, 1.5, 4.0], "exact": [0.5, 1.5, 4.0]}
    found = {row.what: row for row in conclusions(table_of(**{"ctHO": ctho, "no-HO": alone}))}
    crossing = found["Fig. 4: no-HO and ctHO cross at"]
    assert (crossing.printed, crossing.exact) == (350.0, 400.0)
    gap = found["Fig. 4: no-HO above ctHO at 500 m"]
    assert (gap.printed, gap.exact) == (3.0, 2.5)
    assert gap.change == pytest.approx(-1 / 6)


def test_numbers_that_the_run_does_not_hold_are_left_out():
    never = {"printed": [1.0, 1.0, 1.0], "exact": [1.0, 1.0, 1.0]}
    above = {"printed": [2.0, 3.0, 4.0], "exact": [2.0, 3.0, 4.0]}
    found = [row.what for row in conclusions(table_of(**{"ctHO": never, "no-HO": above}))]
    assert found == ["Fig. 4: no-HO above ctHO at 500 m"]


def test_the_summary_follows_the_order_of_the_schemes(comparison):
    words = " ".join(summary_in_words(comparison, conclusions(comparison)))
    assert "same under both forms" in words
    swapped = comparison.copy()
    at = (swapped["figure"] == "fig3a") & (swapped["x"] == 2) & (swapped["form"] == "exact")
    swapped.loc[at & (swapped["scheme"] == "ctHO"), "mean"] = np.float64(100.0)
    words = " ".join(summary_in_words(swapped, []))
    assert "changes at 1 of" in words
    assert "fig3a at 2" in words


def test_the_conclusions_are_a_table(comparison):
    found = conclusions(comparison)
    assert any(row.what.startswith("Fig. 3(a)") for row in found)
    assert not any("K = 12" in row.what for row in found)
    assert len(conclusions_as_markdown(found).splitlines()) == 2 + len(found)


def test_an_unknown_figure_is_refused():
    with pytest.raises(InputError, match="figures is 'figX', but must be one of fig3a"):
        compare_forms(SMALL, ["figX"])
