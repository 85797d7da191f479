"""Many variants at once give what the solver gives for each alone."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ctho.checks import InputError
from ctho.handover import Handover
from ctho.pages.proposition3.restriction import leave_the_batch
from ctho.pages.why_numbers_differ import Search, fit_all
from ctho.pages.why_numbers_differ.curves import curves
from ctho.pages.why_numbers_differ.delays import Draws, delays_s
from ctho.pages.why_numbers_differ.figure4 import at_distance, mean_total_s, no_handover_s
from ctho.pages.why_numbers_differ.worlds import Worlds
from ctho.prefill import AffinePrefill
from ctho.simulation import FIGURE_SWEEPS, Parameters
from ctho.simulation.simulate import delay_samples, total_delay_samples
from ctho.solver import solve
from ctho.streaming import total_delay_s

PRINTED = Parameters()
DRAWS = Draws.of(200, 6, seed=5)


def instances(parameters: Parameters, draws: Draws, context_tok: np.ndarray) -> Handover:
    p = parameters
    start = p.start_min_m + (p.start_max_m - p.start_min_m) * draws.unit[0].T
    return Handover(
        (p.boundary_m - start) / p.speed_mps,
        context_tok,
        p.backhaul_tok_per_s,
        AffinePrefill(p.prefill_s_per_tok, p.prefill_offset_s),
        p.cycle_s,
    )


def uniform(parameters: Parameters, draws: Draws) -> np.ndarray:
    low, high = parameters.context_min_tok - 0.5, parameters.context_max_tok + 0.5
    return np.minimum(low + (high - low) * draws.unit[1].T, parameters.context_max_tok)


VARIANTS = [
    {},
    {"context_max_tok": 8_000, "backhaul_gbps": 2},
    {"cycle_s": 0.7},
    {"prefill_offset_s": 0.3, "prefill_s_per_tok": 2e-4},
    {"speed_mps": 7, "start_min_m": 80},
    {"tho_length": "context_max"},
    {"transfer": "printed", "backhaul_gbps": 10},
    {"zero_length": "waits_for_batch", "backhaul_gbps": 10},
]


def test_variants_side_by_side_are_those_solved_alone() -> None:
    printed = Worlds.printed(PRINTED)
    worlds = Worlds.joined([printed.replace(**changes) for changes in VARIANTS])
    together = delays_s(worlds, DRAWS)
    for i, changes in enumerate(VARIANTS):
        p = PRINTED.replace(**changes)
        handovers = instances(p, DRAWS, uniform(p, DRAWS))
        for scheme, delays in together.items():
            alone = solve(handovers, scheme, p.reading).delay_s
            assert np.allclose(delays[i], alone, rtol=1e-9, atol=1e-12), (changes, scheme)


def test_changes_that_are_no_parameters() -> None:
    printed = Worlds.printed(PRINTED)
    found = delays_s(
        Worlds.joined(
            [
                printed.replace(batch_exponent=0.5),
                printed.replace(rate_factor=2.0),
                printed.replace(added_s=0.25),
                printed.replace(contexts="all longest"),
                printed.replace(contexts="all at the mean"),
            ]
        ),
        DRAWS,
    )
    contexts = uniform(PRINTED, DRAWS)
    steeper = PRINTED.replace(prefill_s_per_tok=PRINTED.prefill_s_per_tok * 6**0.5)
    faster = PRINTED.replace(backhaul_gbps=2 * PRINTED.backhaul_gbps)
    expected = [
        solve(instances(steeper, DRAWS, contexts)).delay_s,
        solve(instances(faster, DRAWS, contexts)).delay_s,
        solve(instances(PRINTED, DRAWS, contexts)).delay_s + 0.25,
        solve(instances(PRINTED, DRAWS, np.full_like(contexts, 5_120))).delay_s,
        solve(instances(PRINTED, DRAWS, np.full_like(contexts, 3_072))).delay_s,
    ]
    assert np.allclose(found["ctHO"], expected, rtol=1e-9)


def test_served_users_leave_the_batch() -> None:
    fast = PRINTED.replace(backhaul_gbps=9)
    worlds = Worlds.printed(fast).replace(early_leave_batch=True)
    handovers = instances(fast, DRAWS, uniform(fast, DRAWS))
    expected = leave_the_batch(handovers)
    assert not np.allclose(expected, solve(handovers).delay_s)
    assert np.allclose(delays_s(worlds, DRAWS)["ctHO"][0], expected, rtol=1e-8)


def test_draws_fill_their_range_evenly() -> None:
    assert DRAWS.unit.shape == (2, 6, 200)
    for unit in DRAWS.unit:
        for user in unit:
            assert np.array_equal(np.sort(np.floor(200 * user)), np.arange(200))
    groups = DRAWS.in_groups(2)
    assert groups.unit.shape == (2, 2, 600)
    assert np.array_equal(groups.unit[:, :, 200:400], DRAWS.unit[:, 2:4])
    assert np.array_equal(DRAWS.first(3).unit, DRAWS.unit[:, :3])


def test_the_mean_context_is_that_of_the_integers() -> None:
    low, high = Worlds.printed(PRINTED).context_range_tok()
    assert (low[0] + high[0]) / 2 == 3_072


@pytest.mark.parametrize("changes", [{}, {"speed_mps": 12}, {"bandwidth_hz": 2.6e6}])
def test_total_delays_are_those_of_the_study(changes: dict[str, float]) -> None:
    p = FIGURE_SWEEPS["fig4"].point(PRINTED.replace(**changes), 450)
    there = at_distance(Worlds.printed(PRINTED).replace(**changes), 450.0)
    waited = delays_s(there, DRAWS)["ctHO"]
    offset = p.boundary_m - p.bs_distance_m
    direct = total_delay_s(p.radio_link, waited[0], offset, p.speed_mps, p.generated_tok).mean()
    assert mean_total_s(there, waited)[0] == pytest.approx(direct, rel=1e-8)
    alone = total_delay_samples(p.replace(realisations=2), ("no-HO",))["no-HO"][0]
    assert no_handover_s(there)[0] == pytest.approx(alone, rel=1e-9)


def test_who_stands_still_streams_from_the_boundary() -> None:
    there = at_distance(Worlds.printed(PRINTED).replace(moves_while_waiting=False), 400.0)
    waited = np.array([[0.5, 1.5]])
    p = FIGURE_SWEEPS["fig4"].point(PRINTED, 400)
    at_once = total_delay_s(p.radio_link, 0.0, p.boundary_m - 400, p.speed_mps, p.generated_tok)
    assert mean_total_s(there, waited)[0] == pytest.approx(1.0 + float(at_once), rel=1e-8)


def test_the_boundary_is_midway_unless_it_is_fixed() -> None:
    worlds = Worlds.printed(PRINTED).replace(fig4_boundary=["moving", "fixed"])
    assert at_distance(worlds, 500.0)["boundary_m"].tolist() == [250, 150]


def test_the_curves_of_the_null_are_those_of_the_figures() -> None:
    search = Search.of(PRINTED.replace(realisations=512), 16)
    (null,) = fit_all(search, [()])
    table = curves(search, null)
    for figure, x in (
        ("fig3a", 7),
        ("fig3b", 10_000),
        ("fig3c", 2_048),
        ("fig3d", 6),
        ("fig4", 350),
    ):
        point = FIGURE_SWEEPS[figure].point(PRINTED.replace(realisations=4_000), x)
        measure = total_delay_samples if figure == "fig4" else delay_samples
        for scheme, samples in measure(point).items():
            rows = table[(table.figure == figure) & (table.x == x) & (table.scheme == scheme)]
            error = 4 * samples.std() / np.sqrt(512) + 1e-9
            assert rows["mean"].item() == pytest.approx(samples.mean(), abs=error)


def test_a_sweep_that_no_hypothesis_follows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sixth = dataclasses.replace(FIGURE_SWEEPS["fig3a"], name="fig5")
    monkeypatch.setitem(FIGURE_SWEEPS, "fig5", sixth)
    search = Search.of(PRINTED.replace(realisations=16), 2)
    (null,) = fit_all(search, [()])
    with pytest.raises(InputError, match="figure is 'fig5'"):
        curves(search, null)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InputError, match="speed_mps"):
        Worlds.printed(PRINTED).replace(speed=3)
