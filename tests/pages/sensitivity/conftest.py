"""The page on shadow prices under each set of parameters."""

import pytest

from tests.pages.sensitivity.by_hand import SETS


@pytest.fixture(params=SETS, ids=str)
def given(request):
    return SETS[request.param]


@pytest.fixture
def shown(page, given):
    return page("sensitivity", **given)
