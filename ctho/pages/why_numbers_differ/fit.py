"""Fit every change, alone and in pairs, to all printed numbers together."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.optimize import least_squares

from ctho.checks import check_integer
from ctho.pages.why_numbers_differ.changes import CHANGES, Change, together
from ctho.pages.why_numbers_differ.delays import Draws
from ctho.pages.why_numbers_differ.targets import Target, predictions, targets
from ctho.pages.why_numbers_differ.worlds import Worlds
from ctho.simulation.parameters import Parameters

__all__ = ["Fit", "Search", "combinations", "fit_all"]

Array = NDArray[np.float64]

LARGEST_K = 12

STEP = 0.004
"""Share of its range that a number is moved by for a slope."""


@dataclass(frozen=True)
class Fit:
    """What a set of changes makes of the printed numbers at its best.

    Attributes:
        changes: none for the null hypothesis.
        numbers: the fitted values of their free numbers.
        predicted: of each printed number.
        residuals: (predicted - printed) / scale.
    """

    changes: tuple[Change, ...]
    numbers: tuple[float, ...]
    predicted: Array
    residuals: Array

    @property
    def misfit(self) -> float:
        """Sum of the squared residuals."""
        return float((self.residuals**2).sum())

    @property
    def score(self) -> float:
        """Misfit plus ln n for each change, n the printed numbers (as in Schwarz's criterion)."""
        return self.misfit + len(self.changes) * float(np.log(self.residuals.size))

    @property
    def met(self) -> int:
        """How many printed numbers are met within their scale."""
        return int((np.abs(self.residuals) <= 1).sum())


@dataclass(frozen=True)
class Search:
    """How finely the hypotheses are simulated.

    Attributes:
        parameters: the printed ones.
        coarse: draws for the surfaces over the free numbers.
        fine: draws for the misfit at the optimum.
        scale: of each residual: rounding tolerance and Monte Carlo error, added in squares.
    """

    parameters: Parameters
    coarse: Draws
    fine: Draws
    scale: Array

    @classmethod
    def of(cls, parameters: Parameters, coarse: int, fine: int) -> Search:
        """With so many coarse and fine realisations.

        Raises:
            InputError: `coarse` is not a whole number of at least 2.
        """
        coarse = check_integer("coarse_realisations", coarse, at_least=2)
        tolerance = np.array([target.tolerance for target in targets()])
        return cls(
            parameters,
            Draws.of(coarse, LARGEST_K, parameters.seed),
            Draws.of(fine, LARGEST_K, parameters.seed),
            np.hypot(tolerance, _error(parameters, fine)),
        )

    @property
    def targets(self) -> tuple[Target, ...]:
        """The printed numbers."""
        return targets()

    @property
    def null(self) -> Worlds:
        """The printed parameters, read by default."""
        return Worlds.printed(self.parameters)


PARTS = 8


def _error(parameters: Parameters, realisations: int) -> Array:
    """Monte Carlo error of the predictions, from independent parts of the size of an eighth."""
    parts = [
        predictions(Worlds.printed(parameters), Draws.of(realisations // PARTS, LARGEST_K, part))[0]
        for part in range(PARTS)
    ]
    return np.asarray(np.std(parts, axis=0, ddof=1) / np.sqrt(PARTS))


def combinations(most: int = 2) -> list[tuple[Change, ...]]:
    """No change, each alone, and sets of up to `most` that do not exclude each other."""
    return [
        chosen
        for count in range(most + 1)
        for chosen in itertools.combinations(CHANGES, count)
        if len({change.group for change in chosen}) == count
    ]


def fit_all(search: Search, hypotheses: Sequence[tuple[Change, ...]] | None = None) -> list[Fit]:
    """Fit hypotheses by least squares, the best score first.

    Each is simulated on a grid of its free numbers with the coarse draws. Splines through the
    grid give a smooth surface for each printed number, on which SciPy's least squares run from
    the best node. There the misfit is simulated with the fine draws, and improved by one
    Gauss-Newton step where that lowers it.

    Args:
        search: parameters and draws.
        hypotheses: sets of changes with at most two free numbers; all of them by default.
    """
    chosen = combinations() if hypotheses is None else hypotheses
    grids = [[change.grid for change in changes if change.free] for changes in chosen]
    nodes = [list(itertools.product(*grid)) for grid in grids]
    worlds = Worlds.joined(
        [
            together(changes, search.null, points)
            for changes, points in zip(chosen, nodes, strict=True)
        ]
    )
    # What the coarse draws get wrong of the null they get wrong of its neighbours.
    null_fine, null_coarse = (
        predictions(search.null, draws) for draws in (search.fine, search.coarse)
    )
    simulated = predictions(worlds, search.coarse) + (null_fine - null_coarse)
    surfaces = np.split(simulated, np.cumsum([len(points) for points in nodes])[:-1])
    # A spline may promise more between nodes than there is, so the best node stays a candidate;
    # a step with the fine draws makes up for what the coarse ones and the spline get wrong.
    candidates = [
        _optimum(grid, np.array(points, float), surface, search.scale)
        for grid, points, surface in zip(grids, nodes, surfaces, strict=True)
    ]
    fits = [_fits(search, chosen, [pair[which] for pair in candidates]) for which in (0, 1)]
    best = [min(pair, key=_misfit) for pair in zip(*fits, strict=True)]
    stepped = _fits(search, chosen, _gauss_newton(search, best))
    best = [min(pair, key=_misfit) for pair in zip(best, stepped, strict=True)]
    return sorted(best, key=lambda fit: fit.score)


def _misfit(fit: Fit) -> float:
    return fit.misfit


def _gauss_newton(search: Search, fits: Sequence[Fit]) -> list[tuple[float, ...]]:
    """The numbers of each fit after one Gauss-Newton step with the fine draws, in its bounds."""
    bounds = [
        np.array([(change.grid[0], change.grid[-1]) for change in fit.changes if change.free])
        for fit in fits
    ]
    beside = [
        [_moved(fit.numbers, ends, axis) for axis in range(len(fit.numbers))]
        for fit, ends in zip(fits, bounds, strict=True)
    ]
    worlds = [
        together(fit.changes, search.null, numbers)
        for fit, points in zip(fits, beside, strict=True)
        for numbers in points
    ]
    if not worlds:
        return [fit.numbers for fit in fits]
    moved = predictions(Worlds.joined(worlds), search.fine)
    steps = iter((moved - _printed()) / search.scale)
    numbers = []
    for fit, ends, points in zip(fits, bounds, beside, strict=True):
        found = np.array(fit.numbers, float)
        if points:
            width = np.array([point[axis] - found[axis] for axis, point in enumerate(points)])
            jacobian = np.stack([next(steps) - fit.residuals for _ in points], axis=1) / width
            found = found - np.linalg.lstsq(jacobian, fit.residuals)[0]
            found = np.clip(found, ends[:, 0], ends[:, 1])
        numbers.append(tuple(found.tolist()))
    return numbers


def _moved(numbers: tuple[float, ...], ends: Array, axis: int) -> tuple[float, ...]:
    """Numbers with one moved by a small share of its range, towards the middle of it."""
    moved = np.array(numbers, float)
    low, high = ends[axis]
    inward = 1 if moved[axis] < (low + high) / 2 else -1
    moved[axis] += inward * STEP * (high - low)
    return tuple(moved.tolist())


def _fits(
    search: Search, chosen: Sequence[tuple[Change, ...]], numbers: Sequence[tuple[float, ...]]
) -> list[Fit]:
    """Hypotheses at given numbers, simulated with the fine draws."""
    worlds = Worlds.joined(
        [
            together(changes, search.null, values)
            for changes, values in zip(chosen, numbers, strict=True)
        ]
    )
    return [
        Fit(changes, values, predicted, (predicted - _printed()) / search.scale)
        for changes, values, predicted in zip(
            chosen, numbers, predictions(worlds, search.fine), strict=True
        )
    ]


def _printed() -> Array:
    return np.array([target.value for target in targets()])


def _optimum(
    grid: list[tuple[float, ...]], nodes: Array, surface: Array, scale: Array
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The free numbers of the least misfit: on splines through the surface, and at its nodes.

    Args:
        grid: the axes.
        nodes: their product, `[nodes, axes]`.
        surface: predictions, `[nodes, targets]`.
        scale: of the residuals, `[targets]`.
    """
    if not grid:
        return (), ()
    start = nodes[(((surface - _printed()) / scale) ** 2).sum(axis=1).argmin()]
    smooth = _interpolated(grid, surface)
    low, high = nodes.min(axis=0), nodes.max(axis=0)

    def residuals(unit: Array) -> Array:
        return np.asarray((smooth(low + (high - low) * unit) - _printed()) / scale)

    found = least_squares(
        residuals,
        np.clip((start - low) / (high - low), 1e-3, 1 - 1e-3),
        bounds=(0, 1),
        xtol=1e-6,
    )
    return tuple((low + (high - low) * found.x).tolist()), tuple(start.tolist())


def _interpolated(grid: list[tuple[float, ...]], surface: Array) -> Callable[[Array], Array]:
    """A cubic spline along each axis, [axes] -> [targets]."""
    values = surface.reshape(*(len(axis) for axis in grid), -1)
    weights = [_cardinal_spline(axis) for axis in grid]

    def at(point: Array) -> Array:
        found = values
        for weight, number in zip(weights, point, strict=True):
            found = np.tensordot(weight(number), found, axes=1)
        return found

    return at


@cache
def _cardinal_spline(axis: tuple[float, ...]) -> CubicSpline:
    """What each node of an axis counts for at a point between: a spline is linear in its values."""
    return CubicSpline(axis, np.eye(len(axis)))
