"""The verdicts recorded in the repository, and what differs from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ctho.checks import MISSING, InputError, check_choice, check_keys
from ctho.data_files import data_path
from ctho.pages.claims.ledger import read_yaml
from ctho.pages.claims.readings import CHOICES, PaperReading
from ctho.pages.claims.verdicts import VERDICTS
from ctho.pages.claims.wording import reading_name

__all__ = ["changes", "recorded_verdicts", "verdicts_as_yaml", "verdicts_of"]

RECORDED = "verdicts.yaml"

HEADER = """\
# The verdict on each claim of published.yaml under the default reading of the paper, and under
# the other readings that turn it. `ctho claims --check` fails where a fresh evaluation differs;
# `ctho claims --record` writes this file anew.

"""

Verdicts = dict[str, dict[str, str]]
"""By claim: the verdict under "default", and under each reading that turns it."""


def verdicts_of(plain: Mapping[str, Any]) -> Verdicts:
    """The verdicts of a decided ledger, given as plain data."""
    return {
        claim["id"]: {
            "default": claim["verdict"],
            **{
                reading_name(entry["reading"]): entry["verdict"]
                for entry in claim["readings"]
                if set(entry["reading"]) <= set(claim["depends_on"])
                and entry["verdict"] != claim["verdict"]
            },
        }
        for claim in plain["claims"]
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
    recorded: Verdicts = {}
    for claim_id, entry in _by_name(path.name, content).items():
        check_keys(claim_id, _by_name(claim_id, entry), entry, ("default",))
        for reading, verdict in entry.items():
            check_choice(f"{claim_id}.{reading}", verdict, VERDICTS)
            if reading != "default":
                _check_reading(claim_id, reading)
        recorded[claim_id] = dict(entry)
    return recorded


def changes(found: Verdicts, recorded: Verdicts) -> list[str]:
    """What differs, one line a claim and reading; empty if nothing does."""
    lines = []
    for claim_id in _in_order(found, recorded):
        now, before = found.get(claim_id), recorded.get(claim_id)
        if now is None or before is None:
            lines.append(
                f"{claim_id}: {'no longer claimed' if now is None else 'not recorded yet'}"
            )
            continue
        for reading in _in_order(now, before):
            # A reading that is not listed has the verdict of the default.
            verdict = now.get(reading, now["default"])
            expected = before.get(reading, before["default"])
            if verdict != expected:
                where = "" if reading == "default" else f" under {reading}"
                lines.append(f"{claim_id}{where}: {verdict}, recorded as {expected}")
    return lines


def verdicts_as_yaml(found: Verdicts) -> str:
    """The file that records these verdicts."""
    lines = []
    for claim_id, entry in found.items():
        lines += [f"{claim_id}:", *(f"  {name}: {verdict}" for name, verdict in entry.items())]
    return HEADER + "\n".join(lines) + "\n"


def _by_name(field: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(field, value, "an object with names and their verdicts")
    for name in value:
        if not isinstance(name, str):
            raise InputError(f"a name in {field}", name, "text")
    return value


def _check_reading(claim_id: str, name: str) -> None:
    choices = dict(part.partition("=")[::2] for part in name.split(", "))
    check_keys(claim_id, choices, list(CHOICES))
    PaperReading.from_mapping(choices)


def _in_order(*groups: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for group in groups for name in group))
