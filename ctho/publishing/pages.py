"""The pages of the book as `book/pages.yml` declares them: contents, rules of make, parameters."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from ctho.checks import InputError, check_choice, check_keys

__all__ = [
    "DECLARATIONS",
    "Page",
    "Part",
    "contents",
    "load_pages",
    "load_parts",
    "main",
    "rules",
    "short_title",
]

DECLARATIONS = Path("book/pages.yml")

MODEL = ("ctho/*.py", "ctho/kv_cache/*.py", "ctho/prefill/*.py", "ctho/schemes/*.py")
STUDY = ("ctho/simulation/*.py", "ctho/proofs/*.py", "ctho/pages/shared/*")
RUNNER = ("ctho/publishing/execute.py", "ctho/publishing/canonical.py", "requirements.lock")
"""What every executed page depends on, as patterns: the model, what pages share, the runner."""


@dataclass(frozen=True)
class Page:
    """One page; see the head of `book/pages.yml` for what each entry means."""

    page: str
    rooms: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    below: tuple[str, ...] = ()

    @property
    def is_notebook(self) -> bool:
        """Whether it computes; a prose page writes and draws nothing."""
        return bool(self.results or self.figures)

    @property
    def fields(self) -> tuple[str, ...]:
        """The parameters that play a part on it, in the order of their groups."""
        from ctho.simulation.parameters import GROUPS  # brings pandas, which make need not wait for

        return tuple(
            name for group in self.parameters for name in GROUPS[group] if name not in self.but
        )


@dataclass(frozen=True)
class Part:
    """Pages under one heading of the contents."""

    part: str
    pages: tuple[Page, ...]


def load_parts(path: Path = DECLARATIONS) -> tuple[Part, ...]:
    """The parts of the book with their pages, in order.

    Raises:
        InputError: the file cannot be read, a key is unknown, a page is declared twice, or it
            reads a page that there is not.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError:
        raise InputError("the declaration of pages", str(path), "a file to read") from None
    parts = []
    for entry in content:
        check_keys("a part", entry, ("part", "pages"), ("part", "pages"))
        parts.append(Part(entry["part"], tuple(_page(each) for each in entry["pages"])))
    names = [page.page for part in parts for page in part.pages]
    for name in names:
        if names.count(name) > 1:
            raise InputError("a page", name, "declared once")
    for part in parts:
        for page in part.pages:
            for name in page.reads:
                check_choice(f"{page.page}.reads", name, names)
    return tuple(parts)


def load_pages(path: Path = DECLARATIONS) -> dict[str, Page]:
    """The pages that compute, by the name of their notebook, in the order of the book."""
    pages = (page for part in load_parts(path) for page in part.pages)
    return {page.page: page for page in pages if page.is_notebook}


def short_title(notebook: Path) -> str:
    """A page's first heading up to its first colon or comma, as in "Proposition 2"."""
    first = json.loads(notebook.read_text(encoding="utf-8"))["cells"][0]
    heading = "".join(first["source"]).partition("\n")[0].removeprefix("# ")
    return re.split("[:,]", heading)[0]


def contents(parts: Sequence[Part]) -> dict[str, Any]:
    """The book's table of contents in the format of `_toc.yml`."""

    def entry(page: Page) -> dict[str, Any]:
        own = {"file": f"notebooks/{page.page}" if page.is_notebook else page.page}
        below = {"sections": [{"file": name} for name in page.below]} if page.below else {}
        return {**own, **below}

    return {
        "format": "jb-book",
        "root": "index",
        "parts": [
            {"caption": part.part, "chapters": [entry(page) for page in part.pages]}
            for part in parts
        ],
    }


def rules(pages: dict[str, Page], build_dir: str) -> Iterator[str]:
    """One rule of make a page: what its executed notebook depends on."""
    common = _files(*MODEL, *STUDY, *RUNNER)
    for name, page in pages.items():
        rooms = (f"ctho/pages/{room}/*" for room in page.rooms)
        own = _files("ctho/pages/__init__.py", *rooms, *(f"data/{each}" for each in page.data))
        read = [f"{build_dir}/executed/{each}.ipynb" for each in page.reads]
        yield f"{build_dir}/executed/{name}.ipynb: {' '.join([*common, *own, *read])}"


def main(build_dir: str) -> int:
    """Print the rules for make."""
    print("\n".join(rules(load_pages(), build_dir)))
    return 0


def _page(entry: Any) -> Page:
    known = [spec.name for spec in fields(Page)]
    check_keys("a page", entry, known, ("page",))
    return Page(entry["page"], **{k: tuple(v) for k, v in entry.items() if k != "page"})


def _files(*patterns: str) -> list[str]:
    """The files that patterns match; all files of a folder that one matches."""
    found = [path for pattern in patterns for path in sorted(Path().glob(pattern))]
    files = [each for path in found for each in (path.rglob("*") if path.is_dir() else [path])]
    return [
        file.as_posix()
        for file in files
        if file.is_file() and file.suffix != ".pyc" and not file.name.startswith(".")
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
