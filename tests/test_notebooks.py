"""Committed notebooks are clean, parameterised in the project's names, and each one is a page."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

from ctho.publishing.pages import DECLARATIONS, load_pages, load_parts
from ctho.publishing.parameters import parameters_of
from ctho.simulation import Parameters
from ctho.simulation.parameters import GROUPS

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
def test_a_page_states_only_what_it_means_to_change(path: Path) -> None:
    if "Parameters" not in path.read_text():
        return  # it does not simulate
    default = Parameters().as_dict()
    own = {name: value for name, value in parameters_of(path).items() if name in PARAMETERS}
    copies = [name for name, value in own.items() if value == default[name]]
    assert not copies, f"{copies} are copies of the paper's values"
    assert set(own) == set(load_pages(ROOT / DECLARATIONS)[path.stem].changes)


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
    parts = load_parts(ROOT / DECLARATIONS)
    declared = [page for part in parts for page in part.pages]
    assert [path.stem for path in NOTEBOOKS] == sorted(p.page for p in declared if p.is_notebook)
    prose = {p.page for p in declared if not p.is_notebook} | {
        name for p in declared for name in p.below
    }
    written = {
        file.relative_to(ROOT / "book").with_suffix("").as_posix()
        for file in (ROOT / "book").rglob("*.md")
    }
    assert prose | {"index"} == written


def test_each_page_declares_its_rooms_and_data() -> None:
    for name, page in load_pages(ROOT / DECLARATIONS).items():
        notebook = (ROOT / "notebooks" / f"{name}.ipynb").read_text()
        rooms = {ROOT / "ctho" / "pages" / room for room in page.rooms}
        sources = [notebook, *(file.read_text() for room in rooms for file in room.glob("*.py"))]
        imported = {room for text in sources for room in re.findall(r"ctho\.pages\.(\w+)", text)}
        assert imported - {"shared"} == set(page.rooms), name
        assert all(room.is_dir() for room in rooms)
        assert all((ROOT / "data" / each).exists() for each in page.data), name


def test_the_groups_of_parameters_share_them_out() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(PARAMETERS)
    for name, page in load_pages(ROOT / DECLARATIONS).items():
        assert set(page.parameters) <= set(GROUPS), name
        assert set(page.but) <= {each for group in page.parameters for each in GROUPS[group]}, name


def _is_quantity(value: Any) -> bool:
    """A real number needs a unit; a count, a text and a switch do not."""
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, float) for item in items)
