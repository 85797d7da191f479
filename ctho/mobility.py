"""The line network: where users are, and when they cross the cell boundary (Section IV-A)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import InputError, check_array, check_number

__all__ = ["handover_time_s", "position_m"]

Array = NDArray[np.float64]


def position_m(start_m: ArrayLike, speed_mps: float, time_s: ArrayLike) -> Array:
    """Position on the line, x_i(t) = x_i(0) + v t, metres, elementwise.

    >>> float(position_m(120, 20, 1.5))
    150.0
    """
    return np.asarray(start_m, float) + speed_mps * np.asarray(time_s, float)


def handover_time_s(start_m: ArrayLike, speed_mps: float, boundary_m: float) -> Array:
    """When each user crosses the boundary, tau_i = (x_b - x_i(0)) / v.

    Args:
        start_m: x_i(0), metres, `[..., K]`, at or before the boundary.
        speed_mps: v > 0, metres per second.
        boundary_m: x_b, metres.

    Returns:
        tau_i >= 0, seconds, `[..., K]`.

    Raises:
        InputError: a user starts beyond the boundary, or the speed is not above 0.

    >>> handover_time_s([120.0, 130.0], 20, 150)
    array([1.5, 1. ])
    """
    speed = check_number("speed_mps", speed_mps, above=0)
    boundary = check_number("boundary_m", boundary_m)
    start = check_array("start_m", start_m)
    if (start > boundary).any():
        raise InputError("start_m", float(start.max()), f"at most boundary_m, {boundary:g}")
    return (boundary - start) / speed
