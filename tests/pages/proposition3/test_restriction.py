"""The ways to read "cannot be fully delivered before batch prefill", against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctho import AffinePrefill, Handover, completion_s, delay_at_length, solve
from ctho.pages.proposition3.restriction import (
    RESTRICTIONS,
    delivered_in_time,
    over_undelivered,
    restriction_table,
    undelivered_delay_s,
    witness_restriction,
)
from ctho.proofs.instances import time_scale_s
from ctho.simulation import Parameters, sample_handovers
from tests.strategies import handovers

shares = st.floats(1e-3, 0.999)


@settings(max_examples=40)
@given(handovers(), shares, st.sampled_from(["start", "end"]))
def test_leaving_the_delivered_out_of_the_maximum_changes_nothing(h, share, by):
    length = share * float(h.longest_context_tok)
    value = float(delay_at_length(h, length).delay_s)
    left_out = float(undelivered_delay_s(h, length, by=by))
    assert left_out == pytest.approx(value, rel=1e-9, abs=1e-12 * float(time_scale_s(h)))


@settings(max_examples=40)
@given(handovers(), shares)
def test_eq_18_over_the_undelivered_is_low_by_the_late_start(h, share):
    length = np.array([share * float(h.longest_context_tok)])
    over = over_undelivered(h, length)
    slack = 1e-12 * float(time_scale_s(h))
    assert over.exact_s == pytest.approx(over.printed_s + over.late_start_s, rel=1e-9, abs=slack)
    assert (over.late_start_s >= 0).all()
    # With everybody back in, the delay is that of the problem, or the prefill hides the others.
    value = float(delay_at_length(h, length[0]).delay_s)
    prefill = float(delay_at_length(h, length[0]).prefill_delay_s)
    assert max(prefill, over.exact_s[0]) == pytest.approx(value, rel=1e-9, abs=slack)


def test_a_late_start_by_hand():
    # The second user finds the link busy for 0.5 s more, and neither is served at t_s = 1.
    h = Handover([0.0, 1.0], [900, 1000], 1000, AffinePrefill(0.0, 0.0), cycle_s=1.0)
    free = over_undelivered(h, np.array([100.0]))
    assert (free.exact_s[0], free.printed_s[0], free.late_start_s[0]) == (0.9, 0.9, 0.0)
    h = Handover([0.0, 0.25, 0.75], [500, 500, 1000], 1000, AffinePrefill(0.0, 0.0), cycle_s=1.0)
    # At L = 1 nearly: 499, 499 and 999 tokens; the first two are done at 0.998, before t_s.
    late = over_undelivered(h, np.array([1.0]))
    assert late.exact_s[0] == pytest.approx(0.998 + 0.999 - 0.75)
    assert late.printed_s[0] == pytest.approx(0.999)
    assert late.late_start_s[0] == pytest.approx(0.248)


@settings(max_examples=40)
@given(handovers())
def test_the_delivered_are_those_whose_transfer_ends_in_time(h):
    done = completion_s(h.handover_s, h.context_tok, h.backhaul_tok_per_s)
    expected = (done <= float(h.batch_start_s))[h.release_order.order[:, 0]]
    got = delivered_in_time(h, 0.0, h.batch_start_s)[:, 0]
    near = np.isclose(done, float(h.batch_start_s), rtol=1e-12)[h.release_order.order[:, 0]]
    assert (got == expected)[~near].all()


def brute_force(h, keep_link):
    """Every length on a fine grid, each user's delay from his own completion time."""
    done = completion_s(h.handover_s, h.context_tok, h.backhaul_tok_per_s)
    early = done <= float(h.batch_start_s)
    if early.all():
        return float(solve(h, "cHO").delay_s) if keep_link else 0.0
    lengths = np.linspace(0, float(h.longest_context_tok), 4001)[:, np.newaxis]
    left = np.maximum(h.context_tok - lengths, 0)
    own = np.where(early, h.context_tok if keep_link else 0.0, left)
    many = h.repeated(len(lengths))
    transfer = completion_s(many.handover_s, own, many.backhaul_tok_per_s) - many.handover_s
    ready = float(h.batch_start_s) + h.prefill.delay_s(lengths, h.num_ues)
    prefill = np.where(lengths > 0, ready - h.handover_s, 0.0)
    delay = np.maximum(transfer, np.where(early, 0.0, prefill))
    counted = delay if keep_link else np.where(early, 0.0, delay)
    return float(counted.max(axis=1).min())


@settings(max_examples=40)
@given(handovers(max_users=4), st.booleans())
def test_leaving_the_batch_or_the_problem_against_brute_force(h, keep_link):
    name = f"the delivered leave the {'batch' if keep_link else 'problem'}"
    found = float(RESTRICTIONS[name](h))
    grid = brute_force(h, keep_link)
    spacing = float(h.longest_context_tok) / 4000
    coarse = spacing * (h.num_ues / float(h.backhaul_tok_per_s) + h.prefill.affine(1)[0])
    slack = 1e-9 * float(time_scale_s(h))
    assert grid - coarse - slack <= found <= grid + slack


@settings(max_examples=50)
@given(handovers())
def test_the_restrictions_in_order(h):
    delay = {name: float(of(h)) for name, of in RESTRICTIONS.items()}
    slack = 1e-9 * float(time_scale_s(h))
    assert delay["everyone counts"] == float(solve(h).delay_s)
    assert delay["Eq. (18) over the undelivered"] <= delay["everyone counts"] + slack
    assert (
        delay["the delivered leave the problem"] <= delay["the delivered leave the batch"] + slack
    )


def test_the_table_and_the_check_on_the_papers_scenario():
    parameters = Parameters(realisations=400)
    table = restriction_table(parameters, [10, 4.5])
    assert table["x"].tolist() == [10] * len(RESTRICTIONS) + [4.5] * len(RESTRICTIONS)
    at = table[table["x"] == 4.5].set_index("restriction")
    assert at.loc["everyone counts", ["ratio", "lower", "higher"]].tolist() == [1, 0, 0]
    assert at.loc["Eq. (18) over the undelivered", "higher"] == 0
    drawn = sample_handovers(parameters)
    base, leaving = (RESTRICTIONS[name](drawn) for name in list(RESTRICTIONS)[::2])
    row = at.loc["the delivered leave the batch"]
    assert row["mean"] == pytest.approx(leaving.mean())
    assert row["ratio"] == pytest.approx(leaving.mean() / base.mean())
    change = leaving / base - 1
    assert (row["lower"], row["higher"]) == ((change < -1e-6).mean(), (change > 1e-6).mean())
    check = witness_restriction(drawn, seed=1)
    assert check.instances == 400
    assert check.value_deviation_s < 1e-12
    assert check.term_deviation_s < 1e-12
    assert 0 < check.late < check.undelivered < 400


def test_the_check_notices_who_is_left_out_wrongly(monkeypatch):
    import ctho.pages.proposition3.restriction as room

    drawn = sample_handovers(Parameters(realisations=100))
    none = np.zeros(drawn.release_order.handover_s.shape, bool)
    monkeypatch.setattr(room, "delivered_in_time", lambda *_: ~none)
    assert witness_restriction(drawn, seed=1).value_deviation_s > 1e-3
