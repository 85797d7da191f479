"""The page's sentences are those of its fits, and each column stands under its own head."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from ctho.pages.why_numbers_differ.curves import largest_ratio, steps_in_figure_4
from ctho.pages.why_numbers_differ.ranking import as_good, rounded
from ctho.simulation import FIGURE_SWEEPS
from tests.rendering import Page, numbers, table_rows

SETS = (
    {"realisations": 200},
    {"realisations": 64, "coarse_realisations": 16, "seed": 3},
    {"realisations": 16, "coarse_realisations": 4},
)


@pytest.fixture(scope="module", params=SETS, ids=str)
def shown(request: pytest.FixtureRequest, page: Callable[..., Page]) -> Page:
    return page("why_numbers_differ", **request.param)


def fits_of(shown: Page, count: int) -> list:
    return [fit for fit in shown.names["fits"] if len(fit.changes) == count]


def test_the_targets_stand_beside_what_the_printed_parameters_give(shown: Page) -> None:
    head, *rows = table_rows(shown.cells["targets"])
    assert head == ["Printed number", "Stands for", "Tolerance", "Printed parameters give"]
    (null,) = fits_of(shown, 0)
    for row, target, given in zip(rows, shown.names["search"].targets, null.predicted, strict=True):
        assert row[0] == target.label
        found = [numbers(cell)[0] for cell in row[1:]]
        assert found == pytest.approx([target.value, target.tolerance, given], rel=0.005)


def test_the_null_is_placed(shown: Page) -> None:
    (null,) = fits_of(shown, 0)
    fits = shown.names["fits"]
    text = shown.cells["null"]
    assert f"meet {null.met} of the 6 numbers" in text
    assert f"Of {len(fits)} hypotheses they rank {fits.index(null) + 1}." in text
    assert (
        f"{shown.names['parameters'].realisations:,} realisations, the ledger over 20,000" in text
    )


def test_the_ranking_has_its_columns(shown: Page) -> None:
    head, *rows = table_rows(shown.cells["ranking"])
    rows = [row for row in rows if row != head]
    assert len(rows) == 1 + len(fits_of(shown, 1)) + 12
    assert [int(row[0]) for row in rows] == sorted(int(row[0]) for row in rows)
    for row in rows:
        fit = shown.names["fits"][int(row[0]) - 1]
        cells = dict(zip(head, row, strict=True))
        assert cells["Hypothesis"] == fit.name
        assert cells["Fitted"] == fit.fitted
        assert (cells["Misfit"], cells["Score"]) == (rounded(fit.misfit), rounded(fit.score))
        assert cells["Misfit else"] == rounded(fit.misfit_without_worst)
        assert numbers(cells["Met"])[0] == sum(abs(r) <= 1 for r in fit.residuals)
        worst = fit.residuals[np.abs(fit.residuals).argmax()]
        assert numbers(cells["Missed by most"])[-1] == pytest.approx(worst, rel=0.005)


def test_the_best_single_change_and_pair_are_the_first_of_their_size(shown: Page) -> None:
    singles, pairs = fits_of(shown, 1), fits_of(shown, 2)
    text = shown.cells["singles"]
    assert f"The best single change is *{singles[0].name}*" in text
    assert f"next comes *{singles[1].name}*" in text
    assert ("No single change meets every" in text) == (max(fit.met for fit in singles) < 6)
    (null,) = fits_of(shown, 0)
    useless = [fit for fit in singles if fit.misfit > 0.9 * null.misfit]
    assert f"left by {len(useless)} of {len(singles)} single changes" in text
    assert text.count(": met") == singles[0].met
    text = shown.cells["pairs"]
    assert f"The best of {len(pairs)} pairs is *{pairs[0].name}*" in text
    near = as_good(pairs)[1:]
    assert all(f"*{fit.name}*" in text for fit in near)
    assert ("no other pair" in text) == (not near)
    assert ("score lies" in text) == (len(near) < 2)


def test_the_lead_is_placed_among_the_single_changes(shown: Page) -> None:
    singles = fits_of(shown, 1)
    lead = next(fit for fit in singles if fit.name == "constant in the prefill completion")
    place, text = singles.index(lead) + 1, shown.cells["lead"]
    assert f"puts the constant at {lead.numbers[0]:.2f} s" in text
    assert ("the best of the single changes" if place == 1 else f"number {place} of the") in text
    else_best = min(singles, key=lambda fit: fit.misfit_without_worst)
    assert ("it is the best of them" in text) == (else_best is lead)
    assert f"with a misfit of {rounded(lead.misfit_without_worst)}" in text
    assert text.count(": met") == lead.met


def test_what_cannot_be_known_counts_what_is_as_good(shown: Page) -> None:
    fits, text = shown.names["fits"], shown.cells["unknown"]
    near = as_good(fits)
    assert ("No other hypothesis" in text) == (len(near) == 1)
    assert all(f"*{fit.name}*" in text for fit in near)
    free = len(fits[0].numbers)
    if free:
        assert f"{6 - free} are left to test it" in text


def test_the_factors_and_steps_are_those_of_the_curves(shown: Page) -> None:
    for name, curve in shown.names["drawn"].items():
        line = next(each for each in shown.cells["abstract"].splitlines() if f"- {name}:" in each)
        for over in ("cHO", "tHO"):
            ratio = largest_ratio(curve, over, "ctHO")
            place = FIGURE_SWEEPS[ratio.figure].place.format(ratio.x)
            assert f"{over} / ctHO at most {ratio.value:.2f}, at {place}" in line
        line = next(each for each in shown.cells["jumps"].splitlines() if f"- {name}:" in each)
        steps = steps_in_figure_4(curve)
        assert ("steadily" in line) == (steps.turns == 0)
        assert ("rises" in line) == (steps.least_s > 0)


def test_the_redrawn_figures_are_the_curves(shown: Page) -> None:
    figure, drawn = shown.figures["hypotheses_redrawn"], shown.names["drawn"]
    panels = len(FIGURE_SWEEPS)
    assert len(figure.axes) == panels * len(drawn)
    curve = next(iter(drawn.values()))
    means = curve[(curve["figure"] == "fig3a") & (curve["scheme"] == "cHO")]["mean"].to_numpy()
    lines = [line.get_ydata() for axes in figure.axes for line in axes.lines]
    assert any(len(y) == len(means) and np.allclose(y, means) for y in lines)


def test_the_table_written_is_the_ranking(shown: Page) -> None:
    table = pd.read_csv(shown.build_dir / "results" / "hypotheses.csv")
    fits = shown.names["fits"]
    assert table["hypothesis"].tolist() == [fit.name for fit in fits]
    np.testing.assert_allclose(table["misfit"], [fit.misfit for fit in fits])
