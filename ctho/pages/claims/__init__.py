"""Every printed number and claim of the paper, decided by machine under each reading."""

from ctho.pages.claims import page
from ctho.pages.claims.evaluate import Entry, Ledger, evaluate_ledger
from ctho.pages.claims.ledger import Claim, load_claims
from ctho.pages.claims.plain import RESULT, check_plain, plain_ledger
from ctho.pages.claims.readings import PaperReading, all_readings
from ctho.pages.claims.verdicts import VERDICTS, Finding

__all__ = [
    "RESULT",
    "VERDICTS",
    "Claim",
    "Entry",
    "Finding",
    "Ledger",
    "PaperReading",
    "all_readings",
    "check_plain",
    "evaluate_ledger",
    "load_claims",
    "page",
    "plain_ledger",
]
