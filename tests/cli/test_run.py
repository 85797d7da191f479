"""`ctho run` as a person calls it: other parameters, outputs beside the canonical build."""

from __future__ import annotations

import json
import os
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from ctho.cli import main
from ctho.cli.run import _put_in_place

WRITE = """\
import os, pathlib
folder = pathlib.Path(os.environ["CTHO_BUILD_DIR"]) / "results"
folder.mkdir(parents=True)
(folder / "page.csv").write_text(f"{num_ues}\\n")
"""

REFUSE = """\
from ctho.checks import check_integer
check_integer("num_ues", num_ues)
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    parameters = {"tags": ["parameters"]}
    cells = [
        new_code_cell("num_ues = 4", id="parameters", metadata=parameters),
        new_code_cell(WRITE, id="write"),
        new_code_cell("assert num_ues < 9", id="check"),
        new_code_cell(REFUSE, id="refuse"),
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
        (["page", "-p", "num_ues", "six"], "num_ues is 'six', but must be a finite number"),
        (["page", "-p", "num_ues", "4.5"], "ctho: num_ues is 4.5, but must be a whole number\n"),
        (["page", "-p", "num_ues", "5", "-p", "num_ues", "6"], "must be given once"),
        (["pagee"], "did you mean page?"),
        (["gone.ipynb"], "NOTEBOOK is 'gone.ipynb', but must be a file that exists"),
        (["elsewhere/page.ipynb"], "a file that exists"),
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


def test_a_page_takes_every_parameter_that_plays_a_part_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path))
    assert main(["run", "fig3a", "--list"]) == 0
    listed = dict(line.split(" = ") for line in capsys.readouterr().out.splitlines())
    assert listed["num_ues"] == "4"
    assert listed["cycle_s"] == "0.01"
    assert "backhaul_gbps_values" in listed
    assert not {"backhaul_gbps", "bandwidth_hz"} & set(listed)  # swept; of Figure 4 alone
    few = ["-p", "realisations", "50", "-p", "num_ues", "2", "-p", "backhaul_gbps_values", "[3]"]
    assert main(["run", "fig3a", *few]) == 0
    (run,) = (tmp_path / "runs").iterdir()
    assert "fig3a.csv" in {file.name for file in (run / "results").iterdir()}
    assert len((run / "results" / "fig3a.csv").read_text().splitlines()) == 4
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["fig3a", "-p", "cycle_s", "0"], "cycle_s is 0.0, but must be a finite number above 0"),
        (["fig3a", "-p", "backhaul_gbps", "3"], "did you mean backhaul_gbps_values?"),
        (["fig3a", "-p", "bandwidth_hz", "1e6"], "a parameter's name is 'bandwidth_hz'"),
        (
            ["fig3a", "-p", "context_min_tok", "6000"],
            "context_min_tok is 6000, but must be at most",
        ),
        (["fig3d", "-p", "num_ues", "3"], "did you mean num_ues_values?"),
        (["kv_cache", "-p", "num_ues", "3"], "a parameter's name is 'num_ues'"),
    ],
)
def test_what_a_page_does_not_take_is_refused_before_a_kernel_starts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    says: str,
) -> None:
    monkeypatch.setattr("ctho.publishing.execute.execute", None)
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path / "build"))
    assert main(["run", *words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error
    assert not (tmp_path / "build").exists()


def test_a_name_needs_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "page"]) == 2
    assert "a path, or a name within a checkout" in capsys.readouterr().err


def test_a_name_may_have_its_suffix(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "page.ipynb", "--list"]) == 0
    assert capsys.readouterr().out == "num_ues = 4\n"


@pytest.mark.parametrize("build", ["pyproject.toml", "pyproject.toml/build"])
def test_a_build_folder_that_cannot_be_one_is_refused_before_a_kernel_starts(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    build: str,
) -> None:
    monkeypatch.setattr("ctho.publishing.execute.execute", None)
    monkeypatch.setenv("CTHO_BUILD_DIR", build)
    assert main(["run", "page"]) == 2
    says = f"ctho: CTHO_BUILD_DIR is '{build}', but must be a folder that can be written to\n"
    assert capsys.readouterr().err == says


def test_what_killed_runs_left_is_cleared(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def execute(source: Path, target: Path, *_: object, **__: object) -> None:
        target.write_text("new")

    monkeypatch.setattr("ctho.publishing.execute.execute", execute)
    runs = checkout / "build" / "runs"
    alive, dead = os.getppid(), 2**22 + 1  # above the largest number that a process can have
    kept = [f".page-a.{alive}.partial", "page-b", "page-c", "another"]
    gone = [f".page-a.{dead}.partial", f".page-b.{dead}.old", f".page-a.{os.getpid()}.partial"]
    for name in [*kept, *gone, f".page-d.{dead}.old"]:
        (runs / name).mkdir(parents=True)
        (runs / name / "file").write_text(name)
    assert main(["run", "page"]) == 0
    (new,) = {path.name for path in runs.iterdir()} - {*kept, "page-d"}
    assert (runs / new / "page.ipynb").read_text() == "new"
    # The last finished run of a process that was killed between its two renames.
    assert (runs / "page-d" / "file").read_text() == f".page-d.{dead}.old"


def test_the_last_finished_run_stays_until_the_new_one_is_in_place(tmp_path: Path) -> None:
    target = tmp_path / "page-a"
    target.mkdir()
    (target / "file").write_text("last")
    with pytest.raises(FileNotFoundError):
        _put_in_place(tmp_path / "never-made", target)
    (kept,) = tmp_path.rglob("file")
    assert kept.read_text() == "last"
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "file").write_text("new")
    _put_in_place(tmp_path / "new", target)
    assert [path.read_text() for path in tmp_path.rglob("file")] == ["new"]
