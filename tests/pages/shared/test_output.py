"""A figure is written in three formats, the same bytes in every run."""

import matplotlib.pyplot as plt
import pytest

from ctho.pages.shared import save
from ctho.pages.shared.theme import use_theme


@pytest.fixture
def drawing(tmp_path, monkeypatch):
    """A new drawing, with what gets ids of its own in an SVG, saved in a folder of its own."""

    def draw(run):
        monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path / run))
        use_theme()
        figure, axes = plt.subplots(figsize=(2, 2))
        axes.barh(0, 1, hatch="///")
        axes.fill_between([0, 1], [0, 1], [1, 2], alpha=0.25)
        return save(figure, "drawing")

    yield draw
    plt.rcdefaults()


def test_two_runs_write_the_same_bytes_in_three_formats(drawing):
    open_before = plt.get_fignums()
    one, two = (drawing(run).parent for run in ("one", "two"))
    assert {file.name for file in one.iterdir()} == {f"drawing.{s}" for s in ("svg", "pdf", "png")}
    for file in one.iterdir():
        assert file.read_bytes() == (two / file.name).read_bytes()
    assert plt.get_fignums() == open_before
