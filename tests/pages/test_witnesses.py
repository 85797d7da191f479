"""The checks that the pages print pass on what is right and fail on what is wrong."""

import numpy as np
import pytest

from ctho import Handover, printed_transfer_bound_s
from ctho.pages.proposition1 import witnesses as proposition1
from ctho.pages.proposition2 import witnesses as proposition2
from ctho.pages.rate_schedule import witnesses as rate_schedule
from ctho.pages.system_model import witnesses as system_model
from ctho.proofs.instances import random_handovers

ALL = (
    system_model.check_model,
    proposition1.check_proposition1,
    proposition2.check_proposition2,
    rate_schedule.check_rate_schedule,
)
# Times on the wall clock are rounded; on the shortest instances that is 1e-9 of their scale.
WORST = 1e-7


@pytest.fixture(scope="module")
def drawn():
    return random_handovers(np.random.default_rng(21), 40)


@pytest.mark.parametrize("check", ALL)
def test_every_claim_holds_on_every_instance(check, drawn):
    table = check(drawn, np.random.default_rng(1))
    assert (table["instances"] == len(drawn)).all()
    assert len(table) >= 4
    assert table["worst"].max() < WORST


@pytest.mark.parametrize("check", ALL)
def test_the_same_numbers_come_again(check, drawn):
    first, second = (check(drawn[:5], np.random.default_rng(2)) for _ in range(2))
    assert first.equals(second)


def failing(check, drawn):
    table = check(drawn, np.random.default_rng(1))
    return set(table.loc[table["worst"] > 1e-3, "claim"])


def test_the_printed_form_in_the_place_of_the_value_is_found_out(drawn, monkeypatch):
    for module in (proposition2, rate_schedule):
        monkeypatch.setattr(module, "minimum_transfer_delay_s", printed_transfer_bound_s)
    failed = failing(proposition2.check_proposition2, drawn)
    assert "least delay by linear program over the rates (HiGHS)" in failed
    assert "largest of all windows $(j, k)$" in failed
    assert "Carlier's bound over all sets of users" in failed
    assert "horizontal deviation of network calculus" in failed
    assert "every deadline $d_i = \\tau_i + D^\\star$ is met" in failing(
        rate_schedule.check_rate_schedule, drawn
    )


def test_a_solver_without_the_correction_is_found_out(drawn, monkeypatch):
    from ctho.solver import Reading, solve

    monkeypatch.setattr(
        proposition1, "solve", lambda handover: solve(handover, "ctHO", Reading(transfer="printed"))
    )
    failed = failing(proposition1.check_proposition1, drawn)
    assert "joint optimum over $(L, r)$ by linear program (HiGHS)" in failed
    assert any("attained" in claim for claim in failed)


def test_another_order_of_service_is_found_out(drawn, monkeypatch):
    largest = rate_schedule.serve
    monkeypatch.setattr(
        rate_schedule,
        "serve_by_priority",
        lambda tau, tokens, rate, _: largest(tau, tokens, rate, "largest first"),
    )
    failed = failing(rate_schedule.check_rate_schedule, drawn)
    assert "earliest deadline first (Eqs. 23 to 25) is first come first served" in failed
    assert "and serves each user in one piece" in failed


def test_a_batch_that_starts_late_is_found_out(drawn, monkeypatch):
    late = property(lambda h: np.asarray(h.handover_s.max() + 2 * h.cycle_s))
    monkeypatch.setattr(Handover, "batch_start_s", late)
    assert any("the batch starts" in claim for claim in failing(system_model.check_model, drawn))
