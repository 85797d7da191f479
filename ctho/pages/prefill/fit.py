"""Fits of p(L, B) to measured points: which form holds, and how far off it is at worst.

A form is a sum of terms with coefficients that must not be negative, so that the fit is a
prefill model (non-decreasing, p >= 0). It is fitted to relative errors,

    minimise over c >= 0:   sum_m [ (sum_j c_j f_j(L_m, B_m) - p_m) / p_m ]^2,

since a solver that compares delays cares about per cent, not about the seconds of the
longest batch. R^2 is reported beside the largest relative error because it flatters: it
weighs a point by its square, so a long batch hides what goes wrong in the short ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import nnls

from ctho.checks import InputError, check_choice
from ctho.prefill import AffinePrefill, BatchAwarePrefill, PrefillModel, QuadraticPrefill

__all__ = [
    "FORMS",
    "PrefillFit",
    "affine_by_batch",
    "best_form",
    "compare_forms",
    "fit_form",
    "fitted_points",
    "least_squares_affine",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Form:
    """A family of prefill models, linear in its coefficients.

    Attributes:
    formula: for a reader, as LaTeX.        terms: f_j(L, B), in the order of the coefficients.
        build: the model with given coefficients.
    """

    formula: str
    terms: tuple[Callable[[Array, Array], Array], ...]
    build: Callable[..., PrefillModel]


def _one(length: Array, batch: Array) -> Array:
    return np.ones_like(length)


def _length(length: Array, batch: Array) -> Array:
    return length


FORMS: Mapping[str, Form] = {
    "affine": Form("a L + b", (_one, _length), lambda b, a: AffinePrefill(a, b)),
    "quadratic": Form(
        "c L^2 + a L + b",
        (_one, _length, lambda length, batch: length**2),
        lambda b, a, c: QuadraticPrefill(a, b, c),
    ),
    "batch_aware": Form(
        "b + (a + a_B B) L + c_B B L^2",
        (
            _one,
            _length,
            lambda length, batch: batch * length,
            lambda length, batch: batch * length**2,
        ),
        lambda b, a, a_batch, c_batch: BatchAwarePrefill(b, a, a_batch, c_batch),
    ),
}
"""Form by name, as in :data:`ctho.prefill.PREFILL_MODELS`."""


@dataclass(frozen=True)
class PrefillFit:
    """A form fitted to points.

    Attributes:
        form: a key of `FORMS`.
        model: the fitted model.
        r_squared: share of the variance of p that the fit explains.
        max_relative_error: largest |fit - p| / p over the points.
        cv_relative_error: root mean square of (fit - p) / p where each length in turn is
            left out of the fit and predicted; NaN if too few lengths are left.
    """

    form: str
    model: PrefillModel
    r_squared: float
    max_relative_error: float
    cv_relative_error: float


def fit_form(points: pd.DataFrame, form: str) -> PrefillFit:
    """Fit one form by weighted, non-negative least squares.

    Args:
        points: columns length_tok, num_ues, delay_s.
        form: a key of `FORMS`.

    Raises:
        InputError: an unknown form, or fewer points than coefficients.
    """
    check_choice("form", form, FORMS)
    if len(points) < len(FORMS[form].terms):
        raise InputError("points", len(points), f"at least {len(FORMS[form].terms)} for {form}")
    model = FORMS[form].build(*_coefficients(points, form))
    predicted, measured = _predict(model, points), points["delay_s"].to_numpy(float)
    errors = predicted / measured - 1
    residual = np.sum((predicted - measured) ** 2)
    return PrefillFit(
        form=form,
        model=model,
        r_squared=float(1 - residual / np.sum((measured - measured.mean()) ** 2)),
        max_relative_error=float(np.abs(errors).max()),
        cv_relative_error=_cross_validation(points, form),
    )


def compare_forms(points: pd.DataFrame) -> pd.DataFrame:
    """Every form on the same points; one row a form.

    Columns form, formula, r_squared, max_relative_error, cv_relative_error.
    """
    fits = [fit_form(points, form) for form in FORMS]
    return pd.DataFrame(
        {
            "form": [fit.form for fit in fits],
            "formula": [FORMS[fit.form].formula for fit in fits],
            "r_squared": [fit.r_squared for fit in fits],
            "max_relative_error": [fit.max_relative_error for fit in fits],
            "cv_relative_error": [fit.cv_relative_error for fit in fits],
        }
    )


def fitted_points(points: pd.DataFrame) -> pd.DataFrame:
    """Every form at every point: columns form, length_tok, num_ues, delay_s, fitted_s, error.

    error is (fitted - measured) / measured.
    """
    tables = []
    for form in FORMS:
        fitted = _predict(fit_form(points, form).model, points)
        error = fitted / points["delay_s"].to_numpy(float) - 1
        table = points.assign(fitted_s=fitted, error=error)
        table.insert(0, "form", form)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def affine_by_batch(points: pd.DataFrame) -> pd.DataFrame:
    """The paper's a and b at each batch size on its own.

    Columns num_ues, a_s_per_tok, b_s, max_relative_error, and for the plain straight line
    (unweighted, without bounds) plain_b_s and plain_error.
    """
    records = []
    for batch, own in points.groupby("num_ues"):
        fit = fit_form(own, "affine")
        affine = fit.model.affine(1)
        assert affine is not None
        _, plain_b_s, plain_error = least_squares_affine(own)
        records.append((batch, *affine, fit.max_relative_error, plain_b_s, plain_error))
    columns = ["num_ues", "a_s_per_tok", "b_s", "max_relative_error", "plain_b_s", "plain_error"]
    return pd.DataFrame(records, columns=columns)


def best_form(comparison: pd.DataFrame) -> str:
    """The form with the smallest cross-validated error; the simpler one on a tie."""
    return str(comparison["form"].iloc[int(comparison["cv_relative_error"].argmin())])


def least_squares_affine(points: pd.DataFrame) -> tuple[float, float, float]:
    """(a, b, largest relative error) of the plain straight line, as it is usually fitted.

    Unweighted and without bounds, so b may be negative, which no prefill model allows.

    >>> table = pd.DataFrame({"length_tok": [1.0, 2, 3], "num_ues": 1, "delay_s": [1.0, 4, 9]})
    >>> [round(value, 3) for value in least_squares_affine(table)]
    [4.0, -3.333, 0.333]
    """
    length, measured = (points[name].to_numpy(float) for name in ("length_tok", "delay_s"))
    terms = np.stack([length, np.ones_like(length)], axis=-1)
    (slope, offset), *_ = np.linalg.lstsq(terms, measured, rcond=None)
    errors = (slope * length + offset) / measured - 1
    return float(slope), float(offset), float(np.abs(errors).max())


def _coefficients(points: pd.DataFrame, form: str) -> Array:
    columns = [points[name].to_numpy(float) for name in ("length_tok", "num_ues")]
    measured = points["delay_s"].to_numpy(float)
    terms = np.stack([term(*columns) for term in FORMS[form].terms], axis=-1)
    relative = terms / measured[:, np.newaxis]
    # Columns of like size: L^2 and 1 differ by seven powers of ten.
    scale = np.linalg.norm(relative, axis=0)
    solution, _ = nnls(relative / scale, np.ones_like(measured))
    coefficients: Array = solution / scale
    return coefficients


def _predict(model: PrefillModel, points: pd.DataFrame) -> Array:
    pairs = zip(points["length_tok"], points["num_ues"], strict=True)
    return np.array([float(model.delay_s(length, int(batch))) for length, batch in pairs])


def _cross_validation(points: pd.DataFrame, form: str) -> float:
    errors: list[Array] = []
    for length in sorted(set(points["length_tok"])):
        left_out = points["length_tok"] == length
        rest = points[~left_out]
        if len(rest) < len(FORMS[form].terms):
            return float("nan")
        model = FORMS[form].build(*_coefficients(rest, form))
        measured = points.loc[left_out, "delay_s"].to_numpy(float)
        errors.append(_predict(model, points[left_out]) / measured - 1)
    return float(np.sqrt(np.mean(np.concatenate(errors) ** 2)))
