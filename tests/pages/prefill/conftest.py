"""The prefill page, once for each set of parameters."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from ctho.kv_cache import model_config
from tests.pages.prefill.parameter_sets import PAGES
from tests.rendering import Page


@pytest.fixture(scope="session")
def gpu_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A profile such as a GPU would leave: two of 28 layers, one batch size, nearly affine."""
    jitter = {8: 1.0, 64: 1.006, 256: 0.996, 512: 1.002}
    points = []
    for length, factor in jitter.items():
        fastest = (0.02 + 1e-3 * length) * factor
        runs = [
            {"device_s": fastest, "wall_s": 1.25 * fastest, "load_1min": 1.0},
            {"device_s": 1.1 * fastest, "wall_s": 2 * fastest, "load_1min": 2.0},
        ]
        points.append({"length_tok": length, "num_ues": 2, "delay_s": fastest, "runs": runs})
    machine = {"processor": "Some CPU", "gpu": "Some GPU", "cores": 1, "memory_gib": 8}
    content = {
        "title": "a made-up model",
        "model": dict(model_config("Qwen2.5-0.5B")),
        "layers": 28,
        "layers_measured": 2,
        "threads": 3,
        "clock": "device_s",
        "statistic": "minimum over the runs",
        "machine": {**machine, "architecture": "any", "vector_units": []},
        "versions": {"torch": "7.8.9", "transformers": "4.5.6"},
        "date": "2001-02-03",
        "scaling_check": {"length_tok": 1, "layers": 1, "over_proportional": -0.03},
        "points": points,
    }
    path = tmp_path_factory.mktemp("profile") / "gpu.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="session")
def page_of(page: Callable[..., Page], gpu_file: str) -> Callable[[str], Page]:
    """`page_of(which)`: the page under one of `PAGES`."""

    def rendered(which: str) -> Page:
        own = {"prefill_file": gpu_file} if which == "GPU" else {}
        return page("prefill", realisations=40, **PAGES[which], **own)

    return rendered


@pytest.fixture
def shown(page_of: Callable[[str], Page], which: str) -> Page:
    return page_of(which)
