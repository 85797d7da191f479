"""The page on the system model says what its instance and its parameters say."""

import json

import numpy as np
import pytest

from ctho import Handover
from ctho.simulation import Parameters
from ctho.simulation.one_instance import one_handover
from tests.pages import by_hand
from tests.rendering import numbers, table_rows

FEW = {"check_instances": 4}
OTHER = {
    "cycle_s": 0.25,
    "backhaul_gbps": 6.0,
    "kv_bits_per_tok": 400_000.0,
    "prefill_s_per_tok": 5e-5,
    "prefill_offset_s": 0.02,
    "speed_mps": 10.0,
    "boundary_m": 160.0,
}
PAGES = {
    "default": FEW,
    "one user": {**OTHER, "handover_s": [2.1], "context_tok": [3000], "check_instances": 1},
    "no batch": {"backhaul_gbps": 400.0, "num_ues": 3, "handover_s": [], "context_tok": [], **FEW},
    "all prefilled": {"backhaul_gbps": 1e-18, **FEW},
}


@pytest.fixture(params=PAGES.values(), ids=PAGES)
def shown(request, page):
    """A page, its parameters and its instance."""
    rendered = page("system_model", **request.param)
    parameters = Parameters.from_names(request.param)
    given = rendered.names["handover_s"], rendered.names["context_tok"]
    return rendered, parameters, one_handover(parameters, *given)


def test_the_instance_is_read_out_right(shown):
    rendered, _, h = shown
    text = rendered.cells["timeline-words"]
    length, delay = by_hand.optimum(h)
    remaining = by_hand.left(h.context_tok, length)
    rate, several = float(h.backhaul_tok_per_s), h.num_ues > 1
    begin = by_hand.batch_start_s(h.handover_s, h.cycle_s)
    batch = begin + float(h.prefill.delay_s(length, 1)) if length else 0.0
    sent = by_hand.transfers(h.handover_s, remaining, rate)
    waits = [max(end, batch) - tau for tau, _, end in sent]
    worst = [user for user, wait in enumerate(waits, 1) if wait > delay * (1 - 1e-6)]
    carried = sum(remaining) / h.context_tok.sum()
    assert ("no batch" in text) == (length == 0)
    assert ("nothing" in text) == (length > 0 and carried < 1e-12)
    told = numbers(text)
    if several:
        assert told.pop(0) == h.num_ues
    assert told.pop(0) == h.context_tok.sum()
    if length:
        assert told.pop(0) == pytest.approx(length, abs=0.051)
        if carried > 1e-12:
            assert told.pop(0) == pytest.approx(100 * carried, abs=0.5)
    assert told.pop(0) == pytest.approx(delay, rel=1e-3)
    assert told == (worst if several else [])
    assert ("users " in text.rpartition("that of")[2]) == (len(worst) > 1)


def test_two_worst_users_are_both_named(page):
    assert page("system_model", **FEW).cells["timeline-words"].endswith("users 1 and 4.")


def test_the_road_and_the_batch_are_drawn_with_the_pages_parameters(shown):
    rendered, parameters, h = shown
    road, lanes, _ = rendered.figures["system_model_timeline"].axes
    *moves, boundary = [line.get_xydata() for line in road.lines if len(line.get_xdata()) == 2]
    assert (boundary[:, 1] == parameters.boundary_m).all()
    assert len(moves) == h.num_ues
    for move, tau in zip(moves, np.sort(h.handover_s), strict=True):
        (begin, end), (at_begin, at_end) = move.T
        assert at_end - at_begin == pytest.approx(parameters.speed_mps * (end - begin))
        crossed = at_begin + parameters.speed_mps * (tau - begin)
        assert crossed == pytest.approx(parameters.boundary_m)
    length, _ = by_hand.optimum(h)
    prefill = [bar for bar in lanes.patches if bar.get_hatch()]
    assert len(prefill) == (h.num_ues if length else 0)
    for bar in prefill:
        assert bar.get_x() == pytest.approx(by_hand.batch_start_s(h.handover_s, h.cycle_s))
        assert bar.get_width() == pytest.approx(float(h.prefill.delay_s(length, 1)), rel=1e-6)


def test_the_boundaries_are_those_of_this_cycle(shown):
    rendered, parameters, _ = shown
    point = rendered.cells["box"].partition("\n\n3. ")[2].partition("\n\n")[0]
    told = numbers(point)
    assert told[:2] == [1000, parameters.cycle_s]
    if parameters.cycle_s == 0.01:
        assert told[2:] == [34, 0.07, 0.01, 0.07 / 0.01, 0.08]
    else:
        assert told[2:] == []
        assert "none starts its batch late" in point


def test_the_clock_moves_the_optimum_by_this_much_or_not_at_all(shown):
    rendered, parameters, h = shown
    text = rendered.cells["clock"]
    waits = np.linspace(0, parameters.cycle_s, 20)
    scan = [by_hand.optimum(h, start=h.handover_s.max() + wait)[1] for wait in waits]
    told = numbers(text)
    if max(scan) > min(scan) * (1 + 1e-6):
        assert told == pytest.approx([parameters.cycle_s, min(scan), max(scan)], rel=1e-3)
    else:
        assert "no part" in text
        assert told == pytest.approx([scan[0]], rel=1e-3)


def test_a_phase_that_moves_the_optimum_a_little_plays_a_part(page):
    # A cycle is a ten-thousandth of the delay.
    assert "no part" not in page("system_model", cycle_s=4e-5, check_instances=1).cells["clock"]


def test_the_symbols_carry_the_values_of_the_page(shown):
    rendered, parameters, _ = shown
    head, *rows = table_rows(rendered.cells["symbols"])
    assert head == ["paper", "what", "name", "value"]
    values = {row[2].strip("`"): (row[0], row[1], numbers(row[3])[0]) for row in rows}
    assert values["speed_mps"] == ("$v$", "speed", parameters.speed_mps)
    assert values["boundary_m"] == ("$x_{b}$", "cell boundary", parameters.boundary_m)
    for name, (_, _, value) in values.items():
        assert value == pytest.approx(getattr(parameters, name), rel=1e-9)


def test_each_edge_case_is_its_instance_solved(shown):
    rendered, parameters, _ = shown
    head, *rows = table_rows(rendered.cells["edges"])
    assert head[1:] == ["$\\tau_i$ (s)", "$C_i$", "$t_s$ (s)", "worst delay (s)", "$L^\\star$"]
    link = (parameters.backhaul_tok_per_s, parameters.prefill, parameters.cycle_s)
    cases = {}
    for case, tau, context, start, delay, length in rows:
        h = Handover(numbers(tau), numbers(context), *link)
        expected = by_hand.optimum(h)
        begin = by_hand.batch_start_s(h.handover_s, h.cycle_s)
        assert numbers(start)[0] == pytest.approx(begin, rel=1e-3)
        assert numbers(delay)[0] == pytest.approx(expected[1], rel=1e-5)
        assert numbers(length)[0] == pytest.approx(expected[0], abs=0.051)
        cases[case] = h, numbers(delay)[0]
    once, moved = cases["two users apart"], cases["the same before time 0"]
    assert moved[0].handover_s.max() < 0
    assert moved[1] == pytest.approx(once[1], rel=1e-5)
    half = cases["the same half a cycle later"][0].handover_s - once[0].handover_s
    assert half == pytest.approx(parameters.cycle_s / 2)
    assert cases["the same, listed the other way"][1] == cases["two users at once"][1]
    assert cases["one user"][0].num_ues == 1
    assert cases["a first user with one token"][0].context_tok[0] == 1


def test_the_check_counts_what_it_checked(shown):
    rendered, _, _ = shown
    text, drawn = rendered.cells["checks"], rendered.names["instances"]
    _, *rows = table_rows(text)
    assert all(numbers(row[1]) == [len(drawn)] for row in rows)
    sizes = sorted({h.num_ues for h in drawn})
    count, *users, worst = numbers(text.partition("Checked on")[2].partition("** of")[0])
    assert count == len(drawn)
    assert users == ([sizes[0], sizes[-1]] if len(sizes) > 1 else sizes)
    assert worst == pytest.approx(max(numbers(row[2])[0] for row in rows), rel=0.06)
    assert worst < 1e-7
    saved = json.loads((rendered.build_dir / "results" / "system_model.json").read_text())
    assert saved == {"instances": len(drawn), "worst_deviation": pytest.approx(worst, rel=0.06)}
