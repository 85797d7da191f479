"""`ctho solve`: best split, delays and rate schedule of one handover."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from ctho.checks import InputError
from ctho.data_files import parse_json, read_json
from ctho.instance import answer, handover_from_mapping

__all__ = ["add_parser", "run"]

EXAMPLE = """\
an instance:
  {"handover_s": [1.0, 1.2], "context_tok": [3000, 4000],
   "backhaul_gbps": 4.5, "kv_bits_per_tok": 458752, "cycle_s": 0.01,
   "prefill": {"prefill_s_per_tok": 9.4267e-5, "prefill_offset_s": 2.4e-3}}
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add `solve` to the commands."""
    parser = subparsers.add_parser(
        "solve",
        help="best split, delays and schedule of a handover",
        description="Solve one handover instance, given as JSON, for ctHO, tHO and cHO. The answer "
        "is JSON: worst-user delay, prefill length, both parts of the delay, the delay of each "
        "user in the order of the input, and who has the link when.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="the instance; - reads standard input")
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Print the solutions as JSON; 0.

    Raises:
        InputError: the file or the instance is wrong.
    """
    if args.file == "-":
        if sys.stdin is None:
            raise InputError("FILE", "-", "a path, as standard input is closed")
        try:
            text = sys.stdin.buffer.read().decode("utf-8")
        except UnicodeDecodeError:
            raise InputError("FILE", "standard input", "UTF-8 text") from None
        instance = parse_json(text, "FILE", "standard input")
    else:
        instance = read_json(args.file, "FILE")
    print(json.dumps(answer(handover_from_mapping(instance)), indent=1, allow_nan=False))
    return 0
