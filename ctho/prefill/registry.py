"""Prefill delay models by name, as an instance file or a set of parameters writes them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from ctho.checks import InputError, check_choice, check_keys
from ctho.prefill.base import PrefillKind, PrefillModel

__all__ = ["PREFILL_MODELS", "prefill_from_mapping"]

FORMER_KEYS = {
    "a_s_per_tok": "prefill_s_per_tok",
    "b_s": "prefill_offset_s",
    "c_s_per_tok2": "prefill_s_per_tok2",
    "a_s_per_tok_per_ue": "prefill_s_per_tok_per_ue",
    "c_s_per_tok2_per_ue": "prefill_s_per_tok2_per_ue",
}
"""Keys of instance files from before they were called as everywhere else; still read."""


def _kinds() -> dict[str, PrefillKind]:
    here = Path(__file__)
    names = [module.name for module in iter_modules([str(here.parent)])]
    modules = (import_module(f"ctho.prefill.{name}") for name in names if name != here.stem)
    kinds = [module.KIND for module in modules if hasattr(module, "KIND")]
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: kind.name)}


PREFILL_MODELS: Mapping[str, PrefillKind] = _kinds()
"""Every model by name; a module of this package that defines `KIND` is one."""


def prefill_from_mapping(mapping: Any) -> PrefillModel:
    """The model that `mapping` describes; without the key `model` it is the paper's affine one.

    ==============  ====================================================================
    model           other keys
    ==============  ====================================================================
    `affine`        prefill_s_per_tok, prefill_offset_s
    `quadratic`     prefill_s_per_tok, prefill_offset_s, prefill_s_per_tok2
    `batch_aware`   prefill_offset_s, prefill_s_per_tok_per_ue; optional
                    prefill_s_per_tok, prefill_s_per_tok2_per_ue
    `profile`       file (a path, or a name in `data/profiles`), or points
    ==============  ====================================================================

    The former keys a_s_per_tok, b_s and so on are read as well.

    Raises:
        InputError: an unknown name or key, a missing key, or a value out of bounds.

    >>> prefill_from_mapping({"prefill_s_per_tok": 9.4267e-5, "prefill_offset_s": 2.4e-3}).affine(4)
    (9.4267e-05, 0.0024)
    """
    if not isinstance(mapping, Mapping):
        allowed = "an object such as {prefill_s_per_tok, prefill_offset_s}"
        raise InputError("prefill", mapping, allowed)
    kind = PREFILL_MODELS[
        check_choice("prefill.model", mapping.get("model", "affine"), PREFILL_MODELS)
    ]
    values: dict[str, Any] = {}
    written: dict[str, str] = {}
    for key, value in mapping.items():
        if key == "model":
            continue
        name: Any = FORMER_KEYS.get(key, key)
        if name in values:
            raise InputError("a key of prefill", key, f"left out, since {written[name]} is given")
        values[name], written[name] = value, key
    check_keys("prefill", values, kind.keys, required=kind.required)
    try:
        return kind.build(**values)
    except InputError as error:
        if error.field in written:
            field = f"prefill.{written[error.field]}"
            raise InputError(field, error.value, error.allowed) from None
        raise error if error.field.startswith("prefill") else error.within("prefill.") from None
