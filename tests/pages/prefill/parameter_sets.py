"""The parameters under which the prefill page is read, and how near a shown number must be."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

PAGES: dict[str, dict[str, Any]] = {
    "default": {"backhaul_gbps_values": [0.002, 0.01, 0.1]},
    "fast link": {
        "prefill_file": "prefill-small-fp32-cpu",
        "num_ues": 1,
        "backhaul_gbps": 100.0,
        "backhaul_gbps_values": [0.01],
    },
    "scaled": {
        "prefill_file": "prefill-qwen2.5-7b-layer-bf16-cpu",
        "num_ues": 2,
        "context_min_tok": 30,
        "context_max_tok": 64,
        "backhaul_gbps": 0.1,
        "backhaul_gbps_values": [0.02],
    },
    "GPU": {"num_ues": 2, "backhaul_gbps": 0.02, "backhaul_gbps_values": [0.02]},
}
each_page = pytest.mark.parametrize("which", PAGES)


def two_digits(share: float) -> Any:
    """What `percent` shows of a share."""
    return pytest.approx(100 * share, rel=0.051, abs=0.501 if abs(share) >= 0.1 else 0)


near = partial(pytest.approx, rel=5.01e-4)
