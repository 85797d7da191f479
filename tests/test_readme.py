"""What the README shows works as shown."""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path

import pytest

from ctho.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def block(language: str, holding: str) -> str:
    """The code block of that language with that text in it."""
    blocks = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    (found,) = [text for text in blocks if holding in text]
    return str(found)


def test_the_instance_can_be_solved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = re.search(r"echo '(.*?)' \| ctho solve -", block("bash", "ctho solve"), re.DOTALL)
    assert shown
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(shown[1].encode())))
    assert main(["solve", "-"]) == 0
    assert set(json.loads(capsys.readouterr().out)) >= {"ctHO", "tHO", "cHO"}


def test_the_run_lines_name_parameters_that_their_notebooks_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = re.findall(r"^ctho run (.*)$", block("bash", "ctho run"), re.MULTILINE)
    assert any("-p" in call for call in calls)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path))
    for call in calls:
        few = ["-p", "realisations", "20"] if "--list" not in call else []
        assert main(["run", *shlex.split(call), *few]) == 0
    tables = list(tmp_path.glob("runs/*/results/*.csv"))
    assert len(tables) == sum("--list" not in call for call in calls)


def test_the_import_example_gives_what_the_command_gives() -> None:
    names: dict[str, object] = {}
    *lines, last = block("python", "import ctho").strip().splitlines()
    exec("\n".join(lines), names)
    delay_s, length_tok, schedule = eval(last, names)
    assert 0 < delay_s < 1
    assert 0 < length_tok < 4000
    assert schedule


def test_the_python_of_the_page_on_reruns_runs() -> None:
    page = (ROOT / "book" / "rerun.md").read_text()
    names: dict[str, object] = {}
    for shown in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(shown.replace("realisations=5000", "realisations=20"), names)
    table, best = names["table"], names["best"]
    assert len(table) == 4 * 3  # type: ignore[arg-type]
    assert 0 < float(best.delay_s) < 1  # type: ignore[attr-defined]


def test_the_targets_are_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"(?:`|^)make ([a-z0-9-]+)", README, re.MULTILINE))
    assert {"reproduce", "test", "help", "fig3a"} <= targets
    notebooks = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    for target in targets - notebooks:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
