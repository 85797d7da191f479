"""Prefill time per token of real accelerators beside the paper's line."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ctho.pages.shared.theme import use_theme
from ctho.prefill import PrefillModel

__all__ = ["DEVICE_STYLES", "prefill_figure"]

# Apart from the colours of the schemes and of prefill and transfer.
DEVICE_STYLES = {
    "A100": ("#E69F00", "o"),
    "L40S": ("#882255", "s"),
    "H100": ("#332288", "^"),
    "H200": ("#44AA99", "D"),
}
OTHER_STYLE = ("#595959", "v")

SHORTEST_TOK = 16
"""Below this the time per token is that of reading the weights alone."""


def prefill_figure(
    curves: pd.DataFrame, limits: pd.DataFrame, line: PrefillModel, line_name: str
) -> Figure:
    """Microseconds per token of the common length, one panel for each batch size.

    Args:
        curves: :func:`ctho.pages.devices.profiles.prefill_curves`; what was scaled up beyond
            the profile has no marker.
        limits: :func:`ctho.pages.devices.limits.limits_table`, drawn dotted.
        line: p(L) = aL + b, drawn dashed.
        line_name: whose line that is, for the legend.
    """
    use_theme()
    batches = sorted(curves["contexts"].unique())
    figure, grid = plt.subplots(
        1, len(batches), figsize=(5 * len(batches), 4.4), sharey=True, squeeze=False
    )
    panels = grid[0]
    lengths = np.geomspace(SHORTEST_TOK, curves["length_tok"].max(), 200)
    for axes, batch in zip(panels, batches, strict=True):
        shown = curves[(curves["contexts"] == batch) & (curves["length_tok"] >= SHORTEST_TOK)]
        for device, own in shown.groupby("device", sort=False):
            colour, marker = DEVICE_STYLES.get(str(device), OTHER_STYLE)
            measured = own[own["measured"]]
            axes.plot(own["length_tok"], own["us_per_tok"], color=colour, linewidth=1.4)
            axes.plot(
                measured["length_tok"],
                measured["us_per_tok"],
                color=colour,
                marker=marker,
                linestyle="none",
                markersize=5,
                clip_on=False,
                label=device,
            )
            limit = limits.set_index("device").loc[device]
            bound = np.maximum(
                1e3 * limit["floor_ms"] / lengths, batch * limit["compute_us_per_tok"]
            )
            axes.plot(lengths, bound, color=colour, linewidth=0.9, linestyle=(0, (1, 1.5)))
        on_line = 1e6 * line.delay_s(lengths, int(batch)) / lengths
        label = f"{line_name}, aL + b"
        axes.plot(lengths, on_line, color="black", linestyle=(0, (6, 2)), label=label)
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="Common length L (tokens)",
            title="one context" if batch == 1 else f"{batch} contexts",
            xlim=(lengths[0], lengths[-1]),
        )
        axes.set_xticks([16, 64, 256, 1024, 4096], ["16", "64", "256", "1024", "4096"])
        axes.minorticks_off()
    panels[0].set_ylabel("p(L) / L (µs per token of L)")
    panels[0].set_yticks([10, 30, 100, 300, 1000], ["10", "30", "100", "300", "1000"])
    panels[0].minorticks_off()
    panels[-1].legend(fontsize="small")
    return figure
