"""Fits recover what generated the points, and their errors are what they claim."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from ctho.checks import InputError
from ctho.pages.prefill.fit import (
    FORMS,
    affine_by_batch,
    best_form,
    compare_forms,
    fit_form,
    fitted_points,
)
from ctho.pages.prefill.profiles import profile_names, recorded_profile
from ctho.prefill import AffinePrefill, BatchAwarePrefill, PrefillModel, QuadraticPrefill

Array = NDArray[np.float64]
LENGTHS = (16, 64, 256, 1024, 2048)


def table(model: PrefillModel, batches: tuple[int, ...] = (1, 2, 4)) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"length_tok": n, "num_ues": b, "delay_s": float(model.delay_s(n, b))}
            for b in batches
            for n in LENGTHS
        ]
    )


TRUE_MODELS = {
    "affine": AffinePrefill(1e-4, 2e-3),
    "quadratic": QuadraticPrefill(1e-4, 2e-3, 3e-8),
    "batch_aware": BatchAwarePrefill(2e-3, 3e-5, 1e-4, 3e-8),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_recovers_its_own_model(form: str) -> None:
    fit = fit_form(table(TRUE_MODELS[form]), form)
    for name, value in vars(TRUE_MODELS[form]).items():
        assert getattr(fit.model, name) == pytest.approx(value, rel=1e-8)
    assert fit.r_squared == pytest.approx(1)
    assert fit.max_relative_error < 1e-9
    assert fit.cv_relative_error < 1e-9


@pytest.mark.parametrize("form", FORMS)
def test_cross_validation_picks_the_form_that_made_the_points(form: str) -> None:
    noise = np.random.default_rng(1).normal(1, 0.01, len(LENGTHS) * 3)
    points = table(TRUE_MODELS[form])
    points["delay_s"] *= noise
    comparison = compare_forms(points).set_index("form")
    chosen = best_form(comparison.reset_index())
    # A richer form may win by noise, but never by much, and a poorer one never.
    errors = comparison["cv_relative_error"]
    assert errors[form] <= 1.5 * errors[chosen]
    assert list(FORMS).index(chosen) >= list(FORMS).index(form)


def other_fit(points: pd.DataFrame, form: str) -> tuple[Array, float]:
    """Coefficients >= 0 and half the least squared relative error, by another solver."""
    columns = [points[column].to_numpy(float) for column in ("length_tok", "num_ues")]
    measured = points["delay_s"].to_numpy(float)
    terms = np.stack([term(*columns) for term in FORMS[form].terms], axis=-1)
    scale = np.abs(terms).max(axis=0)
    relative = terms / scale / measured[:, np.newaxis]
    other = lsq_linear(relative, np.ones_like(measured), bounds=(0, np.inf), tol=1e-14)
    return other.x / scale, float(other.cost)


def relative_errors(points: pd.DataFrame, form: str, coefficients: Array) -> Array:
    columns = [points[column].to_numpy(float) for column in ("length_tok", "num_ues")]
    terms = np.stack([term(*columns) for term in FORMS[form].terms], axis=-1)
    return np.asarray(terms @ coefficients / points["delay_s"].to_numpy(float) - 1)


@pytest.mark.parametrize("name", profile_names())
@pytest.mark.parametrize("form", FORMS)
def test_no_other_coefficients_do_better(name: str, form: str) -> None:
    points = recorded_profile(name).points
    fitted = fitted_points(points).query("form == @form").reset_index(drop=True)
    errors = fitted["error"].to_numpy(float)
    assert np.sum(errors**2) / 2 == pytest.approx(other_fit(points, form)[1], rel=1e-6, abs=1e-14)
    np.testing.assert_allclose(errors, (fitted["fitted_s"] - fitted["delay_s"]) / fitted["delay_s"])
    fit = fit_form(points, form)
    assert fit.max_relative_error == pytest.approx(np.abs(errors).max())
    correlation = fitted["delay_s"] - fitted["delay_s"].mean()
    residual = fitted["delay_s"] - fitted["fitted_s"]
    assert fit.r_squared == pytest.approx(1 - (residual**2).sum() / (correlation**2).sum())


@pytest.mark.parametrize("form", FORMS)
def test_cross_validation_leaves_out_each_length_in_turn(form: str) -> None:
    points = recorded_profile("prefill-small-fp32-cpu").points
    errors = []
    for length in points["length_tok"].unique():
        out = points["length_tok"] == length
        coefficients, _ = other_fit(points[~out], form)
        errors += relative_errors(points[out], form, coefficients).tolist()
    row = compare_forms(points).set_index("form").loc[form]
    assert row["cv_relative_error"] == pytest.approx(np.sqrt(np.mean(np.square(errors))), rel=1e-5)


def test_the_best_form_has_the_least_error_on_what_was_left_out() -> None:
    comparison = pd.DataFrame(
        {
            "form": ["affine", "quadratic", "batch_aware"],
            "max_relative_error": [0.1, 0.3, 0.2],
            "cv_relative_error": [0.2, 0.1, 0.1],
        }
    )
    assert best_form(comparison) == "quadratic"
    assert best_form(comparison.assign(cv_relative_error=[0.3, 0.2, np.nan])) == "quadratic"


def test_a_straight_line_through_a_parabola_promises_time_before_the_start() -> None:
    # The line through (1, 1), (2, 4), (3, 9) is 4 L - 10/3, off by 1/3 of the first point.
    points = pd.DataFrame({"length_tok": [1, 2, 3], "num_ues": 1, "delay_s": [1.0, 4.0, 9.0]})
    (row,) = affine_by_batch(points).to_dict("records")
    assert row["plain_b_s"] == pytest.approx(-10 / 3)
    assert row["plain_error"] == pytest.approx(1 / 3)
    assert min(row["a_s_per_tok"], row["b_s"]) >= 0
    assert row["max_relative_error"] == fit_form(points, "affine").max_relative_error


def test_r_squared_flatters() -> None:
    points = table(QuadraticPrefill(1e-4, 1e-3, 2e-8), (1,))
    fit = fit_form(points, "affine")
    assert fit.r_squared > 0.95
    assert fit.max_relative_error > 0.1


def test_a_by_batch_size() -> None:
    batches = affine_by_batch(table(BatchAwarePrefill(0.01, 0.0, 1e-4)))
    assert batches["num_ues"].tolist() == [1, 2, 4]
    np.testing.assert_allclose(batches["a_s_per_tok"], [1e-4, 2e-4, 4e-4])
    np.testing.assert_allclose(batches["b_s"], 0.01)
    np.testing.assert_allclose(batches["plain_b_s"], 0.01)


def test_cross_validation_needs_points_to_leave_out() -> None:
    points = table(AffinePrefill(), (1,)).head(2)
    assert np.isnan(fit_form(points, "affine").cv_relative_error)


def test_what_cannot_be_fitted_is_refused() -> None:
    points = table(AffinePrefill(), (1,))
    with pytest.raises(InputError, match="did you mean affine"):
        fit_form(points, "afine")
    with pytest.raises(InputError, match="points"):
        fit_form(points.head(2), "quadratic")
