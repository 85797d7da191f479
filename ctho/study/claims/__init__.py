"""Every printed number and claim of the paper, decided by machine under each reading."""

from ctho.study.claims import page
from ctho.study.claims.evaluate import Entry, Ledger, evaluate_ledger
from ctho.study.claims.ledger import Claim, load_claims
from ctho.study.claims.plain import RESULT, check_plain, plain_ledger
from ctho.study.claims.readings import PaperReading, all_readings
from ctho.study.claims.verdicts import VERDICTS, Finding

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
