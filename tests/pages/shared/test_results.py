"""Results lie where the build folder says, whole or not at all."""

import pandas as pd
import pytest

from ctho import InputError
from ctho.pages.shared.results import (
    build_dir,
    read_json,
    read_table,
    write_json,
    write_table,
    write_whole,
)


@pytest.fixture(autouse=True)
def own_build(tmp_path, monkeypatch):
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path / "build"))
    return tmp_path / "build"


def test_a_table_comes_back_as_it_went():
    table = pd.DataFrame({"x": [1.0, 1 / 3], "scheme": ["ctHO", "tHO"]})
    path = write_table(table, "fig0")
    assert path == build_dir() / "results" / "fig0.csv"
    pd.testing.assert_frame_equal(read_table("fig0"), table, check_exact=True)


def test_json_comes_back_as_it_went():
    write_json({"b": [1, 2.5], "a": None}, "claims")
    assert read_json("claims") == {"a": None, "b": [1, 2.5]}


def test_what_is_not_there_is_refused():
    for read in (read_table, read_json):
        with pytest.raises(InputError, match=r"the result is 'none'.*run `make` first"):
            read("none")


def test_nothing_else_is_left_behind(own_build):
    own_build.mkdir()
    write_whole(own_build / "a.txt", b"one")
    write_whole(own_build / "a.txt", b"two")
    assert [file.name for file in own_build.iterdir()] == ["a.txt"]
    assert (own_build / "a.txt").read_bytes() == b"two"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "folder", b"one")
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "none" / "a.txt", b"one")
    assert [file.name for file in tmp_path.rglob("*")] == ["folder"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"NaN"])
def test_a_damaged_result_is_refused(own_build, content):
    (own_build / "results").mkdir(parents=True)
    (own_build / "results" / "claims.json").write_bytes(content)
    with pytest.raises(InputError):
        read_json("claims")


def test_the_build_lies_in_the_checkout(monkeypatch, tmp_path):
    monkeypatch.delenv("CTHO_BUILD_DIR")
    for folder in ("ctho", "notebooks"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    assert build_dir() == tmp_path / "build"
