"""The prose pages keep up with the package: every module and every option has its place."""

from __future__ import annotations

import argparse
import pkgutil
import re
from pathlib import Path

import ctho.simulation
from ctho.cli import COMMANDS

BOOK = Path(__file__).parent.parent / "book"
REFERENCE = [page.read_text() for page in sorted((BOOK / "api").glob("*.md"))]
LISTED = re.findall(r"\{module-list\} ([\w.]+)", "\n".join(REFERENCE))
DOCUMENTED = re.findall(r"automodule:: ([\w.]+)", "\n".join(REFERENCE))

NOT_IN_THE_REFERENCE = {"ctho.cli", "ctho.__main__", "ctho.publishing.api_reference"}
"""The command line has a page of its own, and the Sphinx extension is used by the book alone."""


def public_modules() -> set[str]:
    return {
        module.name
        for module in pkgutil.walk_packages(ctho.__path__, "ctho.")
        if not any(part.startswith("_") for part in module.name.split(".")[1:])
    }


def test_no_module_is_documented_twice() -> None:
    assert len(DOCUMENTED) == len(set(DOCUMENTED))


def test_every_module_is_documented_or_listed_or_behind_its_package() -> None:
    for name in sorted(public_modules() - NOT_IN_THE_REFERENCE):
        packages = {name.rpartition(".")[0], *LISTED}
        covered = packages & set(DOCUMENTED) or any(name.startswith(p) for p in LISTED)
        below = any(documented.startswith(f"{name}.") for documented in DOCUMENTED)
        assert name in DOCUMENTED or covered or below or name.startswith("ctho.cli."), name


def test_every_name_of_the_simulations_face_is_documented_in_its_module() -> None:
    for name in ctho.simulation.__all__:
        home = getattr(getattr(ctho.simulation, name), "__module__", "ctho.simulation.sweeps")
        assert home in DOCUMENTED, name


def test_every_option_is_explained() -> None:
    page = (BOOK / "cli.md").read_text()
    subparsers = argparse.ArgumentParser().add_subparsers()
    for command in COMMANDS:
        command.add_parser(subparsers)
    assert len(subparsers.choices) == len(COMMANDS)
    for name, parser in subparsers.choices.items():
        section = page.partition(f"## `ctho {name}`")[2].partition("\n## ")[0]
        assert section, name
        for action in parser._actions:
            if action.dest != "help":
                assert any(
                    f"`{o}" in section or f" {o} " in section for o in action.option_strings
                ) or (not action.option_strings), f"{name} {action.option_strings}"
