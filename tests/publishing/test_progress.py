"""Progress is told by separate processes that share nothing but files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ctho.publishing.progress import Progress, begin

FINISH = """
import sys
from pathlib import Path
from ctho.publishing.progress import Progress
Progress(Path(sys.argv[1])).finished(sys.argv[2])
"""


def test_processes_that_end_together_get_different_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "progress"
    begin(folder, 6)
    commands = [[sys.executable, "-c", FINISH, str(folder), f"fig{i}"] for i in range(6)]
    running = [subprocess.Popen(c, stdout=subprocess.PIPE, text=True) for c in commands]
    lines = [process.communicate()[0] for process in running]
    matches = [re.fullmatch(r"\[(\d)/6\] +\d+ s  fig\d done, (\d) left\n", line) for line in lines]
    numbers = sorted((int(m[1]), int(m[2])) for m in matches if m)
    assert numbers == [(i, 6 - i) for i in range(1, 7)]


def test_a_new_run_starts_from_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        begin(tmp_path / "progress", 12)
        Progress(tmp_path / "progress").finished("fig3a")
    assert capsys.readouterr().out.count("[ 1/12]") == 2


def test_more_than_the_total_is_not_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(tmp_path / "progress", 1)
    progress = Progress(tmp_path / "progress")
    progress.finished("fig3a")
    progress.finished("fig3b")
    first, second = capsys.readouterr().out.splitlines()
    assert "[1/1]" in first
    assert "[" not in second
    assert "left" not in second


def test_a_notebook_executed_by_itself_needs_no_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress(tmp_path / "nothing")
    progress.started("fig3a")
    progress.finished("fig3a")
    assert re.fullmatch(r" +\d s  fig3a started\n +\d s  fig3a done\n", capsys.readouterr().out)
