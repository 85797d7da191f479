"""A scheme of one's own, with a length for each user: one small class, known to nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

import ctho
from ctho import AffinePrefill, Handover, SchemeStyle, Solution, check_schedule, solve
from ctho.cli import main
from ctho.schemes import PAPER_SCHEMES, SCHEMES
from ctho.simulation import Parameters, delay_samples
from ctho.solver import CHUNK_CELLS
from tests.strategies import handovers

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OwnLengths(Solution):
    """Each user has a length of their own, tokens, `[..., K]`."""

    length_of_user_tok: Array

    @cached_property
    def remaining_tok(self) -> Array:
        return self.handover.context_tok - self.length_of_user_tok


class HalfOfEach:
    """Half of each context is prefilled, in one batch padded to the longest half."""

    name = "half"
    style = SchemeStyle("#000000", "x", "-")

    def solve(self, handover: Handover, reading: ctho.Reading) -> Solution:
        half = handover.context_tok / 2
        longest = half.max(axis=-1)
        prefill = handover.batch_wait_s + handover.prefill.delay_s(longest, handover.num_ues)
        transfer = ctho.minimum_transfer_delay_s(
            handover.handover_s, half, handover.backhaul_tok_per_s
        )
        delay = np.maximum(prefill, transfer)
        return OwnLengths(handover, self.name, reading, delay, longest, prefill, transfer, half)


def random_batch(count: int) -> Handover:
    rng = np.random.default_rng(3)
    tau, context = rng.random((count, 4)), rng.integers(2, 6000, (count, 4))
    return Handover(tau, context, rng.uniform(1e3, 1e5, count), AffinePrefill(), 0.05)


@given(handovers())
def test_it_has_a_delay_for_each_user_and_a_feasible_schedule(handover: Handover) -> None:
    own = solve(handover, HalfOfEach())
    assert own.per_user_delay_s.max() == pytest.approx(float(own.delay_s), rel=1e-9, abs=1e-12)
    check_schedule(
        own.schedule(), handover.handover_s, own.remaining_tok, float(handover.backhaul_tok_per_s)
    )
    assert float(own.remaining_tok.sum()) == pytest.approx(float(handover.context_tok.sum()) / 2)


def test_a_batch_longer_than_a_chunk_keeps_every_users_length() -> None:
    batch = random_batch(CHUNK_CELLS // 4 + 5)
    own = solve(batch, HalfOfEach())
    assert own.remaining_tok.shape == batch.context_tok.shape
    np.testing.assert_array_equal(own.remaining_tok, batch.context_tok / 2)
    one = solve(
        Handover(
            batch.handover_s[-1],
            batch.context_tok[-1],
            batch.backhaul_tok_per_s[-1],
            batch.prefill,
            batch.cycle_s[-1],
        ),
        HalfOfEach(),
    )
    np.testing.assert_allclose(own.per_user_delay_s[-1], one.per_user_delay_s, rtol=1e-12)


def test_it_is_simulated_beside_the_papers() -> None:
    samples = delay_samples(Parameters(realisations=300), ("ctHO", HalfOfEach()))
    assert list(samples) == ["ctHO", "half"]
    assert (samples["half"] >= samples["ctHO"] - 1e-12).all()


def test_a_scheme_in_the_registry_is_answered_with(
    tmp_path, monkeypatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(SCHEMES, "half", HalfOfEach())
    file = tmp_path / "one.json"
    file.write_text(
        json.dumps(
            {
                "handover_s": [0.0, 0.1],
                "context_tok": [1000, 3000],
                "backhaul_gbps": 4.5,
                "kv_bits_per_tok": 458_752,
                "cycle_s": 0.01,
                "prefill": {"prefill_s_per_tok": 1e-4, "prefill_offset_s": 0.0},
            }
        )
    )
    assert main(["solve", str(file)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == [*PAPER_SCHEMES, "half"]
    # The batch starts at 0.1 s, 0.1 s after the first user; 1,500 tokens take 0.15 s.
    assert answer["half"]["prefill_delay_s"] == pytest.approx(0.25)


def test_the_papers_come_first() -> None:
    assert tuple(SCHEMES)[:3] == PAPER_SCHEMES
    for name, scheme in SCHEMES.items():
        assert scheme.name == name
        assert isinstance(scheme, ctho.Scheme)


@pytest.mark.parametrize("wrong", ["CTHO!", HalfOfEach, 3, None])
def test_what_is_no_scheme_is_refused(wrong: object) -> None:
    with pytest.raises(ctho.InputError, match=r"scheme is .* one of ctHO, tHO, cHO"):
        solve(random_batch(2), wrong)  # type: ignore[arg-type]
