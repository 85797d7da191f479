"""The drawn instance says what the solution says."""

import numpy as np
import pytest

from ctho import InputError, delay_at_length, solve
from ctho.pages.shared.timeline import (
    crossing_in_words,
    timeline_bars,
    timeline_in_words,
    timeline_users,
)
from ctho.simulation import Parameters
from ctho.simulation.one_instance import delay_curves, one_handover

P = Parameters()


def test_empty_lists_draw_the_seeds_first_instance():
    first, again = one_handover(P), one_handover(P)
    np.testing.assert_array_equal(first.context_tok, again.context_tok)
    assert first.num_ues == P.num_ues


def test_one_list_without_the_other_is_refused():
    with pytest.raises(InputError, match="context_tok"):
        one_handover(P, [1.0], [])


@pytest.mark.parametrize("rate", [0.5, 4.5, 100.0])
def test_tables_agree_with_the_solution(rate):
    h = one_handover(P.replace(backhaul_gbps=rate), [1.4, 1.0, 1.2], [2000, 5000, 3000])
    best = solve(h)
    users, bars = timeline_users(best), timeline_bars(best)
    assert users["handover_s"].is_monotonic_increasing
    assert users["delay_s"].max() == pytest.approx(float(best.delay_s))
    assert (users["prefilled_tok"] + users["transferred_tok"] == users["context_tok"]).all()
    assert (bars["what"] == "prefill").sum() == int(best.prefill_length_tok > 0)
    ends = bars.groupby("user")["end_s"].max()
    for user, end in ends.items():
        if user > 0:
            resume = users.set_index("user")["resume_s"][user]
            assert resume >= end - 1e-12
    assert f"{float(best.delay_s):.4f} s" in timeline_in_words(best)


def test_the_words_follow_the_instance():
    slow, fast = (one_handover(P.replace(backhaul_gbps=rate)) for rate in (4.5, 400.0))
    for h, words in ((slow, "The two meet at"), (fast, "the optimum is $L = 0$")):
        assert words in crossing_in_words(solve(h), delay_at_length(h, 0))
    assert "no batch is run" in timeline_in_words(solve(fast))


def test_the_curves_hold_the_optimum():
    h = one_handover(P)
    best, curves = solve(h), delay_curves(h, points=2001)
    assert curves["delay_s"].min() == pytest.approx(float(best.delay_s), rel=1e-3)
    assert curves["delay_s"].min() >= float(best.delay_s)
    assert curves["transfer_delay_s"].iloc[-1] == 0
