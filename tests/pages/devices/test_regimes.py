import numpy as np
import pytest

from ctho.checks import InputError
from ctho.handover import Handover
from ctho.pages.devices.profiles import device_prefill
from ctho.pages.devices.regimes import device_delays, device_speeds, log_grid, regime_map
from ctho.pages.devices.statements import (
    device_table_markdown,
    equal_rate_gbps,
    half_sends_all_gbps,
    map_sentences,
)
from ctho.simulation import Parameters, delay_samples, sample_handovers
from ctho.solver import delay_at_length, solve

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
    for scheme, samples in delay_samples(here).items():
        assert row[scheme] == pytest.approx(samples.mean(), rel=1e-12)


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
    assert equal_rate_gbps(regime_map(FEW, [0.1, 0.2], [1e5])) is None


def test_half_rate_splits_the_realisations(table):
    found = half_sends_all_gbps(table)
    share = regime_map(FEW, [0.8 * found, 1.25 * found], [1e4])["sends_all"]
    assert share.iloc[0] < 0.5 < share.iloc[1]
    assert half_sends_all_gbps(regime_map(FEW, [0.1, 0.2], [1e4])) is None


def test_device_delays_are_the_best_over_a_grid_of_lengths():
    parameters = Parameters(realisations=8)
    row = device_delays(parameters, [4.5], ["A100"]).set_index("per_batch").loc["all contexts"]
    sampled = sample_handovers(parameters)
    prefill = device_prefill("A100", 4, counts_batch=True)
    handover = Handover(
        sampled.handover_s, sampled.context_tok, parameters.backhaul_tok_per_s, prefill
    )
    lengths = np.linspace(0, 5120, 2001)
    grid = np.min([delay_at_length(handover, length).delay_s for length in lengths], axis=0)
    assert row["ctHO"] <= grid.mean() + 1e-12
    assert row["ctHO"] == pytest.approx(grid.mean(), rel=2e-3)
    assert row["cHO"] == pytest.approx(solve(handover, "cHO").delay_s.mean())


def test_counting_the_batch_never_helps():
    delays = device_delays(Parameters(realisations=20), [1, 10], ["H100", "L40S"])
    wide = delays.pivot_table(
        index=["device", "backhaul_gbps"], columns="per_batch", values=["ctHO", "tHO"]
    )
    assert (wide["tHO"]["all contexts"] > wide["tHO"]["one context"]).all()
    assert (wide["ctHO"]["all contexts"] >= wide["ctHO"]["one context"] - 1e-12).all()
    assert device_table_markdown(delays, "one context").count("\n") == 5


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


def test_map_sentences_name_the_better_scheme_and_what_is_off_the_map(table):
    slow = regime_map(FEW, [0.5], [1e5]).iloc[0]
    fast = regime_map(FEW, [20], [1e3]).iloc[0]
    assert "below tHO" in map_sentences(table, slow, 5.0, 10.0, 0.3)
    text = map_sentences(table, fast, None, None, 0.3)
    assert "below cHO" in text
    assert "ahead at every rate" in text
    assert "not on this map" in text
