"""`ctho run`: execute a notebook with other parameters, beside the canonical build."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctho.checks import InputError, check_choice
from ctho.publishing.parameters import given_parameters, parameters_of

__all__ = ["add_parser", "run"]

_HASH_CHARACTERS = 10


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `run` to the commands."""
    parser = subparsers.add_parser(
        "run",
        help="execute a notebook with other parameters",
        description="Execute a notebook with other parameters. Its outputs go to "
        "build/runs/NAME-HASH, where HASH stands for the parameters; the canonical build "
        "stays as it is.",
    )
    parser.add_argument("notebook", metavar="NOTEBOOK", help="a name such as fig3a, or a path")
    parser.add_argument(
        "-p",
        dest="given",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        help="a parameter of the notebook and its value as JSON (may be repeated)",
    )
    parser.add_argument(
        "--list", action="store_true", help="show the notebook's parameters and do nothing else"
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Execute `args.notebook` and say where its outputs lie.

    Returns:
        0 when done, 1 when a cell raised.

    Raises:
        InputError: an unknown notebook or parameter, or a value of the wrong kind.
    """
    notebook = find_notebook(args.notebook)
    defaults = parameters_of(notebook)
    if args.list:
        for name, value in defaults.items():
            print(f"{name} = {json.dumps(value)}")
        return 0
    given = given_parameters(defaults, args.given)
    return _execute(notebook, given)


def find_notebook(name: str) -> Path:
    """The notebook of that path, or of that name in the folder `notebooks` here or above.

    Raises:
        InputError: there is none.
    """
    path = Path(name)
    if path.suffix == ".ipynb":
        if not path.is_file():
            raise InputError("NOTEBOOK", name, "a file that exists")
        return path
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "notebooks").is_dir():
            known = sorted(file.stem for file in (folder / "notebooks").glob("*.ipynb"))
            check_choice("NOTEBOOK", name, known)
            return folder / "notebooks" / f"{name}.ipynb"
    raise InputError("NOTEBOOK", name, "a path, or a name within a checkout of the companion")


def _execute(notebook: Path, parameters: Mapping[str, Any]) -> int:
    from ctho.publishing.execute import NotebookError, execute, repository_root

    build = Path(os.environ.get("CTHO_BUILD_DIR") or repository_root(notebook) / "build")
    target = build / "runs" / f"{notebook.stem}-{_short_hash(parameters)}"
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        execute(notebook, partial / notebook.name, parameters, build_dir=partial)
        # The folder appears whole: a run that fails leaves the last finished one in place.
        shutil.rmtree(target, ignore_errors=True)
        partial.replace(target)
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    print(f"notebook  {target / notebook.name}")
    for kind in ("results", "figures"):
        for file in sorted((target / kind).glob("*")):
            print(f"{kind:<9} {file}")
    return 0


def _short_hash(parameters: Mapping[str, Any]) -> str:
    text = json.dumps(parameters, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_CHARACTERS]
