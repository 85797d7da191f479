"""pyproject.toml, the locks, environment.yml and CITATION.cff tell one story."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
LOCKS = [ROOT / "requirements.lock", *sorted((ROOT / "locks").glob("*.lock"))]
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ \\;]+)(?: ;(?P<marker>[^\\]*))?")


def pins(lock: Path) -> dict[str, str]:
    """Package -> version."""
    found = {}
    for line in lock.read_text().splitlines():
        if match := PIN.match(line):
            found[canonicalize_name(match["name"])] = match["version"]
    return found


def direct(extra: str | None = None) -> list[Requirement]:
    return [Requirement(text) for text in (EXTRAS[extra] if extra else PROJECT["dependencies"])]


def test_each_extra_has_a_lock() -> None:
    # The tools that build the package are in every lock.
    # What runs the book is in requirements.lock, SciPy with it.
    assert {lock.stem for lock in LOCKS[1:]} == set(EXTRAS) - {"build", "book", "scipy"}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_pins_what_the_project_asks_for(lock: Path) -> None:
    locked = pins(lock)
    extra = None if lock.name == "requirements.lock" else lock.stem
    for requirement in [
        *direct(),
        *direct("book"),
        *direct("build"),
        *(direct(extra) if extra else []),
    ]:
        version = locked[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_has_one_version_and_hashes_for_every_package(lock: Path) -> None:
    blocks = re.split(r"\n(?=[A-Za-z0-9])", lock.read_text())
    names = [canonicalize_name(match["name"]) for block in blocks if (match := PIN.match(block))]
    assert len(names) == len(blocks) == len(set(names))
    assert all("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_names_no_index(lock: Path) -> None:
    text = lock.read_text()
    assert "://" not in text
    assert "index" not in re.sub(r"#.*", "", text)


@pytest.mark.parametrize("lock", LOCKS[1:], ids=lambda lock: lock.stem)
def test_the_locks_agree(lock: Path) -> None:
    base = pins(LOCKS[0])
    assert base.items() <= pins(lock).items()


def test_the_core_needs_numpy_alone() -> None:
    assert [requirement.name for requirement in direct()] == ["numpy"]
    assert {str(each) for each in direct("scipy")} <= {str(each) for each in direct("book")}


def test_this_environment_is_the_locked_one() -> None:
    locked = pins(ROOT / "requirements.lock")
    for requirement in [*direct(), *direct("book")]:
        version = metadata.version(requirement.name)
        assert version == locked[canonicalize_name(requirement.name)], requirement.name


def test_conda_users_get_the_same() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    *conda, last = environment["dependencies"]
    assert last == {"pip": ["-r requirements.lock"]}
    assert f"python{PROJECT['requires-python']}" in conda
    assert {"pip", "make", "git"} <= set(conda)
    assert environment["name"] == PROJECT["name"]


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert str(citation["version"]) == PROJECT["version"] == metadata.version("ctho")
    assert citation["license"] == PROJECT["license"]


def test_the_makefile_asks_for_the_same_python() -> None:
    least = PROJECT["requires-python"].removeprefix(">=")
    major, minor = least.split(".")
    makefile = (ROOT / "Makefile").read_text()
    assert f"sys.version_info >= ({major}, {minor})" in makefile
    assert f"--python-version {least}" in makefile
