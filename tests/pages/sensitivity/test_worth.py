"""The worth of upgrades in the mean, against solving the upgraded instances by hand."""

import numpy as np
import pytest

from ctho import solve
from ctho.pages.sensitivity.worth import (
    balance,
    estimates_at,
    price_sweep,
    rate_curve,
    worth_samples,
)
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


def test_where_the_processor_serves_more_users_slower_a_faster_one_is_faster_for_all():
    # p(L) = (a + a_B K) L + b: a GPU that is q times as fast divides all of it.
    batch = SMALL.replace(prefill_model="batch_aware", prefill_s_per_tok_per_ue=1e-5)
    same = SMALL.replace(prefill_s_per_tok=SMALL.prefill_s_per_tok + 4e-5)
    samples, expected = worth_samples(batch), worth_samples(same)
    for name, values in expected.items():
        np.testing.assert_allclose(samples[name], values, rtol=1e-9, atol=1e-9)


def test_the_sweep_holds_the_means_of_its_samples():
    sweep = price_sweep(SMALL, [10, 4.5])
    samples = worth_samples(SMALL)
    assert sweep["x"].tolist() == [10] * len(samples) + [4.5] * len(samples)
    estimates = estimates_at(sweep, 4.5)
    assert list(estimates) == list(samples)
    for name, values in samples.items():
        half = 1.96 * values.std(ddof=1) / np.sqrt(values.size)
        interval = [values.mean(), values.mean() - half, values.mean() + half]
        assert list(estimates[name]) == pytest.approx(interval, rel=1e-3)


def test_at_the_balance_both_are_worth_the_same():
    found = balance(SMALL, price_sweep(SMALL, [1, 50]))
    assert found.better == ("GPU", "link")
    there = worth_samples(SMALL.replace(backhaul_gbps=found.gbps))
    assert there["link_percent_ms"].mean() == pytest.approx(
        there["gpu_percent_ms"].mean(), rel=5e-3
    )


def test_a_better_buy_may_never_change_or_change_often():
    slow = balance(SMALL, price_sweep(SMALL, [1, 1.5]))
    assert slow.better == ("GPU",)
    assert np.isnan(slow.gbps)
    sweep = price_sweep(SMALL, [1, 4.5, 20])
    worth_more = (sweep["x"] == 20) & (sweep["what"] == "gpu_percent_ms")
    often = balance(SMALL, sweep.assign(mean=sweep["mean"].mask(worth_more, 1e3)))
    assert often.better == ("GPU", "link", "GPU")
    assert np.isnan(often.gbps)
    percents = sweep["what"].isin(["link_percent_ms", "gpu_percent_ms"])
    assert balance(SMALL, sweep.assign(mean=sweep["mean"].mask(percents, 2.0))).better == ()


def test_the_curve_of_one_instance_passes_through_its_solution():
    lists = [1.03, 1.13, 1.24, 1.25], [2100, 1200, 1200, 5100]
    curve = rate_curve(SMALL, *lists)
    for row in (0, 500, -1):
        there = SMALL.replace(backhaul_gbps=float(curve["x"].iloc[row]))
        best = solve(one_handover(there, *lists))
        assert curve["delay_s"].iloc[row] == pytest.approx(float(best.delay_s))
