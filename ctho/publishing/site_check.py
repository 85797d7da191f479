"""A static check of the built site: links, anchors and images resolve, nothing comes from outside.

Ordinary links to other sites are fine; scripts, styles, images, fonts and frames are not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["check_site", "main", "site_pages"]

_LOADING_LINKS = {"stylesheet", "preload", "prefetch", "modulepreload", "icon", "manifest"}
_LOADED = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "input": "src",
    "object": "data",
    "script": "src",
    "source": "src",
    "track": "src",
    "video": "src",
}
_CSS_REFERENCE = re.compile(r"""url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)""")
_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@dataclass
class _Page(HTMLParser):
    """What one page defines (anchors) and refers to."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    without_alt: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(values[name] for name in ("id", "name") if values.get(name))
        self._in_style = tag == "style"
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "link" and _LOADING_LINKS & set(values.get("rel", "").split()):
            self.loaded.append(values.get("href", ""))
        if tag in _LOADED and values.get(_LOADED[tag]):
            self.loaded.append(values[_LOADED[tag]])
        for candidate in values.get("srcset", "").split(","):
            self.loaded += candidate.split()[:1]
        if tag == "img" and not values.get("alt", "").strip():
            self.without_alt.append(values.get("src", "an image"))
        self.loaded += _css_references(values.get("style", ""))

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.loaded += _css_references(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_style = self._in_style and tag != "style"


def check_site(site: Path) -> list[str]:
    """The faults of the site, one sentence each; an empty list if it is sound.

    Args:
        site: the folder that holds index.html.
    """
    pages = {file: _parsed(file) for file in site_pages(site)}
    faults = [f"{site}: there is no index.html"] if site / "index.html" not in pages else []
    for file, page in pages.items():
        name = file.relative_to(site)
        faults += [f"{name}: {fault}" for fault in _faults_of_page(site, file, page, pages)]
    for sheet in sorted(site.rglob("*.css")):
        text = sheet.read_text(encoding="utf-8", errors="replace")
        name = sheet.relative_to(site)
        references = _css_references(text)
        faults += [f"{name}: {fault}" for fault in _loading_faults(site, sheet, references)]
    return list(dict.fromkeys(faults))


def site_pages(site: Path) -> list[Path]:
    """The pages of the site; the theme also leaves templates among its static files."""
    return [file for file in sorted(site.rglob("*.html")) if "_static" not in file.parts]


def main(site: Path) -> int:
    """Print the faults; 0 if there are none, else 1."""
    faults = check_site(site)
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        count = len(site_pages(site))
        print(f"{site}: {count} pages, every link resolves, nothing is loaded from outside")
    return 1 if faults else 0


def _faults_of_page(site: Path, file: Path, page: _Page, pages: dict[Path, _Page]) -> Iterator[str]:
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = _target(site, file, parts.path) if parts.path else file
        if target is None or not target.is_file():
            yield f"the link {link} leads nowhere"
        elif (
            parts.fragment
            and target in pages
            and unquote(parts.fragment) not in pages[target].anchors
        ):
            yield f"the link {link} names an anchor that is not there"
    yield from _loading_faults(site, file, page.loaded)
    for image in page.without_alt:
        yield f"{image} has no alternative text"


def _loading_faults(site: Path, file: Path, references: Iterable[str]) -> Iterator[str]:
    for reference in references:
        parts = urlsplit(reference)
        if parts.scheme == "data" or not (parts.path or parts.netloc):
            continue
        if parts.scheme or parts.netloc:
            yield f"{reference} is loaded from outside"
        elif (target := _target(site, file, parts.path)) is None or not target.is_file():
            yield f"{reference} is loaded but not there"


def _target(site: Path, file: Path, path: str) -> Path | None:
    """The file that `path` means, or None if it lies outside the site (then it works nowhere)."""
    target = (file.parent / unquote(path)).resolve()
    return site / target.relative_to(site.resolve()) if _inside(site, target) else None


def _inside(site: Path, target: Path) -> bool:
    return target.is_relative_to(site.resolve())


def _css_references(text: str) -> list[str]:
    matches = _CSS_REFERENCE.findall(_CSS_COMMENT.sub("", text))
    return [address or imported for address, imported in matches]


def _parsed(file: Path) -> _Page:
    page = _Page()
    page.feed(file.read_text(encoding="utf-8"))
    page.close()
    return page


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
