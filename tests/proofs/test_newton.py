"""The lines of the busy windows: D*_tx is their envelope, and Newton climbs on them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctho import AffinePrefill, Handover, InputError, delay_at_length, solve
from ctho.prefill import QuadraticPrefill
from ctho.proofs.instances import time_scale_s
from ctho.proofs.newton import affine_prefill, busiest_window, newton_path, window_lines
from tests.strategies import handovers


@given(handovers(), st.floats(0, 0.999))
def test_the_envelope_of_all_lines_is_the_transfer_delay(h, share):
    length = share * float(h.longest_context_tok)
    lines = window_lines(h).delay_s(length)
    transfer = float(delay_at_length(h, length).transfer_delay_s)
    assert lines.max() == pytest.approx(transfer, rel=1e-9, abs=1e-12 * float(time_scale_s(h)))


@given(handovers(), st.floats(0, 0.999))
def test_the_busiest_window_attains_it(h, share):
    length = share * float(h.longest_context_tok)
    window = busiest_window(h, length)
    transfer = float(delay_at_length(h, length).transfer_delay_s)
    slack = 1e-12 * float(time_scale_s(h))
    assert float(window.delay_s(length)) == pytest.approx(transfer, rel=1e-9, abs=slack)
    inside = np.sort(h.handover_s)[[int(window.first), int(window.last)]]
    assert float(window.span_s) == pytest.approx(np.diff(inside)[0], abs=1e-12)


def test_the_windows_of_a_batch_are_those_of_its_instances():
    rng = np.random.default_rng(3)
    tau, context = rng.uniform(0, 1, (50, 4)), rng.integers(1, 5000, (50, 4))
    lengths = rng.uniform(0, 1, 50) * context.max(axis=1)
    together = busiest_window(Handover(tau, context, 9000, AffinePrefill()), lengths)
    for i in range(50):
        alone = busiest_window(Handover(tau[i], context[i], 9000, AffinePrefill()), lengths[i])
        for name in ("first", "last", "senders", "load_tok", "span_s"):
            assert getattr(together, name)[i] == getattr(alone, name)


@given(handovers())
def test_newton_rises_loses_senders_and_ends_at_the_crossing(h):
    path = newton_path(h)
    assert len(path) <= h.num_ues
    lengths = [step.length_tok for step in path] + [step.next_tok for step in path[-1:]]
    assert lengths == sorted(set(lengths))
    senders = [step.senders for step in path]
    assert senders == sorted(set(senders), reverse=True)
    best = solve(h)
    assert (not path) == (best.prefill_length_tok == 0)
    if path:
        reached = min(path[-1].next_tok, float(h.longest_context_tok))
        assert reached == pytest.approx(float(best.prefill_length_tok), rel=1e-9, abs=1e-9)


@given(handovers())
def test_no_line_crosses_beyond_the_optimum(h):
    slope, offset = affine_prefill(h)
    crossing = window_lines(h).crossing_tok(float(h.batch_wait_s) + offset, slope)
    best = float(solve(h).prefill_length_tok)
    assert max(crossing.max(), 0) == pytest.approx(best, rel=1e-9, abs=1e-9)


def test_a_climb_of_as_many_steps_as_users():
    h = Handover([0, 0], [1000, 3000], 1000, AffinePrefill(1e-3, 0))
    path = newton_path(h)
    # 4 - 2 l meets l at 4/3, beyond the first context; 3 - l meets it at 3/2.
    assert [step.next_tok for step in path] == pytest.approx([4000 / 3, 1500])
    assert [step.senders for step in path] == [2, 1]


def test_one_instance_and_an_affine_prefill_are_asked_for():
    batch = Handover([[0.0]], [[1]], 1, AffinePrefill())
    with pytest.raises(InputError, match="one instance"):
        window_lines(batch)
    with pytest.raises(InputError, match="affine"):
        newton_path(Handover([0.0], [1], 1, QuadraticPrefill(1e-4, 0, 1e-9)))
