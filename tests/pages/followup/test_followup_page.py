"""The page's sentences, tables and figure under several links and readings of the table."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq

from ctho.pages.followup.measurements import followup_records
from tests.rendering import numbers, table_rows

TABLE = followup_records()["table_1"]
COPY, RECOMPUTED, CTHO = (
    np.array(TABLE[name]) for name in ("full_copy_ms", "recomputation_ms", "ctho_ms")
)
BITS_PER_TOK = 8 * 262_144

SETS = {
    "default": {},
    "slow link": {"backhaul_gbps": 0.05},
    "fast link": {"backhaul_gbps": 30.0, "tokens_per_k": 1000},
    "no time to lose": {"backhaul_gbps": 20_000.0, "other_tokens_per_k": 900},
}


@pytest.fixture(params=list(SETS))
def shown(page, request):
    return page("followup", **SETS[request.param])


@pytest.fixture
def default(page):
    return page("followup")


def by_hand_ms(shown):
    """Predicted milliseconds by quantity and curve, `[contexts]`, without the package."""
    context = shown.names["tokens_per_k"] * np.array(TABLE["contexts_k"], float)
    rate = shown.names["backhaul_gbps"] * 1e9 / BITS_PER_TOK
    slope, offset = np.polyfit(context, RECOMPUTED, 1)
    line = slope * context + offset

    def between(length):
        return np.interp(length, [0, *context], [0, *RECOMPUTED])

    lengths = [
        brentq(lambda length, c=c: between(length) - 1e3 * (c - length) / rate, 0, c)
        for c in context
    ]
    copy = 1e3 * context / rate
    return {
        ("full copy", "line"): copy,
        ("full copy", "between points"): copy,
        ("recomputation", "line"): line,
        ("recomputation", "between points"): RECOMPUTED,
        ("ctHO", "line"): np.where(copy <= offset, copy, line / (1 + slope / 1e3 * rate)),
        ("ctHO", "between points"): np.array([between(length) for length in lengths]),
    }


def errors_by_hand(shown):
    measured = {"full copy": COPY, "recomputation": RECOMPUTED, "ctHO": CTHO}
    return {key: 100 * (ms / measured[key[0]] - 1) for key, ms in by_hand_ms(shown).items()}


def ends(values):
    return [min(values), max(values)]


def test_the_table_has_each_prediction_and_its_error_under_its_head(shown):
    head, *body = table_rows(shown.cells["predict"])
    assert [name.split(" (")[0] for name in head] == [
        "context", "quantity", "measured", "line", "error", "between points", "error"
    ]  # fmt: skip
    predicted, error = by_hand_ms(shown), errors_by_hand(shown)
    measured = {"full copy": COPY, "recomputation": RECOMPUTED, "ctHO": CTHO}
    assert len(body) == 3 * len(COPY)
    for i, (context, quantity, *cells) in enumerate(body):
        k = i % len(COPY)
        assert numbers(context) == [shown.names["tokens_per_k"] * TABLE["contexts_k"][k]]
        expected = [measured[quantity][k]]
        for curve in ("line", "between points"):
            expected += [predicted[quantity, curve][k], error[quantity, curve][k]]
        assert numbers(" ".join(cells)) == pytest.approx(expected, abs=0.51, rel=1e-5)
        assert numbers(" ".join(cells[2::2])) == pytest.approx(expected[2::2], abs=0.051)


def test_the_sentence_on_errors_gives_their_ends(shown):
    error = errors_by_hand(shown)
    saved = 100 * (1 - CTHO / RECOMPUTED)
    worst = max(abs(error["ctHO", curve]).max() for curve in ("line", "between points"))
    assert numbers(shown.cells["errors"]) == pytest.approx(
        [
            *ends(error["full copy", "line"]),
            *ends(error["ctHO", "line"]),
            *ends(error["ctHO", "between points"]),
            *ends(error["recomputation", "line"]),
            *ends(saved),
            worst,
        ],
        abs=0.051,
    )
    # What the last sentence concludes holds whatever the link.
    assert worst > saved.min()
    assert "larger than the least saving" in " ".join(shown.cells["errors"].split())


def test_the_third_point_is_missed_by_what_the_table_says(shown):
    missed = shown.names["left_out"].groupby("quantity")["error_percent"]
    text = shown.cells["leave-one-out"].partition("misses")[2]
    expected = [*ends(missed.get_group("recomputation")), *ends(missed.get_group("ctHO"))]
    assert numbers(text) == pytest.approx(expected, abs=0.051)
    context = shown.names["data"].context_tok
    fit = np.poly1d(np.polyfit(context[1:], RECOMPUTED[1:], 1))
    assert max(expected[:2]) == pytest.approx(100 * (fit(context[0]) / RECOMPUTED[0] - 1))


def test_the_law_stands_beside_both_tables(default):
    head, *body = table_rows(default.cells["law"])
    assert [name.split(" (")[0] for name in head] == [
        "case", "full copy", "recomputation", "ctHO measured", "law", "error"
    ]  # fmt: skip
    second = followup_records()["table_2"]["rows"]
    for name, cells in zip(("full_copy_ms", "recomputation_ms", "ctho_ms"), (1, 2, 3), strict=True):
        column = [numbers(row[cells])[0] for row in body]
        assert column == pytest.approx([*TABLE[name], *(row[name] for row in second)], abs=0.51)
    for _, copy, recomputed, measured, law, error in body:
        (c,), (r,), (m,), (both,), (off,) = map(numbers, (copy, recomputed, measured, law, error))
        assert both == pytest.approx(1 / (1 / c + 1 / r), abs=0.6)
        assert off == pytest.approx(100 * (both / m - 1), abs=0.15)
    assert [row[0].split(",")[0] for row in body] == ["Table 1"] * 3 + ["Table 2"] * 3


def test_the_sentence_on_the_law_is_true_of_its_table(default):
    rows = table_rows(default.cells["law"])[1:]
    _, recomputed, measured, law, off = np.array([[numbers(c)[0] for c in r[1:]] for r in rows]).T
    expected, found = 100 * (1 - law / recomputed), 100 * (1 - measured / recomputed)
    text = default.cells["law-words"]
    assert numbers(text) == pytest.approx(
        [6, *ends(off), *ends(expected), *ends(found), np.corrcoef(expected, found)[0, 1]],
        abs=0.1,
    )
    assert (off < 0).all()
    assert "always below what" in text


def test_the_cost_of_blocks_is_that_of_both_curves(shown):
    prefix, _, said = shown.cells["blocks"].partition("costs")
    assert numbers(prefix) == [16]
    costs = np.array(shown.names["cost_ms"])
    assert len(costs) == 2 * len(COPY)
    if "up to" in said:
        assert costs.min() < 0.05
        assert numbers(said) == pytest.approx([max(costs.max(), 0.1)], abs=0.051)
    else:
        assert numbers(said) == pytest.approx(ends(costs), abs=0.051)


def test_a_block_costs_a_visible_time_but_on_the_fastest_link(page):
    said = {
        name: "up to" in page("followup", **given).cells["blocks"] for name, given in SETS.items()
    }
    assert not said["default"]
    assert said["no time to lose"]


def test_both_readings_of_k_give_a_goodput(shown):
    first, second = (shown.names[name] for name in ("tokens_per_k", "other_tokens_per_k"))
    expected = []
    for tokens_per_k in (first, second):
        context = tokens_per_k * np.array(TABLE["contexts_k"])
        expected += [*context, *ends(context * BITS_PER_TOK / (COPY / 1e3) / 1e6)]
    assert numbers(shown.cells["tokens"]) == pytest.approx([*expected, 300], abs=0.051)


def test_the_link_of_the_page_is_the_stated_one(default):
    assert default.names["backhaul_gbps"] == TABLE["goodput_gbps"]


def test_the_figure_draws_both_tables(default):
    assert set(default.figures) == {"followup"}
    left, right = default.figures["followup"].axes
    drawn = {line.get_label(): line for line in left.lines}
    error = errors_by_hand(default)
    for label, key in (
        ("full copy (cHO)", ("full copy", "line")),
        ("ctHO, prefill: line", ("ctHO", "line")),
        ("ctHO, prefill: between points", ("ctHO", "between points")),
    ):
        assert drawn[label].get_ydata() == pytest.approx(error[key], abs=1e-3)
        assert np.round(drawn[label].get_xdata()).tolist() == [0, 1, 2]
    assert [tick.get_text() for tick in left.get_xticklabels()] == ["1,024", "2,048", "4,096"]
    assert "(tokens)" in left.get_xlabel()
    assert "(%)" in left.get_ylabel()

    cases = dict(
        zip(right.get_yticks(), (t.get_text() for t in right.get_yticklabels()), strict=True)
    )
    law = default.names["law"].set_index("case")
    drawn = {line.get_label(): line for line in right.lines}
    for label, column in (("measured", "measured_s"), ("law, no parameter", "predicted_s")):
        assert len(drawn[label].get_xdata()) == len(law)
        for saving, height in zip(*drawn[label].get_data(), strict=True):
            own = law.loc[cases[height]]
            assert saving == pytest.approx(100 * (1 - own[column] / own["recomputation_s"]))
    assert "Saving" in right.get_xlabel()
    assert "(%)" in right.get_xlabel()


def test_what_is_written_is_what_is_shown(default):
    folder = default.build_dir / "results"
    written = {path.stem: pd.read_csv(path) for path in folder.glob("*.csv")}
    assert set(written) == {
        f"followup_{name}" for name in ("line", "between_points", "leave_one_out", "law")
    }
    for curve in ("line", "between points"):
        table = written[f"followup_{curve.replace(' ', '_')}"]
        for quantity, own in table.groupby("quantity"):
            expected = errors_by_hand(default)[quantity, curve]
            assert own["error_percent"].to_numpy() == pytest.approx(expected, abs=1e-3)


def test_every_parameter_of_the_page_is_on_its_card(shown):
    for name in ("tokens_per_k", "other_tokens_per_k", "backhaul_gbps"):
        assert f"`{name} = {shown.names[name]!r}`" in shown.cells["provenance"]
