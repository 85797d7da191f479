"""Prefill delay read from measured points, p(L, B) by monotone interpolation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import InputError, check_integer, check_keys, check_number
from ctho.data_files import data_path, is_there, read_json
from ctho.prefill.base import PrefillKind

MIN_LENGTHS = 2
"""An interpolation needs two lengths at every batch size."""

POINT = ("length_tok", "num_ues", "delay_s")
"""What a measured point must say."""

ABOUT_POINT = ("runs", "body_s", "head_s", "head_runs")
"""What a recorded profile keeps of the measurement beside it."""


@dataclass(frozen=True)
class ProfilePrefill:
    """Batch prefill delay between measured points (L, B, p), never beyond them.

    Linear in L between the lengths measured at a batch size, linear in B between batch
    sizes. Below the shortest length the delay of the shortest stays: a shorter batch is not
    known to be faster. A measured dip (noise) is lifted to the running maximum over L,
    because the solver needs p non-decreasing.

    Attributes:
        points: ((length_tok, num_ues, delay_s), ...), two lengths or more for every batch size.

    Raises:
        InputError: a point is out of bounds or given twice, or a batch size has one length.

    >>> curve = ProfilePrefill(((100, 1, 0.1), (300, 1, 0.5), (100, 3, 0.3), (300, 3, 1.1)))
    >>> float(curve.delay_s(200, num_ues=2)), float(curve.delay_s(50, num_ues=1))
    (0.5, 0.1)
    """

    points: tuple[tuple[float, int, float], ...]

    def __post_init__(self) -> None:
        points = tuple(_check_point(i, point) for i, point in enumerate(self.points))
        object.__setattr__(self, "points", points)
        pairs = [(length, batch) for length, batch, _ in points]
        if len(set(pairs)) < len(pairs):
            length, batch = next(pair for pair in pairs if pairs.count(pair) > 1)
            raise InputError("points", f"{length:g} x {batch} twice", "given once each")
        for batch in self.batch_sizes or (1,):
            count = sum(size == batch for _, size in pairs)
            if count < MIN_LENGTHS:
                place = f"points of batch size {batch}"
                raise InputError(place, count, f"{MIN_LENGTHS} lengths or more")

    @property
    def batch_sizes(self) -> tuple[int, ...]:
        """The measured batch sizes, ascending."""
        return tuple(sorted({batch for _, batch, _ in self.points}))

    def longest_tok(self, num_ues: int) -> float:
        """The longest length up to which p(L, B) is known for B = `num_ues`, tokens.

        Raises:
            InputError: a batch size outside the measured ones.
        """
        return min(float(self._curves[size][0][-1]) for size, _ in self._neighbours(num_ues))

    def delay_s(self, length_tok: ArrayLike, num_ues: int) -> NDArray[np.float64]:
        """p(L, B) in seconds for L > 0 and B = `num_ues`, elementwise over `length_tok`.

        Raises:
            InputError: a length above the longest measured one, or a batch size outside
                the measured ones.
        """
        length = np.asarray(length_tok, float)
        longest = self.longest_tok(num_ues)
        if length.size and length.max() > longest:
            raise InputError(
                "length_tok",
                float(length.max()),
                f"at most {longest:g}, the longest measured for {num_ues} contexts",
            )
        parts = [w * np.interp(length, *self._curves[b]) for b, w in self._neighbours(num_ues)]
        return np.asarray(sum(parts))

    def affine(self, num_ues: int) -> tuple[float, float] | None:
        """None: a measured curve is not affine."""
        return None

    def _neighbours(self, num_ues: int) -> list[tuple[int, float]]:
        """Measured batch sizes around `num_ues`, with their weights."""
        sizes = self.batch_sizes
        batch = check_integer("num_ues", num_ues, at_least=sizes[0], at_most=sizes[-1])
        if batch in sizes:
            return [(batch, 1.0)]
        above = next(size for size in sizes if size > batch)
        below = sizes[sizes.index(above) - 1]
        weight = (batch - below) / (above - below)
        return [(below, 1 - weight), (above, weight)]

    @cached_property
    def _curves(self) -> dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Batch size -> (lengths, delays), ascending."""
        curves = {}
        for batch in self.batch_sizes:
            lengths, delays = np.array(sorted((n, p) for n, b, p in self.points if b == batch)).T
            curves[batch] = (lengths, np.maximum.accumulate(delays))
        return curves


def profile_from_file(file: Path | str) -> ProfilePrefill:
    """The curve of a profile file; a bare name is also looked up in `data/profiles`.

    Raises:
        InputError: the file is missing, not JSON, or its points are refused.
    """
    path = file
    if not is_there(file) and Path(file).name == str(file):
        recorded = data_path("profiles") / f"{str(file).removesuffix('.json')}.json"
        path = recorded if is_there(recorded) else file
    return profile_from_content(read_json(path, "prefill.file"))


def profile_from_content(content: Any) -> ProfilePrefill:
    """The curve of a profile file's content (`points` with length_tok, num_ues, delay_s).

    Raises:
        InputError: not an object with a list `points`, an empty one, or a point is refused.
    """
    points = content.get("points") if isinstance(content, Mapping) else None
    if not isinstance(points, list):
        raise InputError("profile.points", points, "a list of measured points")
    if not points:
        raise InputError("profile.points", points, "a list of measured points that is not empty")
    rows = []
    for index, point in enumerate(points):
        field = f"profile.points[{index}]"
        if not isinstance(point, Mapping):
            raise InputError(field, point, "an object with length_tok, num_ues and delay_s")
        check_keys(field, point, (*POINT, *ABOUT_POINT), required=POINT)
        rows.append(tuple(point[name] for name in POINT))
    return ProfilePrefill(tuple(rows))


def _check_point(index: int, point: Any) -> tuple[float, int, float]:
    if not isinstance(point, tuple | list) or len(point) != 3:
        raise InputError(f"points[{index}]", point, "a triple (length_tok, num_ues, delay_s)")
    return (
        check_number(f"points[{index}].length_tok", point[0], above=0),
        check_integer(f"points[{index}].num_ues", point[1], at_least=1),
        check_number(f"points[{index}].delay_s", point[2], above=0),
    )


def _from_file_or_points(**values: Any) -> ProfilePrefill:
    if ("file" in values) == ("points" in values):
        raise InputError("prefill", sorted(values), "a profile with either file or points")
    if "points" in values:
        return profile_from_content(values)
    if not isinstance(values["file"], str):
        raise InputError("file", values["file"], "the path of a profile file")
    return profile_from_file(values["file"])


KIND = PrefillKind("profile", _from_file_or_points, required=(), optional=("file", "points"))
