"""Pages as text: the cells of a notebook run within the test's own process, no kernel.

A page's sentences stand in its cells, so this is how a test reads them, under any parameters.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from IPython.display import Markdown

import ctho.pages.shared.output as output

ROOT = Path(__file__).parent.parent


@dataclass
class Page:
    """What a notebook shows, and the names that it leaves behind.

    Attributes:
        cells: by cell id, the text that it shows: Markdown as it stands, else what is printed.
        figures: by name, the drawings, open.
        names: the notebook's variables after its last cell.
        build_dir: where its tables and results lie.
    """

    build_dir: Path
    cells: dict[str, str] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All of it, prose and computed sentences, in the order of the page."""
        return "\n\n".join(self.cells.values())


def render(name: str, build_dir: Path, **parameters: Any) -> Page:
    """Run the notebook `name` with some parameters changed; figures are drawn but not saved."""
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    page = Page(build_dir, names={"__name__": "__main__"})
    with _surroundings(page):
        for cell in cells:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                page.cells[cell["id"]] = source
                continue
            page.cells[cell["id"]] = _run(source, page.names, f"{name}[{cell['id']}]")
            if "parameters" in cell["metadata"].get("tags", []):
                page.names.update(parameters)
    return page


def numbers(text: str) -> list[float]:
    """The numbers of a text in its order, with thousands separators read.

    >>> numbers("2,000 users wait -0.5 s, 12 % more")
    [2000.0, -0.5, 12.0]
    """
    plain = text.replace("\N{MINUS SIGN}", "-")
    found = re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?", plain)
    return [float(each.replace(",", "")) for each in found]


def table_rows(markdown: str) -> list[list[str]]:
    """The cells of a Markdown table, head first, its rule left out."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if not all(set(cell) <= set(":-") for cell in row)]


def _run(source: str, names: dict[str, Any], where: str) -> str:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, where, "exec"), names)
        value = eval(compile(ast.Expression(last.value), where, "eval"), names) if last else None
    text = printed.getvalue()
    if isinstance(value, Markdown):
        text += value.data
    elif value is not None:
        text += repr(value)
    return text


@contextmanager
def _surroundings(page: Page) -> Iterator[None]:
    """The repository's root for the working directory, a build folder, and figures kept open."""

    def keep(figure: Any, name: str) -> None:
        page.figures[name] = figure
        plt.close(figure)

    before, folder, shown = os.environ.get("CTHO_BUILD_DIR"), Path.cwd(), output.show
    import ctho.pages.shared as shared

    os.environ["CTHO_BUILD_DIR"] = str(page.build_dir)
    os.chdir(ROOT)
    output.show = shared.show = keep
    try:
        yield
    finally:
        output.show = shared.show = shown
        os.chdir(folder)
        if before is None:
            del os.environ["CTHO_BUILD_DIR"]
        else:
            os.environ["CTHO_BUILD_DIR"] = before


def unchanged(parameters: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Parameters as a key of a cache."""
    return tuple(
        (name, tuple(value) if isinstance(value, list) else value)
        for name, value in sorted(parameters.items())
    )
