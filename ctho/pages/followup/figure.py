"""The follow-up's measurements beside the model."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ctho.pages.shared.theme import SCHEME_STYLES, use_theme

__all__ = ["followup_figure"]

CURVE_MARKERS = ("o", "D")


def followup_figure(tables: Mapping[str, pd.DataFrame], saved: pd.DataFrame) -> Figure:
    """Errors of the predictions, and the saving of ctHO over recomputation in all cases.

    Args:
        tables: :func:`ctho.pages.followup.predictions.predictions` by the name of the prefill
            curve, as many as there are markers.
        saved: :func:`ctho.pages.followup.predictions.savings`.
    """
    use_theme()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.2))
    by_quantity = {name: dict(list(t.groupby("quantity"))) for name, t in tables.items()}
    copy = next(iter(by_quantity.values()))["full copy"]
    places = np.arange(len(copy))
    style, colour = SCHEME_STYLES["cHO"], SCHEME_STYLES["ctHO"].colour
    left.plot(
        places - 0.2,
        copy["error_percent"],
        style.marker,
        color=style.colour,
        label="full copy (cHO)",
    )
    for i, (marker, name) in enumerate(zip(CURVE_MARKERS, tables, strict=True)):
        left.plot(
            places + 0.2 * i,
            by_quantity[name]["ctHO"]["error_percent"],
            marker,
            color=colour,
            markerfacecolor="white" if i else colour,
            label=f"ctHO, prefill: {name}",
        )
    left.axhline(0, color="black", linewidth=0.8)
    left.set_xticks(places, [f"{context:,.0f}" for context in copy["context_tok"]])
    left.set(xlabel="Context (tokens)", ylabel="Predicted over measured, less one (%)")
    left.margins(x=0.2, y=0.15)
    left.legend(fontsize="small")

    rows = np.arange(len(saved))[::-1]
    measured, expected = saved["measured_percent"], saved["predicted_percent"]
    right.hlines(rows, measured, expected, color="#999999", linewidth=1)
    right.plot(measured, rows, "o", color=colour, label="measured")
    right.plot(
        expected, rows, "o", markerfacecolor="white", color="black", label="law, no parameter"
    )
    right.set_yticks(rows, saved["case"])
    right.set(xlabel="Saving of ctHO over recomputation (%)", xlim=(0, None))
    right.legend(fontsize="small")
    return figure
