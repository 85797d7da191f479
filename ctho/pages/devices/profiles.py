"""Prefill time of a 7B model as the sum of its kernels' published times.

One layer is four matrix products (query, key and value together; output; gate and up together;
down) and one causal attention; the model is `num_hidden_layers` of them. The public profile has
no row for every width of the model, so a product's time is interpolated between the two nearest
widths, as a power of the width, and attention's as a power of the number of heads.

Left out, so that the sums are below a real prefill: norms, rotary embedding and activation between
the kernels, the output matrix, launches, scheduling and sampling.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctho.checks import check_choice
from ctho.data_files import data_path
from ctho.kv_cache import model_config
from ctho.pages.devices.limits import device_records, devices
from ctho.prefill import ProfilePrefill

__all__ = [
    "batch_ratio",
    "device_prefill",
    "prefill_curves",
    "prefill_times",
    "second_profile_us_per_tok",
    "us_per_token",
]

Array = NDArray[np.float64]


@cache
def _kernels() -> pd.DataFrame:
    return pd.read_csv(data_path(device_records()["profile"]["table"]))


def prefill_times(device: str) -> pd.DataFrame:
    """Summed kernel times of the recorded model on a device, for each length and batch size.

    Returns:
        Columns length_tok, num_ues, matmul_s, attention_s, delay_s, and `measured`: False where the
        products have more rows than were profiled and are scaled up from the largest.

    Raises:
        InputError: the device is not recorded.
    """
    check_choice("device", device, tuple(_kernels()["device"].unique()))
    return _summed(device).copy()


@cache
def _summed(device: str) -> pd.DataFrame:
    own = _kernels()[_kernels()["device"] == device]
    config = model_config(device_records()["model"])
    layers, heads = config["num_hidden_layers"], config["num_attention_heads"]
    attention = own[own["kernel"] == "attention"].pivot_table(
        index=["num_ues", "rows"], columns="heads", values="latency_ms"
    )
    low, high = (float(count) for count in attention.columns)
    share = np.log(heads / low) / np.log(high / low)
    per_layer_ms = attention[low] ** (1 - share) * attention[high] ** share
    rows, products_ms = _products_of_layer(own[own["kernel"] == "matmul"])
    result = per_layer_ms.rename("attention_s").mul(layers * 1e-3).reset_index()
    result = result.rename(columns={"rows": "length_tok"}).astype({"num_ues": int})
    batch_rows = result["num_ues"] * result["length_tok"]
    inside = np.exp(np.interp(np.log(batch_rows), np.log(rows), np.log(products_ms)))
    result["matmul_s"] = inside * np.maximum(batch_rows / rows[-1], 1) * layers * 1e-3
    result["delay_s"] = result["matmul_s"] + result["attention_s"]
    result["measured"] = batch_rows <= rows[-1]
    return result[["length_tok", "num_ues", "matmul_s", "attention_s", "delay_s", "measured"]]


def device_prefill(device: str, num_ues: int, *, counts_batch: bool) -> ProfilePrefill:
    """The device's curve as a prefill model for batches of `num_ues`.

    Args:
        device: a recorded device.
        num_ues: K, contexts in the batch.
        counts_batch: True for p(L, K), False for p(L, 1) whatever the batch, as the paper's
            p(L) is written.

    Raises:
        InputError: an unknown device, or a batch beyond the profiled ones.
    """
    times = prefill_times(device)
    if not counts_batch:
        times = times[times["num_ues"] == 1].assign(num_ues=num_ues)
    points = times[["length_tok", "num_ues", "delay_s"]]
    return ProfilePrefill(tuple(points.itertuples(index=False, name=None)))


def prefill_curves(num_ues: int, device_names: Sequence[str] | None = None) -> pd.DataFrame:
    """Time of one context and of `num_ues` contexts at every profiled length.

    Returns:
        Columns device, contexts, length_tok, delay_s, us_per_tok (of the common length) and
        measured (False beyond the profiled number of rows).

    Raises:
        InputError: a batch beyond the profiled ones, or an unknown device.
    """
    parts = []
    for device in devices(device_names):
        times = prefill_times(device.name)
        length = times.loc[times["num_ues"] == 1, "length_tok"].to_numpy(float)
        most_rows = (times["num_ues"] * times["length_tok"])[times["measured"]].max()
        prefill = device_prefill(device.name, num_ues, counts_batch=True)
        for contexts in sorted({1, num_ues}):
            delay = prefill.delay_s(length, contexts)
            columns = {
                "device": device.name,
                "contexts": contexts,
                "length_tok": length,
                "delay_s": delay,
                "us_per_tok": 1e6 * delay / length,
                "measured": contexts * length <= most_rows,
            }
            parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def us_per_token(length_tok: float, device_names: Sequence[str] | None = None) -> pd.DataFrame:
    """Time per token of one context at a profiled length.

    Returns:
        Columns device, us_per_tok and attention_us_per_tok, the part of attention in it.
    """
    rows = []
    for device in devices(device_names):
        times = prefill_times(device.name)
        point = times[(times["num_ues"] == 1) & (times["length_tok"] == length_tok)].iloc[0]
        rows.append((device.name, *(1e6 * point[["delay_s", "attention_s"]] / length_tok)))
    return pd.DataFrame(rows, columns=["device", "us_per_tok", "attention_us_per_tok"])


def batch_ratio(curves: pd.DataFrame) -> pd.DataFrame:
    """How many times as long as one context the batch of :func:`prefill_curves` takes.

    Returns:
        Columns length_tok, least and most, over the devices.
    """
    delay_s = curves.pivot_table(
        index=["device", "length_tok"], columns="contexts", values="delay_s"
    )
    ratio = delay_s[delay_s.columns.max()] / delay_s[1]
    return ratio.groupby("length_tok").agg(least="min", most="max").reset_index()


def second_profile_us_per_tok() -> tuple[float, float]:
    """The second public profile: microseconds per token of the products, and of all operations."""
    record = device_records()["second_profile"]
    scale = 1e3 * record["num_layers"] / record["length_tok"]
    products = sum(record["matmul_ms"].values())
    return scale * products, scale * (products + sum(record["other_ms"].values()))


def _products_of_layer(table: pd.DataFrame) -> tuple[Array, Array]:
    """Rows that were profiled for every shape, and the time of one layer's four products, ms."""
    config = model_config(device_records()["model"])
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    head_dim = hidden // config["num_attention_heads"]
    queries_keys_values = hidden + 2 * config["num_key_value_heads"] * head_dim
    wanted = ((queries_keys_values, hidden), (hidden, hidden), (2 * inner, hidden), (hidden, inner))
    by_shape = table.pivot_table(index="rows", columns=["n", "k"], values="latency_ms").dropna()
    total = sum((_interpolated(by_shape, n, k) for n, k in wanted), np.zeros(len(by_shape)))
    return by_shape.index.to_numpy(float), total


def _interpolated(by_shape: pd.DataFrame, n: float, k: float) -> Array:
    """Time of an n x k product for each number of rows, a power of the width between neighbours."""
    shapes: list[Any] = by_shape.columns.to_list()
    if (n, k) in shapes:
        return by_shape[(n, k)].to_numpy(float)
    if any(shape[1] == k for shape in shapes):
        line = sorted(shape for shape in shapes if shape[1] == k)
        at, of = n, [shape[0] for shape in line]
    else:
        line = sorted(shape for shape in shapes if shape[0] == n)
        at, of = k, [shape[1] for shape in line]
    upper = int(np.searchsorted(of, at))
    share = np.log(at / of[upper - 1]) / np.log(of[upper] / of[upper - 1])
    low, high = (by_shape[line[i]].to_numpy(float) for i in (upper - 1, upper))
    return np.asarray(low ** (1 - share) * high**share)
