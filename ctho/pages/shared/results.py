"""Where results lie, and how a table gets there whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from ctho import data_files
from ctho.checks import InputError

__all__ = [
    "build_dir",
    "read_json",
    "read_table",
    "rows",
    "write_json",
    "write_table",
    "write_whole",
]


def build_dir() -> Path:
    """The build folder: `CTHO_BUILD_DIR` if set, else `build/` of the checkout around here."""
    named = os.environ.get("CTHO_BUILD_DIR")
    if named:
        return Path(named)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "ctho").is_dir() and (folder / "notebooks").is_dir():
            return folder / "build"
    return here / "build"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name and rename it, so that it is never half there.

    Raises:
        OSError: the folder does not exist, or it cannot be written there; nothing is left behind.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except BaseException:
        with contextlib.suppress(OSError, ValueError):
            partial.unlink()
        raise


def write_table(table: pd.DataFrame, name: str) -> Path:
    """Write a tidy table as `results/<name>.csv`, numbers at full precision."""
    return _written(f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))


def write_json(value: Any, name: str) -> Path:
    """Write a result that is no table as `results/<name>.json`."""
    return _written(f"{name}.json", json.dumps(value, indent=1, sort_keys=True) + "\n")


def read_table(name: str) -> pd.DataFrame:
    """Read `results/<name>.csv` of this build.

    Raises:
        InputError: the table has not been made yet.
    """
    return pd.read_csv(_made(name, "csv"))


def read_json(name: str) -> Any:
    """Read `results/<name>.json` of this build.

    Raises:
        InputError: the result has not been made yet, or is not JSON.
    """
    return data_files.read_json(_made(name, "json"), "the result")


def rows(table: pd.DataFrame) -> Iterator[Any]:
    """The rows of a table as named tuples; no type checker knows what the columns hold."""
    return iter(table.itertuples(index=False))


def _written(file: str, content: str) -> Path:
    folder = build_dir() / "results"
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / file, content.encode())
    return folder / file


def _made(name: str, suffix: str) -> Path:
    path = build_dir() / "results" / f"{name}.{suffix}"
    if not path.is_file():
        raise InputError("the result", name, "one that the build has made; run `make` first")
    return path
