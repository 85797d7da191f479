"""The decided ledger for a terminal and for the README, and its numbers in digits."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from ctho.checks import InputError
from ctho.pages.claims.ledger import Entry, Ledger
from ctho.pages.claims.verdicts import Finding, Verdict
from ctho.pages.shared.text import markdown_table

__all__ = [
    "around_block",
    "deviation_text",
    "in_full",
    "in_short",
    "minus_signs",
    "ours_text",
    "readme_block",
]

START = "<!-- claims: made by `ctho claims --readme README.md` -->"
END = "<!-- /claims -->"

INTERVAL_DIGITS = 2
FEWEST_DIGITS = 3
SMALLEST_PLAIN = 1e-4


def ours_text(finding: Finding) -> str:
    """A number with its 95 % interval and unit; the interval alone sets how many digits show.

    >>> from ctho.simulation import Estimate
    >>> ours_text(Finding(Verdict.OPEN, Estimate(0.66389, 0.66321, 0.66457), "s", ""))
    '0.66389 [0.66321, 0.66457] s'
    >>> ours_text(Finding(Verdict.OPEN, Estimate(458752.0, 458752.0, 458752.0), "bit", ""))
    '458,752 bit'
    """
    mean, low, high = finding.ours
    if 0 < abs(mean) < SMALLEST_PLAIN and low == high:
        return f"{mean:.0e} {finding.unit}".strip()
    places = _decimal_places(mean, (high - low) / 2)
    text = f"{mean:,.{places}f}"
    if high > low:
        text += f" [{low:,.{places}f}, {high:,.{places}f}]"
    return f"{text} {finding.unit}".strip()


def deviation_text(entry: Entry) -> str:
    """The deviation from the printed number in percent with its sign, or a dash."""
    percent = entry.deviation_percent
    return "-" if percent is None else f"{percent:+.1f} %"


def minus_signs(text: str) -> str:
    """With minus signs in the place of hyphens, but not within words.

    >>> minus_signs("-4.67 [-4.68, -4.66] s (no-HO - ctHO)")
    '−4.67 [−4.68, −4.66] s (no-HO − ctHO)'
    """
    return re.sub(r"(?<![\w-])-(?=\d| )", "\N{MINUS SIGN}", text)


def in_short(ledger: Ledger, *, only_numbers: bool = False) -> str:
    """The claims in one table, all or those that print a number, and the verdicts of all."""
    shown = [e for e in ledger.entries if e.claim.value is not None or not only_numbers]
    parameters = ledger.parameters
    lines = [
        _table(shown),
        "",
        _counts(ledger),
        f"{parameters.realisations:,} realisations, seed {parameters.seed}.",
    ]
    if any(entry.depends_on for entry in ledger.entries):
        lines.append(
            "* depends on how an open point of the paper is read: `ctho claims ID` shows how."
        )
    return "\n".join(lines)


def in_full(entry: Entry) -> str:
    """One claim: what is said where, how it is decided, and the verdict under each reading."""
    claim, finding = entry.claim, entry.finding
    lines = [
        f"{claim.id} ({claim.place})",
        f"  claim      {claim.claim}",
        f"  printed    {claim.printed}",
        f"  rule       {claim.rule}",
        f"  ours       {ours_text(finding)}  ({finding.where})",
        f"  deviation  {deviation_text(entry)}",
        f"  verdict    {entry.verdict}",
    ]
    if claim.missing:
        lines.append(f"  missing    {claim.missing}")
    lines.append("  readings")
    for reading, found in entry.relevant.items():
        lines.append(f"    {reading.name}: {found.verdict}, {ours_text(found)}")
    return "\n".join(lines)


def readme_block(ledger: Ledger) -> str:
    """The short version in Markdown: printed numbers beside ours, and shapes that do not hold."""
    table = markdown_table(
        ["Printed", "What", "Ours", "Verdict"],
        (
            [entry.claim.printed, entry.claim.claim, _three_digits(entry.finding), entry.verdict]
            for entry in ledger.entries
            if entry.claim.value is not None
        ),
    )
    shapes = [entry for entry in ledger.entries if entry.claim.value is None]
    failed = [entry for entry in shapes if entry.verdict is not Verdict.REPRODUCED]
    held = f"Of the {len(shapes)} claims that print no number, {len(shapes) - len(failed)}"
    held += " are reproduced" + ("; these are not:\n" if failed else ".")
    lines = [
        f"- {entry.claim.claim.rstrip('.')} ({entry.claim.place}): {entry.verdict}."
        for entry in failed
    ]
    return "\n".join([START, "", _counts(ledger), "", table, "", held, *lines, "", END])


def around_block(path: Path) -> tuple[str, str]:
    """What stands before and after the block in a file.

    Raises:
        InputError: the file cannot be read, or lacks the markers, once each and in order.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):  # ValueError: not UTF-8, or a path that no file can have
        raise InputError("--readme", str(path), "a text file that exists") from None
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end or START in after or END in after:
        raise InputError(
            "the markers of the claims", str(path), f"{START} and then {END}, once each"
        )
    return before, after


def _table(entries: Sequence[Entry]) -> str:
    """The claims as an aligned table for a terminal."""
    head = ["claim", "place", "printed", "ours, 95 % interval", "deviation", "verdict"]
    rows = [
        [
            entry.claim.id,
            entry.claim.place,
            entry.claim.printed,
            ours_text(entry.finding),
            deviation_text(entry),
            entry.verdict + (" *" if entry.depends_on else ""),
        ]
        for entry in entries
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [head, ["-" * width for width in widths], *rows]
    ]
    return "\n".join(lines)


def _counts(ledger: Ledger) -> str:
    counted = [verdict.counted(len(found)) for verdict, found in ledger.by_verdict().items()]
    return f"{len(ledger.entries)} claims: {', '.join(counted)}."


def _three_digits(finding: Finding) -> str:
    """A number to three digits, which another machine's rounding does not turn."""
    mean = finding.ours.mean
    return f"{mean:,.{_decimal_places(mean, 0.0)}f} {finding.unit}".strip()


def _decimal_places(mean: float, half_width: float) -> int:
    if half_width > 0:
        return max(0, INTERVAL_DIGITS - 1 - math.floor(math.log10(half_width)))
    if mean == 0:
        return 0
    return max(0, FEWEST_DIGITS - 1 - math.floor(math.log10(abs(mean))))
