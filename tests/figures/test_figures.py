"""Figures draw what the tables hold, in the same bytes every time."""

import numpy as np
import pandas as pd
import pytest

from ctho import delay_at_length, solve
from ctho.figures import SCHEME_STYLES, save
from ctho.figures.crossing import crossing_figure
from ctho.figures.sweep import sweep_figure
from ctho.figures.timeline import timeline_figure
from ctho.solver import SCHEMES
from ctho.study import Parameters
from ctho.study.simulate import NO_HANDOVER
from ctho.study.timeline import delay_curves, one_handover, timeline_bars, timeline_users

TABLE = pd.DataFrame(
    {
        "x": [1.0, 1.0, 2.0, 2.0],
        "scheme": ["ctHO", "cHO"] * 2,
        "mean": [0.2, 0.9, 0.1, 0.5],
        "ci_low": [0.1, 0.8, 0.05, 0.4],
        "ci_high": [0.3, 1.0, 0.15, 0.6],
    }
)


def draw_timeline():
    best = solve(one_handover(Parameters()))
    return timeline_figure(timeline_users(best), timeline_bars(best), 20.0, 150.0)


def draw_crossing():
    h = one_handover(Parameters())
    best = solve(h)
    return crossing_figure(
        delay_curves(h),
        float(best.prefill_length_tok),
        float(best.delay_s),
        float(delay_at_length(h, 0).delay_s),
    )


DRAWINGS = {
    "sweep": lambda: sweep_figure(TABLE, "x", "y"),
    "timeline": draw_timeline,
    "crossing": draw_crossing,
}


def test_every_scheme_has_a_style_of_its_own():
    assert set(SCHEME_STYLES) == {*SCHEMES, NO_HANDOVER}
    for part in ("colour", "marker", "dashes"):
        assert len({getattr(style, part) for style in SCHEME_STYLES.values()}) == len(SCHEME_STYLES)


def test_the_lines_are_the_means():
    axes = DRAWINGS["sweep"]().axes[0]
    lines = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
    np.testing.assert_array_equal(lines["ctHO"], [0.2, 0.1])
    np.testing.assert_array_equal(lines["cHO"], [0.9, 0.5])


@pytest.mark.parametrize("name", DRAWINGS)
def test_two_drawings_are_the_same_bytes(name, tmp_path, monkeypatch):
    contents = []
    for run in ("one", "two"):
        monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path / run))
        svg = save(DRAWINGS[name](), name)
        contents.append({file.name: file.read_bytes() for file in svg.parent.iterdir()})
    assert contents[0] == contents[1]
    assert {file.rsplit(".")[-1] for file in contents[0]} == {"svg", "pdf", "png"}
