"""Decision functions by name, so that the ledger's file can say how a claim is decided."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ctho.checks import InputError, check_choice, check_keys
from ctho.pages.claims.verdicts import Finding

__all__ = ["DECISIONS", "check_arguments", "decision"]

Decision = Callable[..., Finding]

DECISIONS: dict[str, Decision] = {}
"""Every decision function; each takes the evidence and, by keyword, what the claim gives."""


def decision(function: Decision) -> Decision:
    """Register a decision function under its own name."""
    DECISIONS[function.__name__] = function
    return function


def check_arguments(field: str, name: Any, given: Mapping[str, Any]) -> None:
    """Refuse arguments that the decision function does not take, or lacks.

    Raises:
        InputError: an unknown function, an argument too many or one missing.
    """
    check_choice(f"{field}.decide", name, DECISIONS)
    parameters = list(inspect.signature(DECISIONS[name]).parameters.values())[1:]
    required = [p.name for p in parameters if p.default is inspect.Parameter.empty]
    try:
        check_keys("given", given, [p.name for p in parameters], required)
    except InputError as error:
        raise error.within(f"{field}.") from None
