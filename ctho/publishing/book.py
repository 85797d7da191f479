"""Assemble the book's sources from prose and executed notebooks, and build the site."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path

import yaml

from ctho.publishing.equations import equation_table
from ctho.publishing.pages import DECLARATIONS, contents, load_pages, load_parts, short_title

__all__ = ["assemble", "build", "main"]

MATHJAX = "tex-svg-full.js"
"""MathJax with its glyphs drawn as SVG: one file, no fonts to load, so it works from disk."""

MATHJAX_PACKAGE = "sphinx-mathjax-offline"

_CONFIGURATION = "_config.yml"
_CONTENTS = "_toc.yml"
_EQUATIONS = "equations.md"
_TABLE_HERE = "<!-- the table of equations -->"

_PARALLEL = """
def setup(app):
    # It numbers sections once all pages are read, and only fails to say that this is safe.
    app.extensions["sphinx_multitoc_numbering"].parallel_read_safe = True
"""


def assemble(
    prose: Path,
    build_dir: Path,
    names: Iterable[str],
    source: Path,
    made: Mapping[str, str] | None = None,
) -> None:
    """Lay out in `source` what Sphinx reads: pages, executed notebooks, results and figures.

    A file that has not changed is left alone, so that Sphinx reads again only what has; a file
    that no longer belongs there is removed.

    Args:
        prose: the folder `book/` of the repository.
        build_dir: the folder with `executed/`, `results/` and `figures/`.
        names: the notebooks that are pages.
        source: the folder to fill.
        made: texts of files that are made here, by their path; they replace a file of that path.
    """
    wanted = dict(_tree(prose))
    wanted |= {
        Path(f"notebooks/{name}.ipynb"): build_dir / f"executed/{name}.ipynb" for name in names
    }
    for kind in ("results", "figures"):
        wanted |= {Path(kind) / path: file for path, file in _tree(build_dir / kind)}
    wanted[Path("_extra/mathjax") / MATHJAX] = mathjax_file()
    wanted.pop(Path(DECLARATIONS.name), None)
    texts = {Path(path): text for path, text in (made or {}).items()}
    for path, _ in list(_tree(source)):
        if path not in wanted and path not in texts:
            (source / path).unlink()
    for path, file in wanted.items():
        if path not in texts:
            _copy_if_changed(file, source / path)
    for path, text in texts.items():
        _write_if_changed(source / path, text)


def build(source: Path, site: Path, doctrees: Path) -> int:
    """Build the site with warnings as errors; the exit status of Sphinx.

    The configuration is made by Jupyter Book from `_config.yml`. Sphinx is then called as it is,
    since Jupyter Book's own command adds nothing but a fixed output folder.
    """
    _write_sphinx_configuration(source)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-n", "-q"]
    command += ["-j", "auto", "-d", str(doctrees), str(source), str(site)]
    status = subprocess.run(command, check=False).returncode
    if status:
        # Sphinx warns of a page only when it reads it; the next build must read all of them.
        shutil.rmtree(doctrees, ignore_errors=True)
    return status


def mathjax_file() -> Path:
    """MathJax, as the Python package that ships it installed it."""
    files = metadata.files(MATHJAX_PACKAGE) or []
    file = next(file for file in files if file.name == MATHJAX)
    return Path(str(file.locate()))


def main(build_dir: Path) -> int:
    """Assemble and build the site of the repository in the working directory."""
    source, prose = build_dir / "book-src", Path("book")
    pages = load_pages()
    titles = {name: short_title(Path(f"notebooks/{name}.ipynb")) for name in pages}
    table = equation_table(Path("ctho"), Path("notebooks"), titles)
    written = (prose / _EQUATIONS).read_text(encoding="utf-8")
    made = {
        _CONTENTS: yaml.safe_dump(contents(load_parts()), sort_keys=False),
        _EQUATIONS: written.replace(_TABLE_HERE, table),
    }
    assemble(prose, build_dir, pages, source, made)
    return build(source, build_dir / "html", build_dir / "doctrees")


def _write_sphinx_configuration(source: Path) -> None:
    from jupyter_book.config import get_final_config

    configuration, _ = get_final_config(
        user_yaml=yaml.safe_load((source / _CONFIGURATION).read_text(encoding="utf-8")),
        cli_config={"latex_individualpages": False},
        sourcedir=source,
        raise_on_invalid=True,
    )
    lines = [f"{name} = {value!r}" for name, value in sorted(configuration.items())]
    _write_if_changed(source / "conf.py", "\n".join(lines) + "\n" + _PARALLEL)


def _tree(folder: Path) -> Iterator[tuple[Path, Path]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.name.startswith("."):
            yield file.relative_to(folder), file


def _copy_if_changed(file: Path, target: Path) -> None:
    if not target.is_file() or target.read_bytes() != file.read_bytes():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def _write_if_changed(target: Path, text: str) -> None:
    if not target.is_file() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
