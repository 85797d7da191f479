"""The worth of upgrades in the mean, against solving the upgraded instances by hand."""

import numpy as np
import pytest

from ctho import solve
from ctho.pages.sensitivity.statements import (
    balance_in_words,
    check_in_words,
    instance_in_words,
    operator_in_words,
    prices_as_markdown,
    sweep_as_markdown,
)
from ctho.pages.sensitivity.witnesses import check_prices, prices_table
from ctho.pages.sensitivity.worth import WORTH, balance_gbps, price_sweep, rate_curve, worth_samples
from ctho.simulation import Parameters, sample_handovers
from ctho.simulation.one_instance import one_handover

SMALL = Parameters(realisations=400)


def mean_delay(**changes):
    return solve(sample_handovers(SMALL.replace(**changes))).delay_s.mean()


def test_finite_upgrades_are_solved_again():
    samples = worth_samples(SMALL)
    here = mean_delay()
    gbps = (here - mean_delay(backhaul_gbps=5.5)) * 1e3
    assert samples["link_one_gbps_ms"].mean() == pytest.approx(gbps)
    gpu = here - mean_delay(
        prefill_s_per_tok=SMALL.prefill_s_per_tok / 1.1,
        prefill_offset_s=SMALL.prefill_offset_s / 1.1,
    )
    assert samples["gpu_10_percent_ms"].mean() == pytest.approx(gpu * 1e3)


def test_margins_are_the_limit_of_upgrades():
    samples = worth_samples(SMALL)
    here = mean_delay()
    step = 1e-4
    link = (here - mean_delay(backhaul_gbps=SMALL.backhaul_gbps * (1 + step))) / step
    assert samples["link_percent_ms"].mean() == pytest.approx(link * 10, rel=1e-2)
    assert samples["link_per_gbps_ms"].mean() == pytest.approx(
        link / SMALL.backhaul_gbps * 1e3, rel=1e-2
    )
    gpu = here - mean_delay(
        prefill_s_per_tok=SMALL.prefill_s_per_tok / (1 + step),
        prefill_offset_s=SMALL.prefill_offset_s / (1 + step),
    )
    assert samples["gpu_percent_ms"].mean() == pytest.approx(gpu / step * 10, rel=1e-2)


def test_the_parts_add_up():
    samples = worth_samples(SMALL)
    parts = sum(samples[f"{part}_part_ms"] for part in ("link", "gpu", "wait"))
    np.testing.assert_allclose(parts, solve(sample_handovers(SMALL)).delay_s * 1e3)


def test_at_the_balance_both_are_worth_the_same():
    balance = balance_gbps(SMALL, 1, 50)
    there = worth_samples(SMALL.replace(backhaul_gbps=balance))
    assert there["link_percent_ms"].mean() == pytest.approx(
        there["gpu_percent_ms"].mean(), rel=5e-3
    )
    assert np.isnan(balance_gbps(SMALL, 1, 1.5))


def test_the_curve_of_one_instance_passes_through_its_solution():
    lists = [1.03, 1.13, 1.24, 1.25], [2100, 1200, 1200, 5100]
    curve = rate_curve(SMALL, *lists, points=9)
    last = SMALL.replace(backhaul_gbps=float(curve["x"].iloc[-1]))
    best = solve(one_handover(last, *lists))
    assert curve["delay_s"].iloc[-1] == pytest.approx(float(best.delay_s))
    assert bool(curve["no_batch"].iloc[-1]) == bool(best.prefill_length_tok == 0)


def test_the_sentences_follow_the_numbers():
    sweep = price_sweep(SMALL, [1, 4.5, 20])
    assert set(sweep["what"]) == set(WORTH)
    assert len(sweep_as_markdown(sweep).splitlines()) == 5
    at_default = " ".join(operator_in_words(sweep, SMALL))
    assert "the link is the better buy" in at_default
    slow = " ".join(operator_in_words(sweep, SMALL.replace(backhaul_gbps=1)))
    assert "the GPU is the better buy" in slow
    assert "below it the GPU is worth more, above it the link" in balance_in_words(3.5, sweep)
    ends = balance_in_words(float("nan"), sweep[sweep["x"] > 4])
    assert "a per cent of link is never worth less" in ends
    low_end = balance_in_words(float("nan"), sweep[sweep["x"] < 4])
    assert "a per cent of GPU is never worth less" in low_end
    twice = sweep.copy()
    twice.loc[(twice["x"] == 20) & (twice["what"] == "gpu_percent_ms"), "mean"] = 1e3
    assert "more than once" in balance_in_words(3.5, twice)


def test_the_sentences_on_one_instance_know_a_kink():
    smooth = prices_table(one_handover(SMALL, [1.03, 1.13], [2100, 1200]))
    assert "on no kink" in instance_in_words(smooth)
    from ctho import AffinePrefill, Handover

    h = Handover([0, 0], [1000, 2000], 1000, AffinePrefill(1e-3, 0.0))
    kink = prices_table(h)
    assert "is on a kink" in instance_in_words(kink)
    assert "n/a" in prices_as_markdown(kink)
    assert "only its right side exists" in instance_in_words(kink)
    free = prices_table(Handover([0.5, 0.5], [100, 100], 87_000, AffinePrefill(0.0, 0.0)))
    words = instance_in_words(free)
    assert "HiGHS prices one of them" in words
    assert float(words.split("agree within ")[1].split(" of it")[0]) < 1e-6
    assert "1 random instances" in check_in_words(check_prices([h]), 1)
