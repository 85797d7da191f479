"""Prefill delay models by name, as an instance file or a notebook parameter writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ctho.checks import InputError, check_choice, check_keys
from ctho.prefill.affine import AffinePrefill
from ctho.prefill.base import PrefillModel
from ctho.prefill.batch_aware import BatchAwarePrefill
from ctho.prefill.profile import ProfilePrefill, profile_from_content, profile_from_file
from ctho.prefill.quadratic import QuadraticPrefill

__all__ = ["PREFILL_MODELS", "prefill_from_mapping"]


def _affine(values: Mapping[str, Any]) -> AffinePrefill:
    check_keys("prefill", values, ("a_s_per_tok", "b_s"), required=("a_s_per_tok", "b_s"))
    try:
        return AffinePrefill(
            prefill_s_per_tok=values["a_s_per_tok"], prefill_offset_s=values["b_s"]
        )
    except InputError as error:
        name = {"prefill_s_per_tok": "a_s_per_tok", "prefill_offset_s": "b_s"}[error.field]
        raise InputError(name, error.value, error.allowed) from None


def _quadratic(values: Mapping[str, Any]) -> QuadraticPrefill:
    names = ("a_s_per_tok", "b_s", "c_s_per_tok2")
    check_keys("prefill", values, names, required=names)
    return QuadraticPrefill(**values)


def _batch_aware(values: Mapping[str, Any]) -> BatchAwarePrefill:
    names = ("b_s", "a_s_per_tok", "a_s_per_tok_per_ue", "c_s_per_tok2_per_ue")
    check_keys("prefill", values, names, required=("b_s", "a_s_per_tok_per_ue"))
    return BatchAwarePrefill(**values)


def _profile(values: Mapping[str, Any]) -> ProfilePrefill:
    check_keys("prefill", values, ("file", "points"))
    if ("file" in values) == ("points" in values):
        raise InputError("prefill", sorted(values), "a profile with either file or points")
    if "points" in values:
        return profile_from_content(values)
    if not isinstance(values["file"], str):
        raise InputError("file", values["file"], "the path of a profile file")
    return profile_from_file(values["file"])


PREFILL_MODELS: Mapping[str, Callable[[Mapping[str, Any]], PrefillModel]] = {
    "affine": _affine,
    "quadratic": _quadratic,
    "batch_aware": _batch_aware,
    "profile": _profile,
}
"""Name -> builder from the values beside the name; a new model is one more line."""


def prefill_from_mapping(mapping: Any) -> PrefillModel:
    """The model that `mapping` describes; without the key `model` it is the paper's affine one.

    ==============  ===================================================================
    model           other keys
    ==============  ===================================================================
    `affine`        a_s_per_tok, b_s
    `quadratic`     a_s_per_tok, b_s, c_s_per_tok2
    `batch_aware`   b_s, a_s_per_tok_per_ue; optional a_s_per_tok, c_s_per_tok2_per_ue
    `profile`       file (a path, or a name in `data/profiles`), or points
    ==============  ===================================================================

    Raises:
        InputError: an unknown name or key, a missing key, or a value out of bounds.

    >>> prefill_from_mapping({"a_s_per_tok": 9.4267e-5, "b_s": 2.4e-3}).affine(4)
    (9.4267e-05, 0.0024)
    """
    if not isinstance(mapping, Mapping):
        raise InputError("prefill", mapping, "an object such as {a_s_per_tok, b_s}")
    values = {key: value for key, value in mapping.items() if key != "model"}
    name = check_choice("prefill.model", mapping.get("model", "affine"), PREFILL_MODELS)
    try:
        return PREFILL_MODELS[name](values)
    except InputError as error:
        raise error if "prefill" in error.field else error.within("prefill.") from None
