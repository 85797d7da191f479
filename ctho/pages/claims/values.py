"""Decisions on claims that print a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctho.kv_cache import KvCache, element_type, model_geometry
from ctho.pages.claims.evidence import Evidence, point_name
from ctho.pages.claims.registry import decision
from ctho.pages.claims.verdicts import (
    HOLDS,
    NOT_DECIDABLE,
    NOT_REPRODUCED,
    OPEN,
    REPRODUCED,
    Finding,
    decided_above,
    decided_within,
)
from ctho.simulation.statistics import Estimate

__all__ = [
    "difference_more_than",
    "kv_bits_of_model",
    "kv_megabytes",
    "largest_ratio",
    "mean_near",
    "printed_ratio_at_most",
    "ratio_more_than",
]

BITS_PER_MEGABYTE = 8e6

Point = Mapping[str, Any]


def _exactly(value: float) -> Estimate:
    return Estimate(value, value, value)


def _verdict(matches: bool | None, otherwise: str = NOT_REPRODUCED) -> str:
    if matches is None:
        return OPEN
    return REPRODUCED if matches else otherwise


@decision
def kv_bits_of_model(evidence: Evidence, *, value: float, model: str, dtype: str) -> Finding:
    """Bits of KV cache per token from the model's recorded geometry."""
    bits = KvCache(model_geometry(model), element_type(dtype), element_type(dtype)).bits_per_tok
    where = f"from the geometry of {model}"
    return Finding(_verdict(bits == value), _exactly(bits), "bit", where)


@decision
def kv_megabytes(evidence: Evidence, *, value: float, within: float, context_tok: int) -> Finding:
    """Size of a context's cache at the bits per token that the simulations use."""
    size = evidence.parameters.kv_bits_per_tok * context_tok / BITS_PER_MEGABYTE
    ours = _exactly(size)
    verdict = _verdict(decided_within(ours, value - within, value + within))
    return Finding(verdict, ours, "MB", f"{context_tok} tokens")


@decision
def mean_near(
    evidence: Evidence, *, value: float, within: float, at: Point, scheme: str
) -> Finding:
    """A mean delay at one point lies within the resolution of the printed value."""
    ours = evidence.estimate("mean", (at["figure"], at["x"], scheme))
    verdict = _verdict(decided_within(ours, value - within, value + within))
    return Finding(verdict, ours, "s", f"{scheme} at {point_name(at['figure'], at['x'])}")


def _more_than(ours: Estimate, value: float, within: float) -> str:
    """More than v: above v at all, and within one printed unit above it for the value."""
    above = decided_above(ours, value)
    if above is not True:
        return OPEN if above is None else NOT_REPRODUCED
    return _verdict(decided_within(ours, value, value + within), HOLDS)


@decision
def ratio_more_than(
    evidence: Evidence, *, value: float, within: float, at: Point, over: str, under: str
) -> Finding:
    """The ratio of two mean delays at one point exceeds the printed value."""
    ours = evidence.estimate("ratio", *((at["figure"], at["x"], s) for s in (over, under)))
    return Finding(
        _more_than(ours, value, within),
        ours,
        "",
        f"{over} / {under} at {point_name(at['figure'], at['x'])}",
    )


@decision
def difference_more_than(
    evidence: Evidence, *, value: float, within: float, at: Point, over: str, under: str
) -> Finding:
    """The difference of two mean delays at one point exceeds the printed value."""
    ours = evidence.estimate("difference", *((at["figure"], at["x"], s) for s in (over, under)))
    return Finding(
        _more_than(ours, value, within),
        ours,
        "s",
        f"{over} - {under} at {point_name(at['figure'], at['x'])}",
    )


@decision
def largest_ratio(
    evidence: Evidence,
    *,
    value: float,
    within: float,
    over: str,
    under: str,
    figures: Sequence[str],
    quoted: Sequence[Point],
) -> Finding:
    """Up to v: no point lies above v, and one reaches it.

    Only the points that the text quotes are known to be among the paper's. If one of them
    lies above v the claim fails whatever the ranges of the sweeps; else these would decide.
    """

    def ratio(figure: str, x: float) -> Estimate:
        return evidence.estimate("ratio", (figure, x, over), (figure, x, under))

    def place(figure: str, x: float) -> str:
        return f"{over} / {under} at {point_name(figure, x)}"

    known = max(
        ((ratio(at["figure"], at["x"]), place(at["figure"], at["x"])) for at in quoted),
        key=lambda found: found[0].ci_low,
    )
    if decided_above(known[0], value + within):
        return Finding(NOT_REPRODUCED, known[0], "", known[1])
    ours, where = max(
        ((ratio(name, x), place(name, x)) for name in figures for x in evidence.points(name)),
        key=lambda found: found[0].mean,
    )
    return Finding(NOT_DECIDABLE, ours, "", f"{where}, the largest of our sweeps")


@decision
def printed_ratio_at_most(
    evidence: Evidence, *, value: float, over: float, under: float, within: float
) -> Finding:
    """Two printed numbers have a ratio of at most a third, whatever their rounding hid."""
    lowest, highest = (over - within) / (under + within), (over + within) / (under - within)
    ours = Estimate(over / under, lowest, highest)
    above = decided_above(ours, value)
    verdict = _verdict(None if above is None else not above)
    return Finding(verdict, ours, "", "the paper's own numbers with their rounding")
