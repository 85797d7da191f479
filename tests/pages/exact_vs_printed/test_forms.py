"""Printed, exact and planned-with-printed delays in order, and what is drawn from them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from ctho import InputError, Reading, delay_at_length, solve
from ctho.pages.exact_vs_printed.forms import (
    ESTIMATES,
    compare_forms,
    largest_differences,
    scheme_orders,
)
from ctho.pages.exact_vs_printed.quoted import quoted_numbers
from ctho.proofs.instances import time_scale_s
from ctho.simulation import FIGURE_SWEEPS, Parameters, sample_handovers
from tests.strategies import handovers

SMALL = Parameters(realisations=100)


@settings(max_examples=40)
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
    points = len(FIGURE_SWEEPS["fig3a"].values) * 7 + len(FIGURE_SWEEPS["fig4"].values) * 9
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
    assert set(largest["scheme"]) == {"ctHO", "cHO"}


def test_intervals_are_those_of_the_paired_ratio(comparison):
    at = comparison[(comparison["figure"] == "fig3a") & (comparison["x"] == 4.5)]
    row = at[(at["scheme"] == "ctHO") & (at["form"] == "exact")].iloc[0]
    drawn = sample_handovers(SMALL)
    exact, printed = (solve(drawn, reading=Reading(form)).delay_s for form in ("exact", "printed"))
    residual = exact - exact.mean() / printed.mean() * printed
    half = 1.96 * residual.std(ddof=1) / np.sqrt(residual.size) / printed.mean()
    assert row["excess_high"] - row["excess"] == pytest.approx(half, rel=1e-3)
    assert row["excess"] - row["excess_low"] == pytest.approx(half, rel=1e-3)


def table_of(points, **values):
    """Made-up rows: by scheme the values of each form at the points, for means and ratios alike."""
    rows = []
    for scheme, by_form in values.items():
        for form, column in zip(("printed", "exact"), by_form, strict=True):
            for (figure, x), value in zip(points, column, strict=True):
                estimates = dict.fromkeys(ESTIMATES, 0.0) | {"mean": value, "ratio": value}
                rows.append({"figure": figure, "x": x, "scheme": scheme, "form": form} | estimates)
    return pd.DataFrame(rows)


FIGURE_4 = [("fig4", 300), ("fig4", 400), ("fig4", 500)]


def test_the_crossing_and_the_gap_of_figure_4():
    ctho, alone = ([1.0, 1.0, 1.0], [1.0, 1.5, 1.5]), [0.5, 1.5, 4.0]
    found = quoted_numbers(table_of(FIGURE_4, ctHO=ctho, **{"no-HO": (alone, alone)}))
    crossing, gap = found.to_dict("records")
    assert (crossing["printed"], crossing["exact"], crossing["unit"]) == (350.0, 400.0, "m")
    assert (gap["printed"], gap["exact"], gap["unit"]) == (3.0, 2.5, "s")
    assert gap["change"] == pytest.approx(-1 / 6)


def test_a_change_is_upwards_where_the_exact_number_is_larger():
    ctho, alone = ([3.0] * 3, [2.0] * 3), [1.0] * 3
    found = quoted_numbers(table_of(FIGURE_4, ctHO=ctho, **{"no-HO": (alone, alone)}))
    assert found["number"].tolist() == ["Fig. 4: no-HO above ctHO at 500 m"]
    assert found[["printed", "exact", "change"]].to_numpy().tolist() == [[-2.0, -1.0, 0.5]]


@pytest.mark.parametrize("most", range(4))
def test_the_largest_ratio_is_that_of_all_of_figure_3_and_of_no_other(most):
    points = [("fig3a", 2), ("fig3b", 5000), ("fig3c", 2048), ("fig3d", 12), *FIGURE_4]
    values = [1.0] * 4 + [99.0] * 3
    values[most] = 5.0
    both, alone, ctho = (values, values), ([98.0] * 7,) * 2, ([1.0] * 7,) * 2
    rows = table_of(points, ctHO=ctho, tHO=both, cHO=both, **{"no-HO": alone})
    found = quoted_numbers(rows).set_index("number")["exact"]
    assert found["Fig. 3: largest cHO over ctHO"] == 5
    assert found["Fig. 3: largest tHO over ctHO"] == 5
    without = quoted_numbers(rows[rows["figure"] != points[most][0]])
    assert not without["number"].str.contains("largest").any()


def test_the_order_of_the_schemes_at_each_point():
    points = [("fig3a", 2), ("fig3a", 3), ("fig4", 300)]
    rows = table_of(
        points,
        ctHO=([1, 1, 1], [1, 1, 1]),
        tHO=([2, 2, 1], [2, 4, 1]),
        cHO=([3, 3, 2], [3, 3, 2]),
        **{"no-HO": ([0, 0, 0], [0, 0, 0])},
    )
    orders = scheme_orders(rows)
    assert orders.index.tolist() == points
    assert orders["printed"].tolist() == [("ctHO", "tHO", "cHO")] * 3
    assert orders.loc[("fig3a", 3), "exact"] == ("ctHO", "cHO", "tHO")


def test_figures_are_asked_for_by_name_and_taken_once():
    with pytest.raises(InputError, match="figures is 'figX', but must be one of fig3a"):
        compare_forms(SMALL, ["figX"])
    with pytest.raises(InputError, match="figures"):
        compare_forms(SMALL, [])
    few = Parameters(realisations=2)
    twice = compare_forms(few, ["fig3d", "fig3d"])
    pd.testing.assert_frame_equal(twice, compare_forms(few, ["fig3d"]))
