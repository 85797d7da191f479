"""Every claim decided under every reading, from one set of samples."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from ctho.pages.claims.evidence import Evidence, Place
from ctho.pages.claims.ledger import Claim, load_claims
from ctho.pages.claims.readings import CHOICES, PaperReading, all_readings
from ctho.pages.claims.registry import DECISIONS
from ctho.pages.claims.verdicts import NOT_DECIDABLE, Finding
from ctho.simulation.parameters import Parameters
from ctho.simulation.statistics import Estimate

__all__ = ["Entry", "Ledger", "evaluate_ledger"]


@dataclass(frozen=True)
class Entry:
    """A claim and what was found under each reading.

    Attributes:
        claim: what the paper says.
        findings: by reading, the default first.
    """

    claim: Claim
    findings: Mapping[PaperReading, Finding]

    @property
    def finding(self) -> Finding:
        """That under the default reading."""
        return self.findings[PaperReading()]

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The open points whose reading, changed alone, turns the verdict somewhere."""
        return self._points_that_move(lambda finding: finding.verdict)

    @property
    def varies_with(self) -> tuple[str, ...]:
        """The open points whose reading, changed alone, moves our number somewhere."""
        return self._points_that_move(lambda finding: finding.ours)

    @property
    def deviation_percent(self) -> float | None:
        """Ours over the printed number, less one, in percent; None where they do not compare."""
        if self.claim.value is None or self.finding.unit != self.claim.unit:
            return None
        return 100 * (self.finding.ours.mean / self.claim.value - 1)

    def _points_that_move(self, aspect: Callable[[Finding], Hashable]) -> tuple[str, ...]:
        return tuple(point for point in CHOICES if self._moves(aspect, point))

    def _moves(self, aspect: Callable[[Finding], Hashable], point: str) -> bool:
        seen: dict[tuple[str, ...], set[Hashable]] = {}
        for reading, finding in self.findings.items():
            rest = tuple(choice for name, choice in reading.as_dict().items() if name != point)
            seen.setdefault(rest, set()).add(aspect(finding))
        return any(len(found) > 1 for found in seen.values())


@dataclass(frozen=True)
class Ledger:
    """All claims, decided.

    Attributes:
        parameters: what was simulated.
        entries: one for each claim, in the order of the file.
        means: mean of each scheme at each point of the figures, by (figure, x, scheme), under the
            default reading.
    """

    parameters: Parameters
    entries: tuple[Entry, ...]
    means: Mapping[Place, Estimate]

    def entry(self, claim_id: str) -> Entry:
        """The entry of one claim."""
        return next(entry for entry in self.entries if entry.claim.id == claim_id)


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
    return Ledger(parameters, entries, evidence.means())


def _decided(claim: Claim, evidence: Evidence) -> Entry:
    decide = DECISIONS[claim.decide]
    findings = {
        reading: decide(evidence.under(reading), **claim.given) for reading in all_readings()
    }
    for finding in findings.values():
        if finding.verdict == NOT_DECIDABLE and not claim.missing:
            raise ValueError(f"{claim.id} is not decidable, but the ledger does not say why")
    return Entry(claim, findings)
