"""Every model: non-decreasing, not negative, and the paper's one at one setting."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctho.checks import InputError
from ctho.prefill import (
    AffinePrefill,
    BatchAwarePrefill,
    PrefillModel,
    ProfilePrefill,
    QuadraticPrefill,
)

A, B = 9.4267e-5, 2.4e-3
GRID = tuple(
    (length, batch, 1e-3 + 1e-4 * length * batch + 1e-8 * batch * length**2)
    for batch in (1, 2, 4)
    for length in (16, 100, 250, 1000)
)
MODELS: list[PrefillModel] = [
    AffinePrefill(),
    QuadraticPrefill(prefill_s_per_tok=1e-4, prefill_offset_s=1e-3, prefill_s_per_tok2=1e-8),
    BatchAwarePrefill(
        prefill_offset_s=1e-3,
        prefill_s_per_tok=1e-5,
        prefill_s_per_tok_per_ue=1e-4,
        prefill_s_per_tok2_per_ue=1e-8,
    ),
    ProfilePrefill(GRID),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_delays_do_not_fall_with_the_length(model: PrefillModel) -> None:
    assert isinstance(model, PrefillModel)
    length = np.linspace(1e-6, 1000, 997).reshape(-1, 1)
    for batch in (1, 2, 3, 4):
        delay = model.delay_s(length, batch)
        assert delay.shape == length.shape
        assert delay.dtype == np.float64
        assert (delay >= 0).all()
        assert (np.diff(delay, axis=0) >= 0).all()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_models_travel_to_worker_processes(model: PrefillModel) -> None:
    model.delay_s(10.0, 1)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other == model
        assert other.delay_s(123.0, 2) == model.delay_s(123.0, 2)


@pytest.mark.parametrize("num_ues", [1, 4, 12])
def test_each_model_is_the_papers_at_one_setting(num_ues: int) -> None:
    length = np.array([1e-9, 1.0, 3072.0])
    paper = AffinePrefill(A, B)
    for model in (
        QuadraticPrefill(prefill_s_per_tok=A, prefill_offset_s=B, prefill_s_per_tok2=0.0),
        BatchAwarePrefill(prefill_offset_s=B, prefill_s_per_tok=A),
    ):
        assert model.affine(num_ues) == paper.affine(num_ues)
        np.testing.assert_allclose(
            model.delay_s(length, num_ues), paper.delay_s(length, num_ues), rtol=1e-15
        )


def test_affine_says_so_only_where_it_holds() -> None:
    assert QuadraticPrefill(1e-4, 0.0, 1e-9).affine(4) is None
    assert BatchAwarePrefill(prefill_offset_s=0.1, prefill_s_per_tok_per_ue=1e-4).affine(
        3
    ) == pytest.approx((3e-4, 0.1))
    assert BatchAwarePrefill(prefill_s_per_tok2_per_ue=1e-9).affine(3) is None
    assert ProfilePrefill(GRID).affine(1) is None


def test_a_profile_returns_its_points() -> None:
    curve = ProfilePrefill(GRID)
    for length, batch, delay in GRID:
        assert curve.delay_s(length, batch) == pytest.approx(delay, rel=1e-15)


def test_a_profile_interpolates_between_batch_sizes() -> None:
    curve = ProfilePrefill(GRID)
    between = (curve.delay_s(250, 2) + curve.delay_s(250, 4)) / 2
    assert curve.delay_s(250, 3) == pytest.approx(between)


def test_batch_sizes_may_be_measured_up_to_different_lengths() -> None:
    curve = ProfilePrefill(((10, 1, 0.1), (40, 1, 0.4), (10, 3, 0.3), (20, 3, 0.6)))
    assert [curve.longest_tok(batch) for batch in (1, 2, 3)] == [40, 20, 20]
    assert curve.delay_s(40, 1) == 0.4
    assert curve.delay_s(20, 2) == pytest.approx((0.2 + 0.6) / 2)
    with pytest.raises(InputError, match="at most 20, the longest measured for 2 contexts"):
        curve.delay_s(21, 2)


def test_a_measured_dip_is_lifted() -> None:
    curve = ProfilePrefill(((10, 1, 0.2), (20, 1, 0.1), (30, 1, 0.3)))
    np.testing.assert_allclose(curve.delay_s([10, 15, 20, 25, 30], 1), [0.2, 0.2, 0.2, 0.25, 0.3])


def test_a_profile_is_never_extrapolated() -> None:
    curve = ProfilePrefill(GRID)
    assert curve.delay_s(1e-9, 1) == curve.delay_s(16, 1)
    with pytest.raises(InputError, match="at most 1000, the longest measured"):
        curve.delay_s([10.0, 1000.5], 1)
    for batch in (0, 5):
        with pytest.raises(InputError, match="num_ues"):
            curve.delay_s(10.0, batch)


@pytest.mark.parametrize(
    ("points", "field"),
    [
        ((), "points of batch size 1"),
        (((10, 1, 0.1),), "points of batch size 1"),
        (((10, 1, 0.1), (10, 1, 0.2)), "points"),
        (((10, 1, 0.1), (20, 1, 0.2), (10, 2, 0.2)), "points of batch size 2"),
        (((10, 1, 0.1), (0, 1, 0.2)), "points[1].length_tok"),
        (((10, 1, 0.1), (20, 1.5, 0.2)), "points[1].num_ues"),
        (((10, 1, 0.1), (20, 1, 0.0)), "points[1].delay_s"),
        (((10, 1, 0.1), (20, 1, float("nan"))), "points[1].delay_s"),
        (((10, 1, 0.1), (20, 1)), "points[1]"),
    ],
)
def test_a_bad_profile_is_refused(points: tuple[tuple[float, int, float], ...], field: str) -> None:
    with pytest.raises(InputError) as refused:
        ProfilePrefill(points)
    assert refused.value.field == field


@pytest.mark.parametrize("value", [-1e-9, float("inf"), float("nan"), "1", None, True])
def test_coefficients_are_checked(value: float) -> None:
    for build in (
        lambda: QuadraticPrefill(value, 0.0, 0.0),
        lambda: QuadraticPrefill(0.0, value, 0.0),
        lambda: QuadraticPrefill(0.0, 0.0, value),
        lambda: BatchAwarePrefill(prefill_offset_s=value),
        lambda: BatchAwarePrefill(prefill_s_per_tok=value),
        lambda: BatchAwarePrefill(prefill_s_per_tok_per_ue=value),
        lambda: BatchAwarePrefill(prefill_s_per_tok2_per_ue=value),
    ):
        with pytest.raises(InputError):
            build()


@given(
    st.floats(0, 1e-2), st.floats(0, 1), st.floats(0, 1e-5), st.integers(1, 16), st.floats(1, 8192)
)
def test_batch_aware_is_linear_in_the_batch(
    a_per_ue: float, prefill_offset_s: float, c_per_ue: float, batch: int, length: float
) -> None:
    model = BatchAwarePrefill(
        prefill_offset_s=prefill_offset_s,
        prefill_s_per_tok_per_ue=a_per_ue,
        prefill_s_per_tok2_per_ue=c_per_ue,
    )
    one, many = float(model.delay_s(length, 1)), float(model.delay_s(length, batch))
    assert many - prefill_offset_s == pytest.approx(
        batch * (one - prefill_offset_s), rel=1e-9, abs=1e-9 * max(prefill_offset_s, 1e-300)
    )
