"""The parameters of a notebook: read from its tagged cell, replaced by checked values."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ctho.checks import InputError, check_choice

__all__ = ["given_parameters", "parameters_cell", "parameters_of"]

_KINDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a finite number",
    str: "text",
}


def parameters_of(notebook: Path) -> dict[str, Any]:
    """The names and defaults that the cell tagged `parameters` assigns.

    Raises:
        InputError: no such file, not a notebook, no cell with the tag, or a cell that does more
            than to assign scalars and lists to names.
    """
    tree = ast.parse(parameters_cell(notebook))
    defaults: dict[str, Any] = {}
    for statement in tree.body:
        try:
            name, value = _assignment(statement)
        except (TypeError, ValueError):
            line = ast.unparse(statement)
            raise InputError(
                f"the parameters cell of {notebook.name}", line, "NAME = a scalar or a list"
            ) from None
        defaults[name] = value
    return defaults


def parameters_cell(notebook: Path) -> str:
    """The source of the cell tagged `parameters`.

    Raises:
        InputError: no such file, not a notebook, or no cell with the tag.
    """
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    except OSError:
        raise InputError("NOTEBOOK", str(notebook), "a file that can be read") from None
    except (ValueError, KeyError, TypeError):
        raise InputError("NOTEBOOK", str(notebook), "a Jupyter notebook (format 4)") from None
    for cell in cells:
        if "parameters" in cell.get("metadata", {}).get("tags", []):
            source = cell["source"]
            return source if isinstance(source, str) else "".join(source)
    raise InputError("NOTEBOOK", str(notebook), "one with a cell tagged 'parameters'")


def given_parameters(
    defaults: Mapping[str, Any], given: Iterable[tuple[str, str]]
) -> dict[str, Any]:
    """The given (name, text) pairs as values of the same kind as the defaults.

    A text is read as JSON (a number, true, false, a list, a quoted string), else taken as it is.

    Raises:
        InputError: a name that is not a parameter, or a value of another kind than the default.

    >>> given_parameters({"num_ues": 4, "points": [1.0]}, [("num_ues", "6"), ("points", "[2, 3]")])
    {'num_ues': 6, 'points': [2.0, 3.0]}
    """
    values: dict[str, Any] = {}
    for name, text in given:
        check_choice("a parameter's name", name, defaults)
        values[name] = _of_same_kind(name, _parsed(text, defaults[name]), defaults[name])
    return values


def _assignment(statement: ast.stmt) -> tuple[str, Any]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, ast.literal_eval(value)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return name, ast.literal_eval(value)
    raise ValueError


def _parsed(text: str, default: Any) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    # A text that happens to look like a number, say a model called 7, stays a text.
    return text if isinstance(default, str) and not isinstance(value, str) else value


def _of_same_kind(name: str, value: Any, default: Any) -> Any:
    if isinstance(default, list):
        if not isinstance(value, list) or not value:
            raise InputError(name, value, "a list with at least one entry, such as [1, 2]")
        if not default:
            return value
        return [_of_same_kind(f"{name}[{i}]", item, default[0]) for i, item in enumerate(value)]
    if default is None:
        return value
    kind = type(default)
    if kind is float and type(value) is int:
        value = float(value)
    if kind is int and type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not kind or (kind is float and not math.isfinite(value)):
        raise InputError(name, value, _KINDS.get(kind, f"a {kind.__name__}"))
    return value
