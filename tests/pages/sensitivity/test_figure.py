"""The figures of the page on shadow prices draw what things are worth, in their units."""

import numpy as np
import pandas as pd
import pytest

from tests.pages.sensitivity.by_hand import OneInstance, Worth, half_width, rates_of
from tests.rendering import numbers


def line(axes, label):
    return next(line for line in axes.get_lines() if line.get_label() == label)


def upright(axes):
    """Where a line marks a rate from bottom to top."""
    return [x[0] for x, y in (line.get_data() for line in axes.get_lines()) if list(y) == [0, 1]]


def test_the_worth_over_the_rates(shown, given):
    left, right = shown.figures["sensitivity"].axes
    rates = rates_of(given)
    along = [Worth(given, gbps) for gbps in rates]
    assert left.get_ylabel() == "ms"
    assert right.get_ylabel() == "Off the mean of $D^*$ (ms)"
    for axes, label, values in (
        (left, "all, mean of $D^*$", [1e3 * worth.delay_s for worth in along]),
        (left, "link", [worth.link_ms for worth in along]),
        (left, "GPU", [worth.gpu_ms for worth in along]),
        (left, "waiting for each other", [worth.wait_ms for worth in along]),
        (right, "10 % faster link", [worth.link_10_ms for worth in along]),
        (right, "10 % faster GPU", [worth.gpu_10_ms for worth in along]),
    ):
        x, y = line(axes, label).get_data()
        assert list(x) == rates
        np.testing.assert_allclose(y, np.mean(values, axis=1), rtol=2e-3, atol=0.02)
        assert axes.get_xlabel() == "Backhaul rate $R_{bh}$ (Gbps)"
    bands = [collection.get_paths()[0].vertices for collection in right.collections]
    samples = [[worth.link_10_ms for worth in along], [worth.gpu_10_ms for worth in along]]
    for corners, of_rates in zip(bands, samples, strict=True):
        for gbps, values in zip(rates, of_rates, strict=True):
            ends = corners[corners[:, 0] == gbps][:, 1]
            assert np.ptp(ends) == pytest.approx(2 * half_width(values), rel=0.02, abs=1e-6)
    marked = upright(right)
    said = shown.cells["box"].partition("worth the same at **")[2]
    assert marked == (pytest.approx([numbers(said)[0]], abs=0.006) if said else [])


def test_one_instance_over_the_rate(shown, given):
    upper, lower = shown.figures["sensitivity_instance"].axes
    instance, gbps = OneInstance(given), given.get("backhaul_gbps", 4.5)
    assert upper.get_ylabel() == "$D^*$ (s)"
    assert (lower.get_ylabel(), lower.get_xlabel()) == (
        "worth (ms)",
        "Backhaul rate $R_{bh}$ (Gbps)",
    )
    x, delay = upper.get_lines()[0].get_data()
    assert [x[0], x[-1]] == pytest.approx([gbps / 4, 8 * gbps])
    link, gpu = (line(lower, f"1 % faster {what}").get_ydata() for what in ("link", "GPU"))
    rate, slope, offset = instance.values
    some = slice(7, None, 100)
    for i in range(x.size)[some]:
        at = np.array([rate * x[i] / gbps, slope, offset])
        assert delay[i] == pytest.approx(instance.delay_s(at))
        for drawn, better in (
            (link, at * [1 + 1e-6, 1, 1]),
            (gpu, at / [1, 1 + 1e-6, 1 + 1e-6]),
        ):
            worth_s = 0.01 * (instance.delay_s(at) - instance.delay_s(better)) / 1e-6
            assert drawn[i] == pytest.approx(1e3 * worth_s, rel=1e-3, abs=1e-4)
    assert upright(upper) == upright(lower) == [gbps]


def test_figures_and_the_table_have_their_names(shown):
    assert list(shown.figures) == ["sensitivity_instance", "sensitivity"]
    table = pd.read_csv(shown.build_dir / "results" / "sensitivity.csv")
    assert "prefill_share" in set(table["what"])
