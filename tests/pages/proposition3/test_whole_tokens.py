"""The best whole number of tokens, against every other, and its cost against both bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctho import AffinePrefill, Handover, InputError, solve
from ctho.pages.proposition3.whole_tokens import best_grid_length, grid_cost_bound_s
from ctho.proofs.instances import time_scale_s
from ctho.simulation.one_instance import delays_at_lengths
from tests.strategies import handovers


@settings(max_examples=40)
@given(handovers(max_users=5), st.sampled_from([1, 16, 0.25, 700]))
def test_no_other_multiple_is_better_and_none_before_it_as_good(h, step):
    grid = best_grid_length(h, step)
    multiples = np.arange(np.ceil(float(h.longest_context_tok) / step) + 1) * step
    delay = delays_at_lengths(h, multiples)[2]
    slack = 1e-12 * float(time_scale_s(h))
    assert float(grid.delay_s) <= delay.min() + slack
    shorter = multiples < float(grid.prefill_length_tok)
    assert (delay[shorter] > float(grid.delay_s) - slack).all()
    assert float(grid.prefill_length_tok) % step == 0


@settings(max_examples=40)
@given(handovers(), st.sampled_from([1, 16, 0.25, 700]))
def test_the_cost_is_within_both_bounds(h, step):
    grid = best_grid_length(h, step)
    cost = float(grid.delay_s - grid.real_delay_s)
    slack = 1e-12 * float(time_scale_s(h))
    assert -slack <= cost <= float(grid.cost_bound_s) + slack
    assert float(grid.cost_bound_s) <= float(grid_cost_bound_s(h, step)) + slack


def test_the_bound_is_attained():
    # 2 s to send at 1 token/s against 1 s per token: the crossing lies half way between tokens.
    h = Handover([0.0], [3], 1, AffinePrefill(1.0, 0.0))
    assert float(solve(h).prefill_length_tok) == pytest.approx(1.5)
    grid = best_grid_length(h)
    assert float(grid.delay_s) - 1.5 == pytest.approx(float(grid_cost_bound_s(h))) == 0.5
    assert float(grid.prefill_length_tok) == 1


def test_where_no_batch_is_best_the_grid_costs_nothing():
    h = Handover([0.0], [10], 10_000, AffinePrefill(1e-4, 0.1))
    grid = best_grid_length(h)
    assert (grid.prefill_length_tok, grid.delay_s) == (0, grid.real_delay_s)


def test_a_step_must_be_above_zero():
    with pytest.raises(InputError, match="step_tok"):
        best_grid_length(Handover([0.0], [3], 1, AffinePrefill()), 0)
