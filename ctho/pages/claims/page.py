"""What the page of the ledger says, in Markdown made from the decided ledger."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ctho.checks import InputError
from ctho.pages.claims.readings import CHOICES, LABELS
from ctho.pages.claims.recorded import changes, recorded_verdicts, verdicts_of
from ctho.pages.claims.verdicts import VERDICTS
from ctho.pages.claims.wording import (
    counted,
    deviation_text,
    ours_text,
    reading_name,
)
from ctho.pages.shared.results import read_table, rows
from ctho.pages.shared.text import markdown_table

__all__ = [
    "agreement",
    "by_reading",
    "by_verdict",
    "numbers",
    "recorded",
    "rules",
    "shapes",
    "undecidable",
]

Plain = Mapping[str, Any]


def by_verdict(ledger: Plain) -> str:
    """How many claims have which verdict, and which have it."""
    claims = ledger["claims"]
    lines = [f"Of {len(claims)} claims: {counted(claims)}.", ""]
    for verdict in VERDICTS:
        ids = [f"`{claim['id']}`" for claim in claims if claim["verdict"] == verdict]
        if ids:
            lines.append(f"- **{verdict}**: {', '.join(ids)}")
    return "\n".join(lines)


def numbers(ledger: Plain) -> str:
    """The claims that print a number, as a table."""
    head = ["Place", "Claim", "Printed", "Ours, 95 % interval", "Deviation", "Verdict"]
    return markdown_table(
        head,
        (
            [
                claim["place"],
                claim["claim"],
                claim["printed"],
                _minus(f"{ours_text(claim['ours'])}<br>({claim['ours']['where']})"),
                _minus(deviation_text(claim["deviation_percent"])),
                _verdict(claim),
            ]
            for claim in ledger["claims"]
            if claim["value"] is not None
        ),
    )


def shapes(ledger: Plain) -> str:
    """The claims about a shape, as a table; the number is that of the point nearest to failing."""
    head = ["Place", "Claim", "Printed", "Nearest to failing", "Verdict"]
    return markdown_table(
        head,
        (
            [
                claim["place"],
                claim["claim"],
                claim["printed"],
                _minus(f"{ours_text(claim['ours'])}<br>({claim['ours']['where']})"),
                _verdict(claim),
            ]
            for claim in ledger["claims"]
            if claim["value"] is None
        ),
    )


def by_reading(ledger: Plain) -> str:
    """Which readings turn which verdict, and which of the open points turn none."""
    claims = ledger["claims"]
    used = {point for claim in claims for point in claim["depends_on"]}
    lines = [
        f"- `{point}` ({LABELS[point]}): "
        + (
            "turns " + ", ".join(f"`{c['id']}`" for c in claims if point in c["depends_on"])
            if point in used
            else "turns no verdict"
        )
        + _moved(claims, point)
        for point in CHOICES
    ]
    table = [
        [
            f"`{claim['id']}`<br>{claim['verdict']}",
            reading_name(entry["reading"]).replace(", ", "<br>"),
            f"{_minus(ours_text(entry['ours']))}<br>{entry['verdict']}",
        ]
        for claim in claims
        for entry in claim["readings"]
        if entry["verdict"] != claim["verdict"]
        and set(entry["reading"]) <= set(claim["depends_on"])
    ]
    if table:
        head = ["Claim and verdict by default", "Read with", "Ours and verdict then"]
        lines += ["", markdown_table(head, table)]
    return "\n".join(lines)


def undecidable(ledger: Plain) -> str:
    """What the paper would have to state."""
    lines = [
        f"- `{claim['id']}`: {claim['missing']}."
        for claim in ledger["claims"]
        if claim["missing"] and claim["verdict"] == "not decidable from the paper"
    ]
    return "\n".join(lines) if lines else "Every claim is decidable."


def rules(ledger: Plain) -> str:
    """How each claim is decided."""
    return markdown_table(
        ["Claim", "Rule"], ([f"`{c['id']}`", c["rule"]] for c in ledger["claims"])
    )


def recorded(ledger: Plain) -> str:
    """Whether the verdicts are those that the repository records."""
    changed = changes(verdicts_of(ledger), recorded_verdicts())
    if not changed:
        return "All verdicts, under every reading, are those recorded in `data/verdicts.yaml`."
    return "These verdicts differ from those recorded:\n\n" + "\n".join(f"- {c}" for c in changed)


def agreement(ledger: Plain) -> str:
    """Whether the figures' tables of this build hold the means that the ledger rests on."""
    own = {(entry["figure"], entry["x"], entry["scheme"]): entry for entry in ledger["means"]}
    compared, largest = 0, 0.0
    for figure in dict.fromkeys(entry["figure"] for entry in ledger["means"]):
        try:
            table = read_table(figure)
        except InputError:
            return f"The table of {figure} is not in this build, so none is compared."
        for row in rows(table):
            entry = own.get((figure, row.x, row.scheme))
            if entry is not None:
                compared += 1
                largest = max(largest, abs(row.mean / entry["mean"] - 1))
    means = (
        f"All {compared} means that the ledger rests on are"
        if compared == len(own)
        else f"Of the {len(own)} means that the ledger rests on, {compared} are"
    )
    return (
        f"{means} in the figures' tables of this build; the largest difference is "
        f"{100 * largest:.2g} %."
    )


def _verdict(claim: Plain) -> str:
    return f"**{claim['verdict']}**" + (" (depends on the reading)" if claim["depends_on"] else "")


def _moved(claims: Sequence[Plain], point: str) -> str:
    moved = sum(point in claim["varies_with"] for claim in claims)
    if not moved:
        return "; changes no number."
    return f"; changes our number for {moved} claim{'s' if moved > 1 else ''}."


def _minus(text: str) -> str:
    """With minus signs in the place of hyphens, but not within words.

    >>> _minus("-4.67 [-4.68, -4.66] s (no-HO - ctHO)")
    '−4.67 [−4.68, −4.66] s (no-HO − ctHO)'
    """
    return re.sub(r"(?<![\w-])-(?=\d| )", "\N{MINUS SIGN}", text)
