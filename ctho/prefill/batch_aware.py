"""Prefill delay that depends on the batch size, p(L, B)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import check_integer, check_number
from ctho.prefill.base import PrefillKind


@dataclass(frozen=True)
class BatchAwarePrefill:
    """Batch prefill delay p(L, B) = b + (a + a_B B) L + c_B B L^2 for B contexts at once.

    The paper's a is one constant whatever the batch. Here `prefill_s_per_tok` is the part that
    the batch shares (an accelerator with idle units), `prefill_s_per_tok_per_ue` the part that
    every further context adds (a processor already full), `prefill_s_per_tok2_per_ue` each
    context's attention. With a_B = c_B = 0 this is the paper's affine model.

    Attributes:
        prefill_offset_s: b >= 0, seconds per batch.
        prefill_s_per_tok: a >= 0, seconds per token of the common length.
        prefill_s_per_tok_per_ue: a_B >= 0, seconds per token and context.
        prefill_s_per_tok2_per_ue: c_B >= 0, seconds per squared token and context.

    Raises:
        InputError: a coefficient is negative or not a finite number.

    >>> model = BatchAwarePrefill(prefill_offset_s=0.01, prefill_s_per_tok_per_ue=1e-4)
    >>> [round(float(model.delay_s(1000, batch)), 9) for batch in (1, 4)]
    [0.11, 0.41]
    """

    prefill_offset_s: float = 0.0
    prefill_s_per_tok: float = 0.0
    prefill_s_per_tok_per_ue: float = 0.0
    prefill_s_per_tok2_per_ue: float = 0.0

    def __post_init__(self) -> None:
        for name in (
            "prefill_offset_s",
            "prefill_s_per_tok",
            "prefill_s_per_tok_per_ue",
            "prefill_s_per_tok2_per_ue",
        ):
            object.__setattr__(self, name, check_number(name, getattr(self, name), at_least=0))

    def delay_s(self, length_tok: ArrayLike, num_ues: int) -> NDArray[np.float64]:
        """p(L, B) in seconds for L > 0 and B = `num_ues`, elementwise over `length_tok`.

        Raises:
            InputError: `num_ues` is not a whole number of at least 1.
        """
        batch = check_integer("num_ues", num_ues, at_least=1)
        length = np.asarray(length_tok, float)
        per_token = self.prefill_s_per_tok + batch * self.prefill_s_per_tok_per_ue
        per_context = batch * self.prefill_s_per_tok2_per_ue
        return np.asarray((per_context * length + per_token) * length + self.prefill_offset_s)

    def affine(self, num_ues: int) -> tuple[float, float] | None:
        """(a + a_B B, b) if c_B = 0, else None."""
        if self.prefill_s_per_tok2_per_ue:
            return None
        batch = check_integer("num_ues", num_ues, at_least=1)
        return self.prefill_s_per_tok + batch * self.prefill_s_per_tok_per_ue, self.prefill_offset_s


KIND = PrefillKind(
    "batch_aware",
    BatchAwarePrefill,
    required=("prefill_offset_s", "prefill_s_per_tok_per_ue"),
    optional=("prefill_s_per_tok", "prefill_s_per_tok2_per_ue"),
)
