"""The figures of the page on Proposition 3 draw its tables, in their units."""

import numpy as np
import pandas as pd
import pytest

from tests.pages.proposition3.by_hand import jump_at, rates_of
from tests.rendering import table_rows


def line(axes, label):
    return next(line for line in axes.get_lines() if line.get_label() == label)


def test_the_climb_is_drawn(shown, one):
    left, _ = shown.figures["proposition3_newton"].axes
    assert (left.get_xlabel(), left.get_ylabel()) == ("Prefill length $L$ (tokens)", "Delay (s)")
    for label, of in (("$D^{(pf)}(L)$", one.prefill), ("$D^*_{(tx)}(L)$", one.transfer)):
        x, y = line(left, label).get_data()
        assert (x[0], x[-1]) == (0, one.context.max())
        np.testing.assert_allclose(y, [of(length) for length in x], atol=1e-9)
    assert line(left, "$V(0)$").get_xydata()[0] == pytest.approx([0, one.transfer(0)])
    steps = table_rows(shown.cells["climb-table"])[1:]
    dashed = [drawn for drawn in left.get_lines() if drawn.get_linestyle() == "--"]
    numbered = {label.get_text(): label.xy for label in left.texts}
    assert list(numbered) == [str(number + 1) for number in range(len(steps))]
    assert len(dashed) == len(steps)
    length = 0.0
    for drawn, end in zip(dashed, numbered.values(), strict=True):
        begin, reached = drawn.get_xydata()
        assert begin == pytest.approx([length, one.transfer(length)], abs=1e-6)
        assert reached == pytest.approx([reached[0], one.prefill(reached[0])], abs=1e-9)
        assert reached == pytest.approx(end)
        length = reached[0]
    assert length == pytest.approx(one.crossing, abs=1e-3)


def test_the_surroundings_of_the_optimum_are_drawn_in_milliseconds(shown, one):
    _, right = shown.figures["proposition3_newton"].axes
    assert (right.get_xlabel(), right.get_ylabel()) == (
        "Prefill length $L$ (tokens)",
        "$V(L)$ (ms)",
    )
    every, grid = line(right, "every $L$"), line(right, "lengths on the grid")
    for x, y in (every.get_data(), grid.get_data()):
        np.testing.assert_allclose(y, [1e3 * one.value(length) for length in x], atol=1e-6)
    if one.crossing:
        assert np.abs(every.get_xdata() - one.crossing).min() < 1e-3
    x, drawn = grid.get_xdata(), every.get_xdata()
    assert not np.any(x % one.step)
    assert (np.diff(x) == one.step).all()
    assert x[0] <= drawn[0] < x[0] + one.step / 2
    assert x[-1] == drawn[-1]
    assert np.abs(grid.get_xdata() - one.crossing).min() <= one.step


def test_the_jump_is_drawn_over_the_rates(shown, given):
    left, right = shown.figures["proposition3_zero_length"].axes
    rates = rates_of(given)
    none, cho, crossing, best = np.transpose([jump_at(given, gbps) for gbps in rates])
    for label, expected in (("crossing only", crossing), ("cHO", cho), ("ctHO", best)):
        x, y = line(left, label).get_data()
        assert list(x) == rates
        np.testing.assert_allclose(y, expected)
    assert left.get_ylabel().endswith("(s)")
    assert right.get_ylabel().endswith("(%)")
    assert right.get_ylim() == (0, 100)
    share = none / given["realisations"]
    np.testing.assert_allclose(right.get_lines()[0].get_ydata(), 100 * share)
    corners = right.collections[0].get_paths()[0].vertices
    half = 1.96 * np.sqrt(share * (1 - share) / (given["realisations"] - 1))
    for at, low, high in zip(rates, share - half, share + half, strict=True):
        drawn = corners[corners[:, 0] == at][:, 1]
        assert [drawn.min(), drawn.max()] == pytest.approx([100 * low, 100 * high], abs=0.01)
    for axes in (left, right):
        assert axes.get_xlabel() == "Backhaul rate $R_{bh}$ (Gbps)"
        assert [label.get_text() for label in axes.get_xticklabels()] == [f"{x:g}" for x in rates]


def test_figures_and_tables_have_their_names(shown):
    assert list(shown.figures) == ["proposition3_newton", "proposition3_zero_length"]
    jump, restrictions = (
        pd.read_csv(shown.build_dir / "results" / f"proposition3_{name}.csv")
        for name in ("zero_length", "restrictions")
    )
    assert "no batch" in set(jump["what"])
    assert "everyone counts" in set(restrictions["restriction"])
