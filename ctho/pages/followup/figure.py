"""The follow-up's measurements beside the model."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ctho.pages.shared.theme import SCHEME_STYLES, use_theme

__all__ = ["followup_figure"]

CURVE_MARKERS = ("o", "D", "v", "P")


def followup_figure(tables: Mapping[str, pd.DataFrame], law: pd.DataFrame) -> Figure:
    """Errors of the predictions, and the saving of ctHO over recomputation in all cases.

    Args:
        tables: :func:`ctho.pages.followup.followup.predictions` by the name of the prefill curve.
        law: :func:`ctho.pages.followup.followup.parallel_law`.
    """
    use_theme()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.2))
    first = next(iter(tables.values()))
    contexts = sorted(first["context_tok"].unique())
    places = np.arange(len(contexts))
    copy = first[first["quantity"] == "full copy"]
    style = SCHEME_STYLES["cHO"]
    left.plot(
        places - 0.2,
        copy["error_percent"],
        style.marker,
        color=style.colour,
        label="full copy (cHO)",
    )
    for i, (name, table) in enumerate(tables.items()):
        own = table[table["quantity"] == "ctHO"]
        left.plot(
            places + 0.2 * i,
            own["error_percent"],
            CURVE_MARKERS[i % len(CURVE_MARKERS)],
            color=SCHEME_STYLES["ctHO"].colour,
            markerfacecolor="white" if i else SCHEME_STYLES["ctHO"].colour,
            label=f"ctHO, prefill: {name}",
        )
    left.axhline(0, color="black", linewidth=0.8)
    left.set_xticks(places, [f"{context:,.0f}" for context in contexts])
    left.set(xlabel="Context (tokens)", ylabel="Predicted over measured, less one (%)")
    left.margins(x=0.2, y=0.15)
    left.legend(fontsize="small")

    rows = np.arange(len(law))[::-1]
    measured = 100 * (1 - law["measured_s"] / law["recomputation_s"])
    expected = 100 * (1 - law["predicted_s"] / law["recomputation_s"])
    right.hlines(rows, measured, expected, color="#999999", linewidth=1)
    right.plot(measured, rows, "o", color=SCHEME_STYLES["ctHO"].colour, label="measured")
    right.plot(
        expected, rows, "o", markerfacecolor="white", color="black", label="law, no parameter"
    )
    right.set_yticks(rows, law["case"])
    right.set(xlabel="Saving of ctHO over recomputation (%)", xlim=(0, None))
    right.legend(fontsize="small")
    return figure
