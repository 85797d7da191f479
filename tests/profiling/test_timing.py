"""How often a run is repeated; no time is measured here."""

from __future__ import annotations

from collections.abc import Iterator

from ctho.profiling.plans import CPU_PLANS, GPU_PLANS
from ctho.profiling.timing import repeat


def runs_of(wall_s: float, min_runs: int, max_runs: int, enough_s: float) -> int:
    return len(repeat(lambda: {"wall_s": wall_s}, min_runs, max_runs, enough_s))


def test_slow_points_get_the_minimum_and_fast_ones_more() -> None:
    assert runs_of(100.0, min_runs=2, max_runs=7, enough_s=1.0) == 2
    assert runs_of(0.25, min_runs=2, max_runs=7, enough_s=1.0) == 4
    assert runs_of(1e-6, min_runs=2, max_runs=7, enough_s=1.0) == 7


def test_runs_come_back_in_order() -> None:
    numbers: Iterator[int] = iter(range(10))
    assert repeat(lambda: {"wall_s": next(numbers)}, 3, 3, 0.0) == [
        {"wall_s": 0},
        {"wall_s": 1},
        {"wall_s": 2},
    ]


def test_plans_begin_with_what_a_curve_needs_and_go_from_cheap_to_dear() -> None:
    names = [plan.name for plan in (*CPU_PLANS, *GPU_PLANS)]
    assert len(names) == len(set(names))
    for plan in (*CPU_PLANS, *GPU_PLANS):
        first = plan.points[: len(plan.essential)]
        assert set(first) == plan.essential
        assert len(first) == 2 * len(plan.lengths_tok)
        for part in (first, plan.points[len(first) :]):
            work = [length * batch for length, batch in part]
            assert work == sorted(work)
        assert len(set(plan.points)) == len(plan.points)
        assert 2 <= plan.min_runs <= plan.max_runs
        assert all(len(lengths) >= 3 for lengths in plan.lengths_tok.values())
        assert plan.layers_measured is None or plan.layers_measured < plan.layers
