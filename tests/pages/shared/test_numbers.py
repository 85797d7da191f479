"""Numbers and tables in words."""

import pandas as pd
import pytest

from ctho.pages.shared.text import percent, witnesses_as_markdown


def test_checks_say_how_many_and_how_much():
    table = pd.DataFrame({"claim": ["a", "b"], "instances": [3, 3], "worst": [0.0, 2.5e-12]})
    text = witnesses_as_markdown(table)
    assert "| a | 3 | 0 |" in text
    assert "| b | 3 | 2.5e-12 |" in text


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0 %"), (0.0999, "10 %"), (0.5, "50 %"), (1, "100 %")]
)
def test_percent(share, text):
    assert percent(share) == text
