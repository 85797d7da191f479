"""The verdicts recorded in the repository, and what differs from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ctho.checks import MISSING, InputError, check_choice
from ctho.data_files import data_path
from ctho.pages.claims.ledger import Ledger
from ctho.pages.claims.open_points import all_readings
from ctho.pages.claims.published import read_yaml
from ctho.pages.claims.verdicts import Verdict

__all__ = ["changes", "recorded_verdicts", "verdicts_as_yaml", "verdicts_of"]

RECORDED = "verdicts.yaml"

HEADER = """\
# The verdict on each claim of published.yaml under the default reading of the paper, and under
# the other readings that turn it. `ctho claims --check` fails where a fresh evaluation differs;
# `ctho claims --record` writes this file anew.

"""

Verdicts = dict[str, dict[str, Verdict]]
"""By claim: the verdict under "default", and under each reading that turns it, by its name."""


def verdicts_of(ledger: Ledger) -> Verdicts:
    """The verdicts of a ledger."""
    return {
        entry.claim.id: {
            "default": entry.verdict,
            **{reading.name: finding.verdict for reading, finding in entry.turned.items()},
        }
        for entry in ledger.entries
    }


def recorded_verdicts(path: Path | None = None) -> Verdicts:
    """The verdicts of `path`, by default those of the repository.

    Raises:
        InputError: not a mapping, an empty one, an unknown verdict, or an unknown reading.
    """
    path = path if path is not None else data_path(RECORDED)
    content = read_yaml(path)
    if not content:
        raise InputError(f"the content of {path.name}", MISSING, "a verdict on each claim")
    if not isinstance(content, Mapping):
        raise InputError(path.name, content, "an object with claims and their verdicts")
    readings = {reading.name for reading in all_readings()}
    for claim_id, entry in content.items():
        if not isinstance(entry, Mapping) or "default" not in entry:
            raise InputError(str(claim_id), entry, "an object with a verdict by default")
        for reading, verdict in entry.items():
            if reading not in readings:
                allowed = "default, or what differs from it, such as transfer=printed"
                raise InputError(f"a reading of {claim_id}", reading, allowed)
            check_choice(f"{claim_id}.{reading}", verdict, list(Verdict))
    return {
        claim_id: {reading: Verdict(verdict) for reading, verdict in entry.items()}
        for claim_id, entry in content.items()
    }


def changes(found: Verdicts, recorded: Verdicts) -> list[str]:
    """What differs, one line a claim and reading; empty if nothing does."""
    lines = []
    for claim_id in {**found, **recorded}:
        now, before = found.get(claim_id), recorded.get(claim_id)
        if now is None or before is None:
            lines.append(
                f"{claim_id}: {'no longer claimed' if now is None else 'not recorded yet'}"
            )
            continue
        for reading in {**now, **before}:
            # A reading that is not listed has the verdict of the default.
            verdict = now.get(reading, now["default"])
            expected = before.get(reading, before["default"])
            if verdict is not expected:
                where = "" if reading == "default" else f" under {reading}"
                lines.append(f"{claim_id}{where}: {verdict}, recorded as {expected}")
    return lines


def verdicts_as_yaml(found: Verdicts) -> str:
    """The file that records these verdicts."""
    lines = []
    for claim_id, entry in found.items():
        lines += [f"{claim_id}:", *(f"  {name}: {verdict}" for name, verdict in entry.items())]
    return HEADER + "\n".join(lines) + "\n"
