"""`ctho claims`: every printed number and claim of the paper, decided."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from ctho.checks import InputError, check_choice

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add `claims` to the commands."""
    parser = subparsers.add_parser(
        "claims",
        help="every printed number and claim of the paper, decided",
        description="Decide each claim of the paper from a fresh simulation: printed, ours with "
        "its 95 %% interval, deviation, verdict. A star marks verdicts that depend on how an open "
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
        InputError: an unknown claim, parameters out of bounds, or a recorded file that is wrong.
    """
    # Imported here, as these cost more than the other commands take.
    from ctho.study.claims import recorded, report
    from ctho.study.results import write_whole

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
    if args.record:
        write_whole(Path(args.record), recorded.verdicts_as_yaml(found).encode())
    if args.readme:
        report.renew_readme(Path(args.readme), ledger)
    return _checked(found) if args.check else 0


def _ledger(args: argparse.Namespace) -> dict[str, Any]:
    from ctho.study import Parameters
    from ctho.study.claims import RESULT, evaluate_ledger, plain_ledger
    from ctho.study.results import read_json

    given = {
        name: _number(getattr(args, name))
        for name in ("realisations", "seed")
        if getattr(args, name) is not None
    }
    if not args.from_build:
        return plain_ledger(evaluate_ledger(Parameters(**given)))
    if given:
        raise InputError(
            "--from-build", "given", "left out where --realisations or --seed is given"
        )
    found: dict[str, Any] = read_json(RESULT)
    return found


def _chosen(ledger: dict[str, Any], ids: list[str]) -> list[dict[str, Any]]:
    by_id = {claim["id"]: claim for claim in ledger["claims"]}
    for claim_id in ids:
        check_choice("id", claim_id, by_id)
    return [by_id[claim_id] for claim_id in ids or by_id]


def _checked(found: dict[str, dict[str, str]]) -> int:
    from ctho.study.claims import recorded

    changed = recorded.changes(found, recorded.recorded_verdicts())
    for line in changed:
        print(f"ctho claims: {line}", file=sys.stderr)
    return 1 if changed else 0


def _number(text: str) -> Any:
    # What is no number stays as written, so that the refusal shows it.
    try:
        return int(text)
    except ValueError:
        return text
