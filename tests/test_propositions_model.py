"""What the pages on the model, Propositions 1 and 2 and the rate schedule claim, as properties."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctho import (
    AffinePrefill,
    Handover,
    check_schedule,
    delay_at_length,
    minimum_transfer_delay_s,
    printed_transfer_bound_s,
    rate_schedule,
    solve,
    transfer_delay_s,
    transferred_tok,
)
from ctho.proofs.enumerated import horizontal_deviation_s, subset_bound_s, window_table
from ctho.proofs.event_by_event import ORDERS, deadline_order_s, serve, serve_by_priority
from ctho.proofs.instances import time_scale_s
from ctho.proofs.rate_program import joint_optimum_by_rates, least_transfer_delay_by_rates
from tests.strategies import handovers

TIGHT = 1e-9
SHARES = st.one_of(st.just(0.0), st.floats(0, 0.999))


def link_of(h, share=0.0):
    """The link's side of an instance at L = share of the longest context."""
    length = share * float(h.longest_context_tok)
    return h.handover_s, transferred_tok(h.context_tok, length), float(h.backhaul_tok_per_s)


# --- Proposition 2 -----------------------------------------------------------------------------


@settings(max_examples=40)
@given(handovers(max_users=5), SHARES)
def test_the_value_is_that_of_the_linear_program(h, share):
    value = float(minimum_transfer_delay_s(*link_of(h, share)))
    found = least_transfer_delay_by_rates(h, share * float(h.longest_context_tok))
    assert value == pytest.approx(found, abs=1e-7 * float(time_scale_s(h)))


@given(handovers(max_users=6), SHARES)
def test_the_value_by_four_other_ways(h, share):
    link = link_of(h, share)
    close = pytest.approx(
        float(minimum_transfer_delay_s(*link)), abs=TIGHT * float(time_scale_s(h))
    )
    assert window_table(*link).exact_s == close
    assert subset_bound_s(*link) == close
    assert horizontal_deviation_s(*link) == close
    deadlines = deadline_order_s(link[0], minimum_transfer_delay_s(*link))
    assert float(serve_by_priority(*link, deadlines).worst_delay_s) == close


@given(handovers(), SHARES)
def test_the_printed_form_forgets_the_idle_time(h, share):
    link = link_of(h, share)
    table = window_table(*link)
    tolerance = TIGHT * table.scale_s
    exact = float(minimum_transfer_delay_s(*link))
    printed = float(printed_transfer_bound_s(*link))
    assert table.printed_s == pytest.approx(printed, abs=tolerance)
    assert table.user_delay_s == pytest.approx(table.value_s[0] + table.idle_s, abs=tolerance)
    assert (np.diff(table.idle_s) >= 0).all()
    worst = int(np.argmax(table.user_delay_s))
    spread = float(np.ptp(h.handover_s))
    assert -tolerance <= exact - printed <= table.idle_s[worst] + tolerance
    assert table.idle_s[worst] <= spread + tolerance


@given(handovers(), SHARES)
def test_the_printed_form_is_exact_iff_a_worst_user_is_done_before_the_link_idles(h, share):
    table = window_table(*link_of(h, share))
    assert table.worst_before_idle == table.printed_is_exact


@given(handovers(max_users=1), SHARES)
def test_the_printed_form_is_exact_for_one_user(h, share):
    link = link_of(h, share)
    assert printed_transfer_bound_s(*link) == minimum_transfer_delay_s(*link)


@given(handovers(), SHARES)
def test_the_printed_form_is_exact_if_all_arrive_at_once(h, share):
    tau, tokens, rate = link_of(h, share)
    link = (np.full_like(tau, tau[0]), tokens, rate)
    exact = float(minimum_transfer_delay_s(*link))
    assert float(printed_transfer_bound_s(*link)) == pytest.approx(exact, rel=TIGHT)
    assert exact == pytest.approx(tokens.sum() / rate, rel=TIGHT)


@given(handovers())
def test_the_printed_form_is_exact_on_a_link_that_is_busy_throughout(h):
    tau, tokens, _ = link_of(h)
    order = np.argsort(tau, kind="stable")
    later = tau[order] - tau.min()
    total = np.cumsum(tokens[order])
    apart = later[1:] > 1e-9
    assume(apart.any())
    rate = float((total[:-1][apart] / later[1:][apart]).min())
    assume(1e-9 < rate < 1e12)
    link = (tau, tokens, rate)
    exact = float(minimum_transfer_delay_s(*link))
    assert float(printed_transfer_bound_s(*link)) == pytest.approx(exact, rel=1e-7)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 60))
def test_two_users_are_enough_and_when(first, second, gap):
    link = ([0, gap], [first, second], 1.0)
    low = printed_transfer_bound_s(*link) < minimum_transfer_delay_s(*link)
    assert bool(low) == (first < second and first < gap)


@given(handovers(max_users=6), st.floats(1.01, 100))
def test_on_a_very_fast_link_the_printed_form_sees_the_first_user_alone(h, factor):
    tau, tokens = np.unique(h.handover_s), h.context_tok
    tokens = tokens[: tau.size]
    assume(tau.size > 1 and np.diff(tau).min() > 1e-6)
    rate = factor * tokens.sum() / np.diff(tau).min()
    tolerance = TIGHT * float(np.ptp(tau))
    exact = float(minimum_transfer_delay_s(tau, tokens, rate))
    printed = float(printed_transfer_bound_s(tau, tokens, rate))
    assert exact == pytest.approx(tokens.max() / rate, abs=tolerance)
    assert printed == pytest.approx(tokens[0] / rate, abs=tolerance)


# --- The shape of the value --------------------------------------------------------------------


@given(handovers(), st.lists(st.floats(0, 1), min_size=3, max_size=3, unique=True))
def test_the_value_is_convex_and_never_rises_in_the_length(h, shares):
    low, middle, high = sorted(shares)
    assume(high - low > 1e-6)
    values = [float(minimum_transfer_delay_s(*link_of(h, s))) for s in (low, middle, high)]
    weight = (high - middle) / (high - low)
    tolerance = TIGHT * float(time_scale_s(h))
    assert values[1] <= weight * values[0] + (1 - weight) * values[2] + tolerance
    assert values[0] >= values[1] - tolerance >= values[2] - 2 * tolerance


@given(handovers(), SHARES, st.floats(1, 100))
def test_a_faster_link_is_never_slower(h, share, factor):
    tau, tokens, rate = link_of(h, share)
    tolerance = TIGHT * float(time_scale_s(h))
    slow, fast = (minimum_transfer_delay_s(tau, tokens, r) for r in (rate, rate * factor))
    assert float(fast) <= float(slow) + tolerance


@given(handovers(), SHARES, st.floats(0.01, 100), st.floats(0.01, 100))
def test_seconds_and_tokens_rescale(h, share, time, token):
    tau, tokens, rate = link_of(h, share)
    for form in (minimum_transfer_delay_s, printed_transfer_bound_s):
        scaled = form(tau * time, tokens * token, rate * token / time)
        expected = float(form(tau, tokens, rate)) * time
        assert float(scaled) == pytest.approx(expected, abs=TIGHT * time * float(time_scale_s(h)))


# --- The rate schedule -------------------------------------------------------------------------


@given(handovers(), SHARES, st.floats(0, 10))
def test_earliest_deadline_first_is_first_come_first_served_with_any_slack(h, share, slack):
    tau, tokens, rate = link_of(h, share)
    by_deadline = serve_by_priority(tau, tokens, rate, deadline_order_s(tau, slack))
    # Rounding of tau + D may tie two deadlines; ties leave the worst delay as it is.
    worst = float(transfer_delay_s(tau, tokens, rate).max())
    assert float(by_deadline.worst_delay_s) == pytest.approx(
        worst, abs=1e-7 * float(time_scale_s(h))
    )


@given(handovers(), SHARES)
def test_the_schedule_is_feasible_and_every_deadline_is_met(h, share):
    link = link_of(h, share)
    schedule = rate_schedule(*link)
    check_schedule(schedule, *link)
    assert len(schedule) == np.unique(schedule.user).size == np.count_nonzero(link[1])
    deadline = deadline_order_s(link[0], minimum_transfer_delay_s(*link))
    clock = 1e-12 * max(1.0, float(np.abs(schedule.end_s).max(initial=0)))
    assert (schedule.end_s <= deadline[schedule.user] + clock).all()


@given(handovers(), SHARES, st.data())
def test_no_priority_is_better_and_none_is_worse_than_k_times(h, share, data):
    link = link_of(h, share)
    priority = data.draw(st.permutations(range(h.num_ues)))
    worst = float(serve_by_priority(*link, priority).worst_delay_s)
    value = float(minimum_transfer_delay_s(*link))
    tolerance = TIGHT * float(time_scale_s(h))
    assert value - tolerance <= worst <= h.num_ues * value + tolerance


@given(handovers(), SHARES, st.sampled_from(list(ORDERS)))
def test_at_once_every_order_is_optimal(h, share, order):
    tau, tokens, rate = link_of(h, share)
    link = (np.zeros_like(tau), tokens, rate)
    worst = float(serve(*link, order).worst_delay_s)
    assert worst == pytest.approx(float(minimum_transfer_delay_s(*link)), rel=TIGHT)


# --- Proposition 1 and the model ---------------------------------------------------------------


@settings(max_examples=30)
@given(handovers(max_users=4))
def test_one_step_at_a_time_finds_the_joint_optimum(h):
    scale = float(time_scale_s(h)) + float(h.batch_wait_s)
    joint = joint_optimum_by_rates(h)
    assert float(solve(h).delay_s) == pytest.approx(joint.delay_s, abs=1e-7 * scale)


@given(handovers(), SHARES, st.data())
def test_the_chain_of_equation_13(h, share, data):
    length = share * float(h.longest_context_tok)
    at = delay_at_length(h, length)
    priority = data.draw(st.permutations(range(h.num_ues)))
    transfer = serve_by_priority(*link_of(h, share), priority).worst_delay_s
    pair = max(float(at.prefill_delay_s), float(transfer))
    tolerance = TIGHT * float(time_scale_s(h))
    assert float(solve(h).delay_s) <= float(at.delay_s) + tolerance
    assert float(at.delay_s) <= pair + tolerance


@given(handovers(), st.integers(-1000, 1000))
def test_a_shift_by_whole_cycles_changes_nothing(h, cycles):
    shift = cycles * h.cycle_s
    moved = Handover(
        h.handover_s + shift, h.context_tok, h.backhaul_tok_per_s, h.prefill, h.cycle_s
    )
    # The shifted times are rounded, and with them t_s may go to the next boundary.
    phase = float((h.batch_start_s - h.handover_s.max()) / h.cycle_s)
    assume(1e-6 < phase < 1 - 1e-6)
    assert float(solve(moved).delay_s) == pytest.approx(float(solve(h).delay_s), abs=1e-9)


@given(handovers(), SHARES)
def test_the_worst_user_has_the_larger_of_the_two_worst_delays(h, share):
    at = delay_at_length(h, share * float(h.longest_context_tok))
    assert float(at.per_user_delay_s.max()) == pytest.approx(float(at.delay_s), abs=1e-9)


def test_the_smallest_example_is_solved_without_a_batch():
    h = Handover([0.0, 1.0], [100, 800], 1000, AffinePrefill(1e-3, 0.5))
    assert float(solve(h).delay_s) == pytest.approx(0.8)
