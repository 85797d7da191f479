"""Notebooks as make and `ctho run` execute them, with a real kernel."""

from __future__ import annotations

import json
import os
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from ctho.checks import InputError
from ctho.publishing.execute import (
    NotebookError,
    NotebookInputError,
    execute,
    main,
    repository_root,
)

PARAMETERS = new_code_cell("num_ues = 4", id="parameters", metadata={"tags": ["parameters"]})


def notebook(folder: Path, *sources: str) -> Path:
    """A notebook of a small repository, with a cell of parameters and the given cells."""
    (folder / "pyproject.toml").touch()
    (folder / "notebooks").mkdir(exist_ok=True)
    cells = [PARAMETERS, *(new_code_cell(s, id=f"cell-{i}") for i, s in enumerate(sources))]
    path = folder / "notebooks" / "page.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return path


def printed(executed: Path) -> str:
    cells = json.loads(executed.read_text())["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return "".join("".join(output["text"]) for output in outputs)


def test_two_runs_are_the_same_bytes_and_see_the_repository(tmp_path: Path) -> None:
    source = notebook(
        tmp_path,
        "import os, pathlib\nprint(pathlib.Path('notebooks').is_dir(), num_ues)",
        "print(os.environ['PYTHONHASHSEED'], os.environ['OMP_NUM_THREADS'])",
        "print(pathlib.Path(os.environ['CTHO_BUILD_DIR']).name, hash('a'))",
    )
    for target in ("first.ipynb", "second.ipynb"):
        execute(source, tmp_path / "out" / target, build_dir=tmp_path / "build")
    first, second = sorted((tmp_path / "out").iterdir())
    assert first.read_bytes() == second.read_bytes()
    assert printed(first).startswith("True 4\n0 1\nbuild ")


def test_given_parameters_replace_the_defaults(tmp_path: Path) -> None:
    source = notebook(tmp_path, "print(num_ues)")
    execute(source, tmp_path / "out.ipynb", {"num_ues": 6})
    assert printed(tmp_path / "out.ipynb") == "6\n"


def test_a_failing_cell_leaves_nothing_and_shows_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = notebook(tmp_path, "num_ues / 0")
    target = tmp_path / "build" / "executed" / "page.ipynb"
    assert main(source, target) == 1
    output = capsys.readouterr()
    assert "page FAILED" in output.out
    assert "cell [2] raised ZeroDivisionError" in output.err
    assert output.err.rstrip().endswith("division by zero")
    assert "\x1b" not in output.err
    assert not target.parent.exists()


def test_a_failure_keeps_the_last_result(tmp_path: Path) -> None:
    target = tmp_path / "out.ipynb"
    target.write_text("the last result")
    with pytest.raises(NotebookError):
        execute(notebook(tmp_path, "raise ValueError"), target)
    assert target.read_text() == "the last result"


def test_the_environment_of_the_caller_is_left_alone(tmp_path: Path) -> None:
    before = dict(os.environ)
    execute(notebook(tmp_path), tmp_path / "out.ipynb", build_dir=tmp_path)
    assert dict(os.environ) == before


def test_the_repository_is_found_from_the_notebook(tmp_path: Path) -> None:
    assert repository_root(notebook(tmp_path)) == tmp_path.resolve()


def test_a_refusal_keeps_its_sentence(tmp_path: Path) -> None:
    source = notebook(tmp_path, "from ctho.simulation import Parameters\nParameters(num_ues=0)")
    with pytest.raises(NotebookInputError, match=r"cell \[2\] raised InputError") as caught:
        execute(source, tmp_path / "out.ipynb")
    assert caught.value.sentence.startswith("num_ues is 0, but must be a whole number")
    assert "\n" not in caught.value.sentence


@pytest.mark.parametrize(
    "content",
    ["{", "[]", '{"cells": 3}', '{"cells": [3], "nbformat": 4, "nbformat_minor": 5}', "\xff"],
)
def test_a_damaged_notebook_is_refused_in_one_line(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "page.ipynb"
    source.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=r"NOTEBOOK is .* a Jupyter notebook"):
        execute(source, tmp_path / "out.ipynb")
    assert main(source, tmp_path / "build" / "executed" / "page.ipynb") == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "a Jupyter notebook" in error
