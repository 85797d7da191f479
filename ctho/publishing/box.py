"""A marked box in a page, written by code because its text holds computed values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctho.checks import check_choice

if TYPE_CHECKING:
    from IPython.display import Markdown

__all__ = ["box"]

KINDS = ("warning", "important", "note", "tip")


def box(title: str, *paragraphs: str, kind: str = "warning") -> Markdown:
    """A MyST admonition as the output of a notebook cell.

    Args:
        title: its heading.
        paragraphs: its text, Markdown, one argument a paragraph.
        kind: the admonition that gives the colour.

    Raises:
        InputError: an unknown kind.

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

    check_choice("kind", kind, KINDS)
    text = "\n\n".join(paragraphs)
    return Markdown(f"::::{{admonition}} {title}\n:class: {kind}\n\n{text}\n::::")
