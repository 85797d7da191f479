"""Write a figure as SVG, PDF and PNG, the same bytes in every run."""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from IPython.display import SVG, display
from matplotlib.figure import Figure

from ctho.pages.shared.results import build_dir, write_whole

__all__ = ["save", "show"]

# No file may carry the time of its making.
METADATA = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def save(figure: Figure, name: str) -> Path:
    """Write `figures/<name>.svg`, `.pdf` and `.png` of this build and close the figure.

    Returns:
        The path of the SVG.
    """
    folder = build_dir() / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    # Layout and bounding box are found once and not again for each format.
    figure.draw_without_rendering()
    with mpl.rc_context({"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
        box = figure.get_tightbbox().padded(mpl.rcParams["savefig.pad_inches"])
        for suffix, metadata in METADATA.items():
            buffer = io.BytesIO()
            figure.savefig(buffer, format=suffix, metadata=metadata, bbox_inches=box)
            write_whole(folder / f"{name}.{suffix}", buffer.getvalue())
    plt.close(figure)
    return folder / f"{name}.svg"


def show(figure: Figure, name: str) -> None:
    """Save a figure and display its SVG in the notebook."""
    display(SVG(data=save(figure, name).read_text()))
