"""The schemes against reference values, linear programs, grids, and each other."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctho import (
    AffinePrefill,
    Handover,
    InputError,
    Reading,
    check_schedule,
    delay_at_length,
    printed_transfer_bound_s,
    solve,
)
from ctho.instance import handover_from_mapping
from ctho.prefill import QuadraticPrefill
from ctho.proofs.window_program import best_by_linear_program, schedule_exists
from ctho.schemes import PAPER_SCHEMES
from ctho.solver import CHUNK_CELLS
from tests.strategies import handovers

REFERENCE = json.loads((Path(__file__).parent / "data" / "solve.json").read_text())


def instance_of(case):
    return handover_from_mapping({key: case[key] for key in case if key != "expected"})


@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case["name"])
def test_reference_values(case):
    h, expected = instance_of(case), case["expected"]
    for scheme in PAPER_SCHEMES:
        solution = solve(h, scheme)
        assert float(solution.delay_s) == pytest.approx(expected[scheme]["delay_s"], rel=1e-9)
        rate = float(h.backhaul_tok_per_s)
        check_schedule(solution.schedule(), h.handover_s, solution.remaining_tok, rate)
        assert solution.per_user_delay_s.max() == pytest.approx(float(solution.delay_s), rel=1e-9)
    best = solve(h)
    length = expected["ctHO"]["prefill_length_tok"]
    assert float(best.prefill_length_tok) == pytest.approx(length, rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(
        best.per_user_delay_s, expected["ctHO"]["per_user_delay_s"], rtol=1e-9
    )
    printed = printed_transfer_bound_s(h.handover_s, best.remaining_tok, h.backhaul_tok_per_s)
    assert float(printed) == pytest.approx(
        expected["printed_prop2_transfer_delay_at_L_s"], rel=1e-9, abs=1e-12
    )
    # At L = 0 the transfer is all there is; the reference gives it in any case.
    exact = expected["exact_transfer_delay_at_L_s"]
    assert float(best.transfer_delay_s) == pytest.approx(exact, rel=1e-9)


@settings(max_examples=300)
@given(handovers())
def test_ctho_is_the_optimum_of_the_linear_program(h):
    optimum = best_by_linear_program(h)
    assert float(solve(h).delay_s) == pytest.approx(optimum.delay_s, rel=1e-7, abs=1e-9)


@settings(max_examples=60)
@given(handovers(max_users=5))
def test_ctho_against_rates_that_know_no_order(h):
    delay = float(solve(h).delay_s)
    assert schedule_exists(h, delay * (1 + 1e-5) + 1e-9)
    if delay > 1e-4:
        assert not schedule_exists(h, delay * (1 - 1e-3))


@given(handovers())
def test_ctho_is_never_worse_than_the_others(h):
    best = float(solve(h).delay_s)
    for scheme in ("tHO", "cHO"):
        assert best <= float(solve(h, scheme).delay_s) * (1 + 1e-12)


@given(handovers(), st.floats(0, 1))
def test_no_length_does_better(h, share):
    length = share * float(h.longest_context_tok)
    assert float(solve(h).delay_s) <= float(delay_at_length(h, length).delay_s) * (1 + 1e-12)


@given(handovers())
def test_at_the_crossing_both_take_equally_long(h):
    best = solve(h)
    if best.prefill_length_tok > 0:
        assert float(best.prefill_delay_s) == pytest.approx(
            float(best.transfer_delay_s), rel=1e-9, abs=1e-12
        )


@given(handovers())
def test_nothing_shorter_is_as_good(h):
    best = solve(h)
    length = float(best.prefill_length_tok)
    if length > 1e-6:
        shorter = delay_at_length(h, length * (1 - 1e-3))
        assert float(shorter.delay_s) > float(best.delay_s)


@given(handovers(), st.sampled_from([1e-3, 8.0, 1e6]), st.sampled_from([0.5, 64.0, 1e5]))
def test_time_and_tokens_rescale(h, time, tokens):
    slope, offset = h.prefill.affine(h.num_ues)
    # Tokens below 1 are refused, so contexts only grow.
    grown = max(tokens, 1.0)
    scaled = Handover(
        h.handover_s * time,
        h.context_tok * grown,
        h.backhaul_tok_per_s * grown / time,
        AffinePrefill(slope * time / grown, offset * time),
        h.cycle_s * time,
    )
    plain, other = solve(h), solve(scaled)
    assert float(other.delay_s) == pytest.approx(float(plain.delay_s) * time, rel=1e-7)
    assert float(other.prefill_length_tok) == pytest.approx(
        float(plain.prefill_length_tok) * grown, rel=1e-6, abs=1e-6 * grown
    )


@given(st.lists(handovers(max_users=1), min_size=1, max_size=5))
def test_one_user_has_a_closed_form(instances):
    for h in instances:
        (slope, offset), rate = h.prefill.affine(1), float(h.backhaul_tok_per_s)
        wait = float(h.batch_wait_s) + offset
        context = float(h.context_tok[0])
        length = max(0.0, (context / rate - wait) / (slope + 1 / rate))
        best = solve(h)
        assert float(best.prefill_length_tok) == pytest.approx(length, rel=1e-9, abs=1e-9)


def random_batch(num_ues, count, seed=1):
    rng = np.random.default_rng(seed)
    tau = 1 + 0.5 * rng.random((count, num_ues))
    context = rng.integers(1024, 5121, (count, num_ues))
    return Handover(tau, context, rng.uniform(2e3, 3e4, count), AffinePrefill())


@pytest.mark.parametrize("num_ues", [1, 2, 4, 12])
@pytest.mark.parametrize("reading", [Reading(), Reading(transfer="printed")], ids=str)
def test_a_batch_is_its_instances(num_ues, reading):
    batch = random_batch(num_ues, 50)
    together = solve(batch, reading=reading)
    for n in range(50):
        alone = solve(
            Handover(
                batch.handover_s[n],
                batch.context_tok[n],
                batch.backhaul_tok_per_s[n],
                batch.prefill,
            ),
            reading=reading,
        )
        assert float(together.delay_s[n]) == pytest.approx(float(alone.delay_s), rel=1e-12)
        np.testing.assert_allclose(
            together.per_user_delay_s[n], alone.per_user_delay_s, rtol=1e-12, atol=1e-15
        )


@pytest.mark.parametrize("rate", [5e4, 1e5, 2e5])
@pytest.mark.parametrize("transfer", ["exact", "printed"])
def test_many_users_meet_where_few_do(transfer, rate):
    # One instance with many users climbs along the users, many instances along the instances.
    rng = np.random.default_rng(8)
    tau = np.append(np.sort(rng.uniform(0, 0.5, 20)), np.sort(rng.uniform(0.9, 1, 180)))
    context = np.append(np.full(20, 1), rng.integers(1, 5121, 180))  # a burst after an idle link
    h, reading = Handover(tau, context, rate, AffinePrefill()), Reading(transfer=transfer)
    length = float(solve(h, reading=reading).prefill_length_tok)
    together = solve(h.repeated(201), reading=reading).prefill_length_tok
    assert together == pytest.approx(length, rel=1e-9)

    def link_less_batch(at):
        work = np.maximum(context - at, 0) / rate
        delay = np.cumsum(work) - (tau - tau[0])
        if transfer == "exact":
            delay = delay - np.minimum.accumulate(delay - work)
        return delay.max() - float(h.batch_start_s - tau[0] + h.prefill.delay_s(at, 200))

    assert 0 < length < context.max()
    assert link_less_batch(length) == pytest.approx(0, abs=1e-9)
    assert link_less_batch(0.99 * length) > 1e-6


def test_a_batch_longer_than_a_chunk():
    count = CHUNK_CELLS // 4 + 37
    batch = random_batch(4, count)
    last = Handover(
        batch.handover_s[-1], batch.context_tok[-1], batch.backhaul_tok_per_s[-1], batch.prefill
    )
    assert solve(batch).delay_s.shape == (count,)
    assert float(solve(batch).delay_s[-1]) == pytest.approx(float(solve(last).delay_s), rel=1e-12)


@pytest.mark.parametrize("shape", [(7,), (3, 5), (CHUNK_CELLS // 3 + 11,)], ids=str)
@pytest.mark.parametrize("scheme", PAPER_SCHEMES)
def test_cycle_and_prefill_of_each_instance(shape, scheme):
    rng = np.random.default_rng(5)
    tau, context = rng.random((*shape, 3)), rng.integers(1, 6000, (*shape, 3))
    rate, cycle, slope, offset = (
        10 ** rng.uniform(low, high, shape) for low, high in ((3, 5), (-3, 0), (-5, -3), (-4, -1))
    )
    batch = Handover(tau, context, rate, AffinePrefill(slope, offset), cycle)
    together = solve(batch, scheme)
    for place in [tuple(rng.integers(0, shape)) for _ in range(5)] + [tuple(n - 1 for n in shape)]:
        own = AffinePrefill(float(slope[place]), float(offset[place]))
        alone = Handover(tau[place], context[place], rate[place], own, cycle[place])
        one = solve(alone, scheme)
        for name in ("delay_s", "prefill_length_tok", "prefill_delay_s", "transfer_delay_s"):
            assert getattr(together, name)[place] == pytest.approx(
                float(getattr(one, name)), rel=1e-12
            )
        np.testing.assert_allclose(
            together.per_user_delay_s[place], one.per_user_delay_s, rtol=1e-12, atol=1e-15
        )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"cycle_s": [0.1, 0.2]}, r"the shape of cycle_s is \(2,\)"),
        ({"prefill": AffinePrefill([1e-4, 1e-4], 0.0)}, r"the shape of prefill_s_per_tok is"),
        ({"prefill": AffinePrefill(1e-4, [0.1, 0.1])}, r"the shape of prefill_offset_s is"),
    ],
)
def test_one_value_for_each_instance_or_one_for_all(changes, sentence):
    with pytest.raises(InputError, match=sentence):
        random_batch(2, 3).replace(**changes)
    with pytest.raises(InputError, match="at least 0"):
        AffinePrefill([1e-4, -1e-4], 0.0)


@pytest.mark.parametrize("length", [-1, np.nan, [1.0, 2.0]])
def test_a_length_that_is_none_is_refused(length):
    with pytest.raises(InputError, match="prefill_length_tok"):
        delay_at_length(random_batch(2, 3), length)


def test_a_batch_has_no_one_schedule():
    with pytest.raises(InputError, match=r"the shape of the batch is \(3,\)"):
        solve(random_batch(2, 3)).schedule()


def test_leading_axes_are_kept():
    batch = random_batch(3, 8)
    folded = Handover(
        batch.handover_s.reshape(2, 4, 3),
        batch.context_tok.reshape(2, 4, 3),
        batch.backhaul_tok_per_s.reshape(2, 4),
        batch.prefill,
    )
    np.testing.assert_array_equal(solve(folded).delay_s.ravel(), solve(batch).delay_s)


def test_a_million_users():
    rng = np.random.default_rng(2)
    count = 1_000_000
    tau = rng.random(count) * 200.0
    context = rng.integers(1024, 5121, count)
    h = Handover(tau, context, 1.4e7, AffinePrefill(1e-4, 2e-3))
    best = solve(h)
    assert float(best.delay_s) <= min(float(solve(h, s).delay_s) for s in ("tHO", "cHO"))
    check_schedule(best.schedule(), tau, best.remaining_tok, 1.4e7)
    assert best.per_user_delay_s.max() == pytest.approx(float(best.delay_s), rel=1e-9)


@pytest.mark.parametrize("rate", [1e-9, 1e-3, 1e3, 1e9, 1e15])
@pytest.mark.parametrize("scheme", PAPER_SCHEMES)
def test_huge_and_tiny_rates(rate, scheme):
    h = Handover([1.0, 1.05, 1.05], [3000, 1, 5000], rate, AffinePrefill())
    solution = solve(h, scheme)
    assert np.isfinite(solution.delay_s)
    assert solution.per_user_delay_s.max() == pytest.approx(float(solution.delay_s), rel=1e-9)


@settings(max_examples=60)
@given(
    handovers(
        affine=QuadraticPrefill(
            prefill_s_per_tok=5e-5, prefill_offset_s=1e-3, prefill_s_per_tok2=2e-8
        )
    )
)
def test_a_delay_that_is_not_affine(h):
    best = solve(h)
    grid = np.linspace(0, float(h.longest_context_tok), 400)
    values = [float(delay_at_length(h, length).delay_s) for length in grid]
    assert float(best.delay_s) <= min(values) * (1 + 1e-9)
    if best.prefill_length_tok > 0:
        assert float(best.prefill_delay_s) == pytest.approx(float(best.transfer_delay_s), rel=1e-9)


def test_the_general_search_agrees_with_the_exact_one():
    class Opaque(AffinePrefill):
        """The paper's model, but it does not say that it is affine."""

        def affine(self, num_ues):
            return None

    batch = random_batch(4, 200)
    opaque = Handover(batch.handover_s, batch.context_tok, batch.backhaul_tok_per_s, Opaque())
    for reading in (Reading(), Reading(transfer="printed")):
        np.testing.assert_allclose(
            solve(opaque, reading=reading).prefill_length_tok,
            solve(batch, reading=reading).prefill_length_tok,
            rtol=1e-9,
            atol=1e-9,
        )


def test_a_model_that_contradicts_itself_is_refused():
    class Liar(AffinePrefill):
        """Says that it is twice as fast as it is."""

        def affine(self, num_ues):
            return self.prefill_s_per_tok / 2, self.prefill_offset_s

    class Negative:
        """Is done before it starts."""

        def delay_s(self, length_tok, num_ues):
            return -np.asarray(length_tok, float)

        def affine(self, num_ues):
            return None

    with pytest.raises(InputError, match=r"prefill\.affine at 4000 tokens"):
        solve(Handover([0.0], [4000], 1000.0, Liar()))
    with pytest.raises(InputError, match=r"the prefill completion is -4000\.0"):
        solve(Handover([0.0], [4000], 1000.0, Negative()), "tHO")


def test_a_step_in_the_prefill_delay_is_met_from_the_better_side():
    class Step:
        """Fast up to 1000 tokens, very slow beyond."""

        def delay_s(self, length_tok, num_ues):
            return np.where(np.asarray(length_tok) <= 1000, 0.01, 9.0)

        def affine(self, num_ues):
            return None

    best = solve(Handover([0.0], [4000], 1000.0, Step()))
    assert float(best.prefill_length_tok) == pytest.approx(1000, rel=1e-9)
    assert float(best.delay_s) == pytest.approx(3.0, rel=1e-9)


class TestReadings:
    """Each open point of the paper, where it matters."""

    idle = Handover([0.0, 1.0], [100, 800], 1000.0, AffinePrefill())
    fast = Handover([1.0, 1.1, 1.2, 1.3], [2000, 2500, 3000, 1500], 2e5, AffinePrefill())

    def test_printed_transfer(self):
        assert float(solve(self.idle, "cHO", Reading(transfer="printed")).delay_s) == 0.1
        assert float(solve(self.idle, "cHO").delay_s) == pytest.approx(0.8)

    def test_waiting_for_a_batch_that_prefills_nothing(self):
        waits = Reading(zero_length="waits_for_batch")
        skips = solve(self.fast)
        assert skips.prefill_length_tok == 0
        solution = solve(self.fast, reading=waits)
        assert float(solution.delay_s) == pytest.approx(0.3 + 2.4e-3)
        assert float(skips.delay_s) < float(solution.delay_s)
        assert solution.per_user_delay_s.max() == pytest.approx(float(solution.delay_s))

    def test_padding_of_tho(self):
        padded = solve(self.fast, "tHO", Reading(tho_length_tok=5120))
        plain = solve(self.fast, "tHO")
        extra = 9.4267e-5 * (5120 - 3000)
        assert float(padded.delay_s - plain.delay_s) == pytest.approx(extra)

    def test_tho_cannot_prefill_less_than_there_is(self):
        with pytest.raises(InputError, match=r"tho_length_tok is 2000, .*longest context, 3000"):
            solve(self.fast, "tHO", Reading(tho_length_tok=2000))

    @pytest.mark.parametrize("field", ["transfer", "zero_length"])
    def test_other_words_are_refused(self, field):
        with pytest.raises(InputError, match=f"{field} is 'else'"):
            Reading(**{field: "else"})

    def test_a_word_is_no_reading(self):
        with pytest.raises(InputError, match="reading is 'exact'"):
            solve(self.fast, "ctHO", "exact")

    def test_what_is_no_handover_is_refused(self):
        with pytest.raises(InputError, match="handover is None"):
            solve(None)

    def test_an_unknown_scheme_is_refused(self):
        with pytest.raises(InputError, match=r"scheme is 'ctho', .*did you mean ctHO"):
            solve(self.fast, "ctho")
