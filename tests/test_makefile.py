"""The Makefile as a pipeline: what is stale runs, and a failure leaves nothing half-done.

The interpreter is a stand-in that notes what it is asked to run, so that no notebook is executed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

READ = ["fig3a", "fig3b", "fig3c", "fig3d", "fig4"]
EVERYTHING = ["claims", *READ, "followup"]

MAKEFILE = Path(__file__).parent.parent / "Makefile"

STAND_IN = f"""#!/bin/sh
echo "$@" >> calls.log
case "$2" in
ctho.publishing.pages) exec {sys.executable} "$@";;
ctho.publishing.execute)
  case "$3" in *broken*) echo 'a traceback' >&2; exit 1;; esac
  mkdir -p "$(dirname "$4")" && echo executed > "$4";;
esac
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copy(MAKEFILE, tmp_path)
    files = ["requirements.lock", "pyproject.toml", "book/index.md", "data/models/a.json"]
    files += ["ctho/solver.py", "ctho/cli/run.py", "ctho/pages/figures_3_4/figure.py"]
    files += ["ctho/pages/claims/ledger.py", "ctho/simulation/sweeps.py"]
    files += [f"notebooks/{name}.ipynb" for name in EVERYTHING]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    shutil.copy(MAKEFILE.parent / "book" / "pages.yml", tmp_path / "book")
    interpreter = tmp_path / ".venv" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.write_text(STAND_IN)
    interpreter.chmod(0o755)
    _age(tmp_path)
    return tmp_path


def _age(project: Path) -> None:
    """Put every file into the past, so that whatever is touched next is newer."""
    for file in project.rglob("*"):
        if file.is_file():
            past = file.stat().st_mtime - 1000
            os.utime(file, (past, past))


def make(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if k not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}}
    (project / "calls.log").write_text("")
    return subprocess.run(
        ["make", *words], cwd=project, capture_output=True, text=True, check=False, env=clean
    )


def executed(project: Path) -> list[str]:
    """The notebooks that the last call ran, in order."""
    calls = (project / "calls.log").read_text().splitlines()
    return [Path(c.split()[2]).stem for c in calls if c.startswith("-m ctho.publishing.execute")]


def installed(project: Path) -> list[str]:
    calls = (project / "calls.log").read_text().splitlines()
    return [c for c in calls if c.startswith("-m pip install")]


def test_the_first_call_runs_everything_and_readers_last(project: Path) -> None:
    done = make(project, "notebooks", "JOBS=2")
    assert done.returncode == 0, done.stderr
    assert sorted(executed(project)) == EVERYTHING
    order = executed(project)
    assert order.index("claims") > max(order.index(name) for name in READ)
    lock, package = installed(project)
    assert "--require-hashes -r requirements.lock" in lock
    assert package.endswith("--no-deps --no-build-isolation -e .")


def test_a_second_call_runs_nothing(project: Path) -> None:
    make(project, "notebooks")
    make(project, "notebooks")
    assert executed(project) == []
    assert installed(project) == []


def test_a_changed_notebook_runs_alone_with_its_readers(project: Path) -> None:
    make(project, "notebooks")
    _age(project)
    (project / "notebooks" / "fig4.ipynb").touch()
    make(project, "notebooks")
    assert executed(project) == ["fig4", "claims"]


@pytest.mark.parametrize(
    ("source", "stale"),
    [
        ("ctho/solver.py", EVERYTHING),
        ("ctho/simulation/sweeps.py", EVERYTHING),
        ("requirements.lock", EVERYTHING),
        ("ctho/pages/figures_3_4/figure.py", ["claims", *READ]),
        ("ctho/pages/claims/ledger.py", ["claims"]),
        ("data/models/a.json", ["claims", "followup"]),
        ("ctho/cli/run.py", []),
        ("book/index.md", []),
    ],
)
def test_a_changed_source_runs_the_pages_that_are_made_of_it(
    project: Path, source: str, stale: list[str]
) -> None:
    make(project, "notebooks")
    _age(project)
    (project / source).touch()
    make(project, "notebooks")
    assert sorted(executed(project)) == stale


def test_a_file_that_is_gone_stops_nothing(project: Path) -> None:
    make(project, "notebooks")
    (project / "ctho/pages/claims/ledger.py").unlink()
    assert make(project, "notebooks").returncode == 0


def test_one_figure_runs_alone(project: Path) -> None:
    assert make(project, "fig3a").returncode == 0
    assert executed(project) == ["fig3a"]


def test_a_failing_notebook_fails_the_build_and_is_run_again(project: Path) -> None:
    (project / "notebooks" / "broken.ipynb").write_text("")
    done = make(project, "reproduce")
    assert done.returncode != 0
    assert "a traceback" in done.stderr
    assert not (project / "build" / "executed" / "broken.ipynb").exists()
    assert not (project / "build" / "book.stamp").exists()
    (project / "notebooks" / "broken.ipynb").rename(project / "notebooks" / "mended.ipynb")
    assert make(project, "reproduce").returncode == 0
    assert "mended" in executed(project)


def test_reproduce_ends_with_the_table_and_the_page_to_open(project: Path) -> None:
    done = make(project, "reproduce")
    calls = (project / "calls.log").read_text().splitlines()
    steps = [c.split()[1] for c in calls if c.startswith("-m ctho") and "execute" not in c]
    assert steps == [
        "ctho.publishing.pages",
        "ctho.publishing.progress",
        "ctho.publishing.book",
        "ctho.publishing.pages",
        "ctho",
    ]
    assert done.stdout.splitlines()[-1].endswith("build/html/index.html")


def test_the_outputs_can_go_elsewhere(project: Path) -> None:
    assert make(project, "fig3a", "BUILD=elsewhere").returncode == 0
    assert (project / "elsewhere" / "executed" / "fig3a.ipynb").exists()
    assert not (project / "build").exists()


@pytest.mark.parametrize(
    ("stand_in", "shown"),
    [
        ("#!/bin/sh\n[ $1 = --version ] && echo Python 3.9.18 || exit 1\n", "is Python 3.9.18"),
        (None, "is not there"),
        ("#!/bin/sh\necho one; echo two; exit 1\n", "is no Python"),
        ("#!/bin/sh\nexit 0\n", "is no Python"),
    ],
)
def test_an_old_python_is_refused_in_one_sentence(
    project: Path, stand_in: str | None, shown: str
) -> None:
    shutil.rmtree(project / ".venv")
    old = project / "old-python"
    if stand_in:
        old.write_text(stand_in)
        old.chmod(0o755)
    done = make(project, "reproduce", f"PYTHON={old}")
    assert done.returncode != 0
    sentences = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(sentences) == 1
    assert "Python 3.11 or newer" in sentences[0]
    assert shown in sentences[0]
    assert not (project / ".venv").exists()


@pytest.mark.parametrize("target", ["clean", "reproduce"])
@pytest.mark.parametrize("build", ["", "a b", ".", "..", "/", "ctho", "data/models", "build/.."])
def test_a_build_folder_that_holds_other_things_is_refused(
    project: Path, build: str, target: str
) -> None:
    before = sorted(project.rglob("*"))
    # Nothing is removed should the check fail: clean is only planned.
    done = make(project, target, f"BUILD={build}", "--dry-run")
    assert done.returncode != 0
    assert done.stderr.count("\n") == 1
    assert "BUILD is" in done.stderr
    assert "rm -rf" not in done.stdout
    assert sorted({*project.rglob("*")} - {project / "calls.log"}) == before


def test_a_build_folder_that_cannot_be_one_is_one_sentence(project: Path) -> None:
    done = make(project, "notebooks", "BUILD=pyproject.toml")
    assert done.returncode != 0
    sentences = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert sentences == ["BUILD is 'pyproject.toml', but must be a folder that can be written to"]
    assert executed(project) == []


def test_clean_removes_the_build_folder_alone(project: Path) -> None:
    make(project, "fig3a")
    assert make(project, "clean").returncode == 0
    assert not (project / "build").exists()
    assert (project / "notebooks" / "fig3a.ipynb").exists()


@pytest.mark.parametrize("jobs", ["", "0", "-1", "two", "2 3", "1.5", "'"])
def test_a_number_of_jobs_is_a_whole_number(project: Path, jobs: str) -> None:
    done = make(project, "notebooks", f"JOBS={jobs}")
    assert done.returncode != 0
    assert done.stderr.count("\n") == 1
    assert "JOBS is" in done.stderr
