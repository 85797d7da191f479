"""The decided ledger for a terminal and for the README."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctho.checks import InputError
from ctho.pages.claims.wording import (
    counted,
    deviation_text,
    ours_text,
    reading_name,
    readme_block,
    text_table,
)
from ctho.pages.shared.results import write_whole

__all__ = [
    "END",
    "START",
    "check_readme",
    "in_full",
    "in_short",
    "renew_readme",
    "summary",
    "with_block",
]

Plain = Mapping[str, Any]

START = "<!-- claims: made by `ctho claims --readme README.md` -->"
END = "<!-- /claims -->"


def in_short(ledger: Plain) -> str:
    """All claims in one table, and how many have which verdict."""
    return f"{text_table(ledger['claims'])}\n\n{_closing(ledger)}"


def summary(ledger: Plain) -> str:
    """The claims that print a number, and how many of all have which verdict."""
    numbers = [claim for claim in ledger["claims"] if claim["value"] is not None]
    return f"{text_table(numbers)}\n\n{_closing(ledger)}"


def in_full(claim: Plain) -> str:
    """One claim: what is said where, how it is decided, and the verdict under each reading."""
    ours = claim["ours"]
    lines = [
        f"{claim['id']} ({claim['place']})",
        f"  claim      {claim['claim']}",
        f"  printed    {claim['printed']}",
        f"  rule       {claim['rule']}",
        f"  ours       {ours_text(ours)}  ({ours['where']})",
        f"  deviation  {deviation_text(claim['deviation_percent'])}",
        f"  verdict    {claim['verdict']}",
    ]
    if claim["missing"]:
        lines.append(f"  missing    {claim['missing']}")
    lines.append("  readings")
    for entry in claim["readings"]:
        name = reading_name(entry["reading"])
        lines.append(f"    {name}: {entry['verdict']}, {ours_text(entry['ours'])}")
    return "\n".join(lines)


def with_block(text: str, ledger: Plain, name: str = "README.md") -> str:
    """`text` with the short version of the ledger between its markers.

    Raises:
        InputError: the markers are not there once each, in order.
    """
    before, after = _around_markers(text, name)
    return f"{before}{START}\n\n{readme_block(ledger)}\n\n{END}{after}"


def check_readme(path: Path) -> None:
    """Refuse what :func:`renew_readme` would refuse, before there is a ledger.

    Raises:
        InputError: the file cannot be read, or lacks the markers.
    """
    _around_markers(_text_of(path), str(path))


def renew_readme(path: Path, ledger: Plain) -> None:
    """Write the short version of the ledger between the markers of a file.

    Raises:
        InputError: the file cannot be read, or lacks the markers.
    """
    write_whole(path, with_block(_text_of(path), ledger, str(path)).encode())


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):  # ValueError: not UTF-8, or a path that no file can have
        raise InputError("--readme", str(path), "a text file that exists") from None


def _around_markers(text: str, name: str) -> tuple[str, str]:
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end or START in after or END in after:
        raise InputError("the markers of the claims", name, f"{START} and then {END}, once each")
    return before, after


def _closing(ledger: Plain) -> str:
    parameters = ledger["parameters"]
    lines = [
        f"{len(ledger['claims'])} claims: {counted(ledger['claims'])}.",
        f"{parameters['realisations']:,} realisations, seed {parameters['seed']}.",
    ]
    if any(claim["depends_on"] for claim in ledger["claims"]):
        lines.append(
            "* depends on how an open point of the paper is read: `ctho claims ID` shows how."
        )
    return "\n".join(lines)
