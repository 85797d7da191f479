import pandas as pd
import pytest

from ctho import delay_at_length, solve
from ctho.pages.figures_1_2.crossing_figure import crossing_figure
from ctho.pages.figures_3_4.figure import sweep_figure
from ctho.pages.shared import save
from ctho.pages.shared.timeline import timeline_bars, timeline_users
from ctho.pages.shared.timeline_figure import timeline_figure
from ctho.simulation import Parameters
from ctho.simulation.one_instance import delay_curves, one_handover

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


@pytest.mark.parametrize("name", DRAWINGS)
def test_two_drawings_are_the_same_bytes(name, tmp_path, monkeypatch):
    contents = []
    for run in ("one", "two"):
        monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path / run))
        svg = save(DRAWINGS[name](), name)
        contents.append({file.name: file.read_bytes() for file in svg.parent.iterdir()})
    assert contents[0] == contents[1]
    assert {file.rsplit(".")[-1] for file in contents[0]} == {"svg", "pdf", "png"}
