"""The fit finds what was planted, ranks all, and says so."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from ctho.pages.why_numbers_differ import Search, fit_all
from ctho.pages.why_numbers_differ.changes import CHANGES, Change, hypotheses, together
from ctho.pages.why_numbers_differ.curves import (
    curves,
    largest_ratio,
    printed_marks,
    steps_in_figure_4,
)
from ctho.pages.why_numbers_differ.figure import residual_figure
from ctho.pages.why_numbers_differ.ranking import AS_GOOD, Fit, as_good, ranking
from ctho.pages.why_numbers_differ.targets import predictions, targets
from ctho.simulation import Parameters

BY_NAME = {change.name: change for change in CHANGES}
SMOOTH = [change for change in CHANGES if change.grid and change.name != "batch cycle"]


def of_size(fits: list[Fit], count: int) -> list[Fit]:
    return [fit for fit in fits if len(fit.changes) == count]


@pytest.fixture(scope="module")
def search() -> Search:
    return Search.of(Parameters(realisations=64), 32)


@pytest.fixture(scope="module")
def fits(search: Search) -> list[Fit]:
    return fit_all(search, [h for h in hypotheses() if BY_NAME["batch cycle"] not in h])


def plant(search: Search, changes: tuple[Change, ...], *numbers: float) -> Search:
    """As if the paper printed what a world with these changes gives."""
    world = together(changes, search.null, numbers)
    made = tuple(
        dataclasses.replace(target, value=float(value))
        for target, value in zip(search.targets, predictions(world, search.fine)[0], strict=True)
    )
    return dataclasses.replace(search, targets=made)


@pytest.mark.parametrize("change", SMOOTH, ids=lambda change: change.name)
def test_a_planted_change_is_found(change: Change, search: Search) -> None:
    middle = len(change.grid) // 2
    number = 0.6 * change.grid[middle] + 0.4 * change.grid[middle + 1]
    search = plant(search, (change,), number)
    best, *others = fit_all(search, [(one,) for one in SMOOTH] + [()])
    assert best.changes == (change,)
    assert best.misfit < 0.1
    assert best.numbers[0] == pytest.approx(number, rel=0.01)
    assert all(fit.score > best.score for fit in others)


def test_a_planted_cycle_is_found(search: Search) -> None:
    search = plant(search, (BY_NAME["batch cycle"],), 0.6)
    best = fit_all(search, [(BY_NAME["batch cycle"],), (BY_NAME["factor on a"],), ()])[0]
    assert best.changes == (BY_NAME["batch cycle"],)
    assert best.numbers[0] == pytest.approx(0.6, abs=0.01)


def test_a_planted_pair_is_found(search: Search) -> None:
    pair = (BY_NAME["constant in the prefill completion"], BY_NAME["speed"])
    search = plant(search, pair, 0.4, 17.5)
    best = fit_all(search, [pair, *((one,) for one in SMOOTH), ()])[0]
    assert best.changes == pair
    assert best.numbers == pytest.approx((0.4, 17.5), rel=0.03)


def test_the_null_is_the_best_where_nothing_is_planted(search: Search) -> None:
    search = plant(search, ())
    best = fit_all(search, [(), *((one,) for one in CHANGES)])[0]
    assert best.changes == ()
    assert best.misfit == 0


def test_all_pairs_but_those_of_one_group() -> None:
    sets = hypotheses()
    assert sets[0] == ()
    assert [len(chosen) for chosen in sets].count(1) == len(CHANGES)
    for chosen in sets:
        assert len({change.group for change in chosen}) == len(chosen)
    contexts = [change for change in CHANGES if change.group == "C"]
    excluded = len(contexts) * (len(contexts) - 1) // 2
    pairs = len(CHANGES) * (len(CHANGES) - 1) // 2
    assert len(sets) == 1 + len(CHANGES) + pairs - excluded


def test_the_printed_value_is_within_each_grid(search: Search) -> None:
    for change in CHANGES:
        if change.grid:
            printed = 1.0 if change.times else float(search.null[change.sets][0])
            assert change.grid[0] <= printed <= change.grid[-1], change.name
            assert list(change.grid) == sorted(set(change.grid))


def test_tolerances_come_from_the_ledger() -> None:
    by_id = {target.claim_id: target for target in targets()}
    assert by_id["ctho_at_12_users"].value == 0.95
    assert by_id["ctho_at_12_users"].tolerance == 0.025
    assert by_id["ratio_at_2_gbps"].value == pytest.approx(3.15)
    assert by_id["no_ho_best_below_375"].value == 0
    # 12.5 m of rounding, times a slope of some 8 ms a metre.
    assert 0.05 < by_id["no_ho_best_below_375"].tolerance < 0.2


def test_scales_hold_the_tolerance_and_the_error(search: Search) -> None:
    tolerance = np.array([target.tolerance for target in targets()])
    assert (search.scale > tolerance).all()
    assert (search.scale < 3 * tolerance).all()


def test_the_ranking_holds_every_hypothesis_in_order(fits: list[Fit]) -> None:
    table = ranking(fits, targets())
    assert len(table) == len(fits)
    assert (np.diff(table["score"]) > -1e-8).all()  # equal ones in the order of the changes
    assert (table["changes"] == 0).sum() == 1
    for row, fit in zip(table.itertuples(), fits, strict=True):
        assert row.misfit == pytest.approx(float((fit.residuals**2).sum()))
        assert row.score == pytest.approx(row.misfit + len(fit.changes) * np.log(6))
        assert row.met == sum(abs(r) <= 1 for r in fit.residuals)


def test_no_fit_is_worse_than_the_change_left_out(fits: list[Fit]) -> None:
    null = of_size(fits, 0)[0]
    for fit in of_size(fits, 1):
        if fit.changes[0] in SMOOTH:
            assert fit.misfit <= 1.01 * null.misfit, fit.changes[0].name


def test_the_search_is_deterministic(search: Search) -> None:
    chosen = [(BY_NAME["speed"],), (BY_NAME["factor on a"], BY_NAME["speed"])]
    first, second = fit_all(search, chosen), fit_all(search, chosen)
    assert [fit.numbers for fit in first] == [fit.numbers for fit in second]


def test_what_is_as_good_is_close_to_the_first(fits: list[Fit]) -> None:
    near = as_good(fits)
    assert near == fits[: len(near)]
    assert near[-1].score <= fits[0].score + AS_GOOD < fits[len(near)].score


def test_a_fit_says_what_it_meets(fits: list[Fit]) -> None:
    one = dataclasses.replace(fits[0], residuals=np.array([0.5, -3.0, 1.0, 2.0, -0.1, 0.0]))
    assert one.met == 4
    assert one.worst == 1
    assert one.misfit == pytest.approx(0.25 + 9 + 1 + 4 + 0.01)
    assert one.misfit_without_worst == pytest.approx(5.26)
    labels = [target.label for target in targets()]
    order = [labels[i] for i in (0, 2, 4, 5, 1, 3)]
    assert [label for label, _ in one.met_first(targets())] == order
    assert dict(one.met_first(targets()))[labels[1]] == 3.0


def test_the_picture_shows_every_residual(fits: list[Fit]) -> None:
    table = ranking(fits, targets())
    labels = {f"residual_{target.claim_id}": target.label for target in targets()}
    axes = residual_figure(table, labels, pairs=3).axes[0]
    rows = [label.get_text() for label in axes.get_yticklabels()]
    assert len(rows) == 1 + len(CHANGES) - 1 + 3
    heads = [label.get_text().replace("\n", ", ") for label in axes.get_xticklabels()]
    assert [head.replace(",", "") for head in heads] == [
        x.replace(",", "") for x in labels.values()
    ]
    pairs = table[table["changes"] == 2].head(3)
    shown = pd.concat([pairs, table[table["changes"] < 2]])
    drawn = sorted(float(text.get_text().replace("\N{MINUS SIGN}", "-")) for text in axes.texts)
    expected = sorted(shown[list(labels)].to_numpy().ravel())
    np.testing.assert_allclose(drawn, expected, rtol=0.06, atol=0.06)


def test_marks_lie_where_the_paper_prints(search: Search, fits: list[Fit]) -> None:
    table = curves(search, of_size(fits, 0)[0])
    marks = printed_marks(search, table)
    assert marks["fig3d"] == [("ctHO", 12, 0.95), ("tHO", 12, 1.25), ("cHO", 12, 3.35)]
    own = table[(table.figure == "fig3a") & (table.x == 2)].set_index("scheme")["mean"]
    ((scheme, x, value),) = marks["fig3a"]
    assert (scheme, x) == ("cHO", 2)
    assert value == pytest.approx(3.15 * own["ctHO"])


def test_jumps_are_told_from_smooth_curves(search: Search) -> None:
    null, cycle = sorted(
        fit_all(search, [(), (BY_NAME["batch cycle"],)]), key=lambda fit: len(fit.changes)
    )
    smooth = steps_in_figure_4(curves(search, null))
    assert smooth.turns == 0
    assert 0 < smooth.least_s < smooth.most_s
    long = dataclasses.replace(cycle, numbers=(0.884,))
    assert steps_in_figure_4(curves(search, long)).turns > 0


def test_the_largest_ratio_is_looked_for_in_figure_3_alone() -> None:
    rows = [
        ("fig3a", 2.0, 4.0, 1.0),
        ("fig3d", 12.0, 6.0, 1.2),
        ("fig3d", 4.0, 1.0, 1.0),
        ("fig4", 300.0, 9.0, 1.0),
    ]
    table = pd.DataFrame(
        [
            {"figure": figure, "x": x, "scheme": scheme, "mean": mean}
            for figure, x, over, under in rows
            for scheme, mean in (("cHO", over), ("ctHO", under))
        ]
    )
    assert largest_ratio(table, "cHO", "ctHO") == (5.0, "fig3d", 12.0)
