"""Fit every change, alone and in pairs, to all printed numbers together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline
from scipy.optimize import least_squares

from ctho.checks import check_integer
from ctho.pages.why_numbers_differ.changes import Change, hypotheses, together
from ctho.pages.why_numbers_differ.delays import Draws
from ctho.pages.why_numbers_differ.ranking import Fit
from ctho.pages.why_numbers_differ.targets import Target, predictions, targets
from ctho.pages.why_numbers_differ.worlds import Worlds
from ctho.simulation.parameters import Parameters

__all__ = ["Search", "fit_all"]

Array = NDArray[np.float64]
Numbers = tuple[float, ...]

LARGEST_K = 12

STEP = 0.004
"""Share of its range that a number is moved by for a slope."""

PARTS = 8


@dataclass(frozen=True, eq=False)
class Search:
    """What is to be met, and how finely the hypotheses are simulated.

    Attributes:
        null: the world of the printed parameters, read by default.
        targets: the printed numbers.
        coarse: draws for the surfaces over the free numbers.
        fine: draws for the misfit at the optimum.
        scale: of each residual: rounding tolerance and Monte Carlo error, added in squares.
    """

    null: Worlds
    targets: tuple[Target, ...]
    coarse: Draws
    fine: Draws
    scale: Array

    @classmethod
    def of(cls, parameters: Parameters, coarse_realisations: int) -> Search:
        """With so many coarse realisations, and those of the parameters for fine ones.

        Raises:
            InputError: fewer than 2 coarse realisations, or fewer fine ones than parts to tell
                the Monte Carlo error from.
        """
        coarse = check_integer("coarse_realisations", coarse_realisations, at_least=2)
        fine = check_integer("realisations", parameters.realisations, at_least=PARTS)
        null = Worlds.printed(parameters)
        parts = [
            predictions(null, Draws.of(fine // PARTS, LARGEST_K, part)) for part in range(PARTS)
        ]
        error = np.std(np.concatenate(parts), axis=0, ddof=1) / np.sqrt(PARTS)
        return cls(
            null,
            targets(),
            Draws.of(coarse, LARGEST_K, parameters.seed),
            Draws.of(fine, LARGEST_K, parameters.seed),
            np.hypot([target.tolerance for target in targets()], error),
        )

    def residuals(self, predicted: Array) -> Array:
        """(predicted - printed) / scale, `[..., targets]`."""
        return np.asarray((predicted - [target.value for target in self.targets]) / self.scale)

    def fits(self, chosen: Sequence[tuple[Change, ...]], numbers: Sequence[Numbers]) -> list[Fit]:
        """Hypotheses at given numbers, simulated with the fine draws."""
        predicted = predictions(self.worlds(chosen, numbers), self.fine)
        return [
            Fit(changes, values, row, self.residuals(row))
            for changes, values, row in zip(chosen, numbers, predicted, strict=True)
        ]

    def worlds(self, chosen: Sequence[tuple[Change, ...]], numbers: Sequence[ArrayLike]) -> Worlds:
        """Those of several hypotheses in turn, each at points `[n, free]`."""
        pairs = zip(chosen, numbers, strict=True)
        return Worlds.joined([together(changes, self.null, points) for changes, points in pairs])


def fit_all(search: Search, chosen: Sequence[tuple[Change, ...]] | None = None) -> list[Fit]:
    """Fit hypotheses by least squares, the best score first.

    Each is simulated on a grid of its free numbers with the coarse draws. Splines through the
    grid give a smooth surface for each printed number, on which SciPy's least squares run from
    the best node. There the misfit is simulated with the fine draws, and improved by one
    Gauss-Newton step where that lowers it.

    Args:
        search: what is to be met, and the draws.
        chosen: sets of changes with at most two free numbers; all of them by default.
    """
    chosen = hypotheses() if chosen is None else chosen
    grids = [[change.grid for change in changes if change.grid] for changes in chosen]
    nodes = [np.array(list(product(*grid)), float) for grid in grids]
    # What the coarse draws get wrong of the null they get wrong of its neighbours.
    fine, coarse = (predictions(search.null, draws) for draws in (search.fine, search.coarse))
    simulated = predictions(search.worlds(chosen, nodes), search.coarse) + (fine - coarse)
    surfaces = np.split(simulated, np.cumsum([len(points) for points in nodes])[:-1])
    # A spline may promise more between nodes than there is, so the best node stays a candidate;
    # a step with the fine draws makes up for what the coarse ones and the spline get wrong.
    candidates = [
        _optimum(search, grid, points, surface)
        for grid, points, surface in zip(grids, nodes, surfaces, strict=True)
    ]
    best = _better(*(search.fits(chosen, numbers) for numbers in zip(*candidates, strict=True)))
    best = _better(best, search.fits(chosen, _gauss_newton(search, best)))
    # Hypotheses that come to the same stand in the order in which they were chosen.
    return sorted(best, key=lambda fit: round(fit.score, 9))


def _better(first: Sequence[Fit], second: Sequence[Fit]) -> list[Fit]:
    pairs = zip(first, second, strict=True)
    return [a if a.misfit <= b.misfit else b for a, b in pairs]


def _gauss_newton(search: Search, fits: Sequence[Fit]) -> list[Numbers]:
    """The numbers of each fit after one Gauss-Newton step with the fine draws, in its bounds."""
    beside = {fit: _beside(fit) for fit in fits if fit.numbers}
    if not beside:
        return [fit.numbers for fit in fits]
    worlds = search.worlds([fit.changes for fit in beside], list(beside.values()))
    moved = iter(search.residuals(predictions(worlds, search.fine)))
    numbers = []
    for fit in fits:
        found = np.array(fit.numbers)
        if fit in beside:
            width = np.diag(beside[fit] - found)
            jacobian = np.stack([next(moved) - fit.residuals for _ in width], axis=1) / width
            step = np.linalg.lstsq(jacobian, fit.residuals)[0]
            found = np.clip(found - step, *_bounds(fit))
        numbers.append(tuple(found.tolist()))
    return numbers


def _beside(fit: Fit) -> Array:
    """Points with one number each moved by a small share of its range, to the middle of it."""
    low, high = _bounds(fit)
    found = np.array(fit.numbers)
    inward = np.where(found < (low + high) / 2, 1, -1)
    return found + np.diag(inward * STEP * (high - low))


def _bounds(fit: Fit) -> tuple[Array, Array]:
    grids = [change.grid for change in fit.changes if change.grid]
    return np.array([grid[0] for grid in grids]), np.array([grid[-1] for grid in grids])


def _optimum(
    search: Search, grid: list[Numbers], nodes: Array, surface: Array
) -> tuple[Numbers, Numbers]:
    """The free numbers of the least misfit: on splines through the surface, and at its nodes.

    Args:
        search: what is to be met.
        grid: the axes.
        nodes: their product, `[nodes, axes]`.
        surface: predictions, `[nodes, targets]`.
    """
    if not grid:
        return (), ()
    start = nodes[(search.residuals(surface) ** 2).sum(axis=1).argmin()]
    smooth = _interpolated(grid, surface)
    low, high = nodes.min(axis=0), nodes.max(axis=0)

    def residuals(unit: Array) -> Array:
        return search.residuals(smooth(low + (high - low) * unit))

    middle = np.clip((start - low) / (high - low), 1e-3, 1 - 1e-3)
    found = least_squares(residuals, middle, bounds=(0, 1), xtol=1e-6)
    return tuple((low + (high - low) * found.x).tolist()), tuple(start.tolist())


def _interpolated(grid: list[Numbers], surface: Array) -> Callable[[Array], Array]:
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
def _cardinal_spline(axis: Numbers) -> CubicSpline:
    """What each node of an axis counts for at a point between: a spline is linear in its values."""
    return CubicSpline(axis, np.eye(len(axis)))
