"""The decided ledger as plain data: what `results/claims.json` holds and all pages show."""

from __future__ import annotations

from typing import Any

from ctho.study.claims.evaluate import Entry, Ledger
from ctho.study.claims.readings import PaperReading
from ctho.study.claims.verdicts import Finding

__all__ = ["RESULT", "plain_ledger"]

RESULT = "claims"
"""Name of the result in the build folder."""


def plain_ledger(ledger: Ledger) -> dict[str, Any]:
    """The ledger as JSON types.

    Returns:
        `parameters`, and `claims`: a list of objects with id, place, claim, printed, value, unit,
        rule, missing; verdict and ours (mean, ci_low, ci_high, unit, where) under the default
        reading; deviation_percent; depends_on, the open points that turn the verdict; exceptions,
        the readings in which it turns; readings, the verdict and ours under each.
    """
    return {
        "parameters": ledger.parameters.as_dict(),
        "claims": [_plain_entry(entry) for entry in ledger.entries],
    }


def _plain_entry(entry: Entry) -> dict[str, Any]:
    claim = entry.claim
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
        "depends_on": list(entry.depends_on),
        "exceptions": [
            {"reading": reading.changed(), "verdict": verdict}
            for reading, verdict in entry.exceptions.items()
        ],
        "readings": [_plain_reading(*pair) for pair in entry.findings.items()],
    }


def _plain_reading(reading: PaperReading, finding: Finding) -> dict[str, Any]:
    return {"reading": reading.as_dict(), **_plain_finding(finding)}


def _plain_finding(finding: Finding) -> dict[str, Any]:
    return {
        "verdict": finding.verdict,
        "ours": {
            **{name: float(bound) for name, bound in finding.ours._asdict().items()},
            "unit": finding.unit,
            "where": finding.where,
        },
    }
