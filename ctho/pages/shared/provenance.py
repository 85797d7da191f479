"""Where a page's numbers come from: parameters, seed, commit, data and versions."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctho.pages.shared.text import markdown_table

if TYPE_CHECKING:
    from IPython.display import Markdown

__all__ = ["data_hashes", "package_versions", "provenance_card", "source_state"]

PACKAGES = ("ctho", "numpy", "scipy", "pandas", "matplotlib")
"""The packages whose version can change a number or a figure."""

SOURCE_PATHS = ("ctho", "data", "notebooks", "requirements.lock")
"""What a result depends on; changes elsewhere (prose, tests) do not make it dirty."""

_OWN_ROWS = {"seed": "Seed", "realisations": "Realisations"}
_HASH_CHARACTERS = 12


def provenance_card(parameters: Mapping[str, Any], root: Path | None = None) -> Markdown:
    """The provenance of a page as a Markdown table, for the last cell of a notebook.

    Args:
        parameters: the page's parameters by name; `seed` and `realisations` get rows of their own.
        root: the repository; by default the working directory, where notebooks are executed.
    """
    from IPython.display import Markdown

    root = root or Path.cwd()
    rest = (f"`{name} = {value!r}`" for name, value in parameters.items() if name not in _OWN_ROWS)
    own = [[title, f"`{parameters[k]}`"] for k, title in _OWN_ROWS.items() if k in parameters]
    hashes = (f"`{name}` {digest}" for name, digest in data_hashes(root / "data").items())
    versions = (f"{name} {version}" for name, version in package_versions().items())
    rows = [
        ["Parameters", _listed(rest)],
        *own,
        ["Source", source_state(root)],
        ["Data (SHA-256)", _listed(hashes)],
        ["Versions", _listed(versions)],
    ]
    return Markdown(markdown_table(["Provenance", ""], rows))


def source_state(root: Path) -> str:
    """The commit of `root` and whether what results depend on is clean, in words."""
    commit = _git(root, "rev-parse", f"--short={_HASH_CHARACTERS}", "HEAD")
    if commit is None:
        return "not under version control"
    changed = _git(root, "status", "--porcelain", "--", *SOURCE_PATHS)
    return f"commit `{commit}`, {'dirty' if changed else 'clean'}"


def data_hashes(folder: Path) -> dict[str, str]:
    """A short SHA-256 for each entry of `folder`; a subfolder counts as its files together."""
    hashes = {}
    for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
        files = sorted(f for f in entry.rglob("*") if f.is_file()) if entry.is_dir() else [entry]
        digest = hashlib.sha256()
        for file in files:
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            digest.update(f"{file.relative_to(folder).as_posix()} {content}\n".encode())
        if files:
            hashes[entry.name] = digest.hexdigest()[:_HASH_CHARACTERS]
    return hashes


def package_versions() -> dict[str, str]:
    """The versions of Python and of the packages that can change a number or a figure."""
    versions = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items) or "none"


def _git(root: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(root), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
