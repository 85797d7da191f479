"""The page on Proposition 1: its instance, its picture and its check."""

import json

import numpy as np
import pytest

import ctho.proofs.rate_program
from ctho.pages.shared.theme import ORDER_STYLES
from ctho.proofs.event_by_event import serve
from ctho.proofs.window_program import Optimum
from ctho.simulation import Parameters
from ctho.simulation.one_instance import one_handover
from tests.pages import by_hand
from tests.rendering import numbers, render, table_rows

FEW = {"check_instances": 4}
PAGES = {
    "default": FEW,
    "one user": {
        "handover_s": [2.1],
        "context_tok": [3000],
        "cycle_s": 0.25,
        "prefill_s_per_tok": 5e-5,
        "prefill_offset_s": 0.02,
        "check_instances": 1,
    },
    "no batch": {"backhaul_gbps": 400.0, **FEW},
    "drawn": {"handover_s": [], "context_tok": [], "num_ues": 3, "kv_bits_per_tok": 3e5, **FEW},
}


@pytest.fixture(params=PAGES.values(), ids=PAGES)
def shown(request, page):
    """A page and its instance."""
    rendered = page("proposition1", **request.param)
    given = rendered.names["handover_s"], rendered.names["context_tok"]
    return rendered, one_handover(Parameters.from_names(request.param), *given)


def instance_in(rendered):
    return rendered.cells["box"].rpartition("The instance of this page.**")[2]


def test_both_optima_are_told_and_agree(shown):
    rendered, h = shown
    text = instance_in(rendered)
    length, delay = by_hand.optimum(h)
    told = numbers(text)
    assert ("without a batch" in text) == (length == 0)
    assert told[1] == (0 if length == 0 else pytest.approx(length, abs=0.051))
    assert [told[0], told[2]] == pytest.approx([delay, delay], rel=1e-5)
    assert "finds the same" in text
    assert len(told) == 3


def test_optima_that_do_not_agree_are_said_not_to(monkeypatch, tmp_path, page):
    best = page("proposition1", **FEW).names["best"]
    other = Optimum(float(best.delay_s) * (1 - 1e-5), 0.0)
    monkeypatch.setattr(ctho.proofs.rate_program, "joint_optimum_by_rates", lambda h: other)
    text = instance_in(render("proposition1", tmp_path, check_instances=1))
    assert "the same" not in text
    apart, joint = numbers(text)[-2:]
    assert apart == pytest.approx(float(best.delay_s) * 1e-5, rel=0.01)
    assert joint == pytest.approx(other.delay_s, rel=1e-5)


def test_the_interchange_is_tried_on_every_weak_order(page):
    text = page("proposition1", **FEW).cells["interchange-words"]
    assert numbers(text) == [16, 13]  # the ordered Bell number of three


def test_each_curve_is_its_order_of_service(shown):
    rendered, h = shown
    axes = rendered.figures["proposition1_envelope"].axes[0]
    curves = {line.get_label(): line for line in axes.lines if line.get_label()[0] != "_"}
    value = curves.pop("$V(L)$, the least of all")
    lengths, least = value.get_data()
    assert lengths[-1] == h.longest_context_tok
    assert len(lengths) == 121
    rate = float(h.backhaul_tok_per_s)
    start = by_hand.batch_start_s(h.handover_s, h.cycle_s)
    assert set(curves) == {f"$D(L, r)$, {order}" for order in ORDER_STYLES}
    first = curves["$D(L, r)$, first come first served"].get_ydata()
    assert first == pytest.approx(least)
    for at in (0, 1, 60, 120):
        length = float(lengths[at])
        remaining = by_hand.left(h.context_tok, length)
        prefill = start + float(h.prefill.delay_s(length, 1)) - float(h.handover_s.min())
        transfer = by_hand.exact_s(h.handover_s, remaining, rate)
        assert least[at] == pytest.approx(max(prefill, transfer))
        for order, (colour, *_) in ORDER_STYLES.items():
            line = curves[f"$D(L, r)$, {order}"]
            assert line.get_color() == colour
            served = serve(h.handover_s, remaining, rate, order).worst_delay_s
            assert line.get_xydata()[at] == pytest.approx([length, max(prefill, float(served))])


def test_dots_at_the_edge_are_the_delays_without_a_batch(shown):
    rendered, h = shown
    axes = rendered.figures["proposition1_envelope"].axes[0]
    dots = [line.get_xydata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert len(dots) == 1 + len(ORDER_STYLES)
    assert {x for x, _ in dots} == {0.0}
    alone = by_hand.exact_s(h.handover_s, h.context_tok, float(h.backhaul_tok_per_s))
    assert min(y for _, y in dots) == pytest.approx(alone)


def test_the_star_is_the_optimum(shown):
    rendered, h = shown
    axes = rendered.figures["proposition1_envelope"].axes[0]
    (star,) = (line.get_xydata()[0] for line in axes.lines if line.get_marker() == "*")
    length, delay = by_hand.optimum(h)
    assert star == pytest.approx([length, delay], rel=1e-6, abs=1e-6)
    (note,) = axes.texts
    assert numbers(note.get_text()) == pytest.approx([length, delay], rel=1e-3, abs=0.51)
    assert numbers(note.get_text())[1] == pytest.approx(delay, rel=1e-3)
    assert (axes.get_xlabel(), axes.get_ylabel()) == (
        "Prefill length $L$ (tokens)",
        "Worst-user delay (s)",
    )


def test_the_check_counts_what_it_checked(shown):
    rendered, _ = shown
    text, drawn = rendered.cells["checks"], rendered.names["instances"]
    _, *rows = table_rows(text)
    assert all(numbers(row[1]) == [len(drawn)] for row in rows)
    sizes = sorted({h.num_ues for h in drawn})
    count, *users, worst = numbers(text.partition("Checked on")[2].partition("** of")[0])
    assert count == len(drawn)
    assert users == ([sizes[0], sizes[-1]] if len(sizes) > 1 else sizes)
    assert worst == pytest.approx(max(numbers(row[2])[0] for row in rows), rel=0.06)
    assert worst < 1e-7
    saved = json.loads((rendered.build_dir / "results" / "proposition1.json").read_text())
    assert saved == {"instances": len(drawn), "worst_deviation": pytest.approx(worst, rel=0.06)}


def test_the_seed_draws_the_instances_of_the_check(page):
    one, other = (
        page("proposition1", check_instances=4, seed=seed).names["instances"][0].context_tok
        for seed in (1, 2)
    )
    assert not np.array_equal(one, other)
