"""ctHO: exact LLM handover by joint KV cache transfer and token prefill.

The model of "Low-Latency Edge LLM Handover via Joint KV Cache Transfer and Token Prefill"
(arXiv:2603.28018) with its exact solution. This face is stable; it needs NumPy alone.

>>> import ctho
>>> rate = ctho.backhaul_tok_per_s(4.5, 458_752)
>>> handover = ctho.Handover([1.0, 1.2], [3000, 4000], rate, ctho.AffinePrefill())
>>> best = ctho.solve(handover)
>>> f"{best.delay_s:.3f} s, {best.prefill_length_tok:.0f} tokens"
'0.301 s, 1047 tokens'
"""

from ctho.backhaul import (
    backhaul_tok_per_s,
    completion_s,
    minimum_transfer_delay_s,
    printed_transfer_bound_s,
    transfer_delay_s,
)
from ctho.checks import InputError
from ctho.handover import Handover, batch_start_s, prefilled_tok, transferred_tok
from ctho.mobility import handover_time_s, position_m
from ctho.prefill import AffinePrefill, PrefillModel, prefill_from_mapping
from ctho.schedule import Schedule, ScheduleError, check_schedule, rate_schedule
from ctho.schemes import SCHEMES, CommonLength, Scheme, SchemeStyle
from ctho.solution import Reading, Solution, delay_at_length
from ctho.solver import solve
from ctho.streaming import RadioLink, streaming_delay_s, total_delay_s

__all__ = [
    "SCHEMES",
    "AffinePrefill",
    "CommonLength",
    "Handover",
    "InputError",
    "PrefillModel",
    "RadioLink",
    "Reading",
    "Schedule",
    "ScheduleError",
    "Scheme",
    "SchemeStyle",
    "Solution",
    "backhaul_tok_per_s",
    "batch_start_s",
    "check_schedule",
    "completion_s",
    "delay_at_length",
    "handover_time_s",
    "minimum_transfer_delay_s",
    "position_m",
    "prefill_from_mapping",
    "prefilled_tok",
    "printed_transfer_bound_s",
    "rate_schedule",
    "solve",
    "streaming_delay_s",
    "total_delay_s",
    "transfer_delay_s",
    "transferred_tok",
]
