"""Sampling, samples and sweeps: seeded, paired, and equal to brute force."""

import numpy as np
import pytest

from ctho import InputError, solve, total_delay_s
from ctho.schemes import PAPER_SCHEMES
from ctho.simulation import (
    FIGURE_SWEEPS,
    Parameters,
    delay_samples,
    mean_estimate,
    ratio_estimate,
    run_sweep,
    sample_handovers,
    total_delay_samples,
)
from ctho.simulation.sampling import CHUNK_REALISATIONS, chunks, unit_draws
from ctho.simulation.simulate import NO_HANDOVER, prefill_length_samples

SMALL = Parameters(realisations=500)
TWO_CHUNKS = Parameters(realisations=CHUNK_REALISATIONS + 100)


def test_contexts_are_integers_with_both_ends():
    h = sample_handovers(Parameters(context_min_tok=5, context_max_tok=8, realisations=2000))
    values, counts = np.unique(h.context_tok, return_counts=True)
    assert values.tolist() == [5, 6, 7, 8]
    assert counts.min() > 0.9 * counts.mean()


def test_handover_times_lie_where_the_road_says():
    h = sample_handovers(SMALL)
    assert h.handover_s.min() >= 1.0
    assert h.handover_s.max() <= 1.5
    assert h.handover_s.mean() == pytest.approx(1.25, abs=0.02)


def test_workers_do_not_change_a_byte():
    alone, together = (delay_samples(TWO_CHUNKS, jobs=jobs) for jobs in (1, 2))
    for scheme in PAPER_SCHEMES:
        assert alone[scheme].tobytes() == together[scheme].tobytes()


def test_the_samples_are_the_sampled_handovers():
    h = sample_handovers(TWO_CHUNKS)
    for scheme, samples in delay_samples(TWO_CHUNKS).items():
        np.testing.assert_array_equal(samples, solve(h, scheme).delay_s)


def test_four_users_are_the_first_of_twelve():
    few, many = (sample_handovers(SMALL.replace(num_ues=k)) for k in (4, 12))
    np.testing.assert_array_equal(few.handover_s, many.handover_s[:, :4])
    np.testing.assert_array_equal(few.context_tok, many.context_tok[:, :4])


def test_other_seeds_are_other_numbers():
    first, second = (sample_handovers(SMALL.replace(seed=s)) for s in (1, 2))
    assert not np.array_equal(first.context_tok, second.context_tok)


def test_the_interval_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(0)
    estimates = [mean_estimate(rng.exponential(size=200)) for _ in range(2000)]
    covered = np.mean([low <= 1.0 <= high for _, low, high in estimates])
    assert 0.93 < covered < 0.965


def test_the_interval_of_a_ratio_covers_it():
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(2000):
        base = rng.uniform(1, 2, 200)
        _, low, high = ratio_estimate(3 * base + rng.normal(0, 0.5, 200), base)
        covered.append(low <= 3 <= high)
    assert 0.93 < np.mean(covered) < 0.965


def test_pairing_makes_ratios_tight():
    base = np.random.default_rng(2).uniform(1, 2, 1000)
    _, low, high = ratio_estimate(2 * base, base)
    assert high - low < 1e-12


def test_the_worst_total_is_that_of_the_worst_handover():
    h = sample_handovers(SMALL)
    for scheme, totals in total_delay_samples(SMALL, PAPER_SCHEMES).items():
        every = total_delay_s(
            SMALL.radio_link,
            solve(h, scheme).per_user_delay_s,
            SMALL.boundary_m - SMALL.bs_distance_m,
            SMALL.speed_mps,
            SMALL.generated_tok,
        )
        np.testing.assert_allclose(totals, every.max(axis=-1), rtol=1e-9)


def test_without_a_handover_nothing_is_random():
    samples = total_delay_samples(SMALL)[NO_HANDOVER]
    assert np.ptp(samples) == 0


@pytest.mark.parametrize("name", FIGURE_SWEEPS)
def test_every_sweep_is_tidy(name):
    table = run_sweep(FIGURE_SWEEPS[name], Parameters(realisations=50))
    assert list(table) == ["x", "scheme", "mean", "ci_low", "ci_high", "realisations"]
    assert not table.duplicated(["x", "scheme"]).any()
    assert (table["ci_low"] <= table["mean"]).all()
    assert (table["mean"] <= table["ci_high"]).all()
    assert len(table) == len(FIGURE_SWEEPS[name].values) * table["scheme"].nunique()


@pytest.mark.parametrize(
    ("name", "x", "becomes"),
    [
        ("fig3a", 7.5, {"backhaul_gbps": 7.5}),
        ("fig3b", 12_500, {"prefill_s_per_tok": 8e-5}),
        ("fig3c", 6_000, {"context_max_tok": 6_000}),
        ("fig3d", 5, {"num_ues": 5}),
        ("fig4", 420, {"bs_distance_m": 420, "boundary_m": 210}),
    ],
)
def test_a_sweep_changes_what_it_sweeps_alone(name, x, becomes):
    other = Parameters(
        num_ues=3,
        cycle_s=0.3,
        backhaul_gbps=2.0,
        prefill_offset_s=0.5,
        speed_mps=30.0,
        token_bits=10.0,
        transfer="printed",
        tho_length="context_max",
        realisations=50,
        seed=9,
    )
    assert FIGURE_SWEEPS[name].point(other, x) == other.replace(**becomes)


@pytest.mark.parametrize("name", FIGURE_SWEEPS)
def test_every_sweep_meets_the_default(name):
    p = Parameters()
    default = 1 / p.prefill_s_per_tok if name == "fig3b" else getattr(p, FIGURE_SWEEPS[name].x)
    values = FIGURE_SWEEPS[name].values
    assert min(values) <= default <= max(values)
    assert FIGURE_SWEEPS[name].point(p, default).as_dict() == pytest.approx(p.as_dict())


def test_a_sweep_without_points_is_refused():
    with pytest.raises(InputError, match=r"backhaul_gbps_values is \[\]"):
        run_sweep(FIGURE_SWEEPS["fig3a"], SMALL, [])


@pytest.mark.parametrize(("name", "value"), [("fig3a", 0), ("fig3b", 0), ("fig3d", 1.5)])
def test_a_point_out_of_bounds_is_refused(name, value):
    with pytest.raises(InputError):
        run_sweep(FIGURE_SWEEPS[name], SMALL, [value])


def test_a_measured_curve_has_no_speed_to_sweep():
    measured = SMALL.replace(prefill_model="profile", prefill_file="some.json")
    with pytest.raises(InputError, match="prefill_model is 'profile'"):
        run_sweep(FIGURE_SWEEPS["fig3b"], measured, [5000])


def test_only_ctho_chooses_its_length():
    lengths = prefill_length_samples(SMALL, PAPER_SCHEMES)
    assert (lengths["cHO"] == 0).all()
    np.testing.assert_array_equal(lengths["tHO"], sample_handovers(SMALL).longest_context_tok)
    assert (lengths["ctHO"] < lengths["tHO"]).all()


def test_starts_and_contexts_come_from_draws_of_their_own():
    handovers = sample_handovers(SMALL)
    starts, contexts = unit_draws(next(chunks(SMALL)), SMALL.num_ues)
    left_m = SMALL.boundary_m - SMALL.start_min_m - 10 * starts
    np.testing.assert_allclose(handovers.handover_s, left_m / SMALL.speed_mps, rtol=1e-12)
    sizes = SMALL.context_max_tok - SMALL.context_min_tok + 1
    expected = SMALL.context_min_tok + np.floor(sizes * contexts)
    np.testing.assert_array_equal(handovers.context_tok, expected)
    assert abs(np.corrcoef(handovers.handover_s.ravel(), contexts.ravel())[0, 1]) < 0.2
