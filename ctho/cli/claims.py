"""`ctho claims`: every printed number and claim of the paper, decided."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from ctho.checks import InputError, check_choice, check_integer
from ctho.cli.numbers import as_number

__all__ = ["add_parser", "run"]

MOST_REALISATIONS = 100_000_000


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add `claims` to the commands."""
    parser = subparsers.add_parser(
        "claims",
        help="every printed number and claim of the paper, decided",
        description="Decide each claim of the paper from a fresh simulation: printed, ours with "
        "its 95 % interval, deviation, verdict. A star marks verdicts that depend on how an open "
        "point of the paper is read. With the id of a claim: how it is decided, and its verdict "
        "under each reading.",
    )
    parser.add_argument("id", nargs="*", help="claims to show in full; all, in short, without one")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--check",
        action="store_true",
        help="exit 1 if a verdict differs from the one recorded in data/verdicts.yaml",
    )
    parser.add_argument(
        "--summary", action="store_true", help="only the claims that print a number, and counts"
    )
    parser.add_argument(
        "--from-build",
        action="store_true",
        help="show results/claims.json of the build, without a simulation",
    )
    parser.add_argument("--realisations", metavar="N", help="Monte Carlo realisations")
    parser.add_argument("--seed", metavar="S", help="seed of the simulation")
    parser.add_argument("--record", metavar="FILE", help="write the verdicts found to FILE")
    parser.add_argument(
        "--readme", metavar="FILE", help="renew the short version between the markers in FILE"
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Print the ledger, or part of it.

    Returns:
        0, or 1 where `--check` found a verdict that differs.

    Raises:
        InputError: an unknown claim, parameters out of bounds, a recorded file that is wrong, or
            a place where nothing can be written; nothing is simulated before these are checked.
    """
    # Imported here, as these cost more than the other commands take.
    from ctho.pages.claims import recorded, report
    from ctho.pages.shared.results import write_whole

    if args.summary and args.id:
        raise InputError("--summary", "given", "left out where the id of a claim is given")
    if args.record is not None:
        _check_place(args.record)
    if args.readme is not None:
        report.check_readme(Path(args.readme))
    expected = recorded.recorded_verdicts() if args.check else None
    ledger = _ledger(args)
    chosen = _chosen(ledger, args.id)
    if args.json:
        print(json.dumps({**ledger, "claims": chosen}, indent=1))
    elif args.summary:
        print(report.summary(ledger))
    elif args.id:
        print("\n\n".join(report.in_full(claim) for claim in chosen))
    else:
        print(report.in_short(ledger))
    found = recorded.verdicts_of(ledger)
    if args.record is not None:
        with _written("--record", args.record):
            write_whole(Path(args.record), recorded.verdicts_as_yaml(found).encode())
    if args.readme is not None:
        with _written("--readme", args.readme):
            report.renew_readme(Path(args.readme), ledger)
    changed = [] if expected is None else recorded.changes(found, expected)
    for line in changed:
        print(f"ctho claims: {line}", file=sys.stderr)
    return 1 if changed else 0


def _ledger(args: argparse.Namespace) -> dict[str, Any]:
    from ctho.pages.claims import (
        RESULT,
        check_plain,
        evaluate_ledger,
        load_claims,
        plain_ledger,
    )
    from ctho.pages.shared.results import read_json
    from ctho.simulation import Parameters

    given = {
        name: as_number(getattr(args, name))
        for name in ("realisations", "seed")
        if getattr(args, name) is not None
    }
    if not args.from_build:
        claims = load_claims()
        _check_ids(args.id, [claim.id for claim in claims])
        if "realisations" in given:
            check_integer(
                "realisations", given["realisations"], at_least=2, at_most=MOST_REALISATIONS
            )
        return plain_ledger(evaluate_ledger(Parameters(**given), claims))
    if given:
        raise InputError(
            "--from-build", "given", "left out where --realisations or --seed is given"
        )
    return check_plain(read_json(RESULT))


def _chosen(ledger: dict[str, Any], ids: list[str]) -> list[dict[str, Any]]:
    by_id = {claim["id"]: claim for claim in ledger["claims"]}
    _check_ids(ids, by_id)
    return [by_id[claim_id] for claim_id in ids or by_id]


def _check_ids(ids: list[str], known: Collection[str]) -> None:
    for claim_id in ids:
        check_choice("id", claim_id, known)


def _check_place(file: str) -> None:
    path = Path(file)
    try:
        # A device or a pipe would be replaced by the file.
        free = path.is_file() or not path.exists()
        fits = free and path.parent.is_dir() and os.access(path.parent, os.W_OK)
    except (OSError, ValueError):  # a path that no file can have
        fits = False
    if not fits:
        raise InputError("--record", file, "a file in a folder that exists and can be written")


@contextlib.contextmanager
def _written(flag: str, file: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        raise InputError(flag, file, f"a file that can be written ({_reason(error)})") from None


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
