"""A handover instance and its solutions as plain data, the format of `ctho solve`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctho.backhaul import backhaul_tok_per_s
from ctho.checks import InputError, check_keys, check_number
from ctho.handover import Handover
from ctho.prefill import prefill_from_mapping
from ctho.schemes import SCHEMES
from ctho.solution import Solution
from ctho.solver import solve

__all__ = ["answer", "handover_from_mapping", "solution_as_mapping"]

REQUIRED = (
    "handover_s",
    "context_tok",
    "backhaul_gbps",
    "kv_bits_per_tok",
    "prefill",
    "cycle_s",
)


def handover_from_mapping(mapping: Any) -> Handover:
    """The instance that a JSON object describes; nothing is assumed that it does not say.

    Keys: `handover_s` and `context_tok` (lists with one number a user, in any order),
    `backhaul_gbps`, `kv_bits_per_tok`, `cycle_s`, `prefill` (see
    :func:`ctho.prefill.prefill_from_mapping`) and, if wanted, `name`.

    Raises:
        InputError: a key that is missing or unknown, or a value out of bounds.
    """
    check_keys("the instance", mapping, (*REQUIRED, "name"), required=REQUIRED)
    rate = check_number("backhaul_gbps", mapping["backhaul_gbps"], above=0)
    size = check_number("kv_bits_per_tok", mapping["kv_bits_per_tok"], above=0)
    handover_s = _numbers("handover_s", mapping["handover_s"])
    context_tok = _numbers("context_tok", mapping["context_tok"])
    cycle_s = check_number("cycle_s", mapping["cycle_s"], above=0)
    prefill = prefill_from_mapping(mapping["prefill"])
    capacity = float(backhaul_tok_per_s(rate, size))
    return Handover(handover_s, context_tok, capacity, prefill, cycle_s)


def answer(handover: Handover) -> dict[str, dict[str, Any]]:
    """Every scheme's solution of one instance as plain data, by name."""
    return {scheme: solution_as_mapping(solve(handover, scheme)) for scheme in SCHEMES}


def solution_as_mapping(solution: Solution) -> dict[str, Any]:
    """One solution of one instance: delays, length, and the schedule as a list of segments.

    Users are indices into the lists of the instance, from 0.
    """
    schedule = solution.schedule()
    segments = zip(
        schedule.user.tolist(), schedule.start_s.tolist(), schedule.end_s.tolist(), strict=True
    )
    return {
        "delay_s": float(solution.delay_s),
        "prefill_length_tok": float(solution.prefill_length_tok),
        "prefill_delay_s": float(solution.prefill_delay_s),
        "transfer_delay_s": float(solution.transfer_delay_s),
        "per_user_delay_s": solution.per_user_delay_s.tolist(),
        "schedule": [
            {"user": user, "start_s": start, "end_s": end} for user, start, end in segments
        ],
    }


def _numbers(field: str, values: Any) -> list[float]:
    if isinstance(values, str | Mapping) or not isinstance(values, list):
        raise InputError(field, values, "a list with one number for each user")
    if not values:
        raise InputError(field, values, "a list of at least one number")
    return [check_number(f"{field}[{index}]", value) for index, value in enumerate(values)]
