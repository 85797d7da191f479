"""Every part of the mended Proposition 3 as a property, and the page's own check."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctho.pages.proposition3.witnesses as page
from ctho import AffinePrefill, Handover, Reading, delay_at_length, solve
from ctho.pages.proposition3.climb import near_optimum, newton_table
from ctho.pages.proposition3.tiles import TiledPrefill
from ctho.pages.proposition3.whole_tokens import best_grid_length
from ctho.pages.proposition3.witnesses import witness_crossing
from ctho.proofs.instances import random_handovers, time_scale_s
from ctho.proofs.newton import newton_path
from ctho.simulation.one_instance import delays_at_lengths
from tests.strategies import handovers

ROUNDING = 1e-12
"""Of an instance's time scale."""


@settings(max_examples=40)
@given(handovers(), st.lists(st.floats(0, 1), min_size=3, max_size=3, unique=True))
def test_the_transfer_delay_is_convex_and_its_slopes_are_bounded(h, shares):
    longest, rate = float(h.longest_context_tok), float(h.backhaul_tok_per_s)
    x = np.sort(np.array(shares)) * longest
    _, g, _ = delays_at_lengths(h, x)
    slack = ROUNDING * float(time_scale_s(h))
    weight = (x[1] - x[0]) / (x[2] - x[0]) if x[2] > x[0] else 0.0
    assert g[1] <= (1 - weight) * g[0] + weight * g[2] + slack
    fall, way = g[0] - g[2], x[2] - x[0]
    assert way / rate - slack <= fall <= h.num_ues * way / rate + slack


@settings(max_examples=40)
@given(handovers(), st.floats(0, 1))
def test_the_transfer_delay_is_zero_at_the_longest_context_and_nowhere_before(h, share):
    longest = float(h.longest_context_tok)
    length = share * longest
    transfer = float(delay_at_length(h, length).transfer_delay_s)
    assert transfer >= (longest - length) / float(h.backhaul_tok_per_s) * (1 - 1e-12)
    assert float(delay_at_length(h, longest).transfer_delay_s) == 0


@settings(max_examples=40)
@given(handovers(), st.floats(1e-6, 1))
def test_the_optimum_is_the_smallest_minimiser(h, share):
    best = solve(h)
    length, least = float(best.prefill_length_tok), float(best.delay_s)
    other = share * float(h.longest_context_tok)
    value = float(delay_at_length(h, other).delay_s)
    slack = ROUNDING * float(time_scale_s(h))
    if other < length:
        # g falls at least at 1 / R on the way.
        assert value >= least + (length - other) / float(h.backhaul_tok_per_s) - slack
    else:
        assert value >= least - slack


@settings(max_examples=40)
@given(handovers(), st.floats(1e-6, 1))
def test_with_a_free_prefill_everything_beyond_the_crossing_is_as_good(h, share):
    free = h.replace(prefill=AffinePrefill(0.0, 0.01))
    best = solve(free)
    length, longest = float(best.prefill_length_tok), float(h.longest_context_tok)
    beyond = delay_at_length(free, length + share * (longest - length))
    if length > 0:
        assert float(beyond.delay_s) == pytest.approx(float(best.delay_s), rel=1e-9)
    else:
        assert float(beyond.delay_s) >= float(best.delay_s)


@settings(max_examples=40)
@given(handovers())
def test_the_longest_context_is_optimal_only_if_prefill_is_free(h):
    at_longest = float(delay_at_length(h, h.longest_context_tok).delay_s)
    slope, offset = h.prefill.affine(h.num_ues)
    wait = float(h.batch_wait_s) + offset
    nothing = float(solve(h, "cHO").delay_s)
    optimal = slope == 0 and nothing >= wait
    margin = at_longest - float(solve(h).delay_s)
    slack = ROUNDING * (float(time_scale_s(h)) + at_longest)
    assert margin <= slack if optimal else margin >= -slack
    if slope > 0:
        assert margin > 0


def test_the_longest_context_alone_is_optimal_if_nothing_costs_anything():
    h = Handover([1.0, 1.0], [100, 800], 1000, AffinePrefill(0.0, 0.0))
    best = solve(h)
    assert (float(best.prefill_length_tok), float(best.delay_s)) == (800, 0)


@settings(max_examples=40)
@given(handovers())
def test_the_jump(h):
    nothing = float(solve(h, "cHO").delay_s)
    wait = float(h.batch_wait_s) + h.prefill.affine(h.num_ues)[1]
    waiting = float(delay_at_length(h, 0.0, reading=Reading(zero_length="waits_for_batch")).delay_s)
    assert waiting - nothing == pytest.approx(max(wait - nothing, 0), abs=1e-12 + 1e-9 * waiting)
    best = solve(h)
    if nothing < wait:
        assert (best.prefill_length_tok, float(best.delay_s)) == (0, nothing)
    elif nothing > wait * (1 + 1e-12):
        assert best.prefill_length_tok > 0
        assert float(best.delay_s) < nothing


@settings(max_examples=25)
@given(handovers(max_users=4), st.sampled_from([1.0, 64.0, 1000.0]), st.floats(1e-3, 10))
def test_with_jumps_no_length_does_better(h, tile, share):
    tile_s = share * tile / float(h.backhaul_tok_per_s)
    tiled = h.replace(prefill=TiledPrefill(tile, tile_s))
    best = solve(tiled)
    ends = np.arange(1, np.ceil(float(h.longest_context_tok) / tile) + 1) * tile
    ends = np.minimum(ends, float(h.longest_context_tok))
    value = delays_at_lengths(tiled, ends)[2]
    slack = 1e-9 * float(time_scale_s(h))
    # Within a tile f is flat, so the optimum is an end of a tile, a crossing in one, or 0.
    assert float(best.delay_s) <= min(value.min(), float(solve(tiled, "cHO").delay_s)) + slack
    fine = np.linspace(0, float(h.longest_context_tok), 2001)[1:]
    assert float(best.delay_s) <= delays_at_lengths(tiled, fine)[2].min() + slack


def test_the_two_delays_need_not_cross():
    h = Handover([0.0], [3], 1, TiledPrefill(tile_tok=1, tile_s=1.5))
    x = np.linspace(0, 3, 3001)[1:]
    prefill, transfer, value = delays_at_lengths(h, x)
    assert np.abs(prefill - transfer).min() > 0.4
    assert float(solve(h).delay_s) == pytest.approx(value.min()) == 2
    assert float(solve(h).prefill_length_tok) == pytest.approx(1)


def test_the_check_of_the_page_finds_nothing():
    table = witness_crossing(random_handovers(np.random.default_rng(11), 30))
    assert (table["instances"] == 30).all()
    assert table["worst"].max() < 1e-6


@pytest.mark.parametrize(
    "wrong", [Reading(transfer="printed"), Reading(zero_length="waits_for_batch")]
)
def test_the_check_of_the_page_notices_a_wrong_solver(monkeypatch, wrong):
    monkeypatch.setattr(page, "solve", lambda handover: solve(handover, reading=wrong))
    table = witness_crossing(random_handovers(np.random.default_rng(11), 30))
    assert table["worst"].max() > 1e-3


def worse_grid(handover):
    """The best multiple of 700 tokens, passed off as the best whole number of them."""
    return best_grid_length(handover, 700)


def without_cost_bound(handover):
    return replace(best_grid_length(handover), cost_bound_s=np.array(-1.0))


def scaled_curves(prefill=1.0, transfer=1.0):
    def delays(handover, length):
        f, g, value = delays_at_lengths(handover, length)
        return prefill * f, transfer * g, value

    return delays


@pytest.mark.parametrize(
    ("claim", "name", "wrong"),
    [
        ("does not fall", "delays_at_lengths", scaled_curves(prefill=-1)),
        ("falls at least at", "delays_at_lengths", scaled_curves(transfer=0.1)),
        ("at most at $K/R$", "delays_at_lengths", scaled_curves(transfer=10)),
        ("is convex", "delays_at_lengths", scaled_curves(transfer=-1)),
        ("no length on a fine grid", "solve", lambda h: solve(h, "cHO")),
        ("linear program", "solve", lambda h: solve(h, "cHO")),
        ("Newton's method", "newton_path", lambda h: newton_path(h)[:1]),
        ("at most $K$ steps", "newton_path", lambda h: 10 * newton_path(h)),
        ("every shorter length", "solve", lambda h: solve(h, "tHO")),
        ("C_{\\max}", "solve", lambda h: solve(h, "cHO")),
        ("two neighbours", "best_grid_length", worse_grid),
        ("within its bound", "best_grid_length", without_cost_bound),
        ("and that within", "grid_cost_bound_s", lambda h: -1.0),
    ],
)
def test_each_claim_of_the_check_can_be_broken(monkeypatch, claim, name, wrong):
    monkeypatch.setattr(page, name, wrong)
    table = witness_crossing(random_handovers(np.random.default_rng(11), 12))
    (worst,) = table["worst"][table["claim"].str.contains(claim, regex=False)]
    assert worst > 1e-4


@settings(max_examples=40)
@given(handovers(max_users=4), st.sampled_from([1.0, 16.0]))
def test_the_tables_of_the_page_hold_any_instance(h, step):
    steps = newton_table(h)
    assert steps["step"].tolist() == list(range(1, len(steps) + 1))
    assert len(steps) <= h.num_ues
    assert ((steps["first"] >= 1) & (steps["last"] >= steps["first"])).all()
    assert (steps["last"] <= h.num_ues).all()
    near = near_optimum(h, step)
    grid = near[near["on_grid"]]["prefill_length_tok"]
    best = solve(h)
    assert (np.abs(grid - float(best.prefill_length_tok)) < step).any()
    assert (grid % step == 0).all()
    assert near["delay_s"].min() >= float(best.delay_s) * (1 - 1e-12)
