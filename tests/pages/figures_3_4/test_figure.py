import numpy as np
import pandas as pd

from ctho.pages.figures_3_4.figure import sweep_figure

TABLE = pd.DataFrame(
    {
        "x": [1.0, 1.0, 2.0, 2.0],
        "scheme": ["ctHO", "cHO"] * 2,
        "mean": [0.2, 0.9, 0.1, 0.5],
        "ci_low": [0.1, 0.8, 0.05, 0.4],
        "ci_high": [0.3, 1.0, 0.15, 0.6],
    }
)


def test_the_lines_are_the_means():
    axes = sweep_figure(TABLE, "x", "y").axes[0]
    lines = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
    np.testing.assert_array_equal(lines["ctHO"], [0.2, 0.1])
    np.testing.assert_array_equal(lines["cHO"], [0.9, 0.5])
