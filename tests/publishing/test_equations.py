"""Every equation of the paper is computed and derived somewhere, and the page says where."""

from __future__ import annotations

from pathlib import Path

import pytest

import ctho
from ctho.publishing.equations import EQUATIONS, computed_by, derived_on, equation_table, named_in
from ctho.publishing.pages import DECLARATIONS, load_pages, short_title

ROOT = Path(__file__).parent.parent.parent
COMPUTED = computed_by(ROOT / "ctho")
DERIVED = derived_on(ROOT / "notebooks")


@pytest.mark.parametrize("number", EQUATIONS)
def test_an_equation_has_a_function_and_a_page(number: int) -> None:
    assert COMPUTED[number]
    assert DERIVED[number]


@pytest.mark.parametrize(
    ("number", "name", "page"),
    [
        (3, "transferred_tok", "system_model"),
        (4, "backhaul_tok_per_s", "system_model"),
        (12, "Solution", "proposition1"),
        (18, "printed_transfer_bound_s", "proposition2"),
        (22, "affine_crossing", "proposition3"),
        (23, "rate_schedule", "rate_schedule"),
        (15, "solve", "proposition1"),
        (27, "CHO", "system_model"),
        (30, "total_delay_s", "fig4"),
    ],
)
def test_where_one_would_look(number: int, name: str, page: str) -> None:
    assert name in {each.name for each in COMPUTED[number]}
    assert page in DERIVED[number]


def test_what_is_named_exists() -> None:
    for found in COMPUTED.values():
        for each in found:
            module = __import__(each.module, fromlist=["x"])
            for part in each.name.split("."):
                module = getattr(module, part)
    assert ctho.solve.__doc__ is not None


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Eq. (5)", {5}),
        ("Eqs. (28) and (29), 30 users", {28, 29}),
        ("Eqs. (2), (3) and (5)", {2, 3, 5}),
        ("Eqs. 23 to 25", {23, 24, 25}),
        ("(7) and Proposition 2", set()),
        ("Eq. (18*)", {18}),
    ],
)
def test_numbers_are_read(text: str, numbers: set[int]) -> None:
    assert named_in(text) == numbers


def test_the_table_has_a_row_for_each() -> None:
    titles = {
        name: short_title(ROOT / "notebooks" / f"{name}.ipynb")
        for name in load_pages(ROOT / DECLARATIONS)
    }
    rows = equation_table(ROOT / "ctho", ROOT / "notebooks", titles).splitlines()[2:]
    assert [row.split("|")[1].strip() for row in rows] == [f"({number})" for number in EQUATIONS]
    assert "[Proposition 2](notebooks/proposition2)" in rows[17]
    assert "{py:obj}`printed_transfer_bound_s <ctho.backhaul.printed_transfer_bound_s>`" in rows[17]
