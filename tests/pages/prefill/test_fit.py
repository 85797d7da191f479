"""Fits recover what generated the points, and their errors are what they claim."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import lsq_linear

from ctho.checks import InputError
from ctho.pages.prefill.fit import (
    FORMS,
    affine_by_batch,
    best_form,
    compare_forms,
    fit_form,
    fitted_points,
    least_squares_affine,
)
from ctho.pages.prefill.profiles import profile_names, recorded_profile
from ctho.prefill import AffinePrefill, BatchAwarePrefill, PrefillModel, QuadraticPrefill

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
    "quadratic": QuadraticPrefill(a_s_per_tok=1e-4, b_s=2e-3, c_s_per_tok2=3e-8),
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


@pytest.mark.parametrize("name", profile_names())
@pytest.mark.parametrize("form", FORMS)
def test_no_other_coefficients_do_better(name: str, form: str) -> None:
    points = recorded_profile(name).points
    columns = [points[column].to_numpy(float) for column in ("length_tok", "num_ues")]
    measured = points["delay_s"].to_numpy(float)
    terms = np.stack([term(*columns) for term in FORMS[form].terms], axis=-1)
    scale = np.abs(terms).max(axis=0)
    relative = terms / scale / measured[:, np.newaxis]
    other = lsq_linear(relative, np.ones_like(measured), bounds=(0, np.inf), tol=1e-14)
    errors = fitted_points(points).query("form == @form")["error"].to_numpy(float)
    assert np.sum(errors**2) / 2 == pytest.approx(other.cost, rel=1e-6, abs=1e-14)
    assert fit_form(points, form).max_relative_error == pytest.approx(np.abs(errors).max())


def test_a_straight_line_through_a_parabola_promises_time_before_the_start() -> None:
    points = table(QuadraticPrefill(a_s_per_tok=1e-5, b_s=0.0, c_s_per_tok2=1e-7), (1,))
    slope, offset, error = least_squares_affine(points)
    assert offset < 0 < slope
    assert error > 1
    bounded = fit_form(points, "affine").model.affine(1)
    assert bounded is not None
    assert min(bounded) >= 0


def test_r_squared_flatters() -> None:
    points = table(QuadraticPrefill(a_s_per_tok=1e-4, b_s=0.0, c_s_per_tok2=2e-8), (1,))
    slope, offset, error = least_squares_affine(points)
    predicted = slope * points["length_tok"] + offset
    residual = ((predicted - points["delay_s"]) ** 2).sum()
    spread = ((points["delay_s"] - points["delay_s"].mean()) ** 2).sum()
    assert 1 - residual / spread > 0.99
    assert error > 0.1


def test_a_by_batch_size() -> None:
    batches = affine_by_batch(table(BatchAwarePrefill(b_s=0.01, a_s_per_tok_per_ue=1e-4)))
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
