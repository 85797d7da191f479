"""The tables of the later paper, in the project's units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from ctho.backhaul import BITS_PER_GIGABIT, backhaul_tok_per_s
from ctho.checks import check_number
from ctho.data_files import data_path
from ctho.kv_cache import KvCache, element_type, model_geometry

__all__ = ["Measurements", "followup_records", "measurements"]

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

    @property
    def needed_gbps(self) -> Array:
        """The goodput at which each full copy takes the time measured, C s_KV / D_cHO."""
        return self.context_tok * self.kv_bits_per_tok / self.full_copy_s / BITS_PER_GIGABIT


@cache
def followup_records() -> Mapping[str, Any]:
    """The content of `data/followup.yaml`."""
    records: Mapping[str, Any] = yaml.safe_load(data_path("followup.yaml").read_text("utf-8"))
    return records


def measurements(tokens_per_k: float, backhaul_gbps: float) -> Measurements:
    """Table 1 with "1K" read as `tokens_per_k` tokens, over a link of `backhaul_gbps`.

    Raises:
        InputError: a number that is not above 0.
    """
    table = followup_records()["table_1"]
    element = element_type(table["cache_element"])
    scale = check_number("tokens_per_k", tokens_per_k, above=0)
    return Measurements(
        context_tok=scale * np.array(table["contexts_k"], float),
        full_copy_s=np.array(table["full_copy_ms"]) / 1e3,
        recomputation_s=np.array(table["recomputation_ms"]) / 1e3,
        ctho_s=np.array(table["ctho_ms"]) / 1e3,
        kv_bits_per_tok=KvCache(model_geometry(table["model"]), element, element).bits_per_tok,
        backhaul_gbps=check_number("backhaul_gbps", backhaul_gbps, above=0),
    )
