"""cHO: the whole cache crosses the link."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ctho.handover import Handover
from ctho.schemes.base import CommonLength, SchemeStyle
from ctho.solution import Reading


class CHO(CommonLength):
    """L = 0, Eq. (27): n_i^(pf) = 0 and n_i^(tx) = C_i."""

    name = "cHO"
    style = SchemeStyle("#009E73", "^", (0, (3, 1, 1, 1)))

    def length_tok(self, handover: Handover, reading: Reading) -> NDArray[np.float64]:
        """0 for every instance."""
        return np.zeros(handover.batch_shape)


SCHEME = CHO()
