"""`ctho run`: execute a notebook with other parameters, beside the canonical build."""

from __future__ import annotations

import argparse
import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctho.checks import InputError, check_choice

__all__ = ["add_parser", "run"]

WRONG_INPUT = 2

_HASH_CHARACTERS = 10
_UNFINISHED = re.compile(r"\.(?P<name>.+)\.(?P<pid>\d+)\.(?P<kind>partial|old)")


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
        0 when done, 1 when a cell raised, 2 when a cell refused a parameter.

    Raises:
        InputError: an unknown notebook or parameter, a value of the wrong kind, or a build folder
            that cannot be written to.
    """
    from ctho.publishing.parameters import (
        accepted_parameters,
        check_values,
        given_parameters,
        parameters_of,
    )

    notebook = find_notebook(args.notebook)
    defaults = accepted_parameters(notebook)
    if args.list:
        for name, value in defaults.items():
            print(f"{name} = {json.dumps(value)}")
        return 0
    given = given_parameters(defaults, args.given)
    if len(defaults) > len(parameters_of(notebook)):
        check_values(defaults | given)  # before a kernel starts
    return _execute(notebook, given)


def find_notebook(name: str) -> Path:
    """The notebook of that path, or of that name in the folder `notebooks` here or above.

    The name may end in .ipynb.

    Raises:
        InputError: there is none.
    """
    path = Path(name)
    if path.suffix == ".ipynb" and path.is_file():
        return path
    folders = (folder / "notebooks" for folder in (Path.cwd(), *Path.cwd().parents))
    folder = next((folder for folder in folders if folder.is_dir()), None)
    if path.suffix == ".ipynb":
        if folder is None or path.name != name or not (folder / name).is_file():
            raise InputError("NOTEBOOK", name, "a file that exists")
        return folder / name
    if folder is None:
        raise InputError("NOTEBOOK", name, "a path, or a name within a checkout of the companion")
    check_choice("NOTEBOOK", name, sorted(file.stem for file in folder.glob("*.ipynb")))
    return folder / f"{name}.ipynb"


def _execute(notebook: Path, parameters: Mapping[str, Any]) -> int:
    from ctho.publishing.execute import (
        NotebookError,
        NotebookInputError,
        execute,
        repository_root,
    )

    build = Path(os.environ.get("CTHO_BUILD_DIR") or repository_root(notebook) / "build")
    runs = build / "runs"
    target = runs / f"{notebook.stem}-{_short_hash(parameters)}"
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    made = [folder for folder in (runs, build) if not folder.exists()]
    try:
        runs.mkdir(parents=True, exist_ok=True)
        _clear_unfinished(runs)
        partial.mkdir()
    except OSError:
        raise InputError("CTHO_BUILD_DIR", str(build), "a folder that can be written to") from None
    try:
        execute(notebook, partial / notebook.name, parameters, build_dir=partial)
        _put_in_place(partial, target)
    except NotebookInputError as error:
        print(f"ctho: {error.sentence}", file=sys.stderr)
        return WRONG_INPUT
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        for folder in made:
            # Holds something unless this run was the first and has failed.
            with contextlib.suppress(OSError):
                folder.rmdir()
    print(f"notebook  {target / notebook.name}")
    for kind in ("results", "figures"):
        for file in sorted((target / kind).glob("*")):
            print(f"{kind:<9} {file}")
    return 0


def _put_in_place(finished: Path, target: Path) -> None:
    """Rename `finished` to `target`; what was there is removed only after that."""
    old = target.with_name(f".{target.name}.{os.getpid()}.old")
    while True:
        with contextlib.suppress(FileNotFoundError):
            target.replace(old)
        try:
            finished.replace(target)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                if old.exists():
                    old.replace(target)
                raise
            # Another run of the same parameters has put its own there in between.
            shutil.rmtree(old, ignore_errors=True)
        else:
            shutil.rmtree(old, ignore_errors=True)
            return


def _clear_unfinished(runs: Path) -> None:
    """Remove what runs that were killed left behind, and put back what they had moved aside."""
    for folder in runs.iterdir():
        parts = _UNFINISHED.fullmatch(folder.name)
        if parts is None or _is_running(int(parts["pid"])):
            continue
        if parts["kind"] == "old" and not (runs / parts["name"]).exists():
            with contextlib.suppress(FileNotFoundError):  # another run was faster
                folder.replace(runs / parts["name"])
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(pid: int) -> bool:
    if pid == os.getpid():
        return False  # The number was that of an earlier process.
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True  # of another user
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _short_hash(parameters: Mapping[str, Any]) -> str:
    text = json.dumps(parameters, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_CHARACTERS]
