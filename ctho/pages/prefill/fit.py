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
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import nnls

from ctho.checks import InputError, check_choice
from ctho.pages.prefill.profiles import profile_names, recorded_profile
from ctho.prefill import AffinePrefill, BatchAwarePrefill, PrefillModel, QuadraticPrefill

__all__ = [
    "FORMS",
    "PrefillFit",
    "affine_by_batch",
    "best_form",
    "compare_forms",
    "every_profile",
    "fit_form",
    "fitted_model",
    "fitted_points",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Form:
    """A family of prefill models, linear in its coefficients.

    Attributes:
        formula: for a reader, as LaTeX.
        terms: f_j(L, B), in the order of the coefficients.
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
        BatchAwarePrefill,
    ),
}
"""Form by name, as in :data:`ctho.prefill.PREFILL_MODELS`."""


@dataclass(frozen=True)
class PrefillFit:
    """A form fitted to points.

    Attributes:
        model: the fitted model.
        r_squared: share of the variance of p that the fit explains.
        max_relative_error: largest |fit - p| / p over the points.
        cv_relative_error: root mean square of (fit - p) / p where each length in turn is
            left out of the fit and predicted; NaN if too few lengths are left.
    """

    model: PrefillModel
    r_squared: float
    max_relative_error: float
    cv_relative_error: float


def fitted_model(points: pd.DataFrame, form: str) -> PrefillModel:
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
    columns = [points[name].to_numpy(float) for name in ("length_tok", "num_ues")]
    measured = points["delay_s"].to_numpy(float)
    terms = np.stack([term(*columns) for term in FORMS[form].terms], axis=-1)
    relative = terms / measured[:, np.newaxis]
    # Columns of like size: L^2 and 1 differ by seven powers of ten.
    scale = np.linalg.norm(relative, axis=0)
    solution, _ = nnls(relative / scale, np.ones_like(measured))
    return FORMS[form].build(*(solution / scale))


def fit_form(points: pd.DataFrame, form: str) -> PrefillFit:
    """:func:`fitted_model` with its errors."""
    model = fitted_model(points, form)
    predicted, measured = _predict(model, points), points["delay_s"].to_numpy(float)
    residual = np.sum((predicted - measured) ** 2)
    return PrefillFit(
        model=model,
        r_squared=float(1 - residual / np.sum((measured - measured.mean()) ** 2)),
        max_relative_error=float(np.abs(predicted / measured - 1).max()),
        cv_relative_error=_cross_validation(points, form),
    )


def compare_forms(points: pd.DataFrame) -> pd.DataFrame:
    """Every form on the same points; one row a form.

    Columns form, formula, r_squared, max_relative_error, cv_relative_error.
    """
    fits = {form: asdict(fit_form(points, form)) for form in FORMS}
    records = ({"form": form, "formula": FORMS[form].formula, **fits[form]} for form in FORMS)
    return pd.DataFrame(records).drop(columns="model")


def fitted_points(points: pd.DataFrame) -> pd.DataFrame:
    """Every form at every point: columns form, length_tok, num_ues, delay_s, fitted_s, error.

    error is (fitted - measured) / measured.
    """
    tables = []
    for form in FORMS:
        fitted = _predict(fitted_model(points, form), points)
        error = fitted / points["delay_s"].to_numpy(float) - 1
        table = points.assign(fitted_s=fitted, error=error)
        table.insert(0, "form", form)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def affine_by_batch(points: pd.DataFrame) -> pd.DataFrame:
    """The paper's a and b at each batch size on its own.

    Columns num_ues, a_s_per_tok, b_s, max_relative_error, and for the plain straight line as
    it is usually fitted (unweighted and without bounds, so that its b may be negative, which
    no prefill model allows) plain_b_s and plain_error.
    """
    records = []
    for batch, own in points.groupby("num_ues"):
        fit = fit_form(own, "affine")
        affine = fit.model.affine(1)
        assert affine is not None
        length, measured = (own[name].to_numpy(float) for name in ("length_tok", "delay_s"))
        terms = np.stack([length, np.ones_like(length)], axis=-1)
        (slope, offset), *_ = np.linalg.lstsq(terms, measured, rcond=None)
        plain_error = np.abs((slope * length + offset) / measured - 1).max()
        records.append((batch, *affine, fit.max_relative_error, offset, plain_error))
    columns = ["num_ues", "a_s_per_tok", "b_s", "max_relative_error", "plain_b_s", "plain_error"]
    return pd.DataFrame(records, columns=columns)


def best_form(comparison: pd.DataFrame) -> str:
    """The form with the smallest cross-validated error; the simpler one on a tie."""
    return str(comparison["form"].iloc[int(comparison["cv_relative_error"].argmin())])


def every_profile() -> pd.DataFrame:
    """Every recorded profile with the form that holds best, one row a profile.

    Columns name, title, points, form, max_relative_error, affine_error (the largest relative
    error of the affine form).
    """
    records = []
    for name in profile_names():
        recorded = recorded_profile(name)
        comparison = compare_forms(recorded.points)
        errors = comparison.set_index("form")["max_relative_error"]
        form = best_form(comparison)
        title, count = recorded.content["title"], len(recorded.points)
        records.append((name, title, count, form, errors[form], errors["affine"]))
    columns = ["name", "title", "points", "form", "max_relative_error", "affine_error"]
    return pd.DataFrame(records, columns=columns)


def _predict(model: PrefillModel, points: pd.DataFrame) -> Array:
    pairs = zip(points["length_tok"], points["num_ues"], strict=True)
    return np.array([float(model.delay_s(length, int(batch))) for length, batch in pairs])


def _cross_validation(points: pd.DataFrame, form: str) -> float:
    errors: list[Array] = []
    for _, left_out in points.groupby("length_tok"):
        rest = points.drop(left_out.index)
        if len(rest) < len(FORMS[form].terms):
            return float("nan")
        measured = left_out["delay_s"].to_numpy(float)
        errors.append(_predict(fitted_model(rest, form), left_out) / measured - 1)
    return float(np.sqrt(np.mean(np.concatenate(errors) ** 2)))
