"""The provenance of a page states what its numbers depend on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from ctho.pages.shared import provenance_card
from ctho.pages.shared.provenance import (
    data_hashes,
    package_versions,
    source_state,
)
from tests.rendering import table_rows


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    command = ["git", "-C", str(folder), *identity, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("ctho/solver.py", "data/models/a.json", "book/index.md"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(name)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    return tmp_path


def test_a_clean_tree_is_clean(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")[:12]
    assert source_state(repository) == f"commit `{commit}`, clean"


@pytest.mark.parametrize("name", ["ctho/solver.py", "ctho/new.py", "data/models/a.json"])
def test_a_changed_or_new_source_is_dirty(repository: Path, name: str) -> None:
    (repository / name).write_text("changed")
    assert source_state(repository).endswith(", dirty")


def test_prose_does_not_make_results_dirty(repository: Path) -> None:
    (repository / "book" / "index.md").write_text("changed")
    assert source_state(repository).endswith(", clean")


def test_an_unpacked_archive_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert source_state(tmp_path) == "not under version control"


def test_a_hash_changes_with_content_and_with_names(repository: Path) -> None:
    first = data_hashes(repository / "data")
    assert set(first) == {"models"}
    file = repository / "data" / "models" / "a.json"
    file.rename(file.with_name("b.json"))
    second = data_hashes(repository / "data")
    file.with_name("b.json").write_text("changed")
    third = data_hashes(repository / "data")
    assert len({tuple(h.items()) for h in (first, second, third)}) == 3


def test_no_data_is_no_hash(tmp_path: Path) -> None:
    assert data_hashes(tmp_path / "data") == {}


def test_versions_are_those_installed() -> None:
    assert package_versions()["numpy"] == np.__version__


def test_the_card_holds_every_parameter(repository: Path) -> None:
    parameters = {"num_ues": 4, "backhaul_gbps": 4.5, "seed": 7, "realisations": 100}
    head, *rows = table_rows(provenance_card(parameters, repository).data)
    card = dict(rows)
    assert head == ["Provenance", ""]
    assert card["Parameters"] == "`num_ues = 4`, `backhaul_gbps = 4.5`"
    assert (card["Seed"], card["Realisations"]) == ("`7`", "`100`")
    assert card["Source"] == source_state(repository)
    assert card["Data (SHA-256)"] == f"`models` {data_hashes(repository / 'data')['models']}"
    assert f"numpy {np.__version__}" in card["Versions"].split(", ")


def test_a_page_without_chance_has_no_seed(repository: Path) -> None:
    card = dict(table_rows(provenance_card({}, repository).data)[1:])
    assert (card["Parameters"], "Seed" in card) == ("none", False)
