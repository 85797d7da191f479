"""The parameters of a notebook: read from its tagged cell, replaced by checked values."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ctho.checks import InputError, check_choice, check_number
from ctho.publishing.pages import DECLARATIONS, load_pages

__all__ = [
    "accepted_parameters",
    "check_values",
    "given_parameters",
    "parameters_cell",
    "parameters_of",
]

_KINDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a finite number",
    float: "a finite number",
    str: "text",
}


def parameters_of(notebook: Path) -> dict[str, Any]:
    """The names and defaults that the cell tagged `parameters` assigns.

    Raises:
        InputError: no such file, not a notebook, no cell with the tag, or a cell that does more
            than to assign scalars and lists to names.
    """
    source = parameters_cell(notebook)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        field = f"the parameters cell of {notebook.name}"
        raise InputError(field, source, "lines NAME = a scalar or a list") from None
    defaults: dict[str, Any] = {}
    for statement in tree.body:
        try:
            name, value = _assignment(statement)
        except (TypeError, ValueError, RecursionError):
            line = ast.unparse(statement)
            raise InputError(
                f"the parameters cell of {notebook.name}", line, "NAME = a scalar or a list"
            ) from None
        defaults[name] = value
    return defaults


def accepted_parameters(notebook: Path) -> dict[str, Any]:
    """What can be given to a notebook: its own names and defaults, then the checked set's.

    A notebook that picks its `Parameters` out of its names takes the fields that it does not
    state itself; a page of the book only those that play a part on it, by `book/pages.yml`.

    Raises:
        InputError: as for :func:`parameters_of`.
    """
    own = parameters_of(notebook)
    if "Parameters.from_names(" not in notebook.read_text(encoding="utf-8"):
        return own
    from ctho.simulation.parameters import Parameters  # brings pandas, which only these need

    declared = notebook.resolve().parent.parent / DECLARATIONS
    pages = load_pages(declared) if declared.is_file() else {}
    fields = Parameters().as_dict()
    taken = pages[notebook.stem].fields if notebook.stem in pages else tuple(fields)
    return own | {name: fields[name] for name in taken if name not in own}


def check_values(values: Mapping[str, Any]) -> None:
    """Refuse values that no `Parameters` has, bounds and contradictions among them.

    Raises:
        InputError: the first that is out of bounds.
    """
    from ctho.simulation.parameters import Parameters

    Parameters.from_names(values)


def parameters_cell(notebook: Path) -> str:
    """The source of the cell tagged `parameters`.

    Raises:
        InputError: no such file, not a notebook, or no cell with the tag.
    """
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        for cell in cells:
            if "parameters" in cell.get("metadata", {}).get("tags", []):
                return "".join(cell["source"])
    except OSError:
        raise InputError("NOTEBOOK", str(notebook), "a file that can be read") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise InputError("NOTEBOOK", str(notebook), "a Jupyter notebook (format 4)") from None
    raise InputError("NOTEBOOK", str(notebook), "one with a cell tagged 'parameters'")


def given_parameters(
    defaults: Mapping[str, Any], given: Iterable[tuple[str, str]]
) -> dict[str, Any]:
    """The given (name, text) pairs as values of the same kind as the defaults.

    A text is read as JSON (a number, true, false, a list, a quoted string), else taken as it is.
    Which numbers a parameter can be, whole ones alone for example, is for the page to check.

    Raises:
        InputError: a name that is not a parameter or is given twice, or a value of another kind
            than the default.

    >>> given_parameters({"num_ues": 4, "points": [1.0]}, [("num_ues", "6"), ("points", "[2, 3]")])
    {'num_ues': 6, 'points': [2.0, 3.0]}
    """
    values: dict[str, Any] = {}
    for name, text in given:
        check_choice("a parameter's name", name, defaults)
        if name in values:
            raise InputError("a parameter's name", name, "given once")
        values[name] = _of_same_kind(name, _parsed(text, defaults[name]), defaults[name])
    return values


def _assignment(statement: ast.stmt) -> tuple[str, Any]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, _scalar_or_list(ast.literal_eval(value))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return name, _scalar_or_list(ast.literal_eval(value))
    raise ValueError


def _scalar_or_list(value: Any) -> Any:
    for item in value if isinstance(value, list) else [value]:
        if item is not None and type(item) not in _KINDS:
            raise ValueError
    return value


def _parsed(text: str, default: Any) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    # A text that happens to look like a number, say a model called 7, stays a text.
    return text if isinstance(default, str) and not isinstance(value, str) else value


def _of_same_kind(name: str, value: Any, default: Any) -> Any:
    if isinstance(default, list):
        return _list_of_same_kind(name, value, default)
    if default is None:
        return value
    kind = type(default)
    if kind in (int, float):
        return _number(name, value, kind)
    if type(value) is not kind:
        raise InputError(name, value, _KINDS[kind])
    return value


def _list_of_same_kind(name: str, value: Any, default: list[Any]) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(name, value, "a list, such as [1, 2]")
    if not default:
        return value
    if not value:
        raise InputError(name, value, "a list with at least one entry, such as [1, 2]")
    # One entry with decimals makes a list of such numbers, wherever it stands.
    entry = next((item for item in default if isinstance(item, float)), default[0])
    return [_of_same_kind(f"{name}[{i}]", item, entry) for i, item in enumerate(value)]


def _number(name: str, value: Any, kind: type) -> int | float:
    """One form for each number, so that 6 and 6.0 are the same run."""
    number = check_number(name, value)
    return int(value) if kind is int and number.is_integer() else number
