"""`ctho kv`: how many bytes the context of a model is, and how long a link takes to move it."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ctho.checks import MISSING, InputError, check_integer, check_number
from ctho.cli.numbers import as_number
from ctho.kv_cache import (
    KvCache,
    KvGeometry,
    Segment,
    element_type,
    geometry_from_file,
    model_geometry,
    model_names,
)

DEFAULT_TOKENS = [1024, 3072, 8192]
PAPER_BACKHAUL_GBPS = 4.5
BITS_PER_GBIT = 1e9

MOST_TOKENS = 10**12
SLOWEST_GBPS, FASTEST_GBPS = 1e-9, 1e9
"""Beyond these no context or link is meant, and a time need not be a finite number."""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Register `kv` and its flags."""
    parser = subparsers.add_parser(
        "kv",
        help="KV-cache size of a model",
        description="Bytes per token and at given context lengths, in exact bytes, GB (10^9) and "
        "GiB (2^30), with the time over a link and the formula.",
    )
    parser.add_argument("model", nargs="?", help="a recorded model, such as Qwen2.5-7B-Instruct")
    parser.add_argument("--config", metavar="FILE", help="a local Hugging Face config.json instead")
    parser.add_argument("--tokens", nargs="+", default=DEFAULT_TOKENS, metavar="N")
    parser.add_argument("--dtype", default="bf16", help="element type, such as fp8 or int4-g64")
    parser.add_argument("--value-dtype", help="element type of the values, where it differs")
    parser.add_argument(
        "--backhaul-gbps", default=PAPER_BACKHAUL_GBPS, metavar="G", help="link, 10^9 bit/s"
    )
    parser.add_argument("--list", action="store_true", help="names of the recorded models")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Print the sizes; 0.

    Raises:
        InputError: no model or two, an unknown one, or a value out of bounds.
    """
    if args.list:
        names = list(model_names())
        print(json.dumps(names, indent=2) if args.json else "\n".join(names))
        return 0
    report = kv_report(
        _geometry(args.model, args.config),
        tokens=[as_number(text) for text in args.tokens],
        dtype=args.dtype,
        value_dtype=args.value_dtype,
        backhaul_gbps=as_number(args.backhaul_gbps),
    )
    print(json.dumps(report, indent=2) if args.json else _as_text(report))
    return 0


def kv_report(
    geometry: KvGeometry,
    tokens: list[int],
    dtype: str = "bf16",
    value_dtype: str | None = None,
    backhaul_gbps: float = PAPER_BACKHAUL_GBPS,
) -> dict[str, Any]:
    """Everything that `ctho kv` prints, as plain data.

    Raises:
        InputError: an unknown element type, or a length or capacity out of bounds.
    """
    keys = element_type(dtype)
    values = keys if value_dtype is None else element_type(value_dtype, "value_dtype")
    lengths = [check_integer("tokens", n, at_least=0, at_most=MOST_TOKENS) for n in tokens]
    capacity_gbps = check_number(
        "backhaul_gbps", backhaul_gbps, at_least=SLOWEST_GBPS, at_most=FASTEST_GBPS
    )
    cache = KvCache(geometry, keys, values)
    return {
        "model": geometry.name,
        "layers": geometry.num_layers,
        "dtype": keys.name,
        "value_dtype": values.name,
        "bytes_per_tok": cache.bytes_per_tok,
        "kv_bits_per_tok": cache.bits_per_tok,
        "bytes_per_tok_by_context": [_segment(segment) for segment in cache.segments()],
        "fixed_state_bytes": cache.fixed_state_bytes,
        "formula": list(cache.formulas()),
        "backhaul_gbps": capacity_gbps,
        "contexts": [
            {
                "tokens": length,
                "bytes": cache.bytes_at(length),
                "gb": cache.bytes_at(length) / 1e9,
                "gib": cache.bytes_at(length) / 2**30,
                "transfer_s": cache.bits_at(length) / (capacity_gbps * BITS_PER_GBIT),
            }
            for length in lengths
        ],
    }


def _geometry(model: str | None, config: str | None) -> KvGeometry:
    if (model is None) == (config is None):
        given = MISSING if model is None else [model, config]
        raise InputError("model", given, "either a recorded model (see --list) or --config FILE")
    return geometry_from_file(config) if config is not None else model_geometry(model or "")


def _segment(segment: Segment) -> dict[str, Any]:
    return {
        "from_tok": segment.from_tok,
        "to_tok": segment.to_tok,
        "bytes_per_tok": segment.bytes_per_tok,
    }


def _on_one_line(name: str) -> str:
    # The name comes from a file or a path, which may hold line breaks and what no terminal shows.
    return name if name.isascii() and name.isprintable() else ascii(name)


def _as_text(report: dict[str, Any]) -> str:
    types = report["dtype"]
    if report["value_dtype"] != types:
        types = f"keys {types}, values {report['value_dtype']}"
    lines = [
        f"{_on_one_line(report['model'])}, {report['layers']} layers, {types}",
        f"  {report['bytes_per_tok']:,} bytes per token ({report['kv_bits_per_tok']:,} bits)",
        *(f"    {line}" for line in report["formula"]),
    ]
    lines += [
        f"  {segment['bytes_per_tok']:,} bytes per token beyond {segment['from_tok']:,} tokens"
        for segment in report["bytes_per_tok_by_context"][1:]
    ]
    if report["fixed_state_bytes"]:
        lines.append(f"  {report['fixed_state_bytes']:,} bytes of state whatever the context")
    heads = ("tokens", "bytes", "GB", "GiB", f"at {report['backhaul_gbps']:g} Gbit/s")
    lines += ["", "{:>10} {:>20} {:>12} {:>12} {:>15}".format(*heads)]
    for row in report["contexts"]:
        lines.append(
            f"{row['tokens']:>10,} {row['bytes']:>20,} {row['gb']:>12.6f} {row['gib']:>12.6f} "
            f"{row['transfer_s']:>13.4f} s"
        )
    return "\n".join(lines)
