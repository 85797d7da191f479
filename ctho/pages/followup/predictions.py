"""A later paper's measurements of ctHO, predicted by the model with nothing fitted to them.

One user hands over on a cycle boundary, so nothing is waited for and with p(L) = a L + b

    D_cHO = C / R,    D_tHO = a C + b,    D_ctHO = D_tHO / (1 + a R), or D_cHO if that is below b.

R follows from the link and the model's cache, a and b from the measured recomputation times alone.
For b = 0 the three are tied without any parameter: 1 / D_ctHO = 1 / D_tHO + 1 / D_cHO.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ctho.checks import InputError, check_array, check_number
from ctho.handover import Handover
from ctho.pages.followup.measurements import Measurements, followup_records
from ctho.prefill import AffinePrefill, PrefillModel, ProfilePrefill
from ctho.solution import delay_at_length
from ctho.solver import solve

__all__ = [
    "PREFILL_FITS",
    "affine_fit",
    "block_cost",
    "leave_one_out",
    "parallel_law",
    "piecewise_fit",
    "predictions",
    "savings",
]

Array = NDArray[np.float64]


def affine_fit(length_tok: ArrayLike, delay_s: ArrayLike) -> PrefillModel:
    """The line a L + b through measured points by least squares, b held at 0 if it came out below.

    Raises:
        InputError: fewer than two lengths, or a line that falls.

    >>> affine_fit([1000, 2000], [0.3, 0.5]).affine(1)
    (0.0002, 0.1)
    """
    length = check_array("length_tok", length_tok, above=0)
    delay = check_array("delay_s", delay_s, above=0)
    if np.unique(length).size < 2:
        raise InputError("length_tok", length.tolist(), "at least two different lengths")
    slope, offset = np.polyfit(length, delay, 1)
    if offset < 0:
        slope, offset = (length @ delay) / (length @ length), 0.0
    # Digits below rounding would only blur the fit of points that are on a line.
    return AffinePrefill(float(f"{slope:.12g}"), float(f"{offset:.12g}"))


def piecewise_fit(length_tok: ArrayLike, delay_s: ArrayLike) -> PrefillModel:
    """Straight lines between the measured points, and from the shortest one down to the origin."""
    lengths, delays = np.asarray(length_tok, float), np.asarray(delay_s, float)
    first = int(lengths.argmin())
    near_origin = (1e-6 * lengths[first], 1, 1e-6 * delays[first])
    points = ((length, 1, delay) for length, delay in zip(lengths, delays, strict=True))
    return ProfilePrefill((near_origin, *points))


PREFILL_FITS = {"line": affine_fit, "between points": piecewise_fit}
"""Ways to read a prefill curve out of the recomputation times, by name."""


def predictions(data: Measurements, prefill: PrefillModel) -> pd.DataFrame:
    """Full copy, recomputation and ctHO by the model, beside the measurements.

    Returns:
        One row for each quantity and context: context_tok, quantity ("full copy", "recomputation",
        "ctHO"), measured_s, predicted_s, error_percent (predicted over measured, less one) and
        prefill_length_tok.
    """
    parts = []
    for quantity, scheme, measured_s in (
        ("full copy", "cHO", data.full_copy_s),
        ("recomputation", "tHO", data.recomputation_s),
        ("ctHO", "ctHO", data.ctho_s),
    ):
        solution = solve(_handovers(data, prefill), scheme)
        columns = {
            "context_tok": data.context_tok,
            "quantity": quantity,
            "measured_s": measured_s,
            "predicted_s": solution.delay_s,
            "error_percent": 100 * (solution.delay_s / measured_s - 1),
            "prefill_length_tok": solution.prefill_length_tok,
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def leave_one_out(data: Measurements) -> pd.DataFrame:
    """The line fitted to two of the recomputation times, tried on the context left out.

    Returns:
        Columns left_out_tok, quantity ("recomputation", "ctHO"), measured_s, predicted_s,
        error_percent.
    """
    rows = []
    for context in data.context_tok:
        kept = data.context_tok != context
        table = predictions(data, affine_fit(data.context_tok[kept], data.recomputation_s[kept]))
        rows.append(table[(table["context_tok"] == context) & (table["quantity"] != "full copy")])
    whole = pd.concat(rows, ignore_index=True).rename(columns={"context_tok": "left_out_tok"})
    return whole.drop(columns="prefill_length_tok")


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
    best = np.minimum(*(delay_at_length(handover, length).delay_s for length in (lower, upper)))
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
    table = pd.DataFrame(
        {
            "case": [f"Table 1, {context:,.0f} tokens" for context in data.context_tok],
            "full_copy_s": data.full_copy_s,
            "recomputation_s": data.recomputation_s,
            "measured_s": data.ctho_s,
        }
    )
    for row in followup_records()["table_2"]["rows"]:
        delays = (row[name] / 1e3 for name in ("full_copy_ms", "recomputation_ms", "ctho_ms"))
        table.loc[len(table)] = [f"Table 2, {row['model']}", *delays]
    both = table["full_copy_s"] + table["recomputation_s"]
    table["predicted_s"] = table["full_copy_s"] * table["recomputation_s"] / both
    table["error_percent"] = 100 * (table["predicted_s"] / table["measured_s"] - 1)
    return table


def savings(law: pd.DataFrame) -> pd.DataFrame:
    """How far ctHO is below recomputation in the cases of :func:`parallel_law`.

    Returns:
        Columns case, measured_percent, predicted_percent.
    """
    table = law[["case"]].copy()
    for name in ("measured", "predicted"):
        table[f"{name}_percent"] = 100 * (1 - law[f"{name}_s"] / law["recomputation_s"])
    return table


def _handovers(data: Measurements, prefill: PrefillModel) -> Handover:
    """One user each, handing over on a cycle boundary, `[contexts, 1]`."""
    context = data.context_tok[:, np.newaxis]
    return Handover(np.zeros_like(context), context, data.backhaul_tok_per_s, prefill)
