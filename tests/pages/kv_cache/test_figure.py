from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ctho.pages.kv_cache.figure import context_figure


def test_one_line_for_each_model() -> None:
    table = pd.DataFrame(
        {"model": ["a", "a", "b", "b"], "context_tok": [1, 10] * 2, "bytes": [1e6, 1e7, 2e6, 9e6]}
    )
    figure = context_figure(table, 5)
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    np.testing.assert_allclose(lines["a"].get_ydata(), [1, 10])
    np.testing.assert_allclose(lines["b"].get_ydata(), [2, 9])
    plt.close(figure)
