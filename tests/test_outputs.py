"""Each page writes the results and draws the figures that `book/pages.yml` declares, no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ctho.publishing.pages import DECLARATIONS, load_pages
from ctho.publishing.parameters import accepted_parameters
from tests.rendering import ROOT, Page

PAGES = load_pages(ROOT / DECLARATIONS)


def few(name: str) -> dict[str, int]:
    """Few realisations where the page takes them."""
    takes = accepted_parameters(ROOT / "notebooks" / f"{name}.ipynb")
    return {"realisations": 200} if "realisations" in takes else {}


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_leaves_behind(name: str, page: Callable[..., Page]) -> None:
    shown = page(name, **few(name))
    written = {file.name for file in (shown.build_dir / "results").iterdir()}
    assert written == set(PAGES[name].results)
    assert set(shown.figures) == set(PAGES[name].figures)


def test_no_two_pages_write_the_same_file() -> None:
    for kind in ("results", "figures"):
        names = [each for page in PAGES.values() for each in getattr(page, kind)]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_reads_what_it_declares(name: str) -> None:
    sources = [ROOT / "notebooks" / f"{name}.ipynb"]
    sources += [file for room in PAGES[name].rooms for file in _modules(room) if room != "claims"]
    if name == "claims":
        sources += _modules("claims")
    reads = any("read_table" in file.read_text(encoding="utf-8") for file in sources)
    assert reads == bool(PAGES[name].reads)


def _modules(room: str) -> list[Path]:
    return sorted((ROOT / "ctho" / "pages" / room).glob("*.py"))
