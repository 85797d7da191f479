"""The paper's prefill delay model, p(L) = a L + b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import check_number


@dataclass(frozen=True)
class AffinePrefill:
    """Batch prefill delay p(L) = a L + b, the same for every batch size (Section IV-A).

    Attributes:
        prefill_s_per_tok: a >= 0, seconds per token of the common length L.
        prefill_offset_s: b >= 0, seconds per batch.

    Raises:
        InputError: a or b is negative or not a finite number.

    >>> float(AffinePrefill().delay_s(3072, num_ues=4))
    0.291988224
    """

    prefill_s_per_tok: float = 9.4267e-5
    prefill_offset_s: float = 2.4e-3

    def __post_init__(self) -> None:
        for name in ("prefill_s_per_tok", "prefill_offset_s"):
            object.__setattr__(self, name, check_number(name, getattr(self, name), at_least=0))

    def delay_s(self, length_tok: ArrayLike, num_ues: int) -> NDArray[np.float64]:
        """p(L) in seconds for L > 0, elementwise; `num_ues` plays no part."""
        return self.prefill_s_per_tok * np.asarray(length_tok, float) + self.prefill_offset_s

    def affine(self, num_ues: int) -> tuple[float, float]:
        """(a, b)."""
        return self.prefill_s_per_tok, self.prefill_offset_s
