"""The simulated link keeps the rules of the problem under every order of service."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctho import InputError, transfer_delay_s
from ctho.proofs.event_by_event import ORDERS, serve, serve_by_priority
from tests.strategies import handovers

orders = st.sampled_from(list(ORDERS))
SCALE = 1e-9


def link_of(h):
    return h.handover_s, h.context_tok, float(h.backhaul_tok_per_s)


def tolerance_s(h):
    return SCALE * float(np.ptp(h.handover_s) + h.context_tok.sum() / h.backhaul_tok_per_s)


@given(handovers(), orders)
def test_rates_are_within_the_capacity_and_deliver_everything(h, order):
    tau, tokens, rate = link_of(h)
    service = serve(tau, tokens, rate, order)
    assert (service.rate_tok_per_s >= 0).all()
    assert (service.rate_tok_per_s.sum(axis=-1) <= rate * (1 + 1e-12)).all()
    lengths = (service.end_s - service.start_s)[:, np.newaxis]
    clock = 1e-14 * (1 + np.abs(service.end_s).max()) * rate * (1 + len(lengths))
    delivered = (lengths * service.rate_tok_per_s).sum(axis=0)
    assert delivered == pytest.approx(tokens, abs=clock + 1e-6)


@given(handovers(), orders)
def test_nobody_is_served_before_his_release_or_after_his_end(h, order):
    tau, tokens, rate = link_of(h)
    service = serve(tau, tokens, rate, order)
    for user in range(h.num_ues):
        served = service.rate_tok_per_s[:, user] > 0
        assert service.start_s[served].min() >= tau[user] - 1e-12
        end = service.end_s[served].max()
        assert end - tau[user] == pytest.approx(service.delay_s[user], abs=1e-12 + tolerance_s(h))


@given(handovers(), orders)
def test_the_link_is_whole_whenever_somebody_waits(h, order):
    tau, tokens, rate = link_of(h)
    service = serve(tau, tokens, rate, order)
    done = tau + service.delay_s
    middle = (service.start_s + service.end_s) / 2
    long_enough = service.end_s - service.start_s > 1e-9
    for time, rates in zip(middle[long_enough], service.rate_tok_per_s[long_enough], strict=True):
        if ((tau < time) & (time < done)).any():
            assert rates.sum() == pytest.approx(rate)


@given(handovers())
def test_first_come_first_served_is_the_recursion(h):
    link = link_of(h)
    served = serve(*link, "first come first served").delay_s
    assert served == pytest.approx(transfer_delay_s(*link), abs=tolerance_s(h))


@given(handovers())
def test_equal_sharing_gives_all_the_same(h):
    rates = serve(*link_of(h), "equal sharing").rate_tok_per_s
    for row in rates:
        assert np.unique(row[row > 0]).size <= 1


@pytest.mark.parametrize(
    ("order", "delays"),
    [
        # One after the other, done at 1.0, 1.9 and 2.2.
        ("first come first served", [1.0, 1.4, 1.6]),
        ("largest first", [1.0, 1.4, 1.6]),
        # Left at 0.6: 450, 850, 300. At 1.5 user 3 is done, left 150, 550; at 1.8 user 1; at 2.2.
        ("equal sharing", [1.8, 1.7, 0.9]),
        # User 1 has the link to 0.5, 2 to 0.6, 3 to 0.9, 2 to 1.7, 1 to 2.2.
        ("smallest first", [2.2, 1.2, 0.3]),
    ],
)
def test_by_hand(order, delays):
    service = serve([0, 0.5, 0.6], [1000, 900, 300], 1000, order)
    assert service.delay_s == pytest.approx(delays)


def test_largest_first_preempts():
    assert serve([0, 0.5], [1000, 2000], 1000, "largest first").delay_s == pytest.approx([3, 2])


def test_a_batch_is_its_instances():
    rng = np.random.default_rng(5)
    tau, tokens = rng.random((40, 3)), rng.integers(0, 500, (40, 3))
    rate = rng.uniform(100, 1000, 40)
    for order in ORDERS:
        batch = serve(tau, tokens, rate, order).delay_s
        single = [serve(*one, order).delay_s for one in zip(tau, tokens, rate, strict=True)]
        assert batch == pytest.approx(np.array(single), abs=1e-12)


def test_nothing_to_send_takes_no_time():
    service = serve([0.0, 0.2], [0, 0], 10, "equal sharing")
    assert service.delay_s.tolist() == [0, 0]
    assert len(service.start_s) == 0


def test_ties_go_to_the_first_in_the_list():
    assert serve_by_priority([0, 0], [100, 100], 100, [3, 3]).delay_s.tolist() == [1, 2]


def test_an_unknown_order_is_refused():
    with pytest.raises(InputError, match="order is 'fifo'"):
        serve([0.0], [1], 1, "fifo")


@pytest.mark.parametrize("change", [{"rate": 0}, {"remaining_tok": [-1]}, {"handover_s": [np.nan]}])
def test_bad_numbers_are_refused(change):
    arguments = {"handover_s": [0.0], "remaining_tok": [1], "rate": 1.0, **change}
    with pytest.raises(InputError, match=next(iter(change))):
        serve(**arguments, order="equal sharing")
