"""Where each scheme wins: mean delays over link rate and prefill speed, and for real devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctho.backhaul import backhaul_tok_per_s
from ctho.checks import InputError, check_array, check_integer, check_number
from ctho.handover import Handover
from ctho.pages.devices.limits import devices
from ctho.pages.devices.profiles import device_prefill
from ctho.prefill import AffinePrefill, PrefillModel, ProfilePrefill
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.statistics import ratio_estimate
from ctho.solver import SCHEMES, Solution, solve

__all__ = ["PURE_SCHEMES", "device_delays", "device_speeds", "log_grid", "regime_map"]

Array = NDArray[np.float64]

PURE_SCHEMES = ("tHO", "cHO")
"""The schemes that use one resource alone."""


def log_grid(name: str, lowest: float, highest: float, points: int) -> Array:
    """Values at equal ratios from `lowest` to `highest`.

    Raises:
        InputError: bounds that cross or are not above 0, or fewer than two points.
    """
    low = check_number(f"{name}_min", lowest, above=0)
    high = check_number(f"{name}_max", highest, above=low)
    return np.geomspace(low, high, check_integer("grid_points", points, at_least=2))


def regime_map(
    parameters: Parameters,
    backhaul_gbps_values: Sequence[float] | Array,
    prefill_tok_per_s_values: Sequence[float] | Array,
) -> pd.DataFrame:
    """Mean delay of each scheme at every pair of link rate and prefill speed.

    All pairs meet the same realisations. b and everything else are those of `parameters`.

    Returns:
        One row a pair with the columns backhaul_gbps, prefill_tok_per_s, ctHO, tHO, cHO (mean
        delays, seconds), gain_percent (how far ctHO is below the better of tHO and cHO),
        sends_all (share of realisations with L* = 0, where ctHO is cHO) and length_share (mean L*
        over the mean longest context).

    Raises:
        InputError: a rate or speed that is not above 0.
    """
    rates = check_array("backhaul_gbps", np.asarray(backhaul_gbps_values), above=0)
    speeds = check_array("prefill_tok_per_s", np.asarray(prefill_tok_per_s_values), above=0)
    sampled = sample_handovers(parameters)
    link = backhaul_tok_per_s(rates, parameters.kv_bits_per_tok)[:, np.newaxis]
    parts = []
    for speed in speeds:
        prefill = AffinePrefill(1 / float(speed), parameters.prefill_offset_s)
        parts.append(
            pd.DataFrame({"backhaul_gbps": rates, "prefill_tok_per_s": speed}).assign(
                **_means(parameters, sampled, link, prefill)
            )
        )
    return pd.concat(parts, ignore_index=True)


def device_delays(
    parameters: Parameters,
    backhaul_gbps_values: Sequence[float],
    device_names: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Mean delays with the profiled prefill of real devices, at some link rates.

    Each device is taken twice: `per_batch` "one context" reads the curve of a single context for
    the batch, as the paper's p(L) is written; "all contexts" takes the curve of K contexts.

    Returns:
        One row for each device, reading and rate: device, per_batch, backhaul_gbps, ctHO, tHO, cHO
        (mean delays, seconds), gain_percent, gain_ci_low, gain_ci_high (95 %), sends_all,
        length_tok (mean L*).

    Raises:
        InputError: contexts or a batch beyond the profiled ones, an unknown device, or a rate
            that is not above 0.
    """
    rates = check_array("backhaul_gbps_values", np.asarray(backhaul_gbps_values), above=0)
    link = backhaul_tok_per_s(rates, parameters.kv_bits_per_tok)
    sampled = sample_handovers(parameters)
    rows = []
    for device in devices(device_names):
        for label, counts in (("one context", False), ("all contexts", True)):
            prefill = device_prefill(device.name, parameters.num_ues, counts_batch=counts)
            _refuse_longer(parameters, prefill)
            solutions = _solved(parameters, sampled, link[:, np.newaxis], prefill)
            rows += [
                {
                    "device": device.name,
                    "per_batch": label,
                    "backhaul_gbps": float(rate),
                    **_point(solutions, place),
                }
                for place, rate in enumerate(rates)
            ]
    return pd.DataFrame(rows)


def device_speeds(
    num_ues: int, length_tok: float, device_names: Sequence[str] | None = None
) -> pd.DataFrame:
    """Prefill speed L / p(L) of each device at one length, for one context and for K.

    Returns:
        Columns device, one_context_tok_per_s, all_contexts_tok_per_s: tokens of the common length
        per second, which is 1/a of the map.
    """
    rows = []
    for device in devices(device_names):
        speeds = [
            length_tok
            / float(
                device_prefill(device.name, num_ues, counts_batch=c).delay_s(length_tok, num_ues)
            )
            for c in (False, True)
        ]
        rows.append((device.name, *speeds))
    return pd.DataFrame(rows, columns=["device", "one_context_tok_per_s", "all_contexts_tok_per_s"])


def _means(
    parameters: Parameters, sampled: Handover, link: Array, prefill: PrefillModel
) -> dict[str, Array]:
    """Means over the realisations for each link rate, `[rates]`."""
    solutions = _solved(parameters, sampled, link, prefill)
    means = {scheme: solution.delay_s.mean(axis=-1) for scheme, solution in solutions.items()}
    length = solutions["ctHO"].prefill_length_tok
    best_pure = np.minimum(means["tHO"], means["cHO"])
    return {
        **means,
        "gain_percent": 100 * (1 - means["ctHO"] / best_pure),
        "sends_all": (length == 0).mean(axis=-1),
        "length_share": length.mean(axis=-1) / sampled.longest_context_tok.mean(),
    }


def _solved(
    parameters: Parameters, sampled: Handover, link: Array, prefill: PrefillModel
) -> dict[str, Solution]:
    """Every scheme on the same realisations at each link rate `[rates, 1]`."""
    shape = (link.shape[0], *sampled.handover_s.shape)
    handover = sampled.replace(
        handover_s=np.broadcast_to(sampled.handover_s, shape),
        backhaul_tok_per_s=np.broadcast_to(link, shape[:-1]),
        prefill=prefill,
    )
    return {scheme: solve(handover, scheme, parameters.reading) for scheme in SCHEMES}


def _point(solutions: Mapping[str, Solution], place: int) -> dict[str, float]:
    """Means at one of the link rates, with the interval of the gain."""
    delay = {scheme: solution.delay_s[place] for scheme, solution in solutions.items()}
    best = min(PURE_SCHEMES, key=lambda scheme: float(delay[scheme].mean()))
    ratio = ratio_estimate(delay["ctHO"], delay[best])
    length = solutions["ctHO"].prefill_length_tok[place]
    return {
        **{scheme: float(values.mean()) for scheme, values in delay.items()},
        "gain_percent": 100 * (1 - ratio.mean),
        "gain_ci_low": 100 * (1 - ratio.ci_high),
        "gain_ci_high": 100 * (1 - ratio.ci_low),
        "sends_all": float((length == 0).mean()),
        "length_tok": float(length.mean()),
    }


def _refuse_longer(parameters: Parameters, prefill: ProfilePrefill) -> None:
    longest = prefill.longest_tok(parameters.num_ues)
    if parameters.context_max_tok > longest:
        allowed = f"at most {longest:g}, the longest profiled"
        raise InputError("context_max_tok", parameters.context_max_tok, allowed)
