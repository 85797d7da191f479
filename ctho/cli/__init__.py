"""The command line: `ctho solve`, `ctho kv`, `ctho run`, `ctho claims`.

Exit status: 0 done; 1 the work failed; 2 the input was wrong, with one line on standard error
that names the field, the value and what is allowed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn

from ctho.checks import InputError
from ctho.cli import claims, kv, run, solve

__all__ = ["main"]

COMMANDS = (solve, kv, run, claims)

WRONG_INPUT = 2
INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """argparse, but a wrong call costs one line and not a page."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = _Parser(
        prog="ctho",
        description="Exact LLM handover by joint KV cache transfer and token prefill.",
    )
    parser.add_argument("--version", action="version", version=f"ctho {version('ctho')}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for command in COMMANDS:
        command.add_parser(subparsers)
    args = parser.parse_args(argv)
    try:
        status: int = args.func(args)
        if sys.stdout is not None:
            sys.stdout.flush()
    except InputError as error:
        print(f"ctho: {error}", file=sys.stderr)
        return WRONG_INPUT
    except ModuleNotFoundError as error:
        print(f"ctho: {_what_is_missing(args.command, error)}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader has gone, say `head`; what is still buffered must not be flushed to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        print(f"ctho: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _what_is_missing(command: str, error: ModuleNotFoundError) -> str:
    """Which extra to install, in one sentence; an import that fails within ctho is a fault."""
    package = (error.name or "").partition(".")[0]
    if package in ("", "ctho"):
        raise error
    if "pip install" in str(error):
        return str(error)
    return f"`ctho {command}` needs {package}: pip install 'ctho[book]'"
