"""Proposition 2 taken apart: windows, idle time, Carlier's sets, cumulative flow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctho import InputError, completion_s
from ctho.proofs.enumerated import (
    cumulative_flow,
    horizontal_deviation_s,
    subset_bound_s,
    window_table,
)
from tests.strategies import handovers


def link_of(h):
    return h.handover_s, h.context_tok, float(h.backhaul_tok_per_s)


def test_the_windows_of_three_users():
    table = window_table([1.0, 1.3, 1.45], [1200, 4200, 3000], 10_000)
    expected = [[0.12, 0.24, 0.39], [np.nan, 0.42, 0.57], [np.nan, np.nan, 0.3]]
    assert table.value_s == pytest.approx(np.array(expected), nan_ok=True)
    assert table.idle_s == pytest.approx([0.0, 0.18, 0.18])
    assert table.exact_s == pytest.approx(0.57)
    assert table.printed_s == pytest.approx(0.39)
    assert table.worst == (2, 3)
    assert not table.printed_is_exact
    assert not table.worst_before_idle


def test_of_equal_windows_the_first_user_to_end_counts():
    table = window_table([0.0, 5.0], [10, 10], 10)
    assert table.worst == (1, 1)
    assert table.printed_is_exact  # the second, as bad, comes after the link has idled
    assert table.worst_before_idle


@pytest.mark.parametrize("little", [1e-9, 1e-6, 1e-3])
def test_a_window_that_is_longer_by_a_little_is_the_worst(little):
    table = window_table([0.0, 5.0], [10, 10 * (1 + little)], 10)
    assert table.worst == (2, 2)
    assert not table.printed_is_exact
    assert not table.worst_before_idle


def test_an_idle_link_by_a_little_is_idle():
    table = window_table([0.0, 1.0 + 1e-6], [10, 20], 10)
    assert table.idle_s == pytest.approx([0, 1e-6])
    assert table.worst == (2, 2)
    assert not table.worst_before_idle


@given(handovers(), st.floats(0, 1))
def test_the_flow_is_the_infimum_over_all_earlier_times(h, when):
    tau, tokens, rate = link_of(h)
    corners, sent = cumulative_flow(tau, tokens, rate)
    time = corners[0] + when * (corners[-1] - corners[0])
    # A(s) + R (t - s) falls between releases, so the infimum is at a release, or A(t) itself.
    before = np.array([tokens[tau < s].sum() for s in tau])
    reached = np.append(before + rate * (time - tau), tokens[tau <= time].sum())
    possible = np.append(tau <= time, True)
    expected = reached[possible].min()
    slack = 1e-9 * tokens.sum() + 1e-12 * rate * (1 + abs(time))
    assert np.interp(time, corners, sent) == pytest.approx(expected, abs=slack)


@given(handovers())
def test_the_flow_ends_when_the_last_user_is_done(h):
    tau, tokens, rate = link_of(h)
    corners, sent = cumulative_flow(tau, tokens, rate)
    assert sent[-1] == pytest.approx(tokens.sum())
    assert corners[-1] == pytest.approx(completion_s(tau, tokens, rate).max(), rel=1e-9)


@given(handovers())
def test_the_idle_time_is_what_the_flow_is_flat_for(h):
    tau, tokens, rate = link_of(h)
    corners, sent = cumulative_flow(tau, tokens, rate)
    flat = np.diff(corners)[np.diff(sent) == 0].sum()
    table = window_table(tau, tokens, rate)
    assert table.idle_s[-1] == pytest.approx(flat, abs=1e-9 * table.scale_s)


def test_carliers_best_set_may_leave_out_users():
    # The first two are a burst; the third is far off and small.
    link = ([0.0, 0.0, 9.0], [30, 40, 1], 10)
    assert subset_bound_s(*link) == pytest.approx(7.0)
    assert horizontal_deviation_s(*link) == pytest.approx(7.0)


@pytest.mark.parametrize("form", [window_table, subset_bound_s, cumulative_flow])
@pytest.mark.parametrize(
    ("link", "field"),
    [
        (([[0.0]], [[1]], 1), "shapes"),
        (([], [], 1), "shapes"),
        (([0.0, 1.0], [1], 1), "shapes"),
        (([0.0], [-1], 1), "remaining_tok"),
        (([0.0], [1], 0), "rate"),
    ],
)
def test_bad_instances_are_refused(form, link, field):
    with pytest.raises(InputError, match=field):
        form(*link)
