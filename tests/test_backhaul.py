"""Transfer delays against the window formula, brute force, and the linear program of rates."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctho import (
    InputError,
    backhaul_tok_per_s,
    minimum_transfer_delay_s,
    printed_transfer_bound_s,
    transfer_delay_s,
)
from ctho.proofs.window_program import schedule_exists
from tests.strategies import handovers

RTOL = 1e-12


def windows_by_hand(tau, tokens, rate):
    """max over j <= k of [ (n_j + ... + n_k) / R - (tau_k - tau_j) ]^+, term by term."""
    order = np.argsort(tau, kind="stable")
    tau, tokens = np.asarray(tau, float)[order], np.asarray(tokens, float)[order]
    best = 0.0
    for j, k in itertools.combinations_with_replacement(range(len(tau)), 2):
        best = max(best, tokens[j : k + 1].sum() / rate - (tau[k] - tau[j]))
    return best


@given(handovers())
def test_the_value_is_the_largest_window(h):
    rate = float(h.backhaul_tok_per_s)
    expected = windows_by_hand(h.handover_s, h.context_tok, rate)
    found = float(minimum_transfer_delay_s(h.handover_s, h.context_tok, rate))
    assert found == pytest.approx(expected, rel=RTOL, abs=1e-15)


@settings(max_examples=60)
@given(handovers(max_users=5))
def test_no_rates_do_better_and_some_do_as_well(h):
    delay = float(minimum_transfer_delay_s(h.handover_s, h.context_tok, h.backhaul_tok_per_s))
    assert schedule_exists(h, delay * (1 + 1e-5), prefill_length_tok=0)
    assert not schedule_exists(h, delay * (1 - 1e-4), prefill_length_tok=0)


@given(handovers())
def test_the_printed_form_never_exceeds_the_value(h):
    rate = h.backhaul_tok_per_s
    printed = float(printed_transfer_bound_s(h.handover_s, h.context_tok, rate))
    exact = float(minimum_transfer_delay_s(h.handover_s, h.context_tok, rate))
    assert 0 <= printed <= exact * (1 + RTOL)


def test_the_printed_form_is_too_low_where_the_link_idles():
    assert printed_transfer_bound_s([0, 1], [100, 800], 1000) == pytest.approx(0.1)
    assert minimum_transfer_delay_s([0, 1], [100, 800], 1000) == pytest.approx(0.8)


@given(handovers(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(h, random):
    order = list(range(h.num_ues))
    random.shuffle(order)
    rate = float(h.backhaul_tok_per_s)
    # Users who tie are served in input order, so only distinct times have fixed delays.
    if len(set(h.handover_s.tolist())) == h.num_ues:
        np.testing.assert_allclose(
            transfer_delay_s(h.handover_s[order], h.context_tok[order], rate),
            transfer_delay_s(h.handover_s, h.context_tok, rate)[order],
            rtol=RTOL,
        )


def test_a_user_with_nothing_to_send_does_not_wait():
    np.testing.assert_allclose(transfer_delay_s([0, 0.1, 0.2], [900, 0, 50], 1000), [0.9, 0, 0.75])


def test_tiny_delays_beside_large_times_stay_exact():
    delay = transfer_delay_s([1e6, 1e6 + 1], [1, 1], 1e15)
    np.testing.assert_allclose(delay, 1e-15, rtol=1e-12)


@pytest.mark.parametrize("rate", [1e-6, 1.0, 1e12])
def test_few_users_and_many_users_take_the_same_values(rate):
    # Few instances with many users run along the users, many along the instances.
    rng = np.random.default_rng(5)
    tau, tokens = np.sort(rng.random((3, 40))) * 40 / rate, rng.integers(1, 100, (3, 40))
    along_users = transfer_delay_s(tau, tokens, rate)
    along_instances = transfer_delay_s(np.tile(tau, (50, 1)), np.tile(tokens, (50, 1)), rate)
    np.testing.assert_allclose(along_users, along_instances[:3], rtol=1e-9)


@pytest.mark.parametrize("idles", [0.01, 0.5, 0.99])
def test_the_printed_form_of_many_users_is_that_of_few(idles):
    # More than 128 users on few links run along the users, where the last term may not be kept.
    rng = np.random.default_rng(6)
    tau = rng.permuted(np.cumsum(rng.exponential(1.0, (3, 200)), axis=1), axis=1)
    tokens = rng.integers(0, 200, (3, 200))
    rate = tokens.mean() / idles
    found = printed_transfer_bound_s(tau, tokens, rate)
    for times, sizes, bound in zip(tau, tokens, found, strict=True):
        order = np.argsort(times)
        sent = np.cumsum(sizes[order]) / rate
        expected = max(0.0, (sent - (times[order] - times.min())).max())
        assert bound == pytest.approx(expected, rel=1e-9)
    batch = printed_transfer_bound_s(np.tile(tau, (70, 1)), np.tile(tokens, (70, 1)), rate)
    np.testing.assert_allclose(found, batch[:3], rtol=1e-9)
    assert (found < minimum_transfer_delay_s(tau, tokens, rate)).any()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([0.0], [1, 2, 3], 1), "the number of entries of remaining_tok is 3"),
        (([0.0, 1.0], [1], 1), "the number of entries of remaining_tok is 1"),
        (([], [], 1), "at least one handover time"),
        ((0.0, 1.0, 1), "at least one handover time"),
        (([0.0], [-1], 1), r"remaining_tok\[0\] is -1"),
        (([0.0], [1], 0), "rate is 0"),
        (([0.0], [1], [1, 2]), r"the shape of rate is \(2,\)"),
    ],
)
def test_what_is_no_instance_is_refused(arguments, sentence):
    for function in (transfer_delay_s, minimum_transfer_delay_s, printed_transfer_bound_s):
        with pytest.raises(InputError, match=sentence):
            function(*arguments)


@pytest.mark.parametrize("pair", [(1e-300, 1e300), (1e300, 1e-5)])
def test_a_rate_that_no_float_holds_is_refused(pair):
    with pytest.raises(InputError, match="backhaul_gbps over kv_bits_per_tok"):
        backhaul_tok_per_s(*pair)


def test_units_of_the_rate():
    assert backhaul_tok_per_s(4.5, 458_752) == pytest.approx(4.5e9 / 458_752)
    with pytest.raises(InputError, match="backhaul_gbps"):
        backhaul_tok_per_s(0, 458_752)
    with pytest.raises(InputError, match="kv_bits_per_tok"):
        backhaul_tok_per_s(1, -1)
