"""Figures 3 and 4: each page sweeps its own axis, and says, draws and writes what it found."""

import re

import numpy as np
import pandas as pd
import pytest

from ctho import total_delay_s
from ctho.publishing.parameters import parameters_of
from ctho.simulation import FIGURE_SWEEPS, Parameters, delay_samples
from tests.rendering import ROOT, numbers, table_rows

FEW = Parameters(realisations=200)
POINTS = {
    "fig3a": (4.5, {"backhaul_gbps": 4.5}),
    "fig3b": (5000, {"prefill_s_per_tok": 1 / 5000}),
    "fig3c": (8192, {"context_max_tok": 8192}),
    "fig3d": (8, {"num_ues": 8}),
    "fig4": (450, {}),
}
"""A point of each axis, and the parameters that it stands for."""

TITLES = {"fig3a": "3(a)", "fig3b": "3(b)", "fig3c": "3(c)", "fig3d": "3(d)", "fig4": "4"}
AXES = {
    "fig3a": ("R_{bh}", "Gbps"),
    "fig3b": ("1/a", "tokens/s"),
    "fig3c": ("C_{max}", "tokens"),
    "fig3d": ("K", ""),
    "fig4": ("D_{bs}", "m"),
}
each_page = pytest.mark.parametrize("name", POINTS)

CASES = [
    *((name, {}) for name in POINTS),
    # ctHO and cHO tie where no batch is ever run; points in any order, one of them twice.
    ("fig3a", {"backhaul_gbps_values": [400.0, 4.5, 400.0]}),
    # One point, one user, nothing random left in the ratio of tHO to ctHO.
    ("fig3d", {"num_ues_values": [1], "transfer": "printed", "zero_length": "waits_for_batch"}),
    # The batch costs nothing, nobody waits for it, and a ratio to no delay is none.
    (
        "fig3c",
        {"num_ues": 1, "prefill_s_per_tok": 0.0, "prefill_offset_s": 0.0, "start_min_m": 130.0},
    ),
    # Without a handover some tokens never arrive; then none arrive at all.
    ("fig4", {"generated_tok": 1e5}),
    ("fig4", {"generated_tok": 1e7}),
]


@pytest.fixture
def sweep_page(page):
    def shown(name, **parameters):
        return page(name, realisations=FEW.realisations, **parameters)

    return shown


def written(shown, name):
    return pd.read_csv(shown.build_dir / "results" / f"{name}.csv")


def means_of(table):
    """Mean by x (ascending) and scheme, a nested dictionary."""
    x = sorted(table["x"].unique())
    return {
        value: dict(table[table["x"] == value][["scheme", "mean"]].itertuples(index=False))
        for value in x
    }


@each_page
def test_the_parameters_cell_holds_the_sweeps_own_axis_alone(name):
    sweep = FIGURE_SWEEPS[name]
    given = parameters_of(ROOT / "notebooks" / f"{name}.ipynb")
    assert given == {f"{sweep.x}_values": list(sweep.values)}
    assert POINTS[name][0] in sweep.values


@each_page
def test_nothing_but_the_axis_is_changed(sweep_page, name):
    assert sweep_page(name).names["parameters"] == FEW


@each_page
def test_a_page_writes_under_its_own_name(sweep_page, name):
    shown = sweep_page(name)
    assert [file.name for file in shown.build_dir.rglob("*.*")] == [f"{name}.csv"]
    assert list(shown.figures) == [name]
    assert shown.cells["title"].startswith(f"# Figure {TITLES[name]}:")


@each_page
def test_the_table_is_an_estimate_made_by_hand(sweep_page, name):
    x, changes = POINTS[name]
    samples = delay_samples(FEW.replace(**changes))
    if name == "fig4":
        # The new base station stands at 450 m, and the boundary half way.
        def total_s(delay, offset_m):
            p = FEW
            return total_delay_s(p.radio_link, delay, offset_m, p.speed_mps, p.generated_tok)

        samples = {scheme: total_s(delay, -225.0) for scheme, delay in samples.items()}
        samples["no-HO"] = total_s(np.zeros(200), 225.0)
    table = written(sweep_page(name), name)
    at = table[table["x"] == x].set_index("scheme")
    assert set(at.index) == set(samples)
    for scheme, delay in samples.items():
        half = 1.96 * delay.std(ddof=1) / np.sqrt(200)
        assert at["mean"][scheme] == pytest.approx(delay.mean(), rel=1e-12)
        assert at["ci_high"][scheme] - at["mean"][scheme] == pytest.approx(half, rel=1e-4)
        assert at["mean"][scheme] - at["ci_low"][scheme] == pytest.approx(half, rel=1e-4)


@each_page
def test_the_drawing_is_the_table(sweep_page, name):
    shown = sweep_page(name)
    table, (axes,) = written(shown, name), shown.figures[name].axes
    by_scheme = dict(list(table.groupby("scheme", sort=False)))
    assert [line.get_label() for line in axes.lines] == list(by_scheme)
    for line, band in zip(axes.lines, axes.collections, strict=True):
        rows = by_scheme[line.get_label()]
        np.testing.assert_array_equal(line.get_xydata(), rows[["x", "mean"]])
        corners = {tuple(corner) for corner in band.get_paths()[0].vertices}
        for end in ("ci_low", "ci_high"):
            assert set(rows[["x", end]].itertuples(index=False, name=None)) <= corners
    symbol, unit = AXES[name]
    assert axes.get_xlabel().endswith(f"${symbol}$" + f" ({unit})" * bool(unit))
    what = "total streaming" if name == "fig4" else "LLM handover"
    assert axes.get_ylabel() == f"Worst-user {what} delay (s)"
    assert axes.get_ylim()[0] == 0


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_the_markdown_table_is_the_table(sweep_page, name, parameters):
    shown = sweep_page(name, **parameters)
    head, *rows = table_rows(shown.cells["table"])
    table = written(shown, name)
    by_x = table.drop_duplicates().groupby("x", sort=False)
    assert head[0] == FIGURE_SWEEPS[name].label
    assert head[1:] == [f"{scheme} (s)" for scheme in table["scheme"].unique()]
    assert len(rows) == len(by_x)
    for (x, here), cells in zip(by_x, rows, strict=True):
        assert float(cells[0].replace(",", "")) == x
        by_scheme = here.set_index("scheme")
        for scheme, cell in zip(head[1:], cells[1:], strict=True):
            mean, ci_high = by_scheme.loc[scheme.removesuffix(" (s)"), ["mean", "ci_high"]]
            if np.isinf(mean):
                assert cell == "∞"
                continue
            value, *half = numbers(cell)
            assert value == pytest.approx(mean, abs=5.1e-4)
            if half:
                assert half[0] == pytest.approx(ci_high - mean, abs=1e-3)
            assert bool(half) == (ci_high > mean)


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_the_lowest_mean_is_that_of_whom_it_says(sweep_page, name, parameters):
    shown = sweep_page(name, **parameters)
    sentence = shown.cells["reading"].splitlines()[0]
    symbol, unit = AXES[name]
    assert "lowest mean" in sentence
    found = {}
    for schemes, where in re.findall(r"\*\*(.+?)\*\* at ([^*]+)", sentence):
        assert where.startswith(f"${symbol}$ = ")
        assert re.search(rf"\d {unit}\b" if unit else r"\d\D*$", where)
        ends = numbers(where.partition("=")[2])
        for x in means_of(written(shown, name)):
            if ends[0] <= x <= ends[-1]:
                assert x not in found
                found[x] = set(re.split(", | and ", schemes))
    assert found == {
        x: {scheme for scheme, mean in means.items() if mean <= min(means.values()) * (1 + 1e-9)}
        for x, means in means_of(written(shown, name)).items()
    }


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_the_others_take_as_many_times_as_long_as_it_says(sweep_page, name, parameters):
    shown = sweep_page(name, **parameters)
    means, (_, *lines) = means_of(written(shown, name)), shown.cells["reading"].splitlines()
    symbol, unit = AXES[name]
    defined = {x: m for x, m in means.items() if 0 < m["ctHO"] < np.inf}
    ends = sorted({min(means), max(means)} & set(defined))
    bullets = [line for line in lines if line]
    for x, bullet in zip(ends, bullets, strict=True):
        place, _, beside = bullet.partition(", ")
        assert place == f"- At ${symbol}$ = {x:,g} {unit}".rstrip()
        assert beside.endswith("times as long as ctHO.")
        said = dict(re.findall(r"(\S+) takes ([\d.,]*\d|∞)", beside))
        assert set(said) == set(means[x]) - {"ctHO"}
        for scheme, ratio in said.items():
            expected = means[x][scheme] / means[x]["ctHO"]
            assert float(ratio.replace("∞", "inf")) == pytest.approx(expected, abs=5.1e-4)


def test_the_interval_of_a_ratio_is_of_paired_samples(sweep_page):
    samples = delay_samples(FEW.replace(backhaul_gbps=10))
    ratio = samples["cHO"].mean() / samples["ctHO"].mean()
    rest = samples["cHO"] - ratio * samples["ctHO"]
    half = 1.96 * rest.std(ddof=1) / np.sqrt(200) / samples["ctHO"].mean()
    said = sweep_page("fig3a").cells["reading"].splitlines()[-1].partition("cHO takes ")[2]
    assert numbers(said)[:2] == pytest.approx([ratio, half], abs=5.1e-4)


@each_page
def test_provenance_names_the_axis_and_the_seed(sweep_page, name):
    card = sweep_page(name).cells["provenance"]
    assert f"`{FIGURE_SWEEPS[name].x}_values = {list(FIGURE_SWEEPS[name].values)}`" in card
    assert "| Seed | `20260328` |" in card
    assert "| Realisations | `200` |" in card
