"""Numbers, lists, tables and boxes in words, the same on every page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from IPython.display import Markdown

__all__ = [
    "box",
    "listed",
    "markdown_table",
    "percent",
    "plural",
    "span",
    "with_interval",
    "witnesses_as_markdown",
]


def percent(share: float) -> str:
    """A share in percent with two significant digits below ten.

    >>> percent(0.0153), percent(0.25), percent(0.0)
    ('1.5 %', '25 %', '0 %')
    """
    value = 100 * share
    if value == 0:
        return "0 %"
    return f"{value:.2g} %" if abs(value) < 10 else f"{value:.0f} %"


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "user"), plural(1200, "user")
    ('1 user', '1,200 users')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def span(first: int, last: int, noun: str) -> str:
    """One numbered thing, or a range of them.

    >>> span(2, 2, "user"), span(2, 4, "user")
    ('user 2', 'users 2 to 4')
    """
    return f"{noun} {first}" if first == last else f"{noun}s {first} to {last}"


def listed(items: Iterable[str], *, last: str = "and") -> str:
    """Items as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed("abc", last="or")
    ('a', 'a and b', 'a, b or c')
    """
    *before, final = items
    return f"{', '.join(before)} {last} {final}" if before else final


def with_interval(mean: float, ci_high: float, digits: int = 3) -> str:
    """A mean with the half width of its interval, such as 0.442 ± 0.001, in one unbroken word.

    A mean that nothing random enters stands alone, and an infinite one is ∞.
    """
    if math.isinf(mean):
        return "∞"
    half, least = ci_high - mean, 10.0**-digits
    if half == 0:
        return f"{mean:.{digits}f}"
    # A half width that is not zero is not shown as zero.
    width = f"<\u00a0{least:.{digits}f}" if half < least / 2 else f"{half:.{digits}f}"
    return f"{mean:.{digits}f}\u00a0±\u00a0{width}"


def markdown_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], align: str | None = None
) -> str:
    """A Markdown table.

    Args:
        head: the headings.
        rows: the cells, as many as headings in each row.
        align: one letter a column, "l" left or "r" right; by default all are left as they are.

    Raises:
        ValueError: a row, or `align`, of another length than the head.

    >>> print(markdown_table(["x", "y"], [["1", "2"]], "lr"))
    | x | y |
    |:---|---:|
    | 1 | 2 |
    """
    rules = {"l": ":---", "r": "---:"}
    rule = ["---"] * len(head) if align is None else [rules[letter] for letter in align]
    body = [list(row) for row in rows]
    if any(len(row) != len(head) for row in [rule, *body]):
        raise ValueError("every row of a table has as many cells as its head")
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(rule) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in body)])


def witnesses_as_markdown(table: pd.DataFrame) -> str:
    """The table of :func:`ctho.proofs.witness_table.witness_table` as Markdown."""
    return markdown_table(
        ["claim", "instances", "worst deviation"],
        (
            [str(claim), f"{instances:,}", f"{worst:.1e}" if worst > 0 else "0"]
            for claim, instances, worst in zip(
                table["claim"], table["instances"], table["worst"], strict=True
            )
        ),
        "lrr",
    )


def box(title: str, *paragraphs: str, kind: str = "warning") -> Markdown:
    """A MyST admonition as the output of a notebook cell.

    Args:
        title: its heading.
        paragraphs: its text, Markdown, one argument a paragraph.
        kind: the admonition that gives the colour: warning, important, note or tip.

    >>> print(box("Title", "First.", "Second.").data)
    ::::{admonition} Title
    :class: warning
    <BLANKLINE>
    First.
    <BLANKLINE>
    Second.
    ::::
    """
    from IPython.display import Markdown

    text = "\n\n".join(paragraphs)
    return Markdown(f"::::{{admonition}} {title}\n:class: {kind}\n\n{text}\n::::")
