"""Where each equation of the paper is computed and derived, read from docstrings and pages.

A docstring names its equations, as in "Eq. (5)" or "Eqs. (23) to (25)"; a page that derives or
states one displays it with the paper's number.
"""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["EQUATIONS", "Computed", "computed_by", "derived_on", "equation_table", "named_in"]

EQUATIONS = range(1, 31)
"""The numbers that the paper prints."""

_NUMBER = r"\(\d+\*?\)"
_NAMED = re.compile(
    rf"Eqs?\.\s+({_NUMBER}(?:(?:,\s+and|,|\s+and|\s+to|\s+or)\s+{_NUMBER})*|\d+(?:\s+to\s+\d+)?)"
)
_NUMBER_OR_TO = re.compile(r"\d+|\bto\b")
_TAG = re.compile(r"\\tag\{(\d+)\}")


@dataclass(frozen=True)
class Computed:
    """A function, class or property that names an equation in its docstring.

    Attributes:
        module: its module.
        name: its name there, with that of its class.
        summary: the first line of its docstring.
    """

    module: str
    name: str
    summary: str


def named_in(text: str) -> set[int]:
    """The numbers of the equations that a text names.

    >>> sorted(named_in("Eqs. (23) to (25) and Eq. (5); not (7)"))
    [5, 23, 24, 25]
    >>> sorted(named_in("Eqs. (28) and (29), 30 users"))
    [28, 29]
    """
    found: set[int] = set()
    for match in _NAMED.finditer(text):
        words = _NUMBER_OR_TO.findall(match[1])
        for place, word in enumerate(words):
            if word == "to":
                found.update(range(int(words[place - 1]), int(words[place + 1])))
            else:
                found.add(int(word))
    return found


def computed_by(package: Path) -> dict[int, list[Computed]]:
    """By equation, what of the model and the simulation names it in its docstring."""
    found: dict[int, list[Computed]] = defaultdict(list)
    folders = (package, *(package / name for name in ("prefill", "schemes", "simulation")))
    for file in (file for folder in folders for file in sorted(folder.glob("*.py"))):
        parts = file.relative_to(package).with_suffix("").parts
        module = ".".join([package.name, *(part for part in parts if part != "__init__")])
        for name, docstring in _docstrings(ast.parse(file.read_text(encoding="utf-8"))):
            summary = docstring.partition("\n")[0]
            for number in named_in(docstring):
                found[number].append(Computed(module, name, summary))
    return dict(found)


def derived_on(notebooks: Path) -> dict[int, list[str]]:
    """By equation, the notebooks that derive it, by name: those that display it with its number.

    An equation that none displays is derived where it is named.
    """
    displayed: dict[int, list[str]] = defaultdict(list)
    named: dict[int, list[str]] = defaultdict(list)
    for file in sorted(notebooks.glob("*.ipynb")):
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
        for number in {int(number) for number in _TAG.findall(text)}:
            displayed[number].append(file.stem)
        for number in named_in(text):
            named[number].append(file.stem)
    return {number: displayed[number] or named[number] for number in EQUATIONS}


def equation_table(package: Path, notebooks: Path, titles: Mapping[str, str]) -> str:
    """One row an equation, as MyST Markdown: where it is derived, what computes it.

    Args:
        package: the folder of the package.
        notebooks: the folder of the notebooks.
        titles: a short name of each page, by that of its notebook.
    """
    computed, derived = computed_by(package), derived_on(notebooks)
    lines = ["| Equation | Derived on | Computed by |", "|:---|:---|:---|"]
    for number in EQUATIONS:
        pages = ", ".join(f"[{titles[name]}](notebooks/{name})" for name in derived[number])
        functions = "<br>".join(
            f"{{py:obj}}`{each.name} <{each.module}.{each.name}>`"
            for each in computed.get(number, [])
        )
        lines.append(f"| ({number}) | {pages} | {functions} |")
    return "\n".join(lines)


def _docstrings(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, str]]:
    """(name, docstring) of public functions and classes, and of their public members."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        name = f"{inside}{node.name}"
        docstring = ast.get_docstring(node)
        if docstring:
            yield name, docstring
        if isinstance(node, ast.ClassDef):
            yield from _docstrings(node, f"{name}.")
