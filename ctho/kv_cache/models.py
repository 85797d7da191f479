"""Models by name, from the configs recorded in `data/models`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ctho.checks import check_choice, check_keys
from ctho.data_files import data_path, read_json
from ctho.kv_cache.config import geometry_from_config
from ctho.kv_cache.geometry import KvGeometry

__all__ = ["model_config", "model_geometry", "model_names"]


def model_names() -> tuple[str, ...]:
    """Names of the recorded models, without their aliases."""
    return tuple(sorted({record["name"] for record in _records().values()}, key=_sort_key))


def model_config(name: str) -> Mapping[str, Any]:
    """The recorded config of a model, in the fields of its `config.json`.

    Case and an organisation before a slash are ignored; fine-tuned variants with the same
    geometry are aliases.

    Raises:
        InputError: no such model; the nearest name is offered.
    """
    config: Mapping[str, Any] = _records()[_known(name)]["config"]
    return config


def model_geometry(name: str) -> KvGeometry:
    """The geometry of a recorded model.

    Raises:
        InputError: no such model; the nearest name is offered.

    >>> model_geometry("qwen/Qwen2.5-7B-Instruct").num_layers
    28
    """
    record = _records()[_known(name)]
    return geometry_from_config(record["config"], record["name"])


def _known(name: str) -> str:
    key = name.rsplit("/", 1)[-1].lower() if isinstance(name, str) else name
    if key in _records():
        return key
    return check_choice("model", name, model_names())


@lru_cache(maxsize=1)
def _records() -> dict[str, dict[str, Any]]:
    records: dict[str, dict[str, Any]] = {}
    for path in sorted(data_path("models").glob("*.json")):
        record = dict(
            check_keys(
                path.name,
                read_json(path, "model"),
                ("name", "aliases", "source", "config"),
                required=("name", "aliases", "source", "config"),
            )
        )
        for name in (record["name"], *record["aliases"]):
            records[name.lower()] = record
    return records


def _sort_key(name: str) -> tuple[Any, ...]:
    return tuple(
        (0, float(part), "") if part.replace(".", "", 1).isdigit() else (1, 0.0, part.lower())
        for part in re.split(r"(\d+(?:\.\d+)?)", name)
        if part
    )
