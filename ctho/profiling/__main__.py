"""`python -m ctho.profiling`: measure, and write the profile files."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ctho.profiling.kv_record import measure_caches
from ctho.profiling.plans import CPU_PLANS, GPU_PLANS
from ctho.profiling.prefill import MachineTooSmallError, measure
from ctho.profiling.store import write_json

DEFAULT_MINUTES = 8.5
"""No point is begun after this; the last one may take another minute."""

KV_CACHE = "kv-cache"
Say = Callable[[str], None]


def main(words: list[str] | None = None) -> int:
    """Measure what is asked for; 0, 1 if a machine is too small, or 130 after an interruption."""
    plans = {plan.name: plan for plan in (*CPU_PLANS, *GPU_PLANS)}
    parser = argparse.ArgumentParser(prog="python -m ctho.profiling", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("data/profiles"))
    parser.add_argument("--partial", type=Path, default=Path("build/profiling"))
    parser.add_argument("--minutes", type=float, default=DEFAULT_MINUTES, help="in all, about")
    parser.add_argument(
        "--only", nargs="+", choices=[KV_CACHE, *plans], metavar="NAME", help="some of them"
    )
    args = parser.parse_args(words)
    begun = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - begun:6.1f} s  {line}", flush=True)

    names = args.only or [KV_CACHE, *_plans_of_this_machine()]
    try:
        for name in names:
            _measure_one(name, args.out, args.partial, begun + 60 * args.minutes, say)
    except KeyboardInterrupt:
        print("interrupted; what is measured is kept, run again to go on", file=sys.stderr)
        return 130
    except MachineTooSmallError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _plans_of_this_machine() -> list[str]:
    import torch

    if not torch.cuda.is_available():
        return [plan.name for plan in CPU_PLANS]
    dtype = "bf16" if torch.cuda.is_bf16_supported() else "fp16"
    return [plan.name for plan in GPU_PLANS if plan.dtype == dtype]


def _measure_one(name: str, out: Path, partial: Path, deadline_s: float, say: Say) -> None:
    path = partial / f"{name}.json"
    if name == KV_CACHE:
        content = measure_caches(path, say)
    else:
        plan = next(plan for plan in (*CPU_PLANS, *GPU_PLANS) if plan.name == name)
        device = "cuda" if plan in GPU_PLANS else "cpu"
        content = measure(plan, device, path, say, deadline_s)
    write_json(out / f"{name}.json", content)
    path.unlink(missing_ok=True)
    say(f"wrote {name}")


if __name__ == "__main__":
    raise SystemExit(main())
