"""Where each scheme wins: mean delays over link rate and prefill speed, and for real devices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ctho.backhaul import backhaul_tok_per_s
from ctho.checks import InputError, check_array, check_choice, check_integer, check_number
from ctho.handover import Handover
from ctho.pages.devices.limits import devices
from ctho.pages.devices.profiles import device_prefill
from ctho.prefill import AffinePrefill, PrefillModel
from ctho.schemes import PAPER_SCHEMES
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.statistics import ratio_estimate
from ctho.solution import Solution
from ctho.solver import solve

__all__ = [
    "device_delays",
    "device_speeds",
    "equal_rate_gbps",
    "half_sends_all_gbps",
    "log_grid",
    "regime_map",
]

Array = NDArray[np.float64]


def log_grid(name: str, lowest: float, highest: float, points: int) -> Array:
    """Values at equal ratios from `lowest` to `highest`.

    Raises:
        InputError: bounds that cross or are not above 0, or fewer than two points.
    """
    low = check_number(f"{name}_min", lowest, above=0)
    high = check_number(f"{name}_max", highest, above=low)
    return np.geomspace(low, high, check_integer("grid_points", points, at_least=2))


def regime_map(
    parameters: Parameters, backhaul_gbps_values: ArrayLike, prefill_tok_per_s_values: ArrayLike
) -> pd.DataFrame:
    """Mean delay of each scheme at every pair of link rate and prefill speed.

    All pairs meet the same realisations. b and everything else are those of `parameters`.

    Returns:
        One row a pair with the columns backhaul_gbps, prefill_tok_per_s, ctHO, tHO, cHO (mean
        delays, seconds), gain_percent (how far ctHO is below the better of tHO and cHO),
        sends_all (share of realisations with L* = 0, where ctHO is cHO) and length_share (mean L*
        over the mean longest context).

    Raises:
        InputError: a rate or speed that is not above 0, or a prefill model that is no line.
    """
    check_choice("prefill_model", parameters.prefill_model, ("affine",))
    rates = check_array("backhaul_gbps", backhaul_gbps_values, above=0)
    speeds = check_array("prefill_tok_per_s", prefill_tok_per_s_values, above=0)
    sampled = sample_handovers(parameters)
    parts = []
    for speed in speeds:
        prefill = AffinePrefill(1 / float(speed), parameters.prefill_offset_s)
        solutions = _solved(parameters, sampled, rates, prefill)
        means = {scheme: solution.delay_s.mean(axis=-1) for scheme, solution in solutions.items()}
        length = solutions["ctHO"].prefill_length_tok
        columns = {
            "backhaul_gbps": rates,
            "prefill_tok_per_s": speed,
            **means,
            "gain_percent": 100 * (1 - means["ctHO"] / np.minimum(means["tHO"], means["cHO"])),
            "sends_all": (length == 0).mean(axis=-1),
            "length_share": length.mean(axis=-1) / sampled.longest_context_tok.mean(),
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def equal_rate_gbps(row_of_map: pd.DataFrame) -> float | None:
    """The link rate from which on cHO has the lower mean delay, at one speed; None if none."""
    rows = row_of_map.sort_values("backhaul_gbps")
    return _falls_below_0(rows["backhaul_gbps"], rows["cHO"] / rows["tHO"] - 1)


def half_sends_all_gbps(table: pd.DataFrame) -> float | None:
    """The link rate from which on more than half of the realisations have L* = 0; None if none.

    L* = 0 exactly where D*_tx(0) <= t_s - tau_1 + b, so for an affine p(L) it does not depend on a.
    """
    share = table.groupby("backhaul_gbps")["sends_all"].mean()
    return _falls_below_0(share.index, 0.5 - share)


def device_delays(
    parameters: Parameters,
    backhaul_gbps_values: ArrayLike,
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
    rates = check_array("backhaul_gbps_values", backhaul_gbps_values, above=0)
    sampled = sample_handovers(parameters)
    rows = []
    for device in devices(device_names):
        for per_batch in ("one context", "all contexts"):
            counts = per_batch == "all contexts"
            prefill = device_prefill(device.name, parameters.num_ues, counts_batch=counts)
            longest = prefill.longest_tok(parameters.num_ues)
            if parameters.context_max_tok > longest:
                allowed = f"at most {longest:g}, the longest profiled"
                raise InputError("context_max_tok", parameters.context_max_tok, allowed)
            solutions = _solved(parameters, sampled, rates, prefill)
            for place, rate in enumerate(rates):
                own = {"device": device.name, "per_batch": per_batch, "backhaul_gbps": float(rate)}
                rows.append({**own, **_means_at(solutions, place)})
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
        prefill = device_prefill(device.name, num_ues, counts_batch=True)
        delays = (float(prefill.delay_s(length_tok, contexts)) for contexts in (1, num_ues))
        rows.append((device.name, *(length_tok / delay for delay in delays)))
    return pd.DataFrame(rows, columns=["device", "one_context_tok_per_s", "all_contexts_tok_per_s"])


def _solved(
    parameters: Parameters, sampled: Handover, rates_gbps: Array, prefill: PrefillModel
) -> dict[str, Solution]:
    """Every scheme on the same realisations at each link rate, delays `[rates, realisations]`."""
    link = backhaul_tok_per_s(rates_gbps, parameters.kv_bits_per_tok)[:, np.newaxis]
    shape = (link.size, *sampled.handover_s.shape)
    handover = sampled.replace(
        handover_s=np.broadcast_to(sampled.handover_s, shape),
        backhaul_tok_per_s=link,
        prefill=prefill,
    )
    return {scheme: solve(handover, scheme, parameters.reading) for scheme in PAPER_SCHEMES}


def _means_at(solutions: dict[str, Solution], place: int) -> dict[str, float]:
    """Means at one of the link rates, with the interval of the gain."""
    delay = {scheme: solution.delay_s[place] for scheme, solution in solutions.items()}
    better = min(("tHO", "cHO"), key=lambda scheme: float(delay[scheme].mean()))
    ratio = ratio_estimate(delay["ctHO"], delay[better])
    length = solutions["ctHO"].prefill_length_tok[place]
    return {
        **{scheme: float(values.mean()) for scheme, values in delay.items()},
        "gain_percent": 100 * (1 - ratio.mean),
        "gain_ci_low": 100 * (1 - ratio.ci_high),
        "gain_ci_high": 100 * (1 - ratio.ci_low),
        "sends_all": float((length == 0).mean()),
        "length_tok": float(length.mean()),
    }


def _falls_below_0(x: ArrayLike, falling: pd.Series) -> float | None:
    """Where a falling function of log x passes 0, between two points of the table."""
    values, logs = falling.to_numpy(float), np.log(np.asarray(x, float))
    after = np.flatnonzero((values[:-1] >= 0) & (values[1:] < 0))
    if not after.size:
        return None
    i = int(after[0])
    share = values[i] / (values[i] - values[i + 1])
    return float(np.exp(logs[i] + share * (logs[i + 1] - logs[i])))
