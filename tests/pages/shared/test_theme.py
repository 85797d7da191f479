"""The recorded style sheet is seaborn's theme with our own settings."""

import matplotlib as mpl
import matplotlib.colors
import pytest

from ctho.pages.shared.theme import STYLE_SHEET, sheet, theme_of_seaborn, use_theme


@pytest.fixture(autouse=True)
def defaults_afterwards():
    yield
    mpl.rcdefaults()


def test_the_sheet_is_up_to_date():
    assert STYLE_SHEET.read_text() == sheet(theme_of_seaborn())


def test_the_sheet_sets_what_seaborn_sets():
    expected = theme_of_seaborn()
    mpl.rcdefaults()
    use_theme()
    for name, value in expected.items():
        found = mpl.rcParams[name]
        if "color" in name and matplotlib.colors.is_color_like(value):
            assert matplotlib.colors.to_rgba(found) == matplotlib.colors.to_rgba(value), name
        else:
            assert list(found) == list(value) if isinstance(value, tuple) else found == value, name


def test_what_was_set_before_does_not_show():
    mpl.rcParams["lines.linewidth"] = 99
    mpl.rcParams["axes.grid.which"] = "minor"
    use_theme()
    assert mpl.rcParams["lines.linewidth"] == 1.8
    assert mpl.rcParams["axes.grid.which"] == "major"
