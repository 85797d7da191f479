"""One run, timed: process CPU time and wall time on a processor, CUDA events on a GPU."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ctho.profiling.machine import load_1min

__all__ = ["CLOCKS", "repeat", "run_on_cpu", "run_on_cuda"]

CLOCKS = {"cpu": "cpu_s", "cuda": "device_s"}
"""Device -> the time that counts as the delay.

On a processor with one thread that is CPU time: alone on the machine it equals wall time,
and it does not count the time in which other programs hold the core.
"""


def run_on_cpu(work: Callable[[], Any]) -> dict[str, float]:
    """Wall and CPU seconds of `work`, and the load at its end."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return {
        "cpu_s": time.process_time() - cpu,
        "wall_s": time.perf_counter() - wall,
        "load_1min": load_1min(),
    }


def run_on_cuda(work: Callable[[], Any]) -> dict[str, float]:
    """Seconds between two events around `work` on the GPU's own clock."""
    import torch

    torch.cuda.synchronize()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    wall = time.perf_counter()
    start.record()
    work()
    end.record()
    torch.cuda.synchronize()
    return {
        "device_s": start.elapsed_time(end) / 1000,
        "wall_s": time.perf_counter() - wall,
        "load_1min": load_1min(),
    }


def repeat(
    run: Callable[[], dict[str, float]], min_runs: int, max_runs: int, enough_s: float
) -> list[dict[str, float]]:
    """At least `min_runs` runs, then more until `enough_s` seconds or `max_runs` are used up."""
    runs: list[dict[str, float]] = []
    while len(runs) < min_runs or (
        len(runs) < max_runs and sum(entry["wall_s"] for entry in runs) < enough_s
    ):
        runs.append(run())
    return runs
