"""Parameters of a notebook: read from its cell, replaced by checked values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from ctho.checks import InputError
from ctho.publishing.parameters import given_parameters, parameters_of

DEFAULTS: dict[str, Any] = {
    "num_ues": 4,
    "backhaul_gbps": 4.5,
    "backhaul_gbps_values": [2.0, 4.5],
    "speed_mps_values": [10, 20, 22.5],
    "num_ues_values": [2, 4],
    "handover_s": [],
    "transfer": "exact",
    "printed": False,
}


def notebook(folder: Path, source: str, tags: tuple[str, ...] = ("parameters",)) -> Path:
    cell = new_code_cell(source, id="parameters", metadata={"tags": list(tags)})
    path = folder / "page.ipynb"
    nbformat.write(new_notebook(cells=[cell]), path)
    return path


def test_scalars_and_lists_are_read(tmp_path: Path) -> None:
    source = "# The paper's.\nnum_ues = 4\nkv_bits_per_tok: int = 458_752\nspeeds_mps = [-1, 2.5]\n"
    expected = {"num_ues": 4, "kv_bits_per_tok": 458_752, "speeds_mps": [-1, 2.5]}
    assert parameters_of(notebook(tmp_path, source)) == expected


@pytest.mark.parametrize(
    "line",
    [
        "x = len([1])",
        "import os",
        "a, b = 1, 2",
        "x += 1",
        "print()",
        "x =",
        "x = {1}",
        "x = [[1]]",
        "x = " + 150 * "[" + 150 * "]",
        "x = " + 3000 * "-" + "1",
    ],
)
def test_a_cell_that_computes_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=r"parameters cell of page\.ipynb"):
        parameters_of(notebook(tmp_path, line))


def test_a_notebook_without_parameters_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tagged 'parameters'"):
        parameters_of(notebook(tmp_path, "num_ues = 4", tags=()))


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        '{"cells": [{}]}',
        '{"cells": 3}',
        '{"cells": [3]}',
        '{"cells": [{"metadata": 3}]}',
        '{"cells": [{"metadata": {"tags": 3}}]}',
        '{"cells": [{"metadata": {"tags": ["parameters"]}}]}',
        '{"cells": [{"metadata": {"tags": ["parameters"]}, "source": [3]}]}',
        100_000 * "[",
    ],
    ids=lambda content: content[:60],
)
def test_what_is_no_notebook_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "page.ipynb"
    path.write_text(content)
    with pytest.raises(InputError, match="NOTEBOOK"):
        parameters_of(path)


def test_a_missing_notebook_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a file that can be read"):
        parameters_of(tmp_path / "page.ipynb")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("num_ues", "6", 6),
        ("num_ues", "6.0", 6),
        ("backhaul_gbps", "6", 6.0),
        ("backhaul_gbps", "1e1", 10.0),
        ("backhaul_gbps_values", "[1, 2]", [1.0, 2.0]),
        ("num_ues", "4.5", 4.5),  # for the page to refuse
        ("num_ues_values", "[2.0, 3]", [2, 3]),
        ("speed_mps_values", "[2, 4.5, 10]", [2.0, 4.5, 10.0]),
        ("handover_s", "[]", []),
        ("handover_s", "[1, 1.5]", [1, 1.5]),
        ("transfer", "printed", "printed"),
        ("transfer", '"printed"', "printed"),
        ("transfer", "7", "7"),
        ("printed", "true", True),
    ],
)
def test_a_text_becomes_a_value_of_the_defaults_kind(name: str, text: str, value: Any) -> None:
    given = given_parameters(DEFAULTS, [(name, text)])
    assert given == {name: value}
    assert type(given[name]) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "allowed"),
    [
        ("num_ues", "many", "a finite number"),
        ("num_ues", "true", "a finite number"),
        ("num_ues", "[4]", "a finite number"),
        ("num_ues", "NaN", "a finite number"),
        ("num_ues", "1" + 400 * "0", "a finite number"),
        ("num_ues", 100_000 * "[", "a finite number"),
        ("num_ues_values", "[true]", "a finite number"),
        ("backhaul_gbps", "1" + 400 * "0", "a finite number"),
        ("backhaul_gbps", "NaN", "a finite number"),
        ("backhaul_gbps", "1e999", "a finite number"),
        ("backhaul_gbps", "null", "a finite number"),
        ("backhaul_gbps_values", "3", "a list"),
        ("backhaul_gbps_values", "[]", "a list"),
        ("backhaul_gbps_values", '[1, "x"]', "a finite number"),
        ("printed", "1", "true or false"),
        ("num_eus", "6", r"did you mean num_ues\?"),
    ],
)
def test_another_kind_is_refused_with_what_is_allowed(name: str, text: str, allowed: str) -> None:
    with pytest.raises(InputError, match=f"{name}.*{allowed}"):
        given_parameters(DEFAULTS, [(name, text)])


def test_a_name_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="a parameter's name is 'num_ues', but must be given once"):
        given_parameters(DEFAULTS, [("num_ues", "5"), ("num_ues", "6")])
