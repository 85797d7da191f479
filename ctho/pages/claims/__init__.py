"""Every printed number and claim of the paper, decided by machine under each reading."""

from ctho.pages.claims.ledger import RESULT, Entry, Ledger, evaluate_ledger, read_ledger
from ctho.pages.claims.open_points import CHOICES, OpenPoints, all_readings
from ctho.pages.claims.published import Claim, load_claims
from ctho.pages.claims.verdicts import Finding, Verdict

__all__ = [
    "CHOICES",
    "RESULT",
    "Claim",
    "Entry",
    "Finding",
    "Ledger",
    "OpenPoints",
    "Verdict",
    "all_readings",
    "evaluate_ledger",
    "load_claims",
    "read_ledger",
]
