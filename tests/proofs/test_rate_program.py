"""The linear program over the rates: known values, the other program, refusals."""

import numpy as np
import pytest

from ctho import AffinePrefill, Handover, InputError
from ctho.prefill import QuadraticPrefill
from ctho.proofs.instances import random_handovers, time_scale_s
from ctho.proofs.rate_program import joint_optimum_by_rates, least_transfer_delay_by_rates
from ctho.proofs.window_program import best_by_linear_program, schedule_exists

EXAMPLE = Handover([1.0, 0.0], [800, 100], 1000, AffinePrefill(1e-3, 0.0))


@pytest.mark.parametrize(
    ("length", "delay"), [(0, 0.8), (100, 0.7), (500, 0.3), (800, 0.0), (5000, 0.0)]
)
def test_known_values(length, delay):
    assert least_transfer_delay_by_rates(EXAMPLE, length) == pytest.approx(delay, abs=1e-9)


def test_what_it_finds_is_feasible_and_nothing_less_is():
    for h in random_handovers(np.random.default_rng(11), 25, max_ues=4):
        delay = least_transfer_delay_by_rates(h, 0)
        assert schedule_exists(h, delay * (1 + 1e-5), prefill_length_tok=0)
        assert not schedule_exists(h, delay * (1 - 1e-4), prefill_length_tok=0)


def test_the_joint_optimum_is_that_of_the_program_of_windows():
    for h in random_handovers(np.random.default_rng(12), 25, max_ues=4):
        scale = float(time_scale_s(h) + h.batch_wait_s)
        found, expected = joint_optimum_by_rates(h), best_by_linear_program(h)
        assert found.delay_s == pytest.approx(expected.delay_s, abs=1e-7 * scale)


def test_a_deadline_that_meets_a_release():
    # D* = 1 exactly: the deadline of the first user is the release of the second.
    h = Handover([0.0, 1.0], [1000, 1000], 1000, AffinePrefill())
    assert least_transfer_delay_by_rates(h, 0) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    "program", [joint_optimum_by_rates, lambda h: least_transfer_delay_by_rates(h, 0)]
)
def test_one_instance_at_a_time(program):
    with pytest.raises(InputError, match="one instance"):
        program(Handover([[0.0], [1.0]], [[5], [6]], 10, AffinePrefill()))


def test_a_negative_length_is_refused():
    with pytest.raises(InputError, match="prefill_length_tok is -1"):
        least_transfer_delay_by_rates(EXAMPLE, -1)


def test_a_delay_that_is_not_affine_is_refused():
    curved = Handover([0.0], [5], 10, QuadraticPrefill(1e-4, 0.0, 1e-9))
    with pytest.raises(InputError, match="affine"):
        joint_optimum_by_rates(curved)
