"""Batch prefill delay models: one small file each, behind one interface."""

from ctho.prefill.affine import AffinePrefill
from ctho.prefill.base import PrefillModel
from ctho.prefill.batch_aware import BatchAwarePrefill
from ctho.prefill.profile import ProfilePrefill
from ctho.prefill.quadratic import QuadraticPrefill
from ctho.prefill.registry import PREFILL_MODELS, prefill_from_mapping

__all__ = [
    "PREFILL_MODELS",
    "AffinePrefill",
    "BatchAwarePrefill",
    "PrefillModel",
    "ProfilePrefill",
    "QuadraticPrefill",
    "prefill_from_mapping",
]
