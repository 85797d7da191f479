"""The recorded measurements: their schema, what they must say of themselves, what they must not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ctho.data_files import data_path
from ctho.kv_cache import KvCache, library_bytes, model_geometry, model_names
from ctho.pages.kv_cache.measured import measured_table, quantised_table
from ctho.pages.prefill.profiles import profile_names, recorded_profile

FILES = sorted(data_path("profiles").glob("*.json"))


def content(path: Path) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return parsed


def schema(name: str) -> dict[str, Any]:
    return content(data_path(f"schemas/{name}.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_follow_their_schema(path: Path) -> None:
    kind = "kv-cache" if path.stem == "kv-cache" else "prefill-profile"
    jsonschema.Draft202012Validator.check_schema(schema(kind))
    jsonschema.validate(content(path), schema(kind))


def test_the_schema_refuses_a_damaged_profile() -> None:
    good = content(data_path(f"profiles/{profile_names()[0]}.json"))
    for change in ({"points": []}, {"threads": 0}, {"host": "name"}, {"date": "yesterday"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**good, **change}, schema("prefill-profile"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_name_no_host_and_no_path(path: Path) -> None:
    # A slash is allowed in the name of the format, nowhere else.
    text = path.read_text(encoding="utf-8").replace("ctho-prefill-profile/1", "")
    assert not re.search(r'"[^"]*[/\\][^"]*"', text.replace("ctho-kv-cache/1", ""))


@pytest.mark.parametrize("name", profile_names())
def test_delays_follow_from_the_runs(name: str) -> None:
    recorded = recorded_profile(name).content
    assert recorded["name"] == name
    scale = recorded["layers"] / recorded["layers_measured"]
    for point in recorded["points"]:
        fastest = min(run[recorded["clock"]] for run in point["runs"])
        if scale == 1:
            assert point["delay_s"] == fastest
        else:
            head = min(run[recorded["clock"]] for run in point["head_runs"])
            assert point["delay_s"] == pytest.approx(scale * fastest + head)


@pytest.mark.parametrize("name", profile_names())
def test_curves_can_be_solved_with(name: str) -> None:
    recorded = recorded_profile(name)
    assert len(recorded.points) == len(recorded.content["points"])
    for batch in recorded.curve.batch_sizes:
        longest = recorded.curve.longest_tok(batch)
        assert recorded.curve.delay_s(longest, batch) > 0


def test_every_recorded_model_is_measured() -> None:
    assert set(measured_table()["model"]) == set(model_names())


def test_measured_caches_are_the_formula_with_the_librarys_windows() -> None:
    table = measured_table()
    assert (table["measured_bytes"] == table["library_bytes"]).all()
    assert (table["storage_bytes"] >= table["measured_bytes"]).all()
    other = table[table["measured_bytes"] != table["formula_bytes"]]
    assert 0 < len(other) < len(table)
    for model, tokens in zip(other["model"], other["tokens"], strict=True):
        windows = [group.window_tok for group in model_geometry(model).layers]
        assert any(window is not None and tokens >= window for window in windows)


def test_measured_quantised_caches_are_the_formula() -> None:
    table = quantised_table()
    assert set(table["backend"]) == {"quanto", "hqq"}
    assert (table["measured_bytes"] == table["formula_bytes"]).all()


def test_the_library_keeps_one_token_less_of_a_window() -> None:
    cache = KvCache(model_geometry("gemma-3-1b"))
    assert library_bytes(cache, 511) == cache.bytes_at(511)
    for tokens in (512, 513, 10_000):
        assert cache.bytes_at(tokens) - library_bytes(cache, tokens) == 22 * 1024
