"""One look for all figures, whatever was set before, and one of its own for each scheme."""

import matplotlib as mpl
import pytest

from ctho.pages.shared.theme import SCHEME_STYLES, use_theme
from ctho.schemes import SCHEMES
from ctho.simulation.simulate import NO_HANDOVER


@pytest.fixture(autouse=True)
def defaults_afterwards():
    yield
    mpl.rcdefaults()


def test_the_sheet_is_set_and_what_was_set_before_does_not_show():
    mpl.rcParams["lines.linewidth"] = 99
    mpl.rcParams["axes.grid.which"] = "minor"
    use_theme()
    assert mpl.rcParams["lines.linewidth"] == 1.8
    assert mpl.rcParams["axes.grid.which"] == "major"
    assert mpl.rcParams["axes.grid"]


def test_every_scheme_has_a_style_of_its_own():
    assert set(SCHEME_STYLES) >= {*SCHEMES, NO_HANDOVER}
    for part in ("colour", "marker", "dashes"):
        assert len({getattr(style, part) for style in SCHEME_STYLES.values()}) == len(SCHEME_STYLES)
