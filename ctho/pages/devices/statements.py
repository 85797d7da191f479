"""What the tables on devices and regimes say, in sentences that follow the numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ctho.pages.devices.limits import FLOP_PER_WEIGHT, device_records, model_weights
from ctho.pages.devices.regimes import PURE_SCHEMES

__all__ = [
    "arithmetic_sentences",
    "batch_sentence",
    "device_table_markdown",
    "equal_rate_gbps",
    "half_sends_all_gbps",
    "limits_markdown",
    "map_sentences",
    "memory_sentences",
    "profile_sentences",
]

RISE_FROM_TOK = 1024
"""From here on arithmetic, not memory, sets the time of one context on every recorded device."""


def limits_markdown(limits: pd.DataFrame, num_ues: int) -> str:
    """The table of limits, one row a device."""
    header = (
        "| device | reading all weights (ms) | reading what a pass needs (ms) | "
        "arithmetic at peak (µs/token) | share of peak that a needs, one context | "
        f"the same, K = {num_ues} |"
    )
    lines = [header, "|:---|---:|---:|---:|---:|---:|"]
    lines += [
        f"| {row['device']} | {row['floor_all_ms']:.1f} | {row['floor_ms']:.1f} | "
        f"{row['compute_us_per_tok']:.1f} | {_percent(row['utilisation'])} | "
        f"{_percent(row['utilisation_batch'])} |"
        for row in limits.to_dict("records")
    ]
    return "\n".join(lines)


def memory_sentences(limits: pd.DataFrame, prefill_offset_s: float) -> str:
    """Where b stands to the time that reading the weights takes."""
    offset = f"b = {1e3 * prefill_offset_s:.3g} ms"
    slower = limits[limits["floor_ms"] > 1e3 * prefill_offset_s]
    gbyte = limits["weight_gbyte"].iloc[0]
    longest = slower.sort_values("memory_bound_tok").to_dict("records")[-1:]
    if slower.empty:
        return (
            f"No device here needs longer than {offset} to read the weights ({gbyte:.1f} GB) once."
        )
    rows = slower.to_dict("records")
    named = _list(f"{row['device']} ({row['floor_ms']:.1f} ms)" for row in rows)
    with_table = _list(f"{row['floor_all_ms']:.1f} ms" for row in rows)
    which = "every device here" if len(slower) == len(limits) else "some devices"
    return (
        f"{offset} is less than the time in which {which} can read the weights once: {named}. "
        f"Counting the input table as well, {gbyte:.1f} GB, it is {with_table}. "
        "This does not contradict the paper, whose b is the intercept of a straight line: where "
        "arithmetic takes longer than reading, the weights arrive meanwhile. The line is faster "
        f"than the memory only below {longest[0]['memory_bound_tok']:.0f} tokens "
        f"(on the {longest[0]['device']})."
    )


def arithmetic_sentences(limits: pd.DataFrame, prefill_s_per_tok: float, num_ues: int) -> str:
    """Whether a batch of K contexts at a seconds per token is possible at all."""
    weights = model_weights(device_records()["model"]).layers
    need = FLOP_PER_WEIGHT * weights * num_ues / prefill_s_per_tok / 1e12
    single = _list(
        f"{_percent(row['utilisation'])} of the {row['device']}'s"
        for row in limits.to_dict("records")
    )
    text = (
        f"One context at a = {1e6 * prefill_s_per_tok:.3g} µs/token uses {single} peak arithmetic. "
    )
    if num_ues > 1:
        text += (
            f"The paper's p(L) is the same for every batch, but {num_ues} contexts that reach L "
            f"need {num_ues} times as much: {need:,.0f} TFLOP/s at this a. "
        )
    above = limits[limits["utilisation_batch"] > 1]
    if above.empty:
        return text + "Every device here could do that at its peak."
    which = "any device here" if len(above) == len(limits) else f"the {_list(above['device'])}"
    cannot = {1: "it cannot", 2: "neither can"}.get(len(above), "none of these can")
    batch = "of such contexts " if num_ues > 1 else ""
    return (
        text
        + f"That is more than the peak of {which}: {cannot} run a batch {batch}in bfloat16 so fast."
    )


def profile_sentences(
    stated: pd.DataFrame, times: dict[str, pd.DataFrame], second: tuple[float, float]
) -> str:
    """What the summed kernel times give, and how far two other records agree."""
    ours = _list(
        f"{row['ours_us_per_tok']:.0f} on {row['device']}" for row in stated.to_dict("records")
    )
    length = stated["length_tok"].iloc[0]
    rises = {device: _rise_percent(table) for device, table in times.items()}
    falling = [device for device, rise in rises.items() if rise <= 0]
    early, late = ([_attention_us_per_tok(table, at) for table in times.values()] for at in (0, -1))
    bend = (
        f"From {RISE_FROM_TOK} tokens to there the time per token rises by "
        f"{min(rises.values()):.0f} to {max(rises.values()):.0f} %, where on a line with b > 0 it "
        "would fall."
        if not falling
        else f"From {RISE_FROM_TOK} tokens to there the time per token does not rise on "
        f"{_list(falling)}."
    )
    bend += (
        f" Attention grows from {min(early):.1f} to {max(early):.1f} µs per token to "
        f"{min(late):.1f} to {max(late):.1f}."
    )
    record = device_records()["second_profile"]
    return (
        f"At {length} tokens the kernels of one context take, in µs per token, {ours}. "
        f"{bend} A second public profile, "
        f"{record['model']} on {record['device']} at {record['length_tok']} tokens, has "
        f"{second[0]:.0f} µs per token in its matrix products and {second[1]:.0f} with the "
        "operations between them, attention not counted."
    )


def batch_sentence(curves: pd.DataFrame, num_ues: int) -> str:
    """What a batch of K costs beside one context, by :func:`prefill_curves`."""
    if num_ues == 1:
        return "With one user there is no batch to count."
    by = curves.pivot_table(
        index=["device", "length_tok"], columns="contexts", values="delay_s"
    ).reset_index()
    by["ratio"] = by[num_ues] / by[1]

    def at(length: float) -> str:
        ratio = by.loc[by["length_tok"] == length, "ratio"]
        low, high = f"{ratio.min():.1f}", f"{ratio.max():.1f}"
        times = f"{low} to {high}" if low != high else low
        return f"{times} times at {length:.0f} tokens"

    lengths = sorted(by["length_tok"].unique())
    shown = [lengths[1], lengths[len(lengths) // 2], lengths[-1]]
    return (
        f"A batch of {num_ues} takes {_list(at(length) for length in shown)} as long as one "
        "context. The paper's p(L), the same for every batch, would be 1.0 everywhere."
    )


def equal_rate_gbps(row_of_map: pd.DataFrame) -> float | None:
    """The link rate at which tHO and cHO have the same mean delay, at one speed; None if none."""
    rows = row_of_map.sort_values("backhaul_gbps")
    return _crossing(rows["backhaul_gbps"], rows["cHO"] / rows["tHO"] - 1)


def half_sends_all_gbps(table: pd.DataFrame) -> float | None:
    """The link rate from which on more than half of the realisations have L* = 0; None if none.

    L* = 0 exactly where D*_tx(0) <= t_s - tau_1 + b, so for an affine p(L) it does not depend on a.
    """
    share = table.groupby("backhaul_gbps")["sends_all"].mean()
    return _crossing(share.index.to_series(), 0.5 - share)


def map_sentences(
    table: pd.DataFrame,
    at_paper: pd.Series,
    equal_gbps: float | None,
    half_gbps: float | None,
    mean_wait_s: float,
) -> str:
    """The map in words.

    Args:
        table: the map.
        at_paper: a row of :func:`ctho.pages.devices.regimes.regime_map` at the
            parameters' own point.
        equal_gbps: from :func:`equal_rate_gbps` at the parameters' prefill speed.
        half_gbps: from :func:`half_sends_all_gbps`.
        mean_wait_s: mean of t_s - tau_1, seconds.
    """
    best = table.sort_values("gain_percent").iloc[-1]
    pure = min(PURE_SCHEMES, key=lambda scheme: float(at_paper[scheme]))
    speed = f"{at_paper['prefill_tok_per_s']:,.0f} tokens/s"
    equal = (
        f"At {speed} tHO and cHO are equal at {equal_gbps:.3g} Gbps."
        if equal_gbps is not None
        else f"At {speed} one of tHO and cHO is ahead at every rate of the map."
    )
    half = (
        f"From {half_gbps:.3g} Gbps on more than half of the realisations send everything, "
        "whatever the prefill speed: everything has crossed the link before a batch could end, "
        f"which starts {mean_wait_s:.2f} s after the first handover on average."
        if half_gbps is not None
        else "The rate at which half of the realisations send everything is not on this map."
    )
    return (
        f"At {at_paper['backhaul_gbps']:g} Gbps and {speed}, ctHO is "
        f"{at_paper['gain_percent']:.0f} % below {pure}, the better pure scheme. "
        f"On the map the gain reaches {best['gain_percent']:.0f} %, at "
        f"{best['backhaul_gbps']:.2g} Gbps and {best['prefill_tok_per_s']:,.0f} tokens/s; "
        f"it is below 5 % on {_percent((table['gain_percent'] < 5).mean())} of the map. "
        f"{equal} {half}"
    )


def device_table_markdown(table: pd.DataFrame, per_batch: str) -> str:
    """The delays on devices for one reading of the batch: a row a device and link rate."""
    lines = [
        "| device | link (Gbps) | tHO (s) | cHO (s) | ctHO (s) | gain (%) | mean L* (tokens) |",
        "|:---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in table[table["per_batch"] == per_batch].to_dict("records"):
        half = (row["gain_ci_high"] - row["gain_ci_low"]) / 2
        lines.append(
            f"| {row['device']} | {row['backhaul_gbps']:g} | {row['tHO']:.3f} | {row['cHO']:.3f} | "
            f"{row['ctHO']:.3f} | {row['gain_percent']:.1f} ± {half:.1f} | "
            f"{row['length_tok']:,.0f} |"
        )
    return "\n".join(lines)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _rise_percent(times: pd.DataFrame) -> float:
    """How much longer a token takes at the longest profiled length than at `RISE_FROM_TOK`, %."""
    single = _long_contexts(times)
    per_token = single["delay_s"] / single["length_tok"]
    return float(100 * (per_token.iloc[-1] / per_token.iloc[0] - 1))


def _attention_us_per_tok(times: pd.DataFrame, at: int) -> float:
    single = _long_contexts(times)
    return float(1e6 * single["attention_s"].iloc[at] / single["length_tok"].iloc[at])


def _long_contexts(times: pd.DataFrame) -> pd.DataFrame:
    return times[(times["num_ues"] == 1) & (times["length_tok"] >= RISE_FROM_TOK)]


def _crossing(x: pd.Series, falling: pd.Series) -> float | None:
    """Where a falling function of log x passes 0, between two points of the table."""
    values = falling.to_numpy(float)
    after = np.flatnonzero((values[:-1] > 0) & (values[1:] <= 0))
    if not after.size:
        return None
    i = int(after[0])
    logs = np.log(x.to_numpy(float)[i : i + 2])
    share = values[i] / (values[i] - values[i + 1])
    return float(np.exp(logs[0] + share * (logs[1] - logs[0])))


def _list(items: Iterable[str]) -> str:
    words = [str(item) for item in items]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
