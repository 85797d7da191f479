"""The book's sources are laid out from prose, notebooks, results and figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctho.publishing.book import assemble, mathjax_file


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    files = ["book/index.md", "book/api/model.md", "build/executed/fig3a.ipynb"]
    files += ["build/executed/gone.ipynb", "build/results/fig3a.csv", "build/figures/fig3a.svg"]
    files += ["build/figures/.fig3a.svg.part"]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def laid_out(inputs: Path) -> dict[str, Path]:
    source = inputs / "build" / "book-src"
    assemble(inputs / "book", inputs / "build", ["fig3a"], source)
    files = (file for file in source.rglob("*") if file.is_file())
    return {file.relative_to(source).as_posix(): file for file in files}


def test_each_file_has_its_place_and_others_stay_out(inputs: Path) -> None:
    files = laid_out(inputs)
    assert set(files) == {
        "index.md",
        "api/model.md",
        "notebooks/fig3a.ipynb",
        "results/fig3a.csv",
        "figures/fig3a.svg",
        f"_extra/mathjax/{mathjax_file().name}",
    }
    assert files["notebooks/fig3a.ipynb"].read_text() == "build/executed/fig3a.ipynb"


def test_what_has_not_changed_is_left_alone_and_what_is_gone_goes(inputs: Path) -> None:
    before = {name: file.stat().st_mtime_ns for name, file in laid_out(inputs).items()}
    (inputs / "book" / "index.md").write_text("changed")
    (inputs / "book" / "api" / "model.md").unlink()
    after = {name: file.stat().st_mtime_ns for name, file in laid_out(inputs).items()}
    assert before.keys() - after.keys() == {"api/model.md"}
    assert {name for name, time in after.items() if time != before[name]} == {"index.md"}


def test_mathjax_is_one_whole_file() -> None:
    assert mathjax_file().stat().st_size > 1_000_000
