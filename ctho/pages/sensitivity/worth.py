"""What a faster link or a faster processor is worth in the mean, over the link rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq

from ctho.pages.sensitivity.prices import shadow_prices
from ctho.simulation.one_instance import one_handover
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.statistics import mean_estimate
from ctho.solver import solve

__all__ = ["WORTH", "balance_gbps", "price_sweep", "rate_curve", "worth_samples"]

Array = NDArray[np.float64]

WORTH = {
    "link_per_gbps_ms": "one Gbps more, at the margin (ms per Gbps)",
    "link_one_gbps_ms": "one Gbps more (ms)",
    "link_percent_ms": "1 % faster link, at the margin (ms)",
    "gpu_percent_ms": "1 % faster GPU, at the margin (ms)",
    "link_10_percent_ms": "10 % faster link (ms)",
    "gpu_10_percent_ms": "10 % faster GPU (ms)",
    "prefill_share": "weight of the prefill, λ",
    "link_part_ms": "part of D* that the link causes (ms)",
    "gpu_part_ms": "part of D* that the GPU causes (ms)",
    "wait_part_ms": "part of D* that the arrivals cause (ms)",
    "no_batch": "share of instances without a batch",
}
"""The columns of a sweep and what they mean; worth is by how much the mean of D* falls."""

FASTER = 1.1


def worth_samples(parameters: Parameters) -> dict[str, Array]:
    """Each entry of :data:`WORTH` for every realisation, `[realisations]`.

    A GPU that is q times as fast divides a and b by q.
    """
    p = parameters
    handovers = sample_handovers(p)
    here = solve(handovers)
    prices = shadow_prices(handovers)
    link_s, gpu_s = _elasticities_s(p)
    worth_s = {
        "link_one_gbps_ms": p.replace(backhaul_gbps=p.backhaul_gbps + 1),
        "link_10_percent_ms": p.replace(backhaul_gbps=FASTER * p.backhaul_gbps),
        "gpu_10_percent_ms": p.replace(
            prefill_s_per_tok=p.prefill_s_per_tok / FASTER,
            prefill_offset_s=p.prefill_offset_s / FASTER,
        ),
    }
    finite = {
        name: (here.delay_s - solve(sample_handovers(better)).delay_s) * 1e3
        for name, better in worth_s.items()
    }
    return {
        "link_per_gbps_ms": link_s / p.backhaul_gbps * 1e3,
        "link_percent_ms": link_s * 10,
        "gpu_percent_ms": gpu_s * 10,
        **finite,
        "prefill_share": prices.offset,
        "link_part_ms": link_s * 1e3,
        "gpu_part_ms": gpu_s * 1e3,
        "wait_part_ms": (here.delay_s - link_s - gpu_s) * 1e3,
        "no_batch": (here.prefill_length_tok == 0).astype(float),
    }


def price_sweep(parameters: Parameters, backhaul_gbps_values: Sequence[float]) -> pd.DataFrame:
    """Mean worth over the link rate, with 95 % intervals.

    Returns:
        One row for each (x, what): x in Gbps, what a key of :data:`WORTH`; mean, ci_low, ci_high.
    """
    rows = []
    for x in backhaul_gbps_values:
        samples = worth_samples(parameters.replace(backhaul_gbps=x))
        rows += [(x, what, *mean_estimate(samples[what])) for what in WORTH]
    return pd.DataFrame(rows, columns=["x", "what", "mean", "ci_low", "ci_high"])


def balance_gbps(parameters: Parameters, low_gbps: float, high_gbps: float) -> float:
    """The link rate at which 1 % of link and 1 % of GPU are worth the same in the mean.

    Returns:
        Gbps; NaN unless one is worth more at one end and the other at the other.
    """

    def surplus(log_rate: float) -> float:
        link_s, gpu_s = _elasticities_s(parameters.replace(backhaul_gbps=float(np.exp(log_rate))))
        return float(link_s.mean() - gpu_s.mean())

    ends = np.log(low_gbps), np.log(high_gbps)
    if surplus(ends[0]) * surplus(ends[1]) >= 0:
        return float("nan")
    return float(np.exp(brentq(surplus, *ends, xtol=1e-3)))


def rate_curve(
    parameters: Parameters,
    handover_s: Sequence[float],
    context_tok: Sequence[float],
    points: int = 800,
) -> pd.DataFrame:
    """D* of one instance and the worth of a faster link and GPU, from a quarter to 8 times R_bh.

    Returns:
        Columns x (Gbps), delay_s, link_ms, gpu_ms (1 % faster, at the margin) and no_batch.
    """
    rates = parameters.backhaul_gbps * np.geomspace(1 / 4, 8, points)
    one = one_handover(parameters, handover_s, context_tok)
    scaled = np.broadcast_to(rates * (one.backhaul_tok_per_s / parameters.backhaul_gbps), points)
    batch = one.repeated(points).replace(backhaul_tok_per_s=scaled)
    best, prices = solve(batch), shadow_prices(batch)
    slope, offset = parameters.prefill_s_per_tok, parameters.prefill_offset_s
    return pd.DataFrame(
        {
            "x": rates,
            "delay_s": best.delay_s,
            "link_ms": -prices.backhaul * scaled * 10,
            "gpu_ms": (slope * prices.slope + offset * prices.offset) * 10,
            "no_batch": best.prefill_length_tok == 0,
        }
    )


def _elasticities_s(parameters: Parameters) -> tuple[Array, Array]:
    """-R dD*/dR and a dD*/da + b dD*/db of every realisation, seconds."""
    prices = shadow_prices(sample_handovers(parameters))
    link = -prices.backhaul * parameters.backhaul_tok_per_s
    gpu = parameters.prefill_s_per_tok * prices.slope + parameters.prefill_offset_s * prices.offset
    return link, gpu
