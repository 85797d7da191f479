"""Numbers as they are written on a command line."""

from __future__ import annotations

import math
import re
from typing import Any

__all__ = ["as_number"]

_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def as_number(given: Any) -> Any:
    """The number that `given` writes in ASCII digits; what is none stays as written.

    A check then refuses it and shows what was written: ``1_000``, ``nan``, or a number that no
    float holds. What is not text is returned as it is.

    >>> as_number("3072"), as_number("4.5"), as_number("1_000"), as_number("1e400")
    (3072, 4.5, '1_000', '1e400')
    """
    if not isinstance(given, str):
        return given
    if _WHOLE.fullmatch(given):
        try:
            return int(given)
        except ValueError:  # Python converts no integer of thousands of digits
            return given
    if _DECIMAL.fullmatch(given) and math.isfinite(float(given)):
        return float(given)
    return given
