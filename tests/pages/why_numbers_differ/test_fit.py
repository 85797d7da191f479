"""The fit finds what was planted, ranks all, and says so."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from ctho.pages.why_numbers_differ import (
    CHANGES,
    Change,
    Fit,
    Search,
    combinations,
    curves,
    fit_all,
    printed_marks,
    ranking,
    statements,
    targets,
)
from ctho.pages.why_numbers_differ import fit as fit_module
from ctho.pages.why_numbers_differ.changes import together
from ctho.pages.why_numbers_differ.figure import residual_figure
from ctho.pages.why_numbers_differ.targets import predictions
from ctho.simulation import Parameters

BY_NAME = {change.name: change for change in CHANGES}
SMOOTH = [change for change in CHANGES if change.free and change.name != "batch cycle"]


@pytest.fixture(scope="module")
def search() -> Search:
    return Search.of(Parameters(), coarse=32, fine=64)


@pytest.fixture(scope="module")
def fits(search: Search) -> list[Fit]:
    return fit_all(search, [h for h in combinations() if BY_NAME["batch cycle"] not in h])


def plant(
    monkeypatch: pytest.MonkeyPatch, search: Search, changes: tuple[Change, ...], *numbers: float
) -> None:
    """Let the paper print what a world with these changes gives."""
    world = together(changes, search.null, numbers)
    made = tuple(
        dataclasses.replace(target, value=float(value))
        for target, value in zip(targets(), predictions(world, search.fine)[0], strict=True)
    )
    monkeypatch.setattr(fit_module, "targets", lambda: made)


@pytest.mark.parametrize("change", SMOOTH, ids=lambda change: change.name)
def test_a_planted_change_is_found(
    change: Change, monkeypatch: pytest.MonkeyPatch, search: Search
) -> None:
    middle = len(change.grid) // 2
    number = 0.6 * change.grid[middle] + 0.4 * change.grid[middle + 1]
    plant(monkeypatch, search, (change,), number)
    best, *others = fit_all(search, [(one,) for one in SMOOTH] + [()])
    assert best.changes == (change,)
    assert best.misfit < 0.1
    assert best.numbers[0] == pytest.approx(number, rel=0.01)
    assert all(fit.score > best.score for fit in others)


def test_a_planted_cycle_is_found(monkeypatch: pytest.MonkeyPatch, search: Search) -> None:
    plant(monkeypatch, search, (BY_NAME["batch cycle"],), 0.6)
    best = fit_all(search, [(BY_NAME["batch cycle"],), (BY_NAME["factor on a"],), ()])[0]
    assert best.changes == (BY_NAME["batch cycle"],)
    assert best.numbers[0] == pytest.approx(0.6, abs=0.01)


def test_a_planted_pair_is_found(monkeypatch: pytest.MonkeyPatch, search: Search) -> None:
    pair = (BY_NAME["constant in the prefill completion"], BY_NAME["speed"])
    plant(monkeypatch, search, pair, 0.4, 17.5)
    best = fit_all(search, [pair, *((one,) for one in SMOOTH), ()])[0]
    assert best.changes == pair
    assert best.numbers == pytest.approx((0.4, 17.5), rel=0.03)


def test_the_null_is_the_best_where_nothing_is_planted(
    monkeypatch: pytest.MonkeyPatch, search: Search
) -> None:
    plant(monkeypatch, search, ())
    best = fit_all(search, [(), *((one,) for one in CHANGES)])[0]
    assert best.changes == ()
    assert best.misfit == 0


def test_all_pairs_but_those_of_one_group() -> None:
    sets = combinations()
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
        if change.free:
            printed = 1.0 if change.times else float(search.null[change.free][0])
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
    table = ranking.ranking(fits)
    assert len(table) == len(fits)
    assert table["score"].is_monotonic_increasing
    assert (table["changes"] == 0).sum() == 1
    for row, fit in zip(table.itertuples(), fits, strict=True):
        assert row.misfit == pytest.approx(float((fit.residuals**2).sum()))
        assert row.score == pytest.approx(row.misfit + len(fit.changes) * np.log(6))
        assert row.met == sum(abs(r) <= 1 for r in fit.residuals)


def test_no_fit_is_worse_than_the_change_left_out(fits: list[Fit]) -> None:
    null = ranking.null_fit(fits)
    for fit in ranking.of_size(fits, 1):
        if fit.changes[0] in SMOOTH:
            assert fit.misfit <= 1.01 * null.misfit, fit.changes[0].name


def test_the_search_is_deterministic(search: Search) -> None:
    chosen = [(BY_NAME["speed"],), (BY_NAME["factor on a"], BY_NAME["speed"])]
    first, second = fit_all(search, chosen), fit_all(search, chosen)
    assert [fit.numbers for fit in first] == [fit.numbers for fit in second]


def test_sentences_follow_the_fits(fits: list[Fit]) -> None:
    null = ranking.null_fit(fits)
    assert f"meet {null.met} of the 6 numbers" in statements.null_in_words(fits)
    singles = ranking.of_size(fits, 1)
    assert f"The best single change is *{singles[0].changes[0].name}*" in (
        statements.singles_in_words(fits)
    )
    perfect = dataclasses.replace(singles[0], residuals=np.zeros(6))
    assert "meets every printed number" in statements.singles_in_words([null, perfect, *singles])
    lead = statements.constant_in_words(fits, 0.3)
    constant = next(f for f in singles if f.changes[0].name.startswith("constant in the prefill"))
    assert f"puts the constant at {constant.numbers[0]:.2f} s" in lead
    assert f"number {singles.index(constant) + 1} of the single changes" in lead
    assert lead.count(": met\n") == constant.met
    assert lead.count(" times the tolerance") == 6 - constant.met
    assert "over 256 realisations, the ledger over" in statements.realisations_in_words(256)
    assert "as the ledger does" in statements.realisations_in_words(Parameters().realisations)
    alone = [null, *singles, *ranking.of_size(fits, 2)[:1]]
    assert re.match(r"\d+ hypothes[ei]s lies? within", statements.unknown_in_words(alone))


def test_tables_and_the_picture_show_all_singles(fits: list[Fit]) -> None:
    shown = ranking.ranking_as_markdown(fits, pairs=3)
    assert shown.count("\n") + 1 == 2 + 1 + len(ranking.of_size(fits, 1)) + 3
    folded = ranking.ranking_as_markdown(fits, pairs=3, top=5)
    rest = len(ranking.of_size(fits, 1)) + 4 - 5
    assert f"<summary>The other {rest}</summary>" in folded
    assert folded.count("| Rank |") == 2
    labels = {f"residual_{target.claim_id}": target.label for target in targets()}
    axes = residual_figure(ranking.ranking(fits), labels, pairs=3).axes[0]
    assert len(axes.get_yticklabels()) == 1 + len(ranking.of_size(fits, 1)) + 3
    assert len(axes.texts) == 6 * len(axes.get_yticklabels())


def test_marks_lie_where_the_paper_prints(search: Search, fits: list[Fit]) -> None:
    table = curves(search, ranking.null_fit(fits))
    marks = printed_marks(table)
    assert marks["fig3d"] == [("ctHO", 12, 0.95), ("tHO", 12, 1.25), ("cHO", 12, 3.35)]
    own = table[(table.figure == "fig3a") & (table.x == 2)].set_index("scheme")["mean"]
    ((scheme, x, value),) = marks["fig3a"]
    assert (scheme, x) == ("cHO", 2)
    assert value == pytest.approx(3.15 * own["ctHO"])


def test_jumps_are_told_from_smooth_curves(search: Search) -> None:
    null, cycle = fit_all(search, [(), (BY_NAME["batch cycle"],)])
    null, cycle = sorted((null, cycle), key=lambda fit: len(fit.changes))
    assert "steadily" in statements.jumps_in_words(curves(search, null), "null")
    long = dataclasses.replace(cycle, numbers=(0.884,))
    assert "turns" in statements.jumps_in_words(curves(search, long), "cycle")
