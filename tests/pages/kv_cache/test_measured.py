"""What the cache page says of measurements, as recorded and as another library might leave them."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctho.kv_cache import KvCache, library_bytes, model_config, model_geometry
from ctho.pages.kv_cache import measured
from ctho.pages.kv_cache.measured import kv_record
from tests.rendering import Page, numbers, render, table_rows


def altered_record() -> dict[str, Any]:
    """A record as another library might leave it: latents expanded, one cache odd, no views."""
    record = copy.deepcopy(dict(kv_record()))
    for entry in record["caches"]:
        if entry["model"].startswith("DeepSeek"):
            entry["cache_bytes"] *= 7
        elif entry["model"] == "Qwen3-4B" and entry["tokens"] == 100:
            entry["cache_bytes"] += 1
        entry["storage_bytes"] = entry["cache_bytes"]
    record["quantised"][1]["cache_bytes"] += 5
    return record


@pytest.fixture(params=["as recorded", "altered"])
def record_and_page(
    request: pytest.FixtureRequest,
    page: Callable[..., Page],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[Any, Page]:
    if request.param == "as recorded":
        return kv_record(), page("kv_cache")
    record = altered_record()
    monkeypatch.setattr(measured, "kv_record", lambda: record)
    return record, render("kv_cache", tmp_path, models=["Qwen3-4B"])


def test_what_was_measured_is_told_apart(record_and_page: tuple[Any, Page]) -> None:
    record, shown = record_and_page
    entries = record["caches"]
    caches = [KvCache(model_geometry(entry["model"])) for entry in entries]
    exact = [
        entry["cache_bytes"] == cache.bytes_at(entry["tokens"])
        for entry, cache in zip(entries, caches, strict=True)
    ]
    windowed = [
        entry["cache_bytes"] == library_bytes(cache, entry["tokens"]) and not same
        for entry, cache, same in zip(entries, caches, exact, strict=True)
    ]
    unknown = len(entries) - sum(exact) - sum(windowed)
    models = {entry["model"] for entry in entries}
    text = shown.cells["measured-words"]
    version = record["versions"]["transformers"]
    plain = re.sub("|".join(map(re.escape, sorted(models, key=len, reverse=True))), "", text)
    said = numbers(plain.replace(f"(transformers {version})", "").replace("$W - 1$", ""))
    assert f"(transformers {version})" in text
    assert said[:4] == [len(entries), len(models), sum(exact), sum(windowed)]

    views = [entry for entry in entries if entry["storage_bytes"] > entry["cache_bytes"]]
    if unknown:
        told = zip(entries, exact, windowed, strict=True)
        odd = {entry["model"] for entry, same, less in told if not same and not less}
        assert (said[4:], views) == ([unknown], [])
        assert all(model in text for model in odd)
        assert not any(model in text for model in models - odd if model not in " ".join(odd))
        assert "agree byte for byte" not in text
        assert "is not kept as the formula" in text
    else:
        worst = max(views, key=lambda entry: entry["storage_bytes"] / entry["cache_bytes"])
        times = worst["storage_bytes"] / worst["cache_bytes"]
        assert said[4:] == [
            len(entries),
            len(views),
            pytest.approx(times, abs=0.051),
            worst["tokens"],
        ]
        assert worst["model"] in text
        assert "is not known" not in text
        assert "kept compressed" in text


def test_quantised_caches_stand_beside_the_formula(record_and_page: tuple[Any, Page]) -> None:
    record, shown = record_and_page
    head, *rows = table_rows(shown.cells["quantised-table"])
    assert head[:3] == ["Backend", "Bits", "Group"]
    assert head[3:] == ["Measured (bytes)", "Formula (bytes)", "Bits per element"]
    same = 0
    for entry, (backend, *cells) in zip(record["quantised"], rows, strict=True):
        bits, group, measured, formula, per_element = (numbers(cell)[0] for cell in cells)
        config = model_config(entry["model"])
        head_dim = config["hidden_size"] // config["num_attention_heads"]
        elements = entry["layers"] * 2 * config["num_key_value_heads"] * head_dim
        each = entry["bits"] + 32 / entry["group_size"]
        assert (backend, bits, group) == (entry["backend"], entry["bits"], entry["group_size"])
        assert measured == entry["cache_bytes"]
        stored = elements * (entry["prefill_tok"] * each + entry["decoded_tok"] * 16) / 8
        assert formula == stored
        assert per_element == each
        same += measured == stored
    first = record["quantised"][0]
    each = first["bits"] + 32 / first["group_size"]
    text = shown.cells["quantised-words"].replace("bf16", "")
    assert numbers(text) == [
        same,
        len(rows),
        first["group_size"],
        first["bits"],
        each,
        pytest.approx(100 * (each / first["bits"] - 1)),
        first["decoded_tok"],
    ]
