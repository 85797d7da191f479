"""The instance: its checks, the split of Eqs. (2) and (3), the batch start."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctho import AffinePrefill, Handover, InputError, batch_start_s, prefilled_tok, transferred_tok


def make(**changes):
    fields = {
        "handover_s": [1.0, 1.2],
        "context_tok": [3000, 4000],
        "backhaul_tok_per_s": 9809.0,
        "prefill": AffinePrefill(),
        "cycle_s": 0.01,
    }
    return Handover(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"handover_s": [], "context_tok": []}, "at least one handover time"),
        ({"handover_s": 1.0, "context_tok": 5}, "at least one handover time"),
        ({"context_tok": [3000]}, "the number of entries of context_tok is 1, .* handover_s, 2"),
        ({"context_tok": [3000, 0]}, r"context_tok\[1\] is 0.0, .* at least 1"),
        ({"context_tok": [3000, 0.5]}, r"context_tok\[1\] is 0.5, .* at least 1"),
        ({"handover_s": [1.0, np.nan]}, r"handover_s\[1\] is nan"),
        ({"handover_s": [1.0, np.inf]}, r"handover_s\[1\] is inf"),
        ({"handover_s": [1.0, "2"]}, r"handover_s\[1\] is '2'"),
        ({"backhaul_tok_per_s": 0}, "backhaul_tok_per_s is 0.0, .* above 0"),
        ({"backhaul_tok_per_s": -5}, "backhaul_tok_per_s is -5.0"),
        ({"backhaul_tok_per_s": [1.0, 2.0]}, r"the shape of backhaul_tok_per_s is \(2,\)"),
        ({"handover_s": np.zeros((3, 2)), "context_tok": np.ones((4, 2))}, "same leading axes"),
        ({"cycle_s": 0}, r"cycle_s is 0\.0, .* above 0"),
        ({"cycle_s": -0.01}, "cycle_s is -0.01"),
        ({"prefill": 1e-4}, "prefill is 0.0001, .* prefill delay model"),
        ({"prefill": AffinePrefill}, "prefill is <class .* prefill delay model"),
    ],
)
def test_bad_instances_are_refused(changes, sentence):
    with pytest.raises(InputError, match=sentence):
        make(**changes)


@pytest.mark.parametrize("changes", [{"prefill_s_per_tok": -1e-4}, {"prefill_offset_s": -1e-3}])
def test_negative_prefill_is_refused(changes):
    with pytest.raises(InputError, match="at least 0"):
        AffinePrefill(**changes)


def test_leading_axes_broadcast():
    h = make(handover_s=np.zeros((5, 3, 2)), context_tok=[10, 20], backhaul_tok_per_s=np.ones(3))
    assert h.batch_shape == (5, 3)
    assert h.num_ues == 2
    assert h.longest_context_tok.shape == (5, 3)


@given(st.lists(st.integers(1, 9000), min_size=1, max_size=6), st.floats(0, 1e4, allow_nan=False))
def test_the_split_adds_up(context, length):
    sent, rebuilt = transferred_tok(context, length), prefilled_tok(context, length)
    np.testing.assert_allclose(sent + rebuilt, context, rtol=1e-15)
    assert (sent >= 0).all()
    assert (rebuilt <= length).all()


def test_a_boundary_starts_its_own_batch():
    cycles = np.arange(1, 100_000)
    for cycle_s in (0.01, 0.1, 0.007):
        boundary = cycles * cycle_s
        np.testing.assert_allclose(batch_start_s(boundary, cycle_s), boundary, rtol=1e-15)
    assert batch_start_s(1.11, 0.01) == pytest.approx(1.11, rel=1e-15)
    assert np.ceil(1.11 / 0.01) == 112  # what a bare ceiling makes of it


@given(st.floats(-50, 1e4), st.sampled_from([1e-3, 0.01, 0.25, 3.0]))
def test_the_batch_starts_within_a_cycle_and_never_before_the_handover(latest, cycle_s):
    start = float(batch_start_s(latest, cycle_s))
    assert latest <= start < latest + cycle_s * (1 + 1e-9)
    cycles = start / cycle_s
    assert start == latest or cycles == pytest.approx(round(cycles), abs=1e-6)


def test_rounding_never_hides_a_delay_that_one_can_see():
    # 8 units in the last place of 1e15 cycles are more than half a cycle.
    assert float(batch_start_s(1e13 + 0.004, 0.01)) > 1e13 + 0.005


def test_negative_times_start_at_negative_boundaries():
    assert batch_start_s(-0.015, 0.01) == pytest.approx(-0.01)
    assert batch_start_s(-0.02, 0.01) == pytest.approx(-0.02)


@pytest.mark.parametrize("share", [1e-9, 1e-7])
def test_only_rounding_counts_as_the_boundary(share):
    # A billionth of a cycle after the hundredth boundary is after it.
    start = float(batch_start_s(1.0 + share * 0.01, 0.01))
    assert start == pytest.approx(1.01, rel=1e-12)
