"""What the solver asks of a prefill delay model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Coefficient = float | NDArray[np.float64]
"""One number for all instances of a batch, or one for each, `[...]`."""


@dataclass(frozen=True)
class PrefillKind:
    """A prefill model as an instance file and a parameter set write it.

    Attributes:
        name: what they call it.
        build: makes the model from the values by key.
        required: keys that must be given.
        optional: keys that may be.
    """

    name: str
    build: Callable[..., PrefillModel]
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """All its keys."""
        return self.required + self.optional


@runtime_checkable
class PrefillModel(Protocol):
    """The batch prefill delay p(L) of Eq. (9), for a batch of `num_ues` contexts.

    A model must be non-decreasing in L with p(L) >= 0 for L > 0. It need not be
    affine; one that is says so through :meth:`affine`, and the solver then finds
    the crossing of Proposition 3 exactly instead of by a root finder.
    """

    def delay_s(self, length_tok: ArrayLike, num_ues: int) -> NDArray[np.float64]:
        """p(L) in seconds, elementwise over `length_tok[...]`, for L > 0."""
        ...

    def affine(self, num_ues: int) -> tuple[Coefficient, Coefficient] | None:
        """(a, b) of p(L) = a L + b in s/token and s, or None if p is not affine in L."""
        ...
