"""The random instances hold what their docstring promises, so checks on them mean something."""

import numpy as np
import pytest

from ctho.backhaul import minimum_transfer_delay_s, printed_transfer_bound_s
from ctho.checks import InputError
from ctho.handover import Handover
from ctho.prefill import AffinePrefill, QuadraticPrefill
from ctho.proofs.instances import (
    affine_prefill,
    one_instance,
    random_handovers,
    time_scale_s,
)


@pytest.fixture(scope="module")
def drawn():
    return random_handovers(np.random.default_rng(7), 400)


def test_awkward_cases_are_among_them(drawn):
    assert {h.num_ues for h in drawn} == set(range(1, 7))
    tau = [h.handover_s for h in drawn]
    several = [t for t in tau if t.size > 1]
    assert any(np.unique(t).size < t.size for t in several)
    assert any(np.ptp(t) == 0 for t in several)
    assert any(t.min() < 0 for t in tau)
    assert any(t.min() < 0 < t.max() for t in tau)
    assert any((np.diff(t) < 0).any() for t in several)
    assert any(float(h.batch_start_s) == h.handover_s.max() for h in drawn)
    assert any(h.prefill.affine(1)[0] == 0 for h in drawn)


def test_the_printed_form_is_sometimes_right_and_sometimes_wrong_on_them(drawn):
    arguments = [(h.handover_s, h.context_tok, h.backhaul_tok_per_s) for h in drawn]
    exact = np.array([minimum_transfer_delay_s(*a) for a in arguments])
    printed = np.array([printed_transfer_bound_s(*a) for a in arguments])
    low = printed < exact * (1 - 1e-9)
    assert 0.1 < low.mean() < 0.9


def test_links_span_many_orders_of_magnitude(drawn):
    seconds = np.array([float(h.context_tok.sum() / h.backhaul_tok_per_s) for h in drawn])
    assert seconds.min() < 1e-4
    assert seconds.max() > 1e4


def test_same_stream_same_instances():
    first, second = (random_handovers(np.random.default_rng(3), 5) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one.handover_s, other.handover_s)
        assert np.array_equal(one.context_tok, other.context_tok)


def test_time_scale_bounds_the_transfer_delay(drawn):
    for h in drawn:
        delay = minimum_transfer_delay_s(h.handover_s, h.context_tok, h.backhaul_tok_per_s)
        assert 0 < delay <= time_scale_s(h) * (1 + 1e-12)


def test_the_time_scale_is_the_spread_and_the_link_time():
    batch = Handover([[0.0, 1.0], [3.0, 0.5]], [[100, 800], [50, 50]], 1000, AffinePrefill())
    assert time_scale_s(batch) == pytest.approx([1.9, 2.6])


def test_one_instance_is_sorted_by_release():
    tau, context, rate = one_instance(Handover([1.0, 0.0], [800, 100], 1000, AffinePrefill()))
    assert (tau.tolist(), context.tolist(), rate) == ([0, 1], [100, 800], 1000)
    with pytest.raises(InputError, match="one instance"):
        one_instance(Handover([[1.0]], [[1]], 1, AffinePrefill()))


def test_an_affine_delay_is_its_slope_and_start():
    h = Handover([0.0], [1], 1, AffinePrefill(1e-4, 0.5))
    assert affine_prefill(h) == (1e-4, 0.5)
    with pytest.raises(InputError, match="affine"):
        affine_prefill(h.replace(prefill=QuadraticPrefill(1e-4, 0, 1e-9)))


@pytest.mark.parametrize("wrong", [{"count": 0}, {"count": 1, "max_ues": 0}])
def test_counts_below_one_are_refused(wrong):
    with pytest.raises(InputError, match="at least 1"):
        random_handovers(np.random.default_rng(0), **wrong)
