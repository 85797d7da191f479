"""Claims against witnesses: one table of how far each claim is from an independent computation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctho.handover import Handover
from ctho.proofs.instances import time_scale_s

__all__ = ["gap_s", "random_length_tok", "witness_table"]

Array = NDArray[np.float64]


def witness_table(
    handovers: Sequence[Handover], deviations_s: Callable[[Handover], Mapping[str, float]]
) -> pd.DataFrame:
    """How far each claim is broken on the worst of many instances.

    Args:
        handovers: single instances.
        deviations_s: of an instance by claim (Markdown): the deviation from a witness, or by how
            much an inequality is broken (0 or less if it holds), seconds.

    Returns:
        One row a claim: claim, instances, worst (the largest deviation, in shares of the
        instance's own time scale).
    """
    worst: dict[str, list[float]] = {}
    for handover in handovers:
        scale = float(time_scale_s(handover))
        for claim, seconds in deviations_s(handover).items():
            worst.setdefault(claim, []).append(max(float(seconds), 0.0) / scale)
    rows = [(claim, len(values), max(values)) for claim, values in worst.items()]
    return pd.DataFrame(rows, columns=["claim", "instances", "worst"])


def random_length_tok(h: Handover, rng: np.random.Generator) -> float:
    """A length where somebody still sends; 0 for one instance in three."""
    return 0.0 if rng.random() < 1 / 3 else 0.99 * float(h.longest_context_tok) * rng.random()


def gap_s(found: Array | float, reference: Array | float) -> float:
    """The largest difference of two results, elementwise."""
    return float(np.abs(np.asarray(found) - np.asarray(reference)).max())
