"""How a decided claim is written: numbers with intervals, tables in text and Markdown.

Everything here takes the plain data of :func:`ctho.pages.claims.plain_ledger`, so that a page, the
README and the command line show the same file.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ctho.pages.claims.verdicts import REPRODUCED, VERDICTS
from ctho.pages.shared.text import markdown_table

__all__ = [
    "counted",
    "deviation_text",
    "ours_text",
    "reading_name",
    "readme_block",
    "text_table",
]

Plain = Mapping[str, Any]

INTERVAL_DIGITS = 2
FEWEST_DIGITS = 3
SMALLEST_PLAIN = 1e-4


def ours_text(ours: Plain) -> str:
    """A number with its 95 % interval and unit; the interval alone sets how many digits show.

    >>> ours_text({"mean": 0.66389, "ci_low": 0.66321, "ci_high": 0.66457, "unit": "s"})
    '0.66389 [0.66321, 0.66457] s'
    >>> ours_text({"mean": 458752.0, "ci_low": 458752.0, "ci_high": 458752.0, "unit": "bit"})
    '458,752 bit'
    """
    mean, low, high = ours["mean"], ours["ci_low"], ours["ci_high"]
    if 0 < abs(mean) < SMALLEST_PLAIN and low == high:
        return f"{mean:.0e} {ours['unit']}".strip()
    places = _decimal_places(mean, (high - low) / 2)
    text = f"{mean:,.{places}f}"
    if high > low:
        text += f" [{low:,.{places}f}, {high:,.{places}f}]"
    return f"{text} {ours['unit']}".strip()


def deviation_text(percent: float | None) -> str:
    """A deviation in percent with its sign, or a dash."""
    return "-" if percent is None else f"{percent:+.1f} %"


def reading_name(reading: Mapping[str, str]) -> str:
    """A reading by what differs from the default.

    >>> reading_name({"transfer": "printed"}), reading_name({})
    ('transfer=printed', 'default')
    """
    return ", ".join(f"{point}={choice}" for point, choice in reading.items()) or "default"


def counted(claims: Sequence[Plain]) -> str:
    """How many claims have which verdict, in words.

    >>> counted([{"verdict": "reproduced"}, {"verdict": "reproduced"}])
    '2 reproduced'
    >>> counted([{"verdict": VERDICTS[1]}] * 2)
    '2 hold as worded but the value differs'
    """
    counts = Counter(claim["verdict"] for claim in claims)
    return ", ".join(
        f"{counts[v]} {v.replace('holds', 'hold') if counts[v] > 1 else v}"
        for v in VERDICTS
        if counts[v]
    )


def text_table(claims: Sequence[Plain]) -> str:
    """The claims as an aligned table for a terminal."""
    head = ["claim", "place", "printed", "ours, 95 % interval", "deviation", "verdict"]
    rows = [
        [
            claim["id"],
            claim["place"],
            claim["printed"],
            ours_text(claim["ours"]),
            deviation_text(claim["deviation_percent"]),
            claim["verdict"] + (" *" if claim["depends_on"] else ""),
        ]
        for claim in claims
    ]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [head, ["-" * width for width in widths], *rows]
    ]
    return "\n".join(lines)


def readme_block(plain: Plain) -> str:
    """The short version in Markdown: printed numbers beside ours, and shapes that do not hold."""
    claims = plain["claims"]
    table = markdown_table(
        ["Printed", "What", "Ours", "Verdict"],
        (
            [claim["printed"], claim["claim"], _short(claim["ours"]), claim["verdict"]]
            for claim in claims
            if claim["value"] is not None
        ),
    )
    others = [claim for claim in claims if claim["value"] is None]
    failed = [claim for claim in others if claim["verdict"] != REPRODUCED]
    held = f"Of the {len(others)} claims that print no number, {len(others) - len(failed)}"
    shapes = [f"{held} are reproduced" + ("; these are not:\n" if failed else ".")]
    shapes += [
        f"- {claim['claim'].rstrip('.')} ({claim['place']}): {claim['verdict']}."
        for claim in failed
    ]
    return "\n".join([f"{len(claims)} claims: {counted(claims)}.", "", table, "", *shapes])


def _short(ours: Plain) -> str:
    """A number to three digits, which another machine's rounding does not turn."""
    places = _decimal_places(ours["mean"], 0.0)
    return f"{ours['mean']:,.{places}f} {ours['unit']}".strip()


def _decimal_places(mean: float, half_width: float) -> int:
    if half_width > 0:
        return max(0, INTERVAL_DIGITS - 1 - math.floor(math.log10(half_width)))
    if mean == 0:
        return 0
    return max(0, FEWEST_DIGITS - 1 - math.floor(math.log10(abs(mean))))
