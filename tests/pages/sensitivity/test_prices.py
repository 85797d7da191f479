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
    check_prices,
    difference_quotient,
    prices_table,
)
from ctho.proofs.instances import random_handovers, time_scale_s
from tests.strategies import handovers


def unit_of(h, parameter):
    slope, rate = h.prefill.affine(h.num_ues)[0], float(h.backhaul_tok_per_s)
    return {"backhaul": rate, "slope": slope + 1 / rate, "offset": float(time_scale_s(h))}[
        parameter
    ]


def off_kinks(h):
    left, right = (side.as_array() for side in one_sided_prices(h))
    return np.isclose(left, right, rtol=1e-9, atol=0).all()


@settings(max_examples=60)
@given(handovers(), st.sampled_from(PARAMETERS), st.sampled_from([-1e-4, 1e-4]))
def test_a_price_is_the_slope_on_its_side(h, parameter, step):
    side = one_sided_prices(h)[int(step > 0)]
    price = side.as_array()[PARAMETERS.index(parameter)]
    quotient = difference_quotient(h, parameter, step)
    assume(np.isfinite(quotient))
    scale = float(time_scale_s(h)) / unit_of(h, parameter)
    assert quotient == pytest.approx(price, abs=1e-6 * scale)


@settings(max_examples=40)
@given(handovers(max_users=5), st.sampled_from(PARAMETERS))
def test_so_it_is_exactly_on_a_kink(h, parameter):
    for kink in at_kinks(h):
        scale = float(time_scale_s(kink)) / unit_of(kink, parameter)
        for side, step in zip(one_sided_prices(kink), (-1e-4, 1e-4), strict=True):
            quotient = difference_quotient(kink, parameter, step)
            if np.isfinite(quotient):
                price = side.as_array()[PARAMETERS.index(parameter)]
                assert quotient == pytest.approx(price, abs=1e-6 * scale)


@given(handovers())
def test_off_the_kinks_all_formulas_are_one(h):
    assume(off_kinks(h) and h.prefill.affine(1)[0] > 0)
    closed = shadow_prices(h).as_array()
    np.testing.assert_allclose(closed, one_sided_prices(h)[0].as_array(), rtol=1e-6, atol=1e-15)
    units = np.array([unit_of(h, parameter) for parameter in PARAMETERS])
    dual = dual_prices(h).as_array()
    np.testing.assert_allclose(dual * units, closed * units, rtol=1e-6, atol=1e-7 * units[2])


@given(handovers())
def test_signs_and_ranges(h):
    prices = shadow_prices(h)
    assert prices.backhaul <= 0
    assert 0 <= prices.slope <= h.longest_context_tok
    assert 0 <= prices.offset <= 1


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
    later = Handover(
        h.handover_s * (1 + step),
        h.context_tok,
        h.backhaul_tok_per_s,
        h.prefill,
        h.cycle_s * (1 + step),
    )
    earlier = Handover(
        h.handover_s * (1 - step),
        h.context_tok,
        h.backhaul_tok_per_s,
        h.prefill,
        h.cycle_s * (1 - step),
    )
    quotient = (float(solve(later).delay_s) - float(solve(earlier).delay_s)) / (2 * step)
    scale = float(time_scale_s(h)) + float(h.batch_wait_s)
    one_sided = [
        (float(solve(later).delay_s) - float(solve(h).delay_s)) / step,
        (float(solve(h).delay_s) - float(solve(earlier).delay_s)) / step,
    ]
    assume(abs(one_sided[0] - one_sided[1]) < 1e-4 * scale)  # no kink between the two
    assert quotient == pytest.approx(waiting, abs=1e-3 * scale)


@settings(max_examples=60)
@given(handovers(), st.floats(0.3, 3))
def test_the_delay_is_convex_in_the_rate_while_a_batch_runs(h, factor):
    def at(rate):
        return solve(Handover(h.handover_s, h.context_tok, rate, h.prefill, h.cycle_s))

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


def test_the_hand_example_of_the_page():
    kink = prices_table(Handover([0, 0], [1000, 2000], 1000, AffinePrefill(1e-3, 0.0)))
    rate = kink.set_index("parameter").loc["backhaul"]
    assert rate["left"] == pytest.approx(-5e-4)
    assert rate["right"] == pytest.approx(-1e-3 / 3)
    assert rate["left_quotient"] == pytest.approx(rate["left"], rel=1e-6)
    assert rate["right_quotient"] == pytest.approx(rate["right"], rel=1e-6)


def test_a_batch_is_priced_as_its_instances():
    rng = np.random.default_rng(5)
    tau, context = rng.uniform(1, 1.5, (40, 4)), rng.integers(1000, 5000, (40, 4))
    together = shadow_prices(Handover(tau, context, 9000, AffinePrefill())).as_array()
    for i in range(40):
        alone = shadow_prices(Handover(tau[i], context[i], 9000, AffinePrefill())).as_array()
        np.testing.assert_allclose(together[:, i], alone, rtol=1e-12)


def test_the_check_of_the_page_finds_nothing_but_notices_a_wrong_price(monkeypatch):
    drawn = random_handovers(np.random.default_rng(2), 15)
    table = check_prices(drawn)
    assert (table["instances"] > 20).all()
    assert table["worst"].max() < 1e-6
    wrong = lambda h: ShadowPrices(*(1.01 * shadow_prices(h).as_array()))  # noqa: E731
    monkeypatch.setattr(page, "shadow_prices", wrong)
    assert check_prices(drawn)["worst"].iloc[:2].min() > 1e-3
