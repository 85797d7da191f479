"""What the numbers depend on besides the model: processor, versions, load."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

__all__ = ["load_1min", "machine", "versions"]

_VECTOR_UNITS = ("avx2", "fma", "avx512f", "avx512_bf16", "amx_bf16", "asimd", "bf16", "sve")


def machine(device: str = "cpu") -> dict[str, Any]:
    """Processor, cores, memory and vector units (and the GPU); no host name, no path."""
    fields = _cpu_fields()
    flags = set(fields.get("flags", fields.get("Features", "")).split())
    described: dict[str, Any] = {
        "processor": fields.get("model name") or platform.processor() or platform.machine(),
        "architecture": platform.machine(),
        "cores": os.cpu_count() or 1,
        "memory_gib": round(_memory_bytes() / 2**30, 1),
        "vector_units": [unit for unit in _VECTOR_UNITS if unit in flags],
    }
    if device == "cuda":
        import torch

        described["gpu"] = torch.cuda.get_device_name()
    return described


def versions() -> dict[str, str]:
    """Versions that the measured code depends on."""
    packages = ("torch", "transformers")
    return {
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }


def load_1min() -> float:
    """Mean number of runnable processes over the last minute, this one included."""
    return round(os.getloadavg()[0], 2)


def _cpu_fields() -> dict[str, str]:
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return {}
    lines = (line.partition(":") for line in path.read_text(encoding="utf-8").splitlines())
    fields: dict[str, str] = {}
    for name, _, value in lines:
        fields.setdefault(name.strip(), value.strip())
    return fields


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
