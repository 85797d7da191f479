"""What every page uses: results, figures, provenance, and numbers and tables in words."""

from ctho.pages.shared.output import save, show
from ctho.pages.shared.provenance import provenance_card
from ctho.pages.shared.text import box, markdown_table, percent, plural, with_interval

__all__ = [
    "box",
    "markdown_table",
    "percent",
    "plural",
    "provenance_card",
    "save",
    "show",
    "with_interval",
]
