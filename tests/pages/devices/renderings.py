"""The parameters under which the page is rendered, and what its tests know of the model."""

from __future__ import annotations

from ctho.pages.devices.limits import device_records
from ctho.simulation import Parameters
from tests.rendering import Page

FEW = {"map_realisations": 40, "realisations": 80}
SETS = {
    "default": {**FEW, "grid_points": 9},
    "one user": {
        **FEW,
        "grid_points": 9,
        "num_ues": 1,
        "device_names": ["H100", "A100"],
        "backhaul_gbps_values": [4.5],
        "prefill_s_per_tok": 5e-6,
        "prefill_offset_s": 5e-3,
    },
    "slow links": {
        **FEW,
        "grid_points": 3,
        "map_backhaul_max_gbps": 0.4,
        "backhaul_gbps": 0.3,
        "backhaul_gbps_values": [0.3],
        "device_names": ["L40S"],
        "prefill_s_per_tok": 1e-3,
        "prefill_offset_s": 0.1,
    },
    "fast links": {
        **FEW,
        "grid_points": 3,
        "num_ues": 2,
        "map_backhaul_min_gbps": 400.0,
        "map_backhaul_max_gbps": 900.0,
        "map_prefill_max_tok_per_s": 2e4,
        "backhaul_gbps": 500.0,
        "backhaul_gbps_values": [4.5, 2000],
        "device_names": ["H100", "H200"],
        "prefill_offset_s": 4e-3,
    },
}
# Qwen2.5-7B in bfloat16: all weights, those but the input table, and those of the layers.
ALL, READ, LAYERS = 7_615_616_512, 7_615_616_512 - 152_064 * 3584, 6_525_288_448
DEVICES = {record["name"]: record for record in device_records()["devices"]}


def given(shown: Page) -> Parameters:
    """The parameters of a rendering."""
    return Parameters.from_names(shown.names)


def read_ms(name: str, weights: int = READ) -> float:
    """The time in which a device can read so many weights once."""
    return 1e3 * 2 * weights / DEVICES[name]["memory_byte_per_s"]


def peak_share(name: str, own: Parameters) -> float:
    """The share of a device's peak that one context at a seconds per token needs."""
    return 2 * LAYERS / DEVICES[name]["peak_flop_per_s"] / own.prefill_s_per_tok
