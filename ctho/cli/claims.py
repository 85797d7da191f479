"""`ctho claims`: every printed number and claim of the paper, decided."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctho.checks import InputError, check_choice
from ctho.cli.numbers import as_number

if TYPE_CHECKING:
    from ctho.pages.claims import Entry, Ledger

__all__ = ["add_parser", "run"]


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

    if args.summary and args.id:
        raise InputError("--summary", "given", "left out where the id of a claim is given")
    if args.record is not None:
        _check_place(args.record)
    around = report.around_block(Path(args.readme)) if args.readme is not None else None
    expected = recorded.recorded_verdicts() if args.check else None
    ledger = _ledger(args)
    chosen = _chosen(ledger, args.id)
    if args.json:
        print(json.dumps(dataclasses.replace(ledger, entries=chosen).as_json(), indent=1))
    elif args.id:
        print("\n\n".join(report.in_full(entry) for entry in chosen))
    else:
        print(report.in_short(ledger, only_numbers=args.summary))
    found = recorded.verdicts_of(ledger)
    if args.record is not None:
        _write("--record", args.record, recorded.verdicts_as_yaml(found))
    if around is not None:
        _write("--readme", args.readme, report.readme_block(ledger).join(around))
    changed = [] if expected is None else recorded.changes(found, expected)
    for line in changed:
        print(f"ctho claims: {line}", file=sys.stderr)
    return 1 if changed else 0


def _ledger(args: argparse.Namespace) -> Ledger:
    from ctho.pages.claims import evaluate_ledger, load_claims, read_ledger
    from ctho.simulation import Parameters

    given = {
        name: as_number(getattr(args, name))
        for name in ("realisations", "seed")
        if getattr(args, name) is not None
    }
    if args.from_build:
        if given:
            raise InputError(
                "--from-build", "given", "left out where --realisations or --seed is given"
            )
        return read_ledger()
    claims = load_claims()
    _check_ids(args.id, [claim.id for claim in claims])
    return evaluate_ledger(Parameters(**given), claims)


def _chosen(ledger: Ledger, ids: list[str]) -> tuple[Entry, ...]:
    _check_ids(ids, [entry.claim.id for entry in ledger.entries])
    return tuple(ledger.entry(claim_id) for claim_id in ids) or ledger.entries


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


def _write(flag: str, file: str, text: str) -> None:
    from ctho.pages.shared.results import write_whole

    try:
        write_whole(Path(file), text.encode())
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InputError(flag, file, f"a file that can be written ({reason})") from None
