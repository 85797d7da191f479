"""A later paper's measurements of ctHO, predicted by the model with nothing fitted to them.

One user hands over on a cycle boundary, so nothing is waited for and with p(L) = a L + b

    D_cHO = C / R,    D_tHO = a C + b,    D_ctHO = D_tHO / (1 + a R).

R follows from the link and the model's cache, a and b from the measured recomputation times alone.
For b = 0 the three are tied without any parameter: 1 / D_ctHO = 1 / D_tHO + 1 / D_cHO.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

from ctho.backhaul import backhaul_tok_per_s
from ctho.checks import InputError, check_array, check_number
from ctho.data_files import data_path
from ctho.handover import Handover
from ctho.kv_cache import KvCache, element_type, model_geometry
from ctho.prefill import AffinePrefill, PrefillModel, ProfilePrefill
from ctho.solver import delay_at_length, solve

__all__ = [
    "PREFILL_FITS",
    "Measurements",
    "affine_fit",
    "block_cost",
    "followup_records",
    "leave_one_out",
    "measurements",
    "parallel_law",
    "piecewise_fit",
    "predictions",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measurements:
    """The columns of Table 1, one entry a context.

    Attributes:
        context_tok: C, tokens.
        full_copy_s: everything crosses the link (cHO), seconds.
        recomputation_s: everything is prefilled (tHO), seconds.
        ctho_s: the follow-up's ctHO, seconds.
        kv_bits_per_tok: cache of one token, bits.
        backhaul_gbps: goodput of the link.
    """

    context_tok: Array
    full_copy_s: Array
    recomputation_s: Array
    ctho_s: Array
    kv_bits_per_tok: float
    backhaul_gbps: float

    @property
    def backhaul_tok_per_s(self) -> float:
        """R, tokens per second."""
        return float(backhaul_tok_per_s(self.backhaul_gbps, self.kv_bits_per_tok))


@lru_cache(maxsize=1)
def followup_records() -> Mapping[str, Any]:
    """The content of `data/followup.yaml`."""
    records: Mapping[str, Any] = yaml.safe_load(data_path("followup.yaml").read_text("utf-8"))
    return records


def measurements(tokens_per_k: float = 1024, backhaul_gbps: float | None = None) -> Measurements:
    """Table 1 with "1K" read as `tokens_per_k` tokens.

    Args:
        tokens_per_k: tokens in the table's K.
        backhaul_gbps: goodput; the recorded one by default.

    Raises:
        InputError: a number that is not above 0.
    """
    table = followup_records()["table_1"]
    scale = check_number("tokens_per_k", tokens_per_k, above=0)
    rate = table["goodput_gbps"] if backhaul_gbps is None else backhaul_gbps
    element = element_type(table["cache_element"])
    cache = KvCache(model_geometry(table["model"]), element, element)
    return Measurements(
        context_tok=scale * np.array(table["contexts_k"], float),
        full_copy_s=np.array(table["full_copy_ms"]) / 1e3,
        recomputation_s=np.array(table["recomputation_ms"]) / 1e3,
        ctho_s=np.array(table["ctho_ms"]) / 1e3,
        kv_bits_per_tok=cache.bits_per_tok,
        backhaul_gbps=check_number("backhaul_gbps", rate, above=0),
    )


def affine_fit(
    length_tok: Sequence[float] | Array, delay_s: Sequence[float] | Array
) -> PrefillModel:
    """The line a L + b through measured points by least squares, b held at 0 if it came out below.

    Raises:
        InputError: fewer than two lengths, or a line that falls.

    >>> affine_fit([1000, 2000], [0.3, 0.5]).affine(1)
    (0.0002, 0.1)
    """
    length = check_array("length_tok", np.asarray(length_tok), above=0)
    delay = check_array("delay_s", np.asarray(delay_s), above=0)
    if np.unique(length).size < 2:
        raise InputError("length_tok", length.tolist(), "at least two different lengths")
    slope, offset = np.polyfit(length, delay, 1)
    if offset < 0:
        slope, offset = (length @ delay) / (length @ length), 0.0
    # Digits below rounding would only blur the fit of points that are on a line.
    return AffinePrefill(float(f"{slope:.12g}"), float(f"{offset:.12g}"))


def piecewise_fit(
    length_tok: Sequence[float] | Array, delay_s: Sequence[float] | Array
) -> PrefillModel:
    """Straight lines between the measured points, and from the shortest one down to the origin."""
    points = sorted(zip(map(float, length_tok), map(float, delay_s), strict=True))
    shortest, delay = points[0]
    start = (shortest * 1e-6, 1, delay * 1e-6)
    return ProfilePrefill((start, *((length, 1, time) for length, time in points)))


PREFILL_FITS = {"line": affine_fit, "between points": piecewise_fit}
"""Ways to read a prefill curve out of the recomputation times, by name."""


def predictions(data: Measurements, prefill: PrefillModel) -> pd.DataFrame:
    """Full copy, recomputation and ctHO by the model, beside the measurements.

    Returns:
        One row for each context and quantity: context_tok, quantity ("full copy", "recomputation",
        "ctHO"), measured_s, predicted_s, error_percent (predicted over measured, less one) and
        prefill_length_tok.
    """
    handover = _handovers(data, prefill)
    columns = {
        "full copy": (solve(handover, "cHO"), data.full_copy_s),
        "recomputation": (solve(handover, "tHO"), data.recomputation_s),
        "ctHO": (solve(handover, "ctHO"), data.ctho_s),
    }
    parts = []
    for quantity, (solution, measured) in columns.items():
        parts.append(
            pd.DataFrame(
                {
                    "context_tok": data.context_tok,
                    "quantity": quantity,
                    "measured_s": measured,
                    "predicted_s": solution.delay_s,
                    "error_percent": 100 * (solution.delay_s / measured - 1),
                    "prefill_length_tok": solution.prefill_length_tok,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def leave_one_out(data: Measurements) -> pd.DataFrame:
    """The line through two of the recomputation times, tried on the context left out.

    Returns:
        Columns left_out_tok, quantity ("recomputation", "ctHO"), measured_s, predicted_s,
        error_percent.
    """
    rows = []
    for left_out, context in enumerate(data.context_tok):
        kept = np.arange(data.context_tok.size) != left_out
        prefill = affine_fit(data.context_tok[kept], data.recomputation_s[kept])
        table = predictions(data, prefill)
        own = table[(table["context_tok"] == context) & (table["quantity"] != "full copy")]
        rows.append(own.rename(columns={"context_tok": "left_out_tok"}))
    columns = ["left_out_tok", "quantity", "measured_s", "predicted_s", "error_percent"]
    return pd.concat(rows, ignore_index=True)[columns]


def block_cost(data: Measurements, prefill: PrefillModel, block_tok: float) -> pd.DataFrame:
    """What it costs to split at whole blocks only, as the follow-up's implementation does.

    Returns:
        Columns context_tok, free_s (best real L), blocks_s (best multiple of `block_tok`, at most
        C), cost_ms.
    """
    block = check_number("split_block_tok", block_tok, above=0)
    handover = _handovers(data, prefill)
    free = solve(handover, "ctHO")
    lower = np.floor(free.prefill_length_tok / block) * block
    upper = np.minimum(lower + block, data.context_tok)
    best = np.minimum(
        delay_at_length(handover, lower).delay_s, delay_at_length(handover, upper).delay_s
    )
    return pd.DataFrame(
        {
            "context_tok": data.context_tok,
            "free_s": free.delay_s,
            "blocks_s": best,
            "cost_ms": 1e3 * (best - free.delay_s),
        }
    )


def parallel_law(data: Measurements) -> pd.DataFrame:
    """D_ctHO from the two pure columns alone, D_tHO D_cHO / (D_tHO + D_cHO), on both tables.

    Table 2 holds means over many handovers. The law is concave in the pair of pure delays, so the
    law of the means is at least the mean of the law.

    Returns:
        Columns case, full_copy_s, recomputation_s, measured_s, predicted_s, error_percent.
    """
    single = [
        (f"Table 1, {context:,.0f} tokens", *values)
        for context, *values in zip(
            data.context_tok, data.full_copy_s, data.recomputation_s, data.ctho_s, strict=True
        )
    ]
    names = ("full_copy_ms", "recomputation_ms", "ctho_ms")
    repeated = [
        (f"Table 2, {row['model']}", *(row[name] / 1e3 for name in names))
        for row in followup_records()["table_2"]["rows"]
    ]
    table = pd.DataFrame(
        [*single, *repeated], columns=["case", "full_copy_s", "recomputation_s", "measured_s"]
    )
    both = table["full_copy_s"] + table["recomputation_s"]
    table["predicted_s"] = table["full_copy_s"] * table["recomputation_s"] / both
    table["error_percent"] = 100 * (table["predicted_s"] / table["measured_s"] - 1)
    return table


def _handovers(data: Measurements, prefill: PrefillModel) -> Handover:
    """One user each, handing over on a cycle boundary, `[contexts, 1]`."""
    context = data.context_tok[:, np.newaxis]
    return Handover(np.zeros_like(context), context, data.backhaul_tok_per_s, prefill)
