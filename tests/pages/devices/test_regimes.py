import numpy as np
import pandas as pd
import pytest

from ctho.checks import InputError
from ctho.pages.devices.profiles import device_prefill
from ctho.pages.devices.regimes import (
    device_delays,
    device_speeds,
    equal_rate_gbps,
    half_sends_all_gbps,
    log_grid,
    regime_map,
)
from ctho.simulation import Parameters, delay_samples, sample_handovers
from ctho.simulation.simulate import prefill_length_samples
from ctho.solution import delay_at_length
from ctho.solver import solve

FEW = Parameters(realisations=60)
RATES = log_grid("rate", 0.3, 60, 15)
SPEEDS = log_grid("speed", 1e3, 2e5, 6)


@pytest.fixture(scope="module")
def table():
    return regime_map(FEW, RATES, SPEEDS)


def test_a_point_of_the_map_is_the_simulation(table):
    row = table.iloc[47]
    here = FEW.replace(
        backhaul_gbps=row["backhaul_gbps"], prefill_s_per_tok=1 / row["prefill_tok_per_s"]
    )
    samples = delay_samples(here)
    for scheme, delays in samples.items():
        assert row[scheme] == pytest.approx(delays.mean(), rel=1e-12)
    better = min(samples["tHO"].mean(), samples["cHO"].mean())
    assert row["gain_percent"] == pytest.approx(100 * (1 - samples["ctHO"].mean() / better))
    lengths = prefill_length_samples(here)["ctHO"]
    longest = sample_handovers(here).context_tok.max(axis=1)
    assert row["length_share"] == pytest.approx(lengths.mean() / longest.mean())
    assert row["sends_all"] == pytest.approx((lengths == 0).mean())


def test_ctho_gains_or_ties_everywhere(table):
    assert (table["gain_percent"] > -1e-9).all()
    all_sent = table[table["sends_all"] == 1]
    assert len(all_sent)
    assert np.allclose(all_sent["ctHO"], all_sent["cHO"])


def test_whether_everything_is_sent_does_not_depend_on_the_prefill_speed(table):
    assert (table.groupby("backhaul_gbps")["sends_all"].nunique() == 1).all()


def test_equal_rate_makes_the_pure_schemes_equal():
    found = equal_rate_gbps(regime_map(FEW, RATES, [1e4]))
    again = regime_map(FEW, [found], [1e4]).iloc[0]
    assert again["cHO"] == pytest.approx(again["tHO"], rel=0.05)
    for rates, speed in (([0.1, 0.2], 1e5), ([100, 200], 1e3)):
        assert equal_rate_gbps(regime_map(FEW, rates, [speed])) is None


def test_half_rate_splits_the_realisations(table):
    found = half_sends_all_gbps(table)
    share = regime_map(FEW, [0.8 * found, 1.25 * found], [1e4])["sends_all"]
    assert share.iloc[0] < 0.5 < share.iloc[1]
    for rates in ([0.1, 0.2], [100, 200]):
        assert half_sends_all_gbps(regime_map(FEW, rates, [1e4])) is None


def test_exactly_half_is_not_yet_more_than_half():
    table = pd.DataFrame({"backhaul_gbps": [1.0, 4.0, 16.0], "sends_all": [0.5, 0.5, 1.0]})
    assert half_sends_all_gbps(table) == pytest.approx(4)
    middle = pd.DataFrame({"backhaul_gbps": [1.0, 4.0], "sends_all": [0.25, 0.75]})
    assert half_sends_all_gbps(middle) == pytest.approx(2)


def test_device_delays_are_the_best_over_a_grid_of_lengths():
    parameters = Parameters(realisations=8)
    row = device_delays(parameters, [4.5], ["A100"]).set_index("per_batch").loc["all contexts"]
    sampled = sample_handovers(parameters)
    prefill = device_prefill("A100", 4, counts_batch=True)
    handover = sampled.replace(prefill=prefill)
    lengths = np.linspace(0, 5120, 2001)
    grid = np.min([delay_at_length(handover, length).delay_s for length in lengths], axis=0)
    assert row["ctHO"] <= grid.mean() + 1e-12
    assert row["ctHO"] == pytest.approx(grid.mean(), rel=2e-3)
    assert row["cHO"] == pytest.approx(solve(handover, "cHO").delay_s.mean())
    padded = handover.batch_wait_s + prefill.delay_s(handover.longest_context_tok, 4)
    assert row["tHO"] == pytest.approx(padded.mean())


def test_the_gain_on_a_device_is_over_the_better_pure_scheme_with_its_interval():
    parameters = Parameters(realisations=200)
    table = device_delays(parameters, [1, 25], ["L40S"])
    better = table[["tHO", "cHO"]].min(axis=1)
    assert np.allclose(table["gain_percent"], 100 * (1 - table["ctHO"] / better))
    assert (table["gain_ci_low"] < table["gain_percent"]).all()
    assert (table["gain_percent"] < table["gain_ci_high"]).all()
    assert table["sends_all"].between(0, 1).all()
    counted = device_prefill("L40S", 4, counts_batch=True)
    solution = solve(
        sample_handovers(parameters.replace(backhaul_gbps=25)).replace(prefill=counted)
    )
    row = table.iloc[-1]
    assert (row["per_batch"], row["backhaul_gbps"]) == ("all contexts", 25)
    assert row["length_tok"] == pytest.approx(solution.prefill_length_tok.mean())
    assert row["sends_all"] == (solution.prefill_length_tok == 0).mean()


def test_counting_the_batch_never_helps():
    delays = device_delays(Parameters(realisations=20), [1, 10], ["H100", "L40S"])
    wide = delays.pivot_table(
        index=["device", "backhaul_gbps"], columns="per_batch", values=["ctHO", "tHO"]
    )
    assert (wide["tHO"]["all contexts"] > wide["tHO"]["one context"]).all()
    assert (wide["ctHO"]["all contexts"] >= wide["ctHO"]["one context"] - 1e-12).all()


def test_speeds_are_the_inverse_of_the_time_per_token():
    speeds = device_speeds(4, 4096, ["H200"]).iloc[0]
    prefill = device_prefill("H200", 4, counts_batch=True)
    assert speeds["one_context_tok_per_s"] == pytest.approx(4096 / prefill.delay_s(4096, 1))
    assert speeds["all_contexts_tok_per_s"] == pytest.approx(4096 / prefill.delay_s(4096, 4))


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"context_max_tok": 9000}, "context_max_tok"), ({"num_ues": 17}, "num_ues")],
)
def test_what_was_not_profiled_is_refused(changes, field):
    with pytest.raises(InputError, match=field):
        device_delays(Parameters(realisations=2, **changes), [4.5], ["A100"])


def test_bad_axes_are_refused():
    with pytest.raises(InputError, match="rate_max"):
        log_grid("rate", 2, 1, 5)
    with pytest.raises(InputError, match="grid_points"):
        log_grid("rate", 1, 2, 1)
    with pytest.raises(InputError, match="prefill_tok_per_s"):
        regime_map(FEW, [1], [0])


def test_a_curve_that_is_no_line_has_no_place_on_the_map():
    with pytest.raises(InputError, match="prefill_model"):
        regime_map(FEW.replace(prefill_model="quadratic", prefill_s_per_tok2=1e-9), [1], [1e4])
