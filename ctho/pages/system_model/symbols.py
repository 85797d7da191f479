"""The paper's symbols beside their names in code."""

from __future__ import annotations

import dataclasses

import pandas as pd

from ctho.simulation.parameters import Parameters

__all__ = ["symbols"]

GREEK = {"alpha", "gamma"}


def symbols(parameters: Parameters) -> pd.DataFrame:
    r"""The parameters that have a symbol in the paper.

    Returns:
        One row a parameter: symbol (LaTeX), what (in words), name (in code, with its unit), value.

    >>> symbols(Parameters()).loc[1, ["symbol", "name"]].tolist()
    ['C_{\\mathrm{max}}', 'context_max_tok']
    """
    rows = [
        (_tex(field.metadata["symbol"]), field.metadata["what"], field.name, value)
        for field, value in zip(
            dataclasses.fields(parameters), parameters.as_dict().values(), strict=True
        )
        if field.metadata["symbol"]
    ]
    return pd.DataFrame(rows, columns=["symbol", "what", "name", "value"])


def _tex(symbol: str) -> str:
    """The paper's symbol in LaTeX: a subscript upright, a Greek letter by its command."""
    base, _, index = symbol.partition("_")
    base = f"\\{base}" if base in GREEK else base
    if not index:
        return base
    upright = index if len(index) == 1 else f"\\mathrm{{{index}}}"
    return f"{base}_{{{upright}}}"
