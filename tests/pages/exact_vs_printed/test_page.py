"""The page on the printed and the exact form as it reads and looks, under several parameters."""

import re

import numpy as np
import pandas as pd
import pytest

from ctho import Reading, delay_at_length, solve
from ctho.simulation import FIGURE_SWEEPS, Parameters, sample_handovers
from ctho.streaming import streaming_delay_s, total_delay_s
from tests.rendering import numbers, table_rows

ALL = ["fig3a", "fig3b", "fig3c", "fig3d", "fig4"]
FORMS = ("printed", "exact")
PLAN = "printed plan, true delay"
SCHEMES = ("ctHO", "tHO", "cHO")
SETS = {
    "default": {"realisations": 100},
    "one user": {"realisations": 100, "num_ues": 1, "figures": ["fig3b"]},
    "all at once": {"realisations": 100, "start_min_m": 130.0, "figures": ["fig3d", "fig4"]},
    "a smaller cache": {"realisations": 100, "kv_bits_per_tok": 4e5, "figures": ["fig3a"]},
}


@pytest.fixture(params=SETS, ids=str)
def given(request):
    return SETS[request.param]


@pytest.fixture
def shown(page, given):
    return page("exact_vs_printed", **given)


@pytest.fixture(scope="module")
def found():
    """Mean delays by (figure, x), form and scheme of each set, drawn and solved here."""
    by_set = {}

    def means(given):
        key = id(given)
        if key not in by_set:
            by_set[key] = mean_delays(given)
        return by_set[key]

    return means


@pytest.fixture
def means(found, given):
    return found(given)


def mean_delays(given):
    base = Parameters(**{name: value for name, value in given.items() if name != "figures"})
    means = {}
    for figure in given.get("figures", ALL):
        sweep = FIGURE_SWEEPS[figure]
        for x in sweep.values:
            p = sweep.point(base, x)
            drawn = sample_handovers(p)
            by_form = {
                form: {name: solve(drawn, name, Reading(form)).delay_s for name in SCHEMES}
                for form in FORMS
            }
            length = solve(drawn, reading=Reading("printed")).prefill_length_tok
            by_form[PLAN] = {"ctHO": delay_at_length(drawn, length).delay_s}
            if figure == "fig4":
                by_form = {
                    form: {name: streamed_s(p, delay) for name, delay in delays.items()}
                    for form, delays in by_form.items()
                }
                alone = streaming_delay_s(p.radio_link, p.boundary_m, p.speed_mps, p.generated_tok)
                for form in FORMS:
                    by_form[form]["no-HO"] = np.asarray(alone)
            means[figure, x] = {
                form: {name: float(delay.mean()) for name, delay in delays.items()}
                for form, delays in by_form.items()
            }
    return means


def streamed_s(p, delay_s):
    """Total streaming delay after a handover that takes so long, Eq. (30)."""
    offset_m = p.boundary_m - p.bs_distance_m
    return total_delay_s(p.radio_link, delay_s, offset_m, p.speed_mps, p.generated_tok)


def excess(means, point, form, scheme="ctHO"):
    return means[point][form][scheme] / means[point]["printed"][scheme] - 1


def place(point):
    """A point of a sweep, from the words of the page: the figure's letter and the value."""
    figure, x = point
    return ("4" if figure == "fig4" else f"3({figure[-1]})", x)


def places_in(text):
    """Every point that a text names, in its order."""
    points = re.findall(r"Figure (4|3\([a-d]\)), \$[^$]*\$ = ([\d.,]+)", text)
    return [(figure, float(x.rstrip(".,").replace(",", ""))) for figure, x in points]


def test_how_far_the_forms_are_apart(shown, means):
    text = shown.cells["box"]
    apart = {form: max(excess(means, point, form) for point in means) for form in ("exact", PLAN)}
    if apart[PLAN] > 1e-9:
        found = re.search(
            r"up to \*\*(.*) %\*\* above .* \((.*)\)\. .* up to \*\*(.*) %\*\* more .* \((.*)\)\.",
            text,
        )
        for share, where, form in ((found[1], found[2], "exact"), (found[3], found[4], PLAN)):
            assert float(share) == pytest.approx(100 * apart[form], rel=0.05)
            point = max(means, key=lambda point: excess(means, point, form))
            assert places_in(where) == [place(point)]
    else:
        assert "give the same mean at every point" in text


def test_where_the_order_of_the_schemes_changes(shown, means):
    text = shown.cells["box"]
    orders = {
        point: [sorted(SCHEMES, key=forms[form].get) for form in FORMS]
        for point, forms in means.items()
    }
    moved = [point for point, (printed, exact) in orders.items() if printed != exact]
    first = sum(exact[0] == "ctHO" for _, exact in orders.values())
    sentence = next(each for each in text.splitlines() if each.startswith("The order"))
    assert numbers(sentence.partition("ctHO is first at ")[2])[0] == first
    if moved:
        assert numbers(sentence)[:2] == [len(moved), len(means)]
        assert places_in(sentence) == [place(point) for point in moved]
    else:
        assert "is the same" in sentence
        assert numbers(sentence)[0] == len(means)


def quoted(means):
    """What Section IV quotes: by its name in the table, the printed and the exact value."""
    values = {}
    for form in FORMS:
        at = {point: forms[form] for point, forms in means.items()}
        over = {
            name: {point: of[name] / of["ctHO"] for point, of in at.items()}
            for name in ("cHO", "tHO")
        }
        rows = {}
        if ("fig3a", 2) in at:
            rows["Fig. 3(a): cHO over ctHO at 2 Gbps"] = over["cHO"]["fig3a", 2]
        if {figure for figure, _ in at} >= set(ALL[:4]):
            for name, ratios in over.items():
                largest = max(ratio for (figure, _), ratio in ratios.items() if figure != "fig4")
                rows[f"Fig. 3: largest {name} over ctHO"] = largest
        if ("fig3d", 12) in at:
            for name in ("ctHO", "cHO"):
                rows[f"Fig. 3(d): {name} at K = 12 (s)"] = at["fig3d", 12][name]
        if ("fig4", 500) in at:
            x = FIGURE_SWEEPS["fig4"].values
            gaps = [at["fig4", each]["no-HO"] - at["fig4", each]["ctHO"] for each in x]
            rows["Fig. 4: no-HO and ctHO cross at (m)"] = np.interp(0, gaps, x)
            rows["Fig. 4: no-HO above ctHO at 500 m (s)"] = gaps[-1]
        for name, value in rows.items():
            values.setdefault(name, []).append(value)
    return values


def test_the_numbers_that_the_text_quotes(shown, means):
    expected = quoted(means)
    cells = shown.cells["conclusions-table"]
    if not expected:
        assert not table_rows(cells)
        return
    head, *rows = table_rows(cells)
    assert head[1:] == ["printed form", "exact", "change"]
    assert [row[0] for row in rows] == list(expected)
    for (_, *cells), (printed, exact) in zip(rows, expected.values(), strict=True):
        values = [numbers(cell)[0] for cell in cells]
        assert values[:2] == pytest.approx([printed, exact], rel=1e-3)
        assert values[2] == pytest.approx(100 * (exact / printed - 1), rel=0.06, abs=1e-6)


def test_the_number_that_moves_most(shown, means):
    expected = quoted(means)
    change = {name: exact / printed - 1 for name, (printed, exact) in expected.items()}
    text = shown.cells["box"]
    sentence = next(each for each in text.splitlines() if "Section IV" in each)
    if not expected:
        assert sentence.startswith("This run holds none")
        return
    assert numbers(sentence)[0] == len(expected)
    assert ("1 number that" in sentence) == (len(expected) == 1)
    if max(map(abs, change.values())) < 1e-9:
        assert sentence.endswith("and none of them moves.")
        return
    most = max(change, key=lambda name: abs(change[name]))
    found = re.search(r'"(.*)" moves most, by (.*) %, from (\S+) to (.*)\.$', sentence)
    assert found[1] in most
    assert float(found[2]) == pytest.approx(100 * change[most], rel=0.06)
    assert [float(found[3]), numbers(found[4])[0]] == pytest.approx(expected[most], rel=1e-3)


def test_the_largest_differences_in_their_columns(shown, means):
    head, *rows = table_rows(shown.cells["largest-table"])
    assert head[:4] == ["scheme", "form", "point of the sweep", "mean (s)"]
    assert head[4].endswith("(%)")
    figures = list(dict.fromkeys(figure for figure, _ in means))
    of_figure = [("ctHO", "exact"), ("cHO", "exact"), ("ctHO", PLAN)]
    assert [tuple(row[:2]) for row in rows] == of_figure * len(figures)
    for (scheme, form, where, mean, above), figure in zip(
        rows, np.repeat(figures, len(of_figure)), strict=True
    ):
        points = [point for point in means if point[0] == figure]
        most = max(excess(means, point, form, scheme) for point in points)
        ((name, x),) = places_in(where)
        assert name == place(points[0])[0]
        assert excess(means, (figure, x), form, scheme) == pytest.approx(most, abs=1e-9)
        assert float(mean) == pytest.approx(means[figure, x][form][scheme], abs=6e-5)
        assert numbers(above)[0] == pytest.approx(100 * most, abs=6e-3)
        assert (above == "0") == (most < 1e-9)


def test_every_branch_of_every_sentence_is_read_once(page):
    boxes = [page("exact_vs_printed", **given).cells["box"] for given in SETS.values()]
    for words in (
        "more than it promised itself",
        "the same mean at every point",
        "changes at 1 of",
        "is the same under both forms",
        "holds none",
        "none of them moves",
        "moves most",
        "1 number that",
    ):
        assert any(words in box for box in boxes), words


def line(axes, label):
    return next(line for line in axes.get_lines() if line.get_label() == label)


def test_the_figure_draws_every_form_of_every_figure(shown, means):
    axes = shown.figures["exact_vs_printed"].axes
    figures = list(dict.fromkeys(figure for figure, _ in means))
    assert len(axes) == 2 * len(figures)
    for figure, delays, above in zip(figures, axes[::2], axes[1::2], strict=True):
        points = [point for point in means if point[0] == figure]
        title = f"Figure {place(points[0])[0]}: "
        assert delays.get_title() == f"{title}mean delay (s)"
        assert above.get_title() == f"{title}above the printed form (%)"
        for panel in (delays, above):
            assert panel.get_xlabel() == FIGURE_SWEEPS[figure].label
            assert all(list(drawn.get_xdata()) == [x for _, x in points] for drawn in panel.lines)
        for drawn in delays.lines:
            scheme, form = drawn.get_label().split(", ")
            expected = [means[point][form][scheme] for point in points]
            np.testing.assert_allclose(drawn.get_ydata(), expected, rtol=1e-9)
        for label, scheme, form in (
            ("ctHO, exact", "ctHO", "exact"),
            ("cHO, exact", "cHO", "exact"),
            (f"ctHO, {PLAN}", "ctHO", PLAN),
        ):
            expected = [100 * excess(means, point, form, scheme) for point in points]
            np.testing.assert_allclose(line(above, label).get_ydata(), expected, atol=1e-9)
        names = {drawn.get_label() for drawn in delays.lines}
        alone = {"no-HO, exact"} if figure == "fig4" else set()
        assert names == alone | {
            "ctHO, exact",
            "ctHO, printed",
            "tHO, exact",
            "cHO, exact",
            "cHO, printed",
        }


def test_the_bands_are_the_intervals_of_the_lines(shown):
    axes = shown.figures["exact_vs_printed"].axes
    table = shown.names["comparison"]
    for figure, above in zip(table["figure"].unique(), axes[1::2], strict=True):
        for band, drawn in zip(above.collections, above.lines, strict=True):
            scheme, form = drawn.get_label().split(", ", maxsplit=1)
            of_form = (table["scheme"] == scheme) & (table["form"] == form)
            rows = table[of_form & (table["figure"] == figure)]
            corners = band.get_paths()[0].vertices
            for row in rows.itertuples():
                ends = corners[corners[:, 0] == row.x][:, 1]
                expected = [100 * row.excess_low, 100 * row.excess_high]
                assert [ends.min(), ends.max()] == pytest.approx(expected, abs=1e-9)


def test_the_figure_and_the_table_have_their_names(shown, given):
    assert list(shown.figures) == ["exact_vs_printed"]
    table = pd.read_csv(shown.build_dir / "results" / "exact_vs_printed.csv")
    assert set(table["figure"]) == set(given.get("figures", ALL))
