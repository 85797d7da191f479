"""What the tables of the cache page say, in sentences that follow them."""

from __future__ import annotations

import pandas as pd

from ctho.kv_cache import KvCache
from ctho.pages.shared.results import rows

__all__ = [
    "contexts_as_markdown",
    "first_model_in_words",
    "measured_in_words",
    "models_as_markdown",
    "quantised_as_markdown",
    "quantised_in_words",
    "shortcuts_as_markdown",
    "shortcuts_in_words",
]


def first_model_in_words(cache: KvCache, context_tok: int, transfer_s: float, gbps: float) -> str:
    """The first model's numbers with their formula."""
    name, size = cache.geometry.name, cache.bytes_at(context_tok)
    formula = "; ".join(f"`{line}`" for line in cache.formulas())
    return (
        f"**{name}** in {cache.keys.name}: {formula}, so the first token adds "
        f"**{cache.bytes_per_tok:,} bytes** ({cache.bits_per_tok:,} bits). A context of "
        f"{context_tok:,} tokens is {size:,} bytes = {size / 1e6:,.1f} MB = "
        f"{size / 2**20:,.1f} MiB, and takes {transfer_s:.3f} s over {gbps:g} Gbit/s."
    )


def models_as_markdown(table: pd.DataFrame) -> str:
    """One row a model and range of context lengths."""
    lines = [
        "| Model | Layers | Context (tokens) | Bytes per token | Fixed state (bytes) |",
        "|:--|--:|:--|--:|--:|",
    ]
    for row in rows(table):
        first = row.from_tok == 0
        unbounded = pd.isna(row.to_tok)
        if first:
            reach = "any" if unbounded else f"up to {row.to_tok:,.0f}"
        else:
            reach = f"beyond {row.from_tok:,}"
        cells = (row.model, f"{row.layers}") if first else ("", "")
        state = f"{row.fixed_state_bytes:,}" if first and row.fixed_state_bytes else ""
        lines.append(f"| {cells[0]} | {cells[1]} | {reach} | {row.bytes_per_tok:,} | {state} |")
    return "\n".join(lines)


def contexts_as_markdown(table: pd.DataFrame) -> str:
    """One row a model; for each context its size in MB and its seconds over the link."""
    contexts = list(dict.fromkeys(table["context_tok"]))
    lines = [
        "| Model | " + " | ".join(f"{tokens:,} tokens" for tokens in contexts) + " |",
        "|:--|" + "--:|" * len(contexts),
    ]
    for model, own in table.groupby("model", sort=False):
        cells = [f"{row.bytes / 1e6:,.1f} MB, {row.transfer_s:.3g} s" for row in rows(own)]
        lines.append(f"| {model} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def shortcuts_as_markdown(table: pd.DataFrame) -> str:
    """Where the shortcut is wrong, worst first."""
    wrong = table[table["ratio"] != 1]
    lines = ["| Model | Layers counted (MB) | Shortcut (MB) | Ratio |", "|:--|--:|--:|--:|"]
    lines += [
        f"| {row.model} | {row.bytes / 1e6:,.1f} | {row.shortcut_bytes / 1e6:,.1f} "
        f"| {row.ratio:.2f} |"
        for row in rows(wrong.sort_values("ratio", ascending=False))
    ]
    return "\n".join(lines)


def shortcuts_in_words(table: pd.DataFrame, context_tok: int) -> str:
    """How often and how far the shortcut is off."""
    wrong = table[table["ratio"] != 1]
    if wrong.empty:
        return f"At {context_tok:,} tokens the shortcut is right for all {len(table)} models."
    low, *_, high = rows(pd.concat([wrong.nsmallest(1, "ratio"), wrong.nlargest(1, "ratio")]))
    return (
        f"At {context_tok:,} tokens the shortcut is wrong for {len(wrong)} of the {len(table)} "
        f"models whose config has its fields: from {low.ratio:.2f} times the size ({low.model}) "
        f"to {high.ratio:.2f} times ({high.model})."
    )


def measured_in_words(table: pd.DataFrame, version: str) -> str:
    """Whether measured and formula agree, and where the library keeps something else."""
    same = int((table["measured_bytes"] == table["formula_bytes"]).sum())
    explained = int((table["measured_bytes"] == table["library_bytes"]).sum())
    smaller = table["measured_bytes"] < table["formula_bytes"]
    windowed = table[smaller & (table["measured_bytes"] == table["library_bytes"])]
    more = table[table["measured_bytes"] > table["formula_bytes"]]
    views = table[table["storage_bytes"] > table["measured_bytes"]]
    parts = [
        f"Of {len(table)} caches of {table['model'].nunique()} models (transformers {version}), "
        f"{same} have exactly the formula's bytes."
    ]
    if len(windowed):
        parts.append(
            f"{len(windowed)} are smaller by one token of each window: the library keeps W - 1 "
            "tokens of a window of W, because the next token brings the W-th itself."
        )
    if len(more):
        parts.append(f"{len(more)} are larger: {', '.join(dict.fromkeys(more['model']))}.")
    parts.append(
        f"With that one difference {explained} of {len(table)} agree byte for byte."
        if explained == len(table)
        else f"{len(table) - explained} differ for a reason that is not known."
    )
    latent = table[table["model"].str.startswith("DeepSeek")]
    if len(latent) and (latent["measured_bytes"] == latent["formula_bytes"]).all():
        parts.append(
            "Latent attention (DeepSeek) is kept compressed, as the formula has it, and expanded "
            "to keys and values of all heads only to compute."
        )
    if len(views):
        held = views.assign(times=views["storage_bytes"] / views["measured_bytes"])
        worst = next(rows(held.nlargest(1, "times")))
        parts.append(
            f"In {len(views)} caches the windowed layers are, right after a prefill, views of "
            "tensors over all tokens, so the memory is not free yet: "
            f"{worst.times:.1f} times the cache for {worst.model} at {worst.tokens:,} tokens."
        )
    return " ".join(parts)


def quantised_as_markdown(table: pd.DataFrame) -> str:
    """One row a quantised cache."""
    lines = [
        "| Backend | Bits | Group | Measured (bytes) | Formula (bytes) | Bits per element |",
        "|:--|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {row.backend} | {row.bits} | {row.group_size} | {row.measured_bytes:,} "
        f"| {row.formula_bytes:,} | {row.bits_per_element:.2f} |"
        for row in rows(table)
    ]
    return "\n".join(lines)


def quantised_in_words(table: pd.DataFrame) -> str:
    """Whether the quantised caches agree, and what their metadata costs."""
    same = int((table["measured_bytes"] == table["formula_bytes"]).sum())
    first = next(rows(table))
    extra = first.bits_per_element / first.bits - 1
    return (
        f"{same} of {len(table)} quantised caches have exactly the formula's bytes. A scale and "
        f"a zero point for every {first.group_size} elements make {first.bits} bits into "
        f"{first.bits_per_element:g}, {extra:.1%} more. The {first.decoded_tok} tokens decoded "
        "after the prefill are still in bf16: the library quantises them when its buffer is full."
    )
