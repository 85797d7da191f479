"""Prefill delay with the attention's quadratic term, p(L) = c L^2 + a L + b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import check_number
from ctho.prefill.base import PrefillKind


@dataclass(frozen=True)
class QuadraticPrefill:
    """Batch prefill delay p(L) = c L^2 + a L + b, the same for every batch size.

    The linear layers cost a constant per token; causal attention compares each token
    with all before it, L (L + 1) / 2 pairs. With c = 0 this is the paper's affine model.

    Attributes:
        prefill_s_per_tok: a >= 0, seconds per token of the common length L.
        prefill_offset_s: b >= 0, seconds per batch.
        prefill_s_per_tok2: c >= 0, seconds per squared token.

    Raises:
        InputError: a coefficient is negative or not a finite number.

    >>> float(QuadraticPrefill(1e-4, 0.01, prefill_s_per_tok2=1e-8).delay_s(1000, 4))
    0.12
    """

    prefill_s_per_tok: float
    prefill_offset_s: float
    prefill_s_per_tok2: float

    def __post_init__(self) -> None:
        for name in ("prefill_s_per_tok", "prefill_offset_s", "prefill_s_per_tok2"):
            object.__setattr__(self, name, check_number(name, getattr(self, name), at_least=0))

    def delay_s(self, length_tok: ArrayLike, num_ues: int) -> NDArray[np.float64]:
        """p(L) in seconds for L > 0, elementwise; `num_ues` plays no part."""
        length = np.asarray(length_tok, float)
        return np.asarray(
            (self.prefill_s_per_tok2 * length + self.prefill_s_per_tok) * length
            + self.prefill_offset_s
        )

    def affine(self, num_ues: int) -> tuple[float, float] | None:
        """(a, b) if c = 0, else None."""
        return None if self.prefill_s_per_tok2 else (self.prefill_s_per_tok, self.prefill_offset_s)


KIND = PrefillKind(
    "quadratic", QuadraticPrefill, ("prefill_s_per_tok", "prefill_offset_s", "prefill_s_per_tok2")
)
