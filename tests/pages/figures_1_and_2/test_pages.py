"""Figures 1 and 2: what is said, drawn and written of an instance is true of it."""

import re

import numpy as np
import pandas as pd
import pytest

from ctho.publishing.parameters import parameters_of
from ctho.simulation import Parameters
from tests.rendering import ROOT, numbers

ONE_USER = {"num_ues": 1}
CASES = {
    "default": {},
    "one token, fast link": ONE_USER
    | {"context_min_tok": 1, "context_max_tok": 1, "backhaul_gbps": 400.0},
    "no batch": {"num_ues": 2, "backhaul_gbps": 400.0},
    "two at once, slow GPU": {
        "handover_s": [1.4, 1.0, 1.0],
        "context_tok": [2000, 3000, 3000],
        "prefill_s_per_tok": 1e-3,
        "cycle_s": 0.3,
    },
    "a batch that costs nothing": ONE_USER
    | {"prefill_s_per_tok": 0.0, "prefill_offset_s": 0.0, "start_min_m": 130.0},
    "attention counts": {"prefill_model": "quadratic", "prefill_s_per_tok2": 2e-8},
}
FIGURE_1 = [name for name in CASES if name != "attention counts"]
FIGURE_2 = ["default", "no batch", "two at once, slow GPU", "attention counts"]


class Instance:
    """The instance of a page, its delays by the formulas and one user after the other."""

    def __init__(self, page):
        self.p, handover = page.names["parameters"], page.names["handover"]
        order = np.argsort(handover.handover_s, kind="stable")
        self.tau, self.context = handover.handover_s[order], handover.context_tok[order]

    def batch_delay(self, length):
        """Eq. (9)."""
        p = self.p
        start = np.ceil(self.tau[-1] / p.cycle_s - 1e-9) * p.cycle_s
        takes = p.prefill_s_per_tok * length + p.prefill_offset_s + p.prefill_s_per_tok2 * length**2
        return start + takes - self.tau[0]

    def link_delay(self, length):
        """The corrected Eq. (18)."""
        delays, free = [], -np.inf
        for tau, context in zip(self.tau, self.context, strict=True):
            sends = max(context - length, 0) * self.p.kv_bits_per_tok / (self.p.backhaul_gbps * 1e9)
            free = max(free, tau) + sends
            delays.append(free - tau)
        return max(delays)

    @property
    def best_length(self):
        """Where the two meet, by bisection; 0 where the link alone is no later."""
        low, high = 0.0, float(self.context.max())
        if self.link_delay(0) <= self.batch_delay(0):
            return 0.0
        for _ in range(100):
            middle = (low + high) / 2
            early = self.batch_delay(middle) < self.link_delay(middle)
            low, high = (middle, high) if early else (low, middle)
        return high


def written(page, name):
    return pd.read_csv(page.build_dir / "results" / f"{name}.csv")


@pytest.mark.parametrize("name", ["fig1", "fig2"])
def test_a_page_changes_no_parameter_and_writes_under_its_own_name(page, name):
    shown = page(name)
    given = parameters_of(ROOT / "notebooks" / f"{name}.ipynb")
    assert given == {"handover_s": [], "context_tok": []}
    assert shown.names["parameters"] == Parameters()
    assert [file.name for file in shown.build_dir.rglob("*.*")] == [f"{name}.csv"]
    assert list(shown.figures) == [name]
    assert shown.cells["title"].startswith(f"# Figure {name[-1]}:")


def test_the_cases_meet_every_form_of_the_sentences(page):
    shown = [Instance(page("fig1", **CASES[name])) for name in FIGURE_1]
    assert {(one.tau.size == 1, one.best_length == 0) for one in shown} == {
        (one_user, no_batch) for one_user in (False, True) for no_batch in (False, True)
    }


@pytest.mark.parametrize("name", FIGURE_1)
def test_the_reading_of_figure_1(page, name):
    shown = page("fig1", **CASES[name])
    one, text = Instance(shown), shown.cells["reading"].replace("\n", " ")
    length, total = one.best_length, one.context.sum()
    who, split, waits = re.split(r"(?<=\.) ", text)
    assert numbers(who) == ([one.tau.size] if one.tau.size > 1 else []) + [total]
    assert (" tokens " in who) == (total > 1)
    assert numbers(waits)[0] == pytest.approx(one.link_delay(length), rel=1e-3, abs=1e-9)
    if one.tau.size > 1:
        delays = enumerate(written(shown, "fig1")["delay_s"], start=1)
        worst = [user for user, delay in delays if delay > one.link_delay(length) * (1 - 1e-9)]
        assert numbers(waits)[1:] == worst
        assert waits.count("UE") == len(worst)
        assert "[" not in waits
    assert ("no batch" in split) == (length == 0)
    if length > 0:
        rebuilt = 100 * np.minimum(one.context, length).sum() / total
        assert re.search(r"prefix of .* rebuilds .* link carries", split)
        prefix, share, other = numbers(split)
        assert prefix == pytest.approx(length, abs=0.06)
        assert (share, other) == pytest.approx((rebuilt, 100 - rebuilt), abs=0.6)


@pytest.mark.parametrize("name", FIGURE_2)
def test_the_reading_of_figure_2(page, name):
    shown = page("fig2", **CASES[name])
    one = Instance(shown)
    text = re.sub(r"\$L [=>] 0\$", "", shown.cells["reading"]).replace("\n", " ")
    length, nothing = one.best_length, pytest.approx(one.link_delay(0), rel=1e-3)
    if length > 0:
        both = pytest.approx(one.batch_delay(length), rel=1e-3, abs=1e-9)
        assert numbers(text) == [pytest.approx(length, abs=0.06), both, nothing]
        assert one.link_delay(length) == pytest.approx(one.batch_delay(length), abs=1e-9)
        assert one.link_delay(0) > one.link_delay(length)
        assert re.search("meet at .* both take .* without a batch", text)
    else:
        assert numbers(text) == [nothing]
        assert one.link_delay(0) <= one.batch_delay(0)
        assert re.search("link alone .* no later than .* meet at no", text)


@pytest.mark.parametrize("name", ["default", "two at once, slow GPU"])
def test_the_table_and_the_drawing_of_figure_1_are_the_instance(page, name):
    shown = page("fig1", **CASES[name])
    one, users = Instance(shown), written(shown, "fig1")
    np.testing.assert_array_equal(users["handover_s"], one.tau)
    np.testing.assert_array_equal(users["context_tok"], one.context)
    assert users["delay_s"].max() == pytest.approx(one.link_delay(one.best_length))
    road, lanes, _ = shown.figures["fig1"].axes
    for way, tau in zip(road.lines[:-1:2], one.tau, strict=True):
        np.testing.assert_allclose(np.interp(tau, *way.get_xydata().T), 150.0)
        np.testing.assert_allclose(np.diff(way.get_ydata()) / np.diff(way.get_xdata()), 20.0)
    resumes = [line.get_xdata().item() for line in lanes.lines if line.get_marker() == ">"]
    np.testing.assert_allclose(resumes, users["resume_s"])


@pytest.mark.parametrize("name", ["default", "no batch"])
def test_the_table_and_the_drawing_of_figure_2_are_the_formulas(page, name):
    shown = page("fig2", **CASES[name])
    one, table = Instance(shown), written(shown, "fig2")
    lengths = table["prefill_length_tok"]
    assert (lengths.iloc[0], lengths.iloc[-1]) == (0, one.context.max())
    batch, link = ([delay(x) for x in lengths] for delay in (one.batch_delay, one.link_delay))
    np.testing.assert_allclose(table["prefill_delay_s"], batch)
    np.testing.assert_allclose(table["transfer_delay_s"], link, atol=1e-12)
    np.testing.assert_allclose(table["delay_s"], np.maximum(batch, link))
    (axes,) = shown.figures["fig2"].axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Prefill length $L$ (tokens)", "Delay (s)")
    *curves, zero, best = axes.lines
    for line, column, word in zip(
        curves,
        ("delay_s", "prefill_delay_s", "transfer_delay_s"),
        ("larger", "prefill", "transfer"),
        strict=True,
    ):
        assert word in line.get_label()
        np.testing.assert_array_equal(line.get_xydata(), table[["prefill_length_tok", column]])
    optimum = [one.best_length, one.link_delay(one.best_length)]
    assert zero.get_xydata()[0] == pytest.approx([0, one.link_delay(0)])
    assert best.get_xydata()[0] == pytest.approx(optimum, abs=1e-9)
    assert numbers(axes.texts[0].get_text()) == [
        pytest.approx(optimum[0], abs=0.6),
        pytest.approx(optimum[1], abs=6e-4),
    ]
