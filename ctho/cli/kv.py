"""`ctho kv`: how many bytes the context of a model is, and how long a link takes to move it."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ctho.checks import InputError, check_integer, check_number
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
        tokens=[check_integer("tokens", _number(text), at_least=0) for text in args.tokens],
        dtype=args.dtype,
        value_dtype=args.value_dtype,
        backhaul_gbps=check_number("backhaul_gbps", _number(args.backhaul_gbps), above=0),
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
        InputError: an unknown element type, a negative length or a link without capacity.
    """
    keys = element_type(dtype)
    values = keys if value_dtype is None else element_type(value_dtype, "value_dtype")
    capacity_bits_per_s = check_number("backhaul_gbps", backhaul_gbps, above=0) * BITS_PER_GBIT
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
        "backhaul_gbps": backhaul_gbps,
        "contexts": [
            {
                "tokens": length,
                "bytes": cache.bytes_at(length),
                "gb": cache.bytes_at(length) / 1e9,
                "gib": cache.bytes_at(length) / 2**30,
                "transfer_s": cache.bits_at(length) / capacity_bits_per_s,
            }
            for length in tokens
        ],
    }


def _geometry(model: str | None, config: str | None) -> KvGeometry:
    if (model is None) == (config is None):
        given = "missing" if model is None else [model, config]
        raise InputError("model", given, "either a recorded model (see --list) or --config FILE")
    return geometry_from_file(config) if config is not None else model_geometry(model or "")


def _number(given: Any) -> Any:
    # What is no number stays as written, so that the refusal can show it.
    if not isinstance(given, str):
        return given
    for convert in (int, float):
        try:
            return convert(given)
        except ValueError:
            continue
    return given


def _segment(segment: Segment) -> dict[str, Any]:
    return {
        "from_tok": segment.from_tok,
        "to_tok": segment.to_tok,
        "bytes_per_tok": segment.bytes_per_tok,
    }


def _as_text(report: dict[str, Any]) -> str:
    types = report["dtype"]
    if report["value_dtype"] != types:
        types = f"keys {types}, values {report['value_dtype']}"
    lines = [
        f"{report['model']}, {report['layers']} layers, {types}",
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
