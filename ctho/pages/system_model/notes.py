"""What the page on the system model computes: symbols, cycle boundaries, the clock, edge cases."""

from __future__ import annotations

import dataclasses
from decimal import Decimal

import numpy as np
import pandas as pd

from ctho.handover import Handover, batch_start_s
from ctho.pages.shared.results import rows
from ctho.simulation.parameters import Parameters
from ctho.solver import solve

__all__ = [
    "boundaries_in_words",
    "clock_in_words",
    "clock_range_s",
    "edge_cases",
    "edge_cases_as_markdown",
    "late_boundaries",
    "symbols_as_markdown",
]

GREEK = {"alpha", "gamma"}
CLOCK_STEPS = 101

SAME_WITHIN = 1e-9
"""Delays that differ by at most this part differ by rounding."""


def symbols_as_markdown(parameters: Parameters) -> str:
    """The paper's symbols with their names in code and the values of a page.

    >>> print(symbols_as_markdown(Parameters()).splitlines()[2])
    | $K$ | users | `num_ues` | 4 |
    """
    lines = ["| paper | what | name | value |", "|:---|:---|:---|---:|"]
    for spec in dataclasses.fields(parameters):
        symbol = spec.metadata["symbol"]
        if symbol:
            value = getattr(parameters, spec.name)
            lines.append(
                f"| ${_tex(symbol)}$ | {spec.metadata['what']} | `{spec.name}` | {value:,g} |"
            )
    return "\n".join(lines)


def late_boundaries(cycle_s: float, boundaries: int = 1000) -> pd.DataFrame:
    """Cycle boundaries, written as decimals, at which a bare ceiling starts the batch late.

    Args:
        cycle_s: T_c, seconds, as a decimal such as 0.01.
        boundaries: how many multiples of it are tried, from the first.

    Returns:
        One row for each late one: handover_s, quotient (tau_K / T_c in floating point), bare_s
        and start_s (by :func:`ctho.handover.batch_start_s`). Empty if none is.

    >>> late_boundaries(0.01, 20)["handover_s"].tolist()
    [0.07, 0.14]
    """
    step = Decimal(repr(float(cycle_s)))
    tau = np.array([float(step * count) for count in range(1, boundaries + 1)])
    quotient = tau / cycle_s
    late = np.ceil(quotient) > np.arange(1, boundaries + 1)
    return pd.DataFrame(
        {
            "handover_s": tau[late],
            "quotient": quotient[late],
            "bare_s": np.ceil(quotient)[late] * cycle_s,
            "start_s": batch_start_s(tau, cycle_s)[late],
        }
    )


def boundaries_in_words(late: pd.DataFrame, cycle_s: float, boundaries: int = 1000) -> str:
    """What :func:`late_boundaries` found, with one example."""
    tried = f"Of the first {boundaries:,} multiples of {cycle_s:g} s"
    if late.empty:
        return f"{tried} none starts its batch late under a bare ceiling in floating point."
    one = late.iloc[0]
    return (
        f"{tried} a bare ceiling in floating point starts the batch one cycle late at "
        f"{len(late)}. For instance {one['handover_s']:g} / {cycle_s:g} is "
        f"{float(one['quotient'])!r} there, and its ceiling would wait until {one['bare_s']:g} s. "
        "The solver counts a quotient within a few units in the last place of a whole number as "
        "that number."
    )


def clock_range_s(handover: Handover) -> tuple[float, float]:
    """Least and largest optimum of one instance when its clock is moved by up to one cycle."""
    shifts = np.linspace(0, handover.cycle_s, CLOCK_STEPS)
    moved = handover.repeated(shifts.size)
    moved = moved.replace(handover_s=moved.handover_s + shifts[:, np.newaxis])
    delay = solve(moved).delay_s
    return float(delay.min()), float(delay.max())


def clock_in_words(handover: Handover) -> str:
    """How much the phase of the batch cycle matters on one instance."""
    low, high = clock_range_s(handover)
    if high - low <= SAME_WITHIN * high:
        return f"On this instance the phase of the cycle plays no part: the optimum is {low:.6g} s."
    return (
        f"On this instance, moving all $\\tau_i$ together by up to one cycle of "
        f"{handover.cycle_s:g} s moves the optimum between {low:.6g} s and {high:.6g} s."
    )


def edge_cases(parameters: Parameters) -> pd.DataFrame:
    """Instances at the edge of the model, solved.

    Returns:
        One row a case: case, handover_s and context_tok as text, batch_start_s, delay_s and
        prefill_length_tok of ctHO.
    """
    cycle = parameters.cycle_s
    early = np.ceil(3.0 / cycle) * cycle  # whole cycles, so that the phase stays
    cases: list[tuple[str, list[float], list[float]]] = [
        ("one user", [1.0], [3000]),
        ("two users at once", [1.0, 1.0], [3000, 2000]),
        ("the same, listed the other way", [1.0, 1.0], [2000, 3000]),
        ("two users apart", [1.0, 1.2], [3000, 2000]),
        ("the same before time 0", [1.0 - early, 1.2 - early], [3000, 2000]),
        ("the same half a cycle later", [1.0 + cycle / 2, 1.2 + cycle / 2], [3000, 2000]),
        ("a first user with one token", [1.0, 1.2], [1, 3000]),
    ]
    table = []
    for case, tau, context in cases:
        handover = Handover(tau, context, parameters.backhaul_tok_per_s, parameters.prefill, cycle)
        best = solve(handover)
        table.append(
            (
                case,
                ", ".join(f"{value:g}" for value in tau),
                ", ".join(f"{value:g}" for value in context),
                float(handover.batch_start_s),
                float(best.delay_s),
                float(best.prefill_length_tok),
            )
        )
    names = ["case", "handover_s", "context_tok", "batch_start_s", "delay_s", "prefill_length_tok"]
    return pd.DataFrame(table, columns=names)


def edge_cases_as_markdown(table: pd.DataFrame) -> str:
    """The table of :func:`edge_cases` as Markdown."""
    lines = [
        "| case | $\\tau_i$ (s) | $C_i$ | $t_s$ (s) | worst delay (s) | $L^\\star$ |",
        "|:---|:---|:---|---:|---:|---:|",
    ]
    lines += [
        f"| {row.case} | {row.handover_s} | {row.context_tok} | {row.batch_start_s + 0.0:.4g} | "
        f"{row.delay_s:.6f} | {row.prefill_length_tok:,.1f} |"
        for row in rows(table)
    ]
    return "\n".join(lines)


def _tex(symbol: str) -> str:
    """The paper's symbol in LaTeX: a subscript upright, a Greek letter by its command."""
    base, _, index = symbol.partition("_")
    base = f"\\{base}" if base in GREEK else base
    if not index:
        return base
    upright = index if len(index) == 1 else f"\\mathrm{{{index}}}"
    return f"{base}_{{{upright}}}"
