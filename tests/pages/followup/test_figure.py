import matplotlib.pyplot as plt
import pytest

from ctho.pages.followup.figure import followup_figure
from ctho.pages.followup.followup import affine_fit, measurements, parallel_law, predictions


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_the_follow_up_has_a_point_for_each_measurement():
    data = measurements()
    tables = {"line": predictions(data, affine_fit(data.context_tok, data.recomputation_s))}
    law = parallel_law(data)
    left, right = followup_figure(tables, law).axes
    assert [len(line.get_xdata()) for line in left.lines[:2]] == [3, 3]
    assert len(right.get_yticks()) == len(law)
