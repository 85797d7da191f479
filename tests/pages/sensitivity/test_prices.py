"""Prices in closed form against differences, multipliers, kinks and conservation laws."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ctho.pages.sensitivity.witnesses as page
from ctho import AffinePrefill, Handover, solve
from ctho.pages.sensitivity.prices import (
    PARAMETERS,
    ShadowPrices,
    dual_prices,
    one_sided_prices,
    shadow_prices,
)
from ctho.pages.sensitivity.witnesses import (
    at_kinks,
    difference_quotients,
    disagreement,
    kinked,
    prices_table,
    witness_prices,
)
from ctho.proofs.instances import random_handovers, time_scale_s
from tests.strategies import handovers


def units_of(h):
    slope, rate = h.prefill.affine(h.num_ues)[0], float(h.backhaul_tok_per_s)
    return np.array([rate, slope + 1 / rate, float(time_scale_s(h))])


def off_kinks(h):
    left, right = (side.as_array() for side in one_sided_prices(h))
    return np.isclose(left, right, rtol=1e-9, atol=0).all()


def assert_slopes(h):
    """On each side the prices are the slopes, in the instance's own units."""
    compared = 0
    for side, step in zip(one_sided_prices(h), (-1e-4, 1e-4), strict=True):
        quotients = difference_quotients(h, step)
        finite = np.isfinite(quotients)
        apart = (quotients - side.as_array()) * units_of(h) / float(time_scale_s(h))
        assert np.abs(apart[finite]).max(initial=0) < 1e-6
        compared += finite.sum()
    return compared


@settings(max_examples=30)
@given(handovers())
def test_a_price_is_the_slope_on_its_side(h):
    assume(assert_slopes(h) > 0)


@settings(max_examples=20)
@given(handovers(max_users=5))
def test_so_it_is_exactly_on_a_kink(h):
    kinks = at_kinks(h)
    assume(kinks)
    for kink in kinks:
        assert_slopes(kink)


def test_a_difference_quotient_by_hand():
    # D* = 1000 a / (a R + 1) at a = 1 ms, R = 1000; b cannot fall below 0.
    h = Handover([0.0], [1000], 1000, AffinePrefill(1e-3, 0.0))
    left, right = difference_quotients(h, -1e-4), difference_quotients(h, 1e-4)
    assert left[:2] == pytest.approx([-2.5e-4, 250], rel=1e-6)
    assert np.isnan(left[2])
    assert right == pytest.approx([-2.5e-4, 250, 0.5], rel=1e-6)


@settings(max_examples=40)
@given(handovers())
def test_off_the_kinks_all_formulas_are_one(h):
    assume(off_kinks(h) and h.prefill.affine(1)[0] > 0)
    closed = shadow_prices(h).as_array()
    np.testing.assert_allclose(closed, one_sided_prices(h)[0].as_array(), rtol=1e-6, atol=1e-15)
    units = units_of(h)
    dual = dual_prices(h).as_array()
    np.testing.assert_allclose(dual * units, closed * units, rtol=1e-6, atol=1e-7 * units[2])


@settings(max_examples=40)
@given(handovers())
def test_signs_and_ranges(h):
    prices = shadow_prices(h)
    assert prices.backhaul <= 0
    assert 0 <= prices.slope <= h.longest_context_tok
    assert 0 <= prices.offset <= 1


@settings(max_examples=50)
@given(handovers())
def test_the_delay_is_the_sum_of_its_parts(h):
    assume(off_kinks(h))
    prices = shadow_prices(h)
    slope, offset = h.prefill.affine(h.num_ues)
    link = -float(prices.backhaul) * float(h.backhaul_tok_per_s)
    gpu = slope * float(prices.slope) + offset * float(prices.offset)
    waiting = float(solve(h).delay_s) - link - gpu
    # By Euler's theorem the rest is what all times of arrival contribute.
    step = 1e-5
    later, earlier = (
        h.replace(handover_s=h.handover_s * factor, cycle_s=h.cycle_s * factor)
        for factor in (1 + step, 1 - step)
    )
    quotient = (float(solve(later).delay_s) - float(solve(earlier).delay_s)) / (2 * step)
    scale = float(time_scale_s(h)) + float(h.batch_wait_s)
    one_sided = [
        (float(solve(later).delay_s) - float(solve(h).delay_s)) / step,
        (float(solve(h).delay_s) - float(solve(earlier).delay_s)) / step,
    ]
    assume(abs(one_sided[0] - one_sided[1]) < 1e-4 * scale)  # no kink between the two
    assert quotient == pytest.approx(waiting, abs=1e-3 * scale)


@settings(max_examples=40)
@given(handovers(), st.floats(0.3, 3))
def test_the_delay_is_convex_in_the_rate_while_a_batch_runs(h, factor):
    def at(rate):
        return solve(h.replace(backhaul_tok_per_s=rate))

    low, high = sorted([float(h.backhaul_tok_per_s), factor * float(h.backhaul_tok_per_s)])
    ends = at(low), at(high)
    assume(ends[1].prefill_length_tok > 0)
    middle = float(at((low + high) / 2).delay_s)
    chord = (float(ends[0].delay_s) + float(ends[1].delay_s)) / 2
    assert middle <= chord + 1e-12 * float(time_scale_s(h))


def test_where_the_batch_is_dropped_the_link_gains_what_the_theorem_says():
    # One user: g(0) = 1 s = w at R = 1000, with a R = 1 and m = 1.
    left, right = one_sided_prices(Handover([0.0], [1000], 1000, AffinePrefill(1e-3, 1.0)))
    assert float(right.backhaul) == pytest.approx(-1e-3)
    assert float(right.backhaul / left.backhaul) == pytest.approx(1 + 1 / 1)
    assert (float(left.offset), float(right.offset)) == (pytest.approx(0.5), 0)


def test_every_method_has_its_column():
    h = Handover([1.03, 1.13], [2100, 1200], 9809.0, AffinePrefill())
    table = prices_table(h)
    assert table.index.tolist() == list(PARAMETERS)
    for name, prices in {
        "closed_form": shadow_prices(h).as_array(),
        "highs": dual_prices(h).as_array(),
        "left": one_sided_prices(h)[0].as_array(),
        "left_quotient": difference_quotients(h, -1e-4),
        "right": one_sided_prices(h)[1].as_array(),
        "right_quotient": difference_quotients(h, 1e-4),
    }.items():
        np.testing.assert_array_equal(table[name], prices)
    assert kinked(table) == [False] * 3
    assert 0 < disagreement(table) < 1e-6
    table.loc["slope", "highs"] *= 1.5
    assert disagreement(table) == pytest.approx(1 - 1 / 1.5)


def test_where_prefill_is_free_highs_may_price_any_length():
    table = prices_table(Handover([0.5, 0.5], [100, 100], 87_000, AffinePrefill(0.0, 0.0)))
    assert table["left"].isna().tolist() == [False, True, True]
    table.loc["slope", "highs"] += 50
    assert disagreement(table) < 1e-6


def test_a_kink_has_another_price_on_each_side():
    table = prices_table(Handover([0, 0], [1000, 2000], 1000, AffinePrefill(1e-3, 0.0)))
    assert kinked(table) == [True, True, False]
    rate = table.loc["backhaul"]
    assert rate[["left", "left_quotient"]].tolist() == pytest.approx([-5e-4] * 2, rel=1e-6)
    assert rate[["right", "right_quotient"]].tolist() == pytest.approx([-1e-3 / 3] * 2, rel=1e-6)


def test_a_batch_is_priced_as_its_instances():
    rng = np.random.default_rng(5)
    tau, context = rng.uniform(1, 1.5, (40, 4)), rng.integers(1000, 5000, (40, 4))
    together = shadow_prices(Handover(tau, context, 9000, AffinePrefill())).as_array()
    for i in range(40):
        alone = shadow_prices(Handover(tau[i], context[i], 9000, AffinePrefill())).as_array()
        np.testing.assert_allclose(together[:, i], alone, rtol=1e-12)


def test_the_check_of_the_page_finds_nothing_but_notices_a_wrong_price(monkeypatch):
    drawn = random_handovers(np.random.default_rng(2), 15)
    table = witness_prices(drawn)
    assert (table["numbers"] > 20).all()
    assert table["worst"].max() < 1e-6
    wrong = lambda h: ShadowPrices(*(1.01 * shadow_prices(h).as_array()))  # noqa: E731
    monkeypatch.setattr(page, "shadow_prices", wrong)
    assert witness_prices(drawn)["worst"].iloc[:2].min() > 1e-3
