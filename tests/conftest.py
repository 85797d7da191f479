"""No property fails for being slow, and pages are rendered once for all tests that read them.

The same examples are tried in every run, so that a test that passed for one reader passes for the
next.
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

from tests.rendering import Page, render, unchanged

settings.register_profile("ctho", deadline=None, derandomize=True)
settings.load_profile("ctho")


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Page]:
    """`page(name, **parameters)`: a notebook as text, executed once for each set of parameters."""
    rendered: dict[Any, Page] = {}

    def rendered_page(name: str, **parameters: Any) -> Page:
        key = (name, unchanged(parameters))
        if key not in rendered:
            rendered[key] = render(name, tmp_path_factory.mktemp(name), **parameters)
        return rendered[key]

    return rendered_page
