"""Times of real prefills, p(L, B), for one plan."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ctho.prefill.profile import MIN_LENGTHS
from ctho.profiling.library import causal_lm, library_config
from ctho.profiling.machine import machine, versions
from ctho.profiling.plans import PrefillPlan
from ctho.profiling.store import ResumableRecord
from ctho.profiling.timing import CLOCKS, repeat, run_on_cpu, run_on_cuda

__all__ = ["MachineTooSmallError", "measure"]

SCHEMA = "ctho-prefill-profile/1"
ENOUGH_S = 1.0
"""A point that has taken this long in all is not repeated beyond the plan's minimum."""

SCALING_CHECK = "scaling_check"
CHECKED_TOK = 64
"""The check that time grows with the layers uses the largest point of at most this many tokens."""

BODY_VOCABULARY = 1024
"""Rows of the embedding of a scaled model: looking a token up costs the same in any table."""


class MachineTooSmallError(RuntimeError):
    """Not even two lengths of one batch size can be measured."""


@dataclass(frozen=True)
class _Parts:
    """What a plan times: the body for (length, batch), and a head where it is timed apart."""

    body: Callable[[int, int], Any]
    head: Callable[[int], Any] | None


def measure(
    plan: PrefillPlan,
    device: str,
    partial_path: Path,
    say: Callable[[str], None],
    deadline_s: float | None = None,
) -> dict[str, Any]:
    """The profile of `plan`, as `data/profiles` holds it.

    Points are kept in `partial_path` one by one; a later call goes on from there.

    Args:
        plan: what to measure.
        device: "cpu" (one thread) or "cuda".
        partial_path: file for the points until the profile is complete.
        say: takes a line of progress.
        deadline_s: `time.monotonic()` from which no further point is begun; points that
            are left out then are the largest ones.

    Returns:
        Content of a profile file, with two lengths or more at every batch size that it has.

    Raises:
        MachineTooSmallError: not even that fits into the memory.
    """
    import torch

    if device == "cpu":
        torch.set_num_threads(1)
    setting = {
        "schema": SCHEMA,
        "name": plan.name,
        "title": plan.title,
        "model": dict(plan.config),
        "layers": plan.layers,
        "layers_measured": plan.layers_measured or plan.layers,
        "dtype": plan.dtype,
        "device": device,
        "threads": torch.get_num_threads(),
        "clock": CLOCKS[device],
        "statistic": "minimum over the runs, after a warm-up",
        "machine": machine(device),
        "versions": versions(),
    }
    record = ResumableRecord(partial_path, setting)
    parts = _parts(plan, device)
    timed = run_on_cuda if device == "cuda" else run_on_cpu
    points = plan.points
    _time(timed, partial(parts.body, *points[0]), 1, 1)  # warm-up of weights and allocator
    for number, (length, batch) in enumerate(points, start=1):
        key = f"{length}x{batch}"
        done = f"{plan.name} {number}/{len(points)}: {length} tokens x {batch}"
        if key in record.entries:
            say(f"{done} (from before)")
            continue
        late = deadline_s is not None and time.monotonic() > deadline_s
        if late and (length, batch) not in plan.essential:
            say(f"{done} and larger left out: the time is used up")
            break
        try:
            entry = _measure_point(plan, parts, timed, length, batch, CLOCKS[device])
        except torch.OutOfMemoryError:
            say(f"{done} left out: it does not fit into the memory")
            continue
        record.add(key, entry)
        say(f"{done}: {entry['delay_s']:.4g} s")
    measured = [record.entries[f"{n}x{b}"] for n, b in points if f"{n}x{b}" in record.entries]
    count = Counter(entry["num_ues"] for entry in measured)
    curves = [entry for entry in measured if count[entry["num_ues"]] >= MIN_LENGTHS]
    if not curves:
        raise MachineTooSmallError(
            f"{plan.name}: no batch size has two lengths that fit into the memory"
        )
    date = time.strftime("%Y-%m-%d", time.gmtime())
    profile: dict[str, Any] = {**setting, "date": date, "points": curves}
    if plan.layers_measured is not None:
        if SCALING_CHECK not in record.entries:
            record.add(SCALING_CHECK, _scaling_check(plan, device, timed, record.entries))
        profile[SCALING_CHECK] = record.entries[SCALING_CHECK]
    return profile


def _scaling_check(
    plan: PrefillPlan,
    device: str,
    timed: Callable[[Callable[[], Any]], dict[str, float]],
    entries: Mapping[str, Any],
) -> dict[str, Any]:
    """Twice the layers at one point: how far from twice the time is it?"""
    layers = 2 * (plan.layers_measured or plan.layers)
    body = _parts(replace(plan, layers_measured=layers), device).body
    fitting = [p for p in plan.points if p[0] * p[1] <= CHECKED_TOK and f"{p[0]}x{p[1]}" in entries]
    length, batch = max(fitting, key=lambda point: (point[0] * point[1], point[0]))
    runs = _time(timed, partial(body, length, batch), plan.min_runs, plan.max_runs)
    body_s = min(run[CLOCKS[device]] for run in runs)
    return {
        "length_tok": length,
        "num_ues": batch,
        "layers": layers,
        "body_s": body_s,
        "over_proportional": body_s / (2 * entries[f"{length}x{batch}"]["body_s"]) - 1,
        "runs": runs,
    }


def _measure_point(
    plan: PrefillPlan,
    parts: _Parts,
    timed: Callable[[Callable[[], Any]], dict[str, float]],
    length: int,
    batch: int,
    clock: str,
) -> dict[str, Any]:
    runs = _time(timed, partial(parts.body, length, batch), plan.min_runs, plan.max_runs)
    body_s = min(run[clock] for run in runs)
    entry: dict[str, Any] = {"length_tok": length, "num_ues": batch}
    if parts.head is None:
        return {**entry, "delay_s": body_s, "runs": runs}
    head_runs = _time(timed, partial(parts.head, batch), plan.min_runs, plan.max_runs)
    head_s = min(run[clock] for run in head_runs)
    scale = plan.layers / (plan.layers_measured or plan.layers)
    return {
        **entry,
        "delay_s": scale * body_s + head_s,
        "body_s": body_s,
        "head_s": head_s,
        "runs": runs,
        "head_runs": head_runs,
    }


def _time(
    timed: Callable[[Callable[[], Any]], dict[str, float]],
    work: Callable[[], Any],
    min_runs: int,
    max_runs: int,
) -> list[dict[str, float]]:
    runs = repeat(partial(timed, work), min_runs, max_runs, ENOUGH_S)
    return [{name: float(f"{value:.6g}") for name, value in run.items()} for run in runs]


def _parts(plan: PrefillPlan, device: str) -> _Parts:
    import torch

    dtype = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}[plan.dtype]
    torch.manual_seed(0)
    scaled = plan.layers_measured is not None
    changes = {"num_hidden_layers": plan.layers_measured, "vocab_size": BODY_VOCABULARY}
    config = library_config({**plan.config, **(changes if scaled else {})})
    whole = causal_lm(config, dtype, device)

    def ids(length: int, batch: int) -> Any:
        return torch.randint(config.vocab_size, (batch, length), device=device)

    def whole_prefill(length: int, batch: int) -> None:
        with torch.inference_mode():
            whole(input_ids=ids(length, batch), use_cache=True, logits_to_keep=1)

    def body_prefill(length: int, batch: int) -> None:
        with torch.inference_mode():
            whole.model(input_ids=ids(length, batch), use_cache=True)

    if not scaled:
        return _Parts(whole_prefill, None)
    hidden, vocabulary = plan.config["hidden_size"], plan.config["vocab_size"]
    head = torch.nn.Linear(hidden, vocabulary, bias=False, dtype=dtype, device=device)

    def head_only(batch: int) -> None:
        with torch.inference_mode():
            head(torch.zeros((batch, 1, hidden), dtype=dtype, device=device))

    return _Parts(body_prefill, head_only)
