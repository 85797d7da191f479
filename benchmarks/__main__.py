"""Time the batched solver beside one linear program and beside a compiled loop, on one core."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.compiled_loop import solve_all
from ctho import AffinePrefill, Handover, solve
from ctho.proofs.window_program import best_by_linear_program
from ctho.simulation import Parameters, sample_handovers

INSTANCES = 20_000
LINEAR_PROGRAMS = 100
ROUNDS = 7
NUM_UES = (4, 12)

LEAST_GAIN_OVER_LP = 3_000
MOST_OVER_COMPILED = 4


def main() -> int:
    """Print the ratios; 1 if one misses its target."""
    print(f"{INSTANCES:,} instances at the paper's defaults, best of {ROUNDS} rounds, one core\n")
    print("  K   batched   HiGHS program   compiled loop   HiGHS / batched   batched / compiled")
    missed = False
    for num_ues in NUM_UES:
        batch = sample_handovers(Parameters(num_ues=num_ues, realisations=INSTANCES))
        batched, program, compiled = _seconds_per_instance(batch)
        gain, behind = program / batched, batched / compiled
        missed |= gain < LEAST_GAIN_OVER_LP or behind > MOST_OVER_COMPILED
        print(
            f"{num_ues:>3} {batched * 1e9:>6.0f} ns {program * 1e6:>12.0f} us"
            f" {compiled * 1e9:>12.0f} ns {gain:>17,.0f} {behind:>20.2f}"
        )
    print(f"\ntargets: at least {LEAST_GAIN_OVER_LP:,}; at most {MOST_OVER_COMPILED}")
    seconds = _best_of(3, _million_users())
    print(f"one instance with a million users: {seconds:.2f} s")
    return int(missed)


def _seconds_per_instance(batch: Handover) -> tuple[float, float, float]:
    """Batched solver, linear program, compiled loop; they must agree first."""
    slope, offset = batch.prefill.affine(batch.num_ues) or (0.0, 0.0)
    tau, context = np.ascontiguousarray(batch.handover_s), np.ascontiguousarray(batch.context_tok)
    rate = np.ascontiguousarray(batch.backhaul_tok_per_s)
    singles = [Handover(tau[n], context[n], rate[n], batch.prefill) for n in range(LINEAR_PROGRAMS)]

    def batched() -> np.ndarray:
        # A fresh instance each time, so that sorting is paid for.
        return solve(Handover(tau, context, rate, batch.prefill)).delay_s

    def compiled() -> np.ndarray:
        return solve_all(tau, context, rate, slope, offset, batch.cycle_s)[0]

    def programs() -> np.ndarray:
        return np.array([best_by_linear_program(single).delay_s for single in singles])

    np.testing.assert_allclose(compiled(), batched(), rtol=1e-9)
    np.testing.assert_allclose(programs(), batched()[:LINEAR_PROGRAMS], rtol=1e-6)
    # best_by_linear_program solves two programs, with and without a batch.
    return (
        _best_of(ROUNDS, batched) / INSTANCES,
        _best_of(3, programs) / LINEAR_PROGRAMS / 2,
        _best_of(ROUNDS, compiled) / INSTANCES,
    )


def _million_users() -> Callable[[], object]:
    rng = np.random.default_rng(0)
    count = 1_000_000
    tau, context = 200 * rng.random(count), rng.integers(1024, 5121, count)
    return lambda: solve(Handover(tau, context, 1.4e7, AffinePrefill()))


def _best_of(rounds: int, work: Callable[[], object]) -> float:
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


if __name__ == "__main__":
    sys.exit(main())
