"""Every claim decided under every reading, and the ledger of them as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctho.checks import InputError
from ctho.pages.claims.evidence import Evidence, Place
from ctho.pages.claims.open_points import CHOICES, OpenPoints, all_readings
from ctho.pages.claims.published import DECISIONS, Claim, load_claims
from ctho.pages.claims.verdicts import Finding, Verdict
from ctho.pages.shared.results import read_json
from ctho.simulation.parameters import Parameters
from ctho.simulation.statistics import Estimate

__all__ = ["RESULT", "Entry", "Ledger", "evaluate_ledger", "read_ledger"]

RESULT = "claims"
"""Name of the result in the build folder."""

TEXTS = ("id", "place", "claim", "printed", "rule", "unit", "missing")


@dataclass(frozen=True)
class Entry:
    """A claim and what was found under each reading.

    Attributes:
        claim: what the paper says.
        findings: by reading, the default first.
    """

    claim: Claim
    findings: Mapping[OpenPoints, Finding]

    @property
    def finding(self) -> Finding:
        """That under the default reading."""
        return self.findings[OpenPoints()]

    @property
    def verdict(self) -> Verdict:
        """That under the default reading."""
        return self.finding.verdict

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The open points whose reading, changed alone, turns the verdict somewhere."""
        return self._moved_by(lambda finding: finding.verdict)

    @property
    def varies_with(self) -> tuple[str, ...]:
        """The open points whose reading, changed alone, moves our number somewhere."""
        return self._moved_by(lambda finding: finding.ours)

    @property
    def relevant(self) -> dict[OpenPoints, Finding]:
        """The findings but for those that repeat another, as a point that moves nothing is read."""
        return self._changing({*self.depends_on, *self.varies_with})

    @property
    def turned(self) -> dict[OpenPoints, Finding]:
        """The findings with another verdict than the default, where only what turns it differs."""
        found = self._changing({*self.depends_on})
        return {reading: f for reading, f in found.items() if f.verdict is not self.verdict}

    @property
    def deviation_percent(self) -> float | None:
        """Ours over the printed number, less one, in percent; None where they do not compare."""
        if self.claim.value is None or self.finding.unit != self.claim.unit:
            return None
        return 100 * (self.finding.ours.mean / self.claim.value - 1)

    def _changing(self, points: set[str]) -> dict[OpenPoints, Finding]:
        return {r: found for r, found in self.findings.items() if set(r.changed) <= points}

    def _moved_by(self, aspect: Callable[[Finding], Any]) -> tuple[str, ...]:
        return tuple(
            point
            for point, (default, *_) in CHOICES.items()
            if any(
                aspect(found) != aspect(self.findings[reading._replace(**{point: default})])
                for reading, found in self.findings.items()
            )
        )


@dataclass(frozen=True)
class Ledger:
    """All claims, decided.

    Attributes:
        parameters: what was simulated.
        entries: one for each claim, in the order of the file.
        means: mean of each scheme at each point of the figures, seconds, by (figure, x, scheme),
            under the default reading.
    """

    parameters: Parameters
    entries: tuple[Entry, ...]
    means: Mapping[Place, float]

    def entry(self, claim_id: str) -> Entry:
        """The entry of one claim."""
        return next(entry for entry in self.entries if entry.claim.id == claim_id)

    def by_verdict(self) -> dict[Verdict, list[Entry]]:
        """The entries by verdict under the default reading, without verdicts that none has."""
        found = {v: [entry for entry in self.entries if entry.verdict is v] for v in Verdict}
        return {verdict: entries for verdict, entries in found.items() if entries}

    def as_json(self) -> dict[str, Any]:
        """The ledger as JSON types, which is what `results/claims.json` holds.

        Returns:
            `parameters`; `means`; and `claims`, each with its texts and value, verdict and ours
            under the default reading, deviation_percent, depends_on, varies_with and readings:
            verdict and ours under each combination of these points, the default first.
        """
        return {
            "parameters": self.parameters.as_dict(),
            "claims": [_entry_as_json(entry) for entry in self.entries],
            "means": [
                {"figure": figure, "x": float(x), "scheme": scheme, "mean": mean}
                for (figure, x, scheme), mean in self.means.items()
            ],
        }


def evaluate_ledger(
    parameters: Parameters | None = None, claims: Sequence[Claim] | None = None
) -> Ledger:
    """Decide every claim under every reading.

    Args:
        parameters: what to simulate, by default the paper's; the readings are set here.
        claims: by default all of `data/published.yaml`.
    """
    parameters = parameters if parameters is not None else Parameters()
    claims = load_claims() if claims is None else claims
    evidence = Evidence(parameters)
    entries = tuple(_decided(claim, evidence) for claim in claims)
    means = {place: evidence.estimate("mean", place).mean for place in evidence.places()}
    return Ledger(parameters, entries, means)


def read_ledger() -> Ledger:
    """The ledger of `results/claims.json` in the build folder.

    Raises:
        InputError: it is not there, or is not what this version writes.
    """
    content = read_json(RESULT)
    try:
        parameters = Parameters(**content["parameters"])
        entries = tuple(_entry_from_json(claim) for claim in content["claims"])
        means = {(m["figure"], m["x"], m["scheme"]): m["mean"] for m in content["means"]}
        ledger = Ledger(parameters, entries, means)
        if entries and ledger.as_json() == content:
            return ledger
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    # One remedy for whatever is wrong: the file is made by this package alone.
    allowed = "one that this version of the package has made; run `make clean claims`"
    raise InputError("the result", f"{RESULT}.json", allowed)


def _decided(claim: Claim, evidence: Evidence) -> Entry:
    decide = DECISIONS[claim.decide]
    findings = {
        reading: decide(evidence.under(reading), **claim.given) for reading in all_readings()
    }
    for finding in findings.values():
        if finding.verdict is Verdict.NOT_DECIDABLE and not claim.missing:
            raise ValueError(f"{claim.id} is not decidable, but the ledger does not say why")
    return Entry(claim, findings)


def _entry_as_json(entry: Entry) -> dict[str, Any]:
    claim = entry.claim
    return {
        **{name: getattr(claim, name) for name in TEXTS},
        "value": claim.value,
        **_finding_as_json(entry.finding),
        "deviation_percent": entry.deviation_percent,
        "depends_on": list(entry.depends_on),
        "varies_with": list(entry.varies_with),
        "readings": [
            {"reading": reading.changed, **_finding_as_json(finding)}
            for reading, finding in entry.relevant.items()
        ],
    }


def _finding_as_json(finding: Finding) -> dict[str, Any]:
    ours = {name: float(bound) for name, bound in finding.ours._asdict().items()}
    return {
        "verdict": finding.verdict.value,
        "ours": {**ours, "unit": finding.unit, "where": finding.where},
    }


def _entry_from_json(entry: Any) -> Entry:
    texts: dict[str, Any] = {name: str(entry[name]) for name in TEXTS}
    claim = Claim(**texts, value=None if entry["value"] is None else float(entry["value"]))
    readings = entry["readings"]
    return Entry(claim, {OpenPoints(**r["reading"]): _finding_from_json(r) for r in readings})


def _finding_from_json(found: Any) -> Finding:
    ours = found["ours"]
    estimate = Estimate(ours["mean"], ours["ci_low"], ours["ci_high"])
    return Finding(Verdict(found["verdict"]), estimate, ours["unit"], ours["where"])
