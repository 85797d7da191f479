"""The paper's prefill delay model, p(L) = a L + b."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import check_array, check_number, check_per_instance
from ctho.prefill.base import Coefficient, PrefillKind


@dataclass(frozen=True)
class AffinePrefill:
    """Batch prefill delay p(L) = a L + b, the same for every batch size (Section IV-A).

    Either number may be an array `[...]` with one value for each instance of a batch.

    Attributes:
        prefill_s_per_tok: a >= 0, seconds per token of the common length L, a scalar or `[...]`.
        prefill_offset_s: b >= 0, seconds per batch, a scalar or `[...]`.

    Raises:
        InputError: a or b is negative or not a finite number.

    >>> float(AffinePrefill().delay_s(3072, num_ues=4))
    0.291988224
    """

    prefill_s_per_tok: Coefficient = 9.4267e-5
    prefill_offset_s: Coefficient = 2.4e-3

    def __post_init__(self) -> None:
        for name in ("prefill_s_per_tok", "prefill_offset_s"):
            value: Any = getattr(self, name)
            check = check_number if np.ndim(value) == 0 else check_array
            object.__setattr__(self, name, check(name, value, at_least=0))

    def of_instances(self, batch_shape: tuple[int, ...], piece: slice) -> AffinePrefill:
        """The model of a piece of a flattened batch; itself where a and b are the same for all.

        Raises:
            InputError: a or b of a shape that does not fit the batch.
        """
        if np.ndim(self.prefill_s_per_tok) == np.ndim(self.prefill_offset_s) == 0:
            return self
        slope, offset = (
            check_per_instance(name, getattr(self, name), batch_shape).reshape(-1)[piece]
            for name in ("prefill_s_per_tok", "prefill_offset_s")
        )
        return AffinePrefill(slope, offset)

    def delay_s(self, length_tok: ArrayLike, num_ues: int) -> NDArray[np.float64]:
        """p(L) in seconds for L > 0, elementwise; `num_ues` plays no part."""
        length = np.asarray(length_tok, float)
        return np.asarray(self.prefill_s_per_tok * length + self.prefill_offset_s)

    def affine(self, num_ues: int) -> tuple[Coefficient, Coefficient]:
        """(a, b)."""
        return self.prefill_s_per_tok, self.prefill_offset_s


KIND = PrefillKind("affine", AffinePrefill, ("prefill_s_per_tok", "prefill_offset_s"))
