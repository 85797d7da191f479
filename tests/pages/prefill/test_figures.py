from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ctho.pages.prefill.cost_figure import cost_figure
from ctho.pages.prefill.fit_figure import fit_figure


def test_measured_points_are_per_token_of_a_context() -> None:
    table = pd.DataFrame(
        {
            "form": ["affine"] * 2 + ["batch_aware"] * 2,
            "length_tok": [10, 20] * 2,
            "num_ues": [2, 2] * 2,
            "delay_s": [0.2, 0.4] * 2,
            "fitted_s": [0.1, 0.4, 0.2, 0.4],
            "error": [-0.5, 0.0, 0.0, 0.0],
        }
    )
    figure = fit_figure(table)
    left, right = figure.axes
    measured = next(line for line in left.get_lines() if line.get_label() == "2 contexts")
    np.testing.assert_allclose(measured.get_ydata(), [10, 10])  # ms per token
    drawn = [list(line.get_ydata()) for line in right.get_lines()]
    assert [-0.5, 0.0] in drawn
    assert [0.0, 0.0] in drawn
    plt.close(figure)


def test_the_true_model_has_no_line() -> None:
    table = pd.DataFrame(
        {
            "assumed": ["truth", "wrong"] * 2,
            "backhaul_gbps": [0.01, 0.01, 0.1, 0.1],
            "misprediction": [0, -0.5, 0, -0.1],
            "excess": [0, 0.4, 0, 0.05],
        }
    )
    figure = cost_figure(table, "truth")
    left, right = figure.axes
    labels = [line.get_label() for line in right.get_lines()]
    assert labels == ["wrong"]
    np.testing.assert_allclose(right.get_lines()[0].get_ydata(), [0.4, 0.05])
    np.testing.assert_allclose(left.get_lines()[0].get_xdata(), [10, 100])
    plt.close(figure)
