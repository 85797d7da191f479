"""Every way to copy, cut, repeat or draw a handover keeps all that it says, T_c among it."""

import dataclasses

import numpy as np
import pytest

from ctho import AffinePrefill, Handover, solve
from ctho.prefill import QuadraticPrefill
from ctho.simulation import Parameters, delay_samples, sample_handovers
from ctho.simulation.one_instance import delay_curves, delays_at_lengths, one_handover
from ctho.simulation.sampling import CHUNK_REALISATIONS, chunks, handovers_of_chunk

CYCLE_S = 0.3
PREFILL = QuadraticPrefill(2e-4, 0.05, 1e-9)
FIELDS = [field.name for field in dataclasses.fields(Handover)]
CHANGED = {
    "handover_s": [[5.0, 4.0]] * 3,
    "context_tok": [[7, 8]] * 3,
    "backhaul_tok_per_s": [1.0, 2.0, 3.0],
    "prefill": AffinePrefill(3e-4, 0.5),
    "cycle_s": 0.7,
}


def batch():
    rng = np.random.default_rng(5)
    times, tokens = rng.uniform(1, 2, (3, 2)), rng.integers(1000, 5000, (3, 2))
    return Handover(times, tokens, [9000.0, 4000.0, 2000.0], PREFILL, CYCLE_S)


def said(handover, name):
    """A field of each instance of a batch; of the prefill model, what 1000 tokens cost."""
    if name == "prefill":
        return np.broadcast_to(handover.prefill.delay_s(1000, 2), handover.batch_shape)
    value = np.asarray(getattr(handover, name))
    users = (handover.num_ues,) if name in ("handover_s", "context_tok") else ()
    return np.broadcast_to(value, (*handover.batch_shape, *users))


def alone(handover, index):
    """One instance of a batch, made anew."""
    arrays = (handover.handover_s, handover.context_tok, handover.backhaul_tok_per_s)
    return Handover(*(array[index] for array in arrays), PREFILL, CYCLE_S)


@pytest.mark.parametrize("name", FIELDS)
def test_replacing_one_field_keeps_the_others(name):
    h = batch()
    other = h.replace(**{name: CHANGED[name]})
    for field in FIELDS:
        expected = h.replace(**{field: CHANGED[field]}) if field == name else h
        np.testing.assert_array_equal(said(other, field), said(expected, field))
    assert not np.array_equal(said(other, name), said(h, name))


@pytest.mark.parametrize("name", FIELDS)
def test_the_parts_are_the_whole(name):
    h = batch()
    parts = list(h.parts(2))
    assert [part.batch_shape for part in parts] == [(2,), (1,)]
    np.testing.assert_array_equal(np.concatenate([said(p, name) for p in parts]), said(h, name))


@pytest.mark.parametrize("name", FIELDS)
def test_repeated_instances_are_the_one(name):
    one = alone(batch(), 0)
    many = one.repeated(4)
    assert many.batch_shape == (4,)
    for copy in said(many, name):
        np.testing.assert_array_equal(copy, said(one, name))


@pytest.mark.parametrize("scheme", ["ctHO", "tHO", "cHO"])
def test_a_batch_solved_in_pieces_is_each_instance_solved_alone(monkeypatch, scheme):
    h = batch()
    monkeypatch.setattr("ctho.solver.CHUNK_CELLS", 2 * h.num_ues)
    each = [solve(alone(h, index), scheme).delay_s for index in range(3)]
    np.testing.assert_array_equal(solve(h, scheme).delay_s, each)


OTHER = Parameters(
    num_ues=2,
    realisations=CHUNK_REALISATIONS + 3,
    cycle_s=CYCLE_S,
    backhaul_gbps=2.0,
    kv_bits_per_tok=1e5,
    prefill_model="quadratic",
    prefill_s_per_tok=2e-4,
    prefill_offset_s=0.05,
    prefill_s_per_tok2=1e-9,
)

DRAWN = {
    "all realisations": lambda: sample_handovers(OTHER),
    "the first chunk": lambda: handovers_of_chunk(OTHER, next(chunks(OTHER))),
    "the last chunk": lambda: handovers_of_chunk(OTHER, list(chunks(OTHER))[-1]),
    "the first draw": lambda: one_handover(OTHER),
    "lists": lambda: one_handover(OTHER, [1.0, 2.0], [10, 20]),
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_what_is_drawn_is_what_the_parameters_say(draw):
    drawn = draw()
    assert (said(drawn, "cycle_s") == CYCLE_S).all()
    assert said(drawn, "backhaul_tok_per_s") == pytest.approx(2e9 / 1e5)
    assert said(drawn, "prefill") == pytest.approx(2e-4 * 1000 + 0.05 + 1e-9 * 1000**2)


def batch_delay(handover_s, length):
    """Eq. (9) with p(L) of `OTHER`, the boundary found without the model's rounding."""
    start = np.ceil(handover_s.max(axis=-1) / CYCLE_S) * CYCLE_S
    return start + 2e-4 * length + 0.05 + 1e-9 * length**2 - handover_s.min(axis=-1)


def test_every_chunk_of_a_monte_carlo_run_waits_for_the_same_cycle():
    h = sample_handovers(OTHER)
    expected = batch_delay(h.handover_s, h.context_tok.max(axis=-1))
    np.testing.assert_allclose(delay_samples(OTHER, ["tHO"])["tHO"], expected)


def test_the_first_draw_is_the_first_realisation():
    one, all_of_them = one_handover(OTHER), sample_handovers(OTHER)
    np.testing.assert_array_equal(one.handover_s, all_of_them.handover_s[0])
    np.testing.assert_array_equal(one.context_tok, all_of_them.context_tok[0])


def test_delays_at_many_lengths_wait_for_the_same_cycle():
    one = one_handover(OTHER)
    lengths = np.array([1.0, 500.0, float(one.longest_context_tok)])
    prefill, transfer, both = delays_at_lengths(one, lengths)
    np.testing.assert_allclose(prefill, batch_delay(one.handover_s, lengths))
    np.testing.assert_array_equal(both, np.maximum(prefill, transfer))
    curves = delay_curves(one, points=5)
    grid = curves["prefill_length_tok"].to_numpy()
    np.testing.assert_allclose(curves["prefill_delay_s"], batch_delay(one.handover_s, grid))


@pytest.mark.parametrize(("times", "tokens"), [([1.0], []), ([], [5])])
def test_one_list_without_the_other_is_refused(times, tokens):
    with pytest.raises(ValueError, match="a list as long as the other"):
        one_handover(OTHER, times, tokens)
