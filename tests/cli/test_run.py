"""`ctho run` as a person calls it: other parameters, outputs beside the canonical build."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from ctho.cli import main

WRITE = """\
import os, pathlib
folder = pathlib.Path(os.environ["CTHO_BUILD_DIR"]) / "results"
folder.mkdir(parents=True)
(folder / "page.csv").write_text(f"{num_ues}\\n")
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    parameters = {"tags": ["parameters"]}
    cells = [
        new_code_cell("num_ues = 4", id="parameters", metadata=parameters),
        new_code_cell(WRITE, id="write"),
        new_code_cell("assert num_ues < 9", id="check"),
    ]
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "notebooks").mkdir()
    nbformat.write(new_notebook(cells=cells), tmp_path / "notebooks" / "page.ipynb")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CTHO_BUILD_DIR", raising=False)
    return tmp_path


def test_outputs_go_beside_the_canonical_build(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "page", "-p", "num_ues", "6"]) == 0
    (run,) = (checkout / "build" / "runs").iterdir()
    assert run.name.startswith("page-")
    assert (run / "results" / "page.csv").read_text() == "6\n"
    assert json.loads((run / "page.ipynb").read_text())["nbformat"] == 4
    assert [path.name for path in (checkout / "build").iterdir()] == ["runs"]
    printed = capsys.readouterr().out.split()
    assert [Path(word) for word in printed[1::2]] == [run / "page.ipynb", run / "results/page.csv"]


def test_each_set_of_parameters_has_its_folder_and_a_failure_leaves_none(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(checkout / "notebooks" / "page.ipynb")
    assert main(["run", path, "-p", "num_ues", "6"]) == 0
    assert main(["run", path, "-p", "num_ues", "6.0"]) == 0  # the same, and so the same folder
    assert main(["run", path]) == 0
    assert main(["run", path, "-p", "num_ues", "9"]) == 1
    assert "AssertionError" in capsys.readouterr().err
    runs = sorted((checkout / "build" / "runs").iterdir())
    assert sorted((run / "results" / "page.csv").read_text() for run in runs) == ["4\n", "6\n"]


def test_the_parameters_can_be_listed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "page", "--list"]) == 0
    assert capsys.readouterr().out == "num_ues = 4\n"
    assert not (checkout / "build").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["page", "-p", "num_eus", "6"], "did you mean num_ues?"),
        (["page", "-p", "num_ues", "six"], "num_ues is 'six', but must be a whole number"),
        (["pagee"], "did you mean page?"),
        (["gone.ipynb"], "NOTEBOOK is 'gone.ipynb', but must be a file that exists"),
    ],
)
def test_wrong_input_is_one_line_and_nothing_written(
    checkout: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert main(["run", *words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error
    assert not (checkout / "build").exists()


def test_a_name_needs_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "page"]) == 2
    assert "a path, or a name within a checkout" in capsys.readouterr().err
