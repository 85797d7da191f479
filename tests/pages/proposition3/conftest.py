"""The page on Proposition 3 under each set of parameters, and its instance by hand."""

import pytest

from tests.pages.proposition3.by_hand import SETS, One


@pytest.fixture(params=SETS, ids=str)
def given(request):
    return SETS[request.param]


@pytest.fixture
def shown(page, given):
    return page("proposition3", **given)


@pytest.fixture
def one(given):
    return One(**given)
