"""A processor that works in tiles: the case in which Proposition 3's two delays need not meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["TiledPrefill"]


@dataclass(frozen=True)
class TiledPrefill:
    """A prefill that works in whole tiles, p(L) = tile_s * ceil(L / tile_tok).

    Non-decreasing and continuous from the left, but not continuous.

    >>> TiledPrefill(tile_tok=1, tile_s=1.5).delay_s([0.5, 1, 1.01], 1)
    array([1.5, 1.5, 3. ])
    """

    tile_tok: float
    tile_s: float

    def delay_s(self, length_tok: ArrayLike, num_ues: int) -> NDArray[np.float64]:
        """p(L), seconds, elementwise."""
        return np.asarray(self.tile_s * np.ceil(np.asarray(length_tok, float) / self.tile_tok))

    def affine(self, num_ues: int) -> None:
        """None: a staircase is not affine."""
        return
