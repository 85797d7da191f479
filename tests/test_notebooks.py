"""Committed notebooks are clean, parameterised in the project's names, and each one is a page."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ctho.publishing.parameters import parameters_of
from ctho.simulation import Parameters

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PARAMETERS = {spec.name for spec in dataclasses.fields(Parameters)}
UNITS = ("_s", "_tok", "_tok_per_s", "_s_per_tok", "_gbps", "_bits", "_m", "_mps", "_hz", "_db")
READABLE_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
RANDOM_ID = re.compile(r"[0-9a-f]{8}(-.*)?")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def content(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text())
    return notebook


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in content(path)["cells"] if cell["cell_type"] == "code"]


def test_there_are_notebooks() -> None:
    assert {"fig1", "fig2", "fig3a", "fig3b", "fig3c", "fig3d", "fig4"} <= {
        path.stem for path in NOTEBOOKS
    }


@each_notebook
def test_nothing_executed_is_committed(path: Path) -> None:
    for cell in code_cells(path):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


@each_notebook
def test_the_format_is_plain(path: Path) -> None:
    notebook = content(path)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert set(notebook["metadata"]) <= {"kernelspec", "language_info", "mystnb"}
    assert set(notebook["metadata"].get("language_info", {})) <= {"name"}
    for cell in notebook["cells"]:
        assert set(cell["metadata"]) <= {"tags", "mystnb"}, cell["id"]


@each_notebook
def test_cell_ids_are_unique_and_chosen(path: Path) -> None:
    ids = [cell["id"] for cell in content(path)["cells"]]
    assert len(ids) == len(set(ids))
    for name in ids:
        assert READABLE_ID.fullmatch(name), name
        assert not (RANDOM_ID.fullmatch(name) and any(c.isdigit() for c in name)), name


@each_notebook
def test_it_opens_with_a_title(path: Path) -> None:
    first = content(path)["cells"][0]
    assert first["cell_type"] == "markdown"
    assert "".join(first["source"]).startswith("# ")


@each_notebook
def test_it_has_one_cell_of_parameters_in_the_projects_names(path: Path) -> None:
    tagged = [c for c in code_cells(path) if "parameters" in c["metadata"].get("tags", [])]
    assert len(tagged) == 1
    for name, value in parameters_of(path).items():
        base = name.removesuffix("_values") if isinstance(value, list) else name
        known = base in PARAMETERS or base.endswith(UNITS)
        assert known or not _is_quantity(value), f"{name} lacks its unit"


@each_notebook
def test_logic_stays_in_the_package(path: Path) -> None:
    for cell in code_cells(path):
        tree = ast.parse("".join(cell["source"]))
        defined = [
            node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
        ]
        assert not defined, f"{cell['id']} defines {defined[0].name}"


@each_notebook
def test_a_drawn_figure_has_an_alternative_text(path: Path) -> None:
    for cell in code_cells(path):
        if re.search(r"^show\(", "".join(cell["source"]), re.MULTILINE):
            assert cell["metadata"]["mystnb"]["image"]["alt"].strip()


def test_every_notebook_is_a_page_and_every_page_is_there() -> None:
    pages = set(_files(yaml.safe_load((ROOT / "book" / "_toc.yml").read_text())))
    assert {f"notebooks/{path.stem}" for path in NOTEBOOKS} == {
        page for page in pages if page.startswith("notebooks/")
    }
    prose = {page for page in pages if not page.startswith("notebooks/")} | {"index"}
    written = {
        file.relative_to(ROOT / "book").with_suffix("").as_posix()
        for file in (ROOT / "book").rglob("*.md")
    }
    assert prose == written


def _is_quantity(value: Any) -> bool:
    """A real number needs a unit; a count, a text and a switch do not."""
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, float) for item in items)


def _files(entry: Any) -> list[str]:
    if isinstance(entry, dict):
        own = [entry["file"]] if "file" in entry else []
        return own + [file for value in entry.values() for file in _files(value)]
    if isinstance(entry, list):
        return [file for item in entry for file in _files(item)]
    return []
