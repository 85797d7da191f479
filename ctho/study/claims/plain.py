"""The decided ledger as plain data: what `results/claims.json` holds and all pages show."""

from __future__ import annotations

from typing import Any

from ctho.study.claims.evaluate import Entry, Ledger
from ctho.study.claims.verdicts import Finding

__all__ = ["RESULT", "plain_ledger"]

RESULT = "claims"
"""Name of the result in the build folder."""


def plain_ledger(ledger: Ledger) -> dict[str, Any]:
    """The ledger as JSON types.

    Returns:
        `parameters`; `means`, those of the figures' points; and `claims`: a list of objects with
        id, place, claim, printed, value, unit, rule, missing; verdict and ours (mean, ci_low,
        ci_high, unit, where) under the default reading; deviation_percent; depends_on, the open
        points that turn the verdict; varies_with, those that move our number; readings, the
        verdict and ours under each combination of these, the default first.
    """
    return {
        "parameters": ledger.parameters.as_dict(),
        "claims": [_plain_entry(entry) for entry in ledger.entries],
        "means": [
            {"figure": figure, "x": float(x), "scheme": scheme, "mean": float(estimate.mean)}
            for (figure, x, scheme), estimate in ledger.means.items()
        ],
    }


def _plain_entry(entry: Entry) -> dict[str, Any]:
    claim = entry.claim
    depends_on, varies_with = entry.depends_on, entry.varies_with
    return {
        "id": claim.id,
        "place": claim.place,
        "claim": claim.claim,
        "printed": claim.printed,
        "value": claim.value,
        "unit": claim.unit,
        "rule": claim.rule,
        "missing": claim.missing,
        **_plain_finding(entry.finding),
        "deviation_percent": entry.deviation_percent,
        "depends_on": list(depends_on),
        "varies_with": list(varies_with),
        "readings": [
            {"reading": reading.changed(), **_plain_finding(finding)}
            for reading, finding in entry.findings.items()
            if set(reading.changed()) <= {*varies_with, *depends_on}
        ],
    }


def _plain_finding(finding: Finding) -> dict[str, Any]:
    return {
        "verdict": finding.verdict,
        "ours": {
            **{name: float(bound) for name, bound in finding.ours._asdict().items()},
            "unit": finding.unit,
            "where": finding.where,
        },
    }
