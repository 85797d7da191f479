"""The rate schedule is feasible, attains the delay, and the checker catches what is not."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctho import (
    InputError,
    ScheduleError,
    check_schedule,
    minimum_transfer_delay_s,
    rate_schedule,
    transferred_tok,
)
from tests.strategies import handovers

HANDOVER = np.array([0.0, 0.05, 1.0])
TOKENS = np.array([100.0, 200.0, 300.0])
RATE = 1000.0


@given(handovers(), st.floats(0, 1))
def test_feasible_and_optimal(h, share):
    remaining = transferred_tok(h.context_tok, share * float(h.longest_context_tok))
    rate = float(h.backhaul_tok_per_s)
    schedule = rate_schedule(h.handover_s, remaining, rate)
    check_schedule(schedule, h.handover_s, remaining, rate)
    best = float(minimum_transfer_delay_s(h.handover_s, remaining, rate))
    worst = (schedule.end_s - h.handover_s[schedule.user]).max(initial=0.0)
    assert worst == pytest.approx(best, rel=1e-9, abs=1e-12)


@given(handovers())
def test_one_segment_each_and_no_idling_while_someone_waits(h):
    schedule = rate_schedule(h.handover_s, h.context_tok, float(h.backhaul_tok_per_s))
    assert sorted(schedule.user.tolist()) == list(range(h.num_ues))
    idle = np.flatnonzero(schedule.start_s[1:] > schedule.end_s[:-1])
    for gap in idle:
        waiting = h.handover_s[schedule.user[gap + 1 :]]
        assert (waiting >= schedule.start_s[gap + 1]).all()


def good():
    return rate_schedule(HANDOVER, TOKENS, RATE)


def broken(**changes):
    return dataclasses.replace(good(), **changes)


@pytest.mark.parametrize(
    ("schedule", "sentence"),
    [
        (broken(start_s=np.array([-0.1, 0.1, 1.0])), "before its user's release"),
        (broken(start_s=np.array([0.0, 0.06, 1.0])), "above R"),
        (broken(end_s=np.array([0.1, 0.29, 1.3])), "user 1 does not get exactly their tokens"),
        (broken(end_s=np.array([0.1, 0.3, 1.4])), "user 2 does not get exactly their tokens"),
        (broken(end_s=np.array([-0.1, 0.3, 1.3])), "segment 0 ends before it starts"),
        (broken(user=np.array([0, 1, 3])), "outside 0 to 2"),
        (broken(user=np.array([0, 1])), "lists of one length"),
        (broken(end_s=np.array([0.1, np.nan, 1.3])), "not finite"),
    ],
)
def test_the_checker_refuses(schedule, sentence):
    check_schedule(good(), HANDOVER, TOKENS, RATE)
    with pytest.raises(ScheduleError, match=sentence):
        check_schedule(schedule, HANDOVER, TOKENS, RATE)


def test_a_missing_user_is_noticed():
    part = good()
    part = type(part)(part.user[:2], part.start_s[:2], part.end_s[:2])
    with pytest.raises(ScheduleError, match="user 2"):
        check_schedule(part, HANDOVER, TOKENS, RATE)


def test_a_segment_inside_a_longer_one_is_noticed():
    long = type(good())(np.array([0, 1, 2]), np.array([0.0, 0.1, 1.0]), np.array([2.0, 0.3, 1.3]))
    with pytest.raises(ScheduleError, match="above R"):
        check_schedule(long, HANDOVER, np.array([2000.0, 200.0, 300.0]), RATE)


def test_nothing_to_send_needs_no_segment():
    schedule = rate_schedule([0.0, 1.0], [0, 0], 10)
    assert len(schedule) == 0
    check_schedule(schedule, [0.0, 1.0], [0, 0], 10)


def test_a_clock_too_coarse_for_the_transfer_does_not_excuse_its_absence():
    # At 1e9 s a float ticks in 1e-7 s, and the whole transfer takes 1e-9 s.
    none = type(good())(np.array([], dtype=int), np.array([]), np.array([]))
    with pytest.raises(ScheduleError, match="user 0"):
        check_schedule(none, [1e9], [1000], 1e12)
    check_schedule(rate_schedule([1e9], [1000], 1e12), [1e9], [1000], 1e12)


@pytest.mark.parametrize(
    ("handover", "tokens", "rate", "field"),
    [
        ([], [], 1.0, "handover_s"),
        ([0.0], [1.0, 2.0], 1.0, "the number of entries of remaining_tok"),
        ([0.0], [np.nan], 1.0, r"remaining_tok\[0\]"),
        ([0.0], [1.0], np.nan, "rate"),
    ],
)
def test_an_instance_that_is_none_is_refused(handover, tokens, rate, field):
    with pytest.raises(InputError, match=field):
        check_schedule(good(), handover, tokens, rate)


def test_one_instance_at_a_time():
    with pytest.raises(InputError, match="one instance"):
        rate_schedule(np.zeros((2, 3)), np.ones((2, 3)), 1.0)
