"""Figures: functions that take a table and return a matplotlib figure."""

from ctho.figures.output import save, show
from ctho.figures.theme import SCHEME_STYLES, use_theme

__all__ = ["SCHEME_STYLES", "save", "show", "use_theme"]
