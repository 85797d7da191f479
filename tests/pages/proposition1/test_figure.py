import numpy as np

from ctho import AffinePrefill, Handover, solve
from ctho.pages.proposition1.figure import joint_figure
from ctho.pages.proposition1.joint import delays_by_order


def words_in(figure):
    axes = [text.get_text() for each in figure.axes for text in each.texts]
    return " ".join([*axes, *(each.get_title(loc="left") for each in figure.axes)])


def test_the_value_function_lies_below_every_order():
    h = Handover([1.0, 1.1, 1.25], [3000, 1200, 4500], 9809.0, AffinePrefill())
    best = solve(h)
    table = delays_by_order(h)
    wide = table.pivot_table(index="prefill_length_tok", columns="order", values="delay_s")
    value = wide.pop("value function")
    assert (wide.to_numpy() >= value.to_numpy()[:, np.newaxis] - 1e-12).all()
    assert value.min() >= float(best.delay_s) - 1e-12
    figure = joint_figure(table, float(best.prefill_length_tok), float(best.delay_s))
    assert f"{float(best.delay_s):.4g} s" in words_in(figure)
