"""What a faster link or a faster processor is worth in the mean, over the link rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq

from ctho.handover import Handover
from ctho.pages.sensitivity.prices import shadow_prices
from ctho.prefill import AffinePrefill
from ctho.proofs.newton import affine_prefill
from ctho.simulation.one_instance import one_handover
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.statistics import Estimate, mean_estimate
from ctho.solver import solve

__all__ = ["Balance", "balance", "estimates_at", "price_sweep", "rate_curve", "worth_samples"]

Array = NDArray[np.float64]

FASTER = 1.1


def worth_samples(parameters: Parameters) -> dict[str, Array]:
    """By how much D* falls with a better link or GPU, and what it is made of, `[realisations]`.

    Returns:
        At the margin: link_per_gbps_ms (per Gbps), link_percent_ms and gpu_percent_ms (1 %
        faster). Solved again: link_one_gbps_ms (1 Gbps more), link_10_percent_ms and
        gpu_10_percent_ms (10 % faster; such a GPU divides a and b by 1.1). Also prefill_share
        (lambda), link_part_ms, gpu_part_ms and wait_part_ms, which add up to D*, and no_batch (1
        where L* = 0).
    """
    handovers = sample_handovers(parameters)
    gbps = parameters.backhaul_gbps
    here = solve(handovers)
    link_s, gpu_s = _elasticities_s(handovers)
    slope, offset = affine_prefill(handovers)
    faster_gpu = handovers.replace(prefill=AffinePrefill(slope / FASTER, offset / FASTER))

    def fall_ms(better: Handover) -> Array:
        return (here.delay_s - solve(better).delay_s) * 1e3

    return {
        "link_per_gbps_ms": link_s / gbps * 1e3,
        "link_one_gbps_ms": fall_ms(_at_rate(handovers, parameters, gbps + 1)),
        "link_percent_ms": link_s * 10,
        "gpu_percent_ms": gpu_s * 10,
        "link_10_percent_ms": fall_ms(_at_rate(handovers, parameters, FASTER * gbps)),
        "gpu_10_percent_ms": fall_ms(faster_gpu),
        "prefill_share": shadow_prices(handovers).offset,
        "link_part_ms": link_s * 1e3,
        "gpu_part_ms": gpu_s * 1e3,
        "wait_part_ms": (here.delay_s - link_s - gpu_s) * 1e3,
        "no_batch": (here.prefill_length_tok == 0).astype(float),
    }


def price_sweep(parameters: Parameters, backhaul_gbps_values: Sequence[float]) -> pd.DataFrame:
    """Mean worth over the link rate, with 95 % intervals.

    Returns:
        One row for each (x, what): x in Gbps, what a key of :func:`worth_samples`; mean, ci_low,
        ci_high.
    """
    rows = []
    for x in backhaul_gbps_values:
        samples = worth_samples(parameters.replace(backhaul_gbps=x))
        rows += [(x, what, *mean_estimate(values)) for what, values in samples.items()]
    return pd.DataFrame(rows, columns=["x", "what", "mean", "ci_low", "ci_high"])


def estimates_at(sweep: pd.DataFrame, gbps: float) -> dict[str, Estimate]:
    """The estimates of :func:`price_sweep` at one of its rates, by name."""
    rows = sweep.loc[sweep["x"] == gbps, ["what", "mean", "ci_low", "ci_high"]]
    return {what: Estimate(*numbers) for what, *numbers in rows.itertuples(index=False)}


@dataclass(frozen=True)
class Balance:
    """Which is worth more in the mean, a per cent of link or a per cent of GPU.

    Attributes:
        better: "link" or "GPU", from the slowest rate to the fastest, neighbours that agree as one;
            rates at which both are worth the same are left out.
        gbps: where they are worth the same, if that changes just once; else NaN.
    """

    better: tuple[str, ...]
    gbps: float


def balance(parameters: Parameters, sweep: pd.DataFrame) -> Balance:
    """The better buy along a sweep, and the link rate at which it changes hands.

    Args:
        parameters: those of the sweep.
        sweep: the table of :func:`price_sweep`, rates in rising order.
    """
    mean = sweep.pivot(index="x", columns="what", values="mean")
    surplus_ms = mean["link_percent_ms"] - mean["gpu_percent_ms"]
    decided = surplus_ms[surplus_ms != 0]
    better = tuple("link" if ahead else "GPU" for ahead, _ in groupby(decided > 0))
    if len(better) != 2:
        return Balance(better, float("nan"))
    handovers = sample_handovers(parameters)

    def surplus_s(log_gbps: float) -> float:
        link_s, gpu_s = _elasticities_s(_at_rate(handovers, parameters, float(np.exp(log_gbps))))
        return float(link_s.mean() - gpu_s.mean())

    ends = np.log(decided.index[0]), np.log(decided.index[-1])
    return Balance(better, float(np.exp(brentq(surplus_s, *ends, xtol=1e-3))))


def rate_curve(
    parameters: Parameters, handover_s: Sequence[float], context_tok: Sequence[float]
) -> pd.DataFrame:
    """D* of one instance and the worth of a faster link and GPU, from a quarter to 8 times R_bh.

    Returns:
        Columns x (Gbps), delay_s, link_ms and gpu_ms (1 % faster, at the margin); 800 rates.
    """
    gbps = parameters.backhaul_gbps * np.geomspace(1 / 4, 8, 800)
    one = one_handover(parameters, handover_s, context_tok)
    batch = one.repeated(gbps.size).replace(
        backhaul_tok_per_s=gbps * (one.backhaul_tok_per_s / parameters.backhaul_gbps)
    )
    link_s, gpu_s = _elasticities_s(batch)
    columns = {"x": gbps, "delay_s": solve(batch).delay_s}
    return pd.DataFrame({**columns, "link_ms": link_s * 10, "gpu_ms": gpu_s * 10})


def _at_rate(handovers: Handover, parameters: Parameters, gbps: float) -> Handover:
    """The same instances over another link."""
    return handovers.replace(
        backhaul_tok_per_s=parameters.replace(backhaul_gbps=gbps).backhaul_tok_per_s
    )


def _elasticities_s(handovers: Handover) -> tuple[Array, Array]:
    """-R dD*/dR and a dD*/da + b dD*/db of every instance, seconds."""
    prices = shadow_prices(handovers)
    slope, offset = affine_prefill(handovers)
    link = -prices.backhaul * handovers.backhaul_tok_per_s
    return link, slope * prices.slope + offset * prices.offset
