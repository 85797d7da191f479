"""The decided ledger as plain data: what `results/claims.json` holds and all pages show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctho.checks import InputError, check_choice, check_integer, check_keys, check_number
from ctho.pages.claims.evaluate import Entry, Ledger
from ctho.pages.claims.readings import CHOICES, PaperReading
from ctho.pages.claims.verdicts import VERDICTS, Finding
from ctho.simulation.statistics import Estimate

__all__ = ["RESULT", "check_plain", "plain_ledger"]

RESULT = "claims"
"""Name of the result in the build folder."""

TEXTS = ("id", "place", "claim", "printed", "unit", "rule", "missing")
POINTS = ("depends_on", "varies_with")
CLAIM = (*TEXTS, "value", "verdict", "ours", "deviation_percent", *POINTS, "readings")
OURS = (*Estimate._fields, "unit", "where")


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


def check_plain(content: Any) -> dict[str, Any]:
    """The content of `results/claims.json`, if it has the form of :func:`plain_ledger`.

    Raises:
        InputError: a part is missing, unknown or of the wrong kind.
    """
    place = f"{RESULT}.json"
    names = ("parameters", "claims", "means")
    ledger = dict(check_keys(place, content, names, names))
    parameters = ledger["parameters"]
    if not isinstance(parameters, Mapping):
        raise InputError(f"{place}.parameters", parameters, "an object")
    for name in ("realisations", "seed"):
        check_integer(f"{place}.parameters.{name}", parameters.get(name), at_least=0)
    claims = _list(f"{place}.claims", ledger["claims"])
    if not claims:
        raise InputError(f"{place}.claims", claims, "a list with at least one claim")
    for index, claim in enumerate(claims):
        _check_claim(f"{place}.claims[{index}]", claim)
    return ledger


def _check_claim(field: str, claim: Any) -> None:
    check_keys(field, claim, CLAIM, CLAIM)
    for name in TEXTS:
        _check_text(f"{field}.{name}", claim[name])
    for name in ("value", "deviation_percent"):
        if claim[name] is not None:
            check_number(f"{field}.{name}", claim[name])
    for name in POINTS:
        for index, point in enumerate(_list(f"{field}.{name}", claim[name])):
            check_choice(f"{field}.{name}[{index}]", point, CHOICES)
    _check_finding(field, claim)
    for index, entry in enumerate(_list(f"{field}.readings", claim["readings"])):
        place, names = f"{field}.readings[{index}]", ("reading", "verdict", "ours")
        check_keys(place, entry, names, names)
        PaperReading.from_mapping(entry["reading"])
        _check_finding(place, entry)


def _check_finding(field: str, finding: Mapping[str, Any]) -> None:
    check_choice(f"{field}.verdict", finding["verdict"], VERDICTS)
    ours = check_keys(f"{field}.ours", finding["ours"], OURS, OURS)
    for name in Estimate._fields:
        check_number(f"{field}.ours.{name}", ours[name])
    for name in ("unit", "where"):
        _check_text(f"{field}.ours.{name}", ours[name])


def _check_text(field: str, value: Any) -> None:
    if not isinstance(value, str):
        raise InputError(field, value, "text")


def _list(field: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(field, value, "a list")
    return value
