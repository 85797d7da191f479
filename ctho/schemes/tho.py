"""tHO: every cache is rebuilt by prefill."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ctho.checks import InputError
from ctho.handover import Handover
from ctho.schemes.base import CommonLength, SchemeStyle
from ctho.solution import Reading


class THO(CommonLength):
    """L = C_max, Eq. (26): n_i^(pf) = C_i and n_i^(tx) = 0."""

    name = "tHO"
    style = SchemeStyle("#D55E00", "s", (0, (6, 2)))

    def length_tok(self, handover: Handover, reading: Reading) -> NDArray[np.float64]:
        """The longest context of each instance, or the length that the reading pads to.

        Raises:
            InputError: the reading pads to less than the longest context.
        """
        longest = handover.longest_context_tok
        if reading.tho_length_tok is None:
            return longest
        if reading.tho_length_tok < longest.max():
            allowed = f"at least the longest context, {longest.max():g}"
            raise InputError("tho_length_tok", reading.tho_length_tok, allowed)
        return np.full(handover.batch_shape, float(reading.tho_length_tok))


SCHEME = THO()
