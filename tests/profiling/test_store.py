"""Results are whole or absent, and an interrupted measurement goes on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctho.profiling.store import ResumableRecord, write_json

SETTING = {"model": "small", "versions": {"torch": "1"}, "lengths": (1, 2)}


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "result.json"
    write_json(path, {"a": 1})
    write_json(path, {"a": 2})
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": 2}
    assert [entry.name for entry in path.parent.iterdir()] == ["result.json"]


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    write_json(path, {"a": 1})
    with pytest.raises(TypeError):
        write_json(path, {"a": object()})
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]


def test_entries_are_taken_up_under_the_same_setting(tmp_path: Path) -> None:
    path = tmp_path / "partial.json"
    first = ResumableRecord(path, SETTING)
    first.add("16x1", {"delay_s": 0.1})
    again = ResumableRecord(path, SETTING)
    assert again.entries == {"16x1": {"delay_s": 0.1}}
    again.add("32x1", {"delay_s": 0.2})
    assert list(ResumableRecord(path, SETTING).entries) == ["16x1", "32x1"]


def test_entries_of_another_setting_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "partial.json"
    ResumableRecord(path, SETTING).add("16x1", 1)
    assert ResumableRecord(path, {**SETTING, "versions": {"torch": "2"}}).entries == {}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"setting": 1}', "null"])
def test_a_damaged_partial_file_is_no_obstacle(content: str, tmp_path: Path) -> None:
    path = tmp_path / "partial.json"
    path.write_text(content, encoding="utf-8")
    assert ResumableRecord(path, SETTING).entries == {}
