"""The box is an admonition that MyST reads, and of a kind that it knows."""

import pytest

from ctho.checks import InputError
from ctho.pages.shared import box


def test_paragraphs_stay_apart():
    lines = box("A title", "One.", "Two.", kind="tip").data.splitlines()
    assert lines == ["::::{admonition} A title", ":class: tip", "", "One.", "", "Two.", "::::"]


def test_an_unknown_kind_is_refused():
    with pytest.raises(InputError, match="kind"):
        box("A title", "One.", kind="shout")
