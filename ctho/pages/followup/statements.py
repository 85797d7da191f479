"""What the comparison with the follow-up says, in sentences that follow the numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ctho.pages.followup.followup import Measurements

__all__ = [
    "block_sentence",
    "error_sentences",
    "law_markdown",
    "law_sentences",
    "leave_one_out_sentence",
    "predictions_markdown",
    "tokens_sentence",
]


def predictions_markdown(tables: dict[str, pd.DataFrame]) -> str:
    """Measured and predicted milliseconds, one row for each context and quantity.

    Args:
        tables: :func:`ctho.pages.followup.followup.predictions` by the name of the prefill curve.
    """
    names = list(tables)
    heads = [f"prefill: {name}" for name in names]
    lines = [
        "| context (tokens) | quantity | measured (ms) | " + " | ".join(heads) + " |",
        "|---:|:---|---:|" + "---:|" * len(names),
    ]
    first = tables[names[0]]
    for i in range(len(first)):
        row = first.iloc[i]
        cells = [
            f"{1e3 * tables[name]['predicted_s'].iloc[i]:,.0f} "
            f"({tables[name]['error_percent'].iloc[i]:+.1f} %)"
            for name in names
        ]
        lines.append(
            f"| {row['context_tok']:,.0f} | {row['quantity']} | {1e3 * row['measured_s']:,.0f} | "
            + " | ".join(cells)
            + " |"
        )
    return "\n".join(lines)


def error_sentences(tables: dict[str, pd.DataFrame]) -> str:
    """The range of the errors of each column."""
    any_table = next(iter(tables.values()))
    copy = _range(any_table, "full copy")
    both = "; ".join(
        f"with the curve “{name}” by {_range(table, 'ctHO')}" for name, table in tables.items()
    )
    fit = "; ".join(
        f"“{name}” leaves {_range(table, 'recomputation')}" for name, table in tables.items()
    )
    measured = any_table.set_index(["quantity", "context_tok"])["measured_s"]
    saved = 100 * (1 - measured["ctHO"] / measured["recomputation"])
    worst = max(
        float(table.loc[table["quantity"] == "ctHO", "error_percent"].abs().max())
        for table in tables.values()
    )
    verdict = (
        f"The largest error of ctHO, {worst:.1f} %, is no smaller than the least saving, so the "
        "three points cannot confirm the size of the gain."
        if worst >= saved.min()
        else "The errors of ctHO are smaller than the saving on every context."
    )
    return (
        f"The model misses the full copy by {copy}, with nothing fitted. It misses ctHO {both}. "
        f"Of the recomputation column itself {fit}. The measured ctHO saves "
        f"{saved.min():.1f} to {saved.max():.1f} % of the recomputation. {verdict}"
    )


def leave_one_out_sentence(table: pd.DataFrame) -> str:
    """How far the line through two points misses the third."""
    return (
        "A line has two parameters and there are three points, so one degree of freedom is left, "
        "too little for an interval. The line through any two of the points misses the third "
        f"recomputation time by {_range(table, 'recomputation')}, and the third ctHO time by "
        f"{_range(table, 'ctHO')}."
    )


def tokens_sentence(data: Measurements, other: Measurements) -> str:
    """Which goodput the full copy would need under two readings of the table's K."""
    return (
        f"With contexts of {_tokens(data)} tokens the full copies ran at "
        f"{_goodput_range(data)} Mbps; with {_tokens(other)} tokens at {_goodput_range(other)} "
        f"Mbps. The stated goodput is {1e3 * data.backhaul_gbps:g} Mbps. The table does not say "
        "which reading is meant."
    )


def block_sentence(tables: dict[str, pd.DataFrame], block_tok: float) -> str:
    """What splitting at whole blocks costs."""
    costs = np.concatenate([table["cost_ms"].to_numpy(float) for table in tables.values()])
    return (
        f"Splitting at multiples of {block_tok:g} tokens costs {costs.min():.1f} to "
        f"{costs.max():.1f} ms in the model."
    )


def law_markdown(table: pd.DataFrame) -> str:
    """Both tables beside the law without parameters."""
    lines = [
        "| case | full copy (ms) | recomputation (ms) | ctHO measured (ms) | law (ms) | error |",
        "|:---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['case']} | {1e3 * row['full_copy_s']:,.0f} | "
        f"{1e3 * row['recomputation_s']:,.0f} | {1e3 * row['measured_s']:,.0f} | "
        f"{1e3 * row['predicted_s']:,.0f} | {row['error_percent']:+.1f} % |"
        for row in table.to_dict("records")
    ]
    return "\n".join(lines)


def law_sentences(table: pd.DataFrame) -> str:
    """How the law without parameters does."""
    errors = table["error_percent"]
    saved = 100 * (1 - table["measured_s"] / table["recomputation_s"])
    expected = 100 * (1 - table["predicted_s"] / table["recomputation_s"])
    related = float(np.corrcoef(saved, expected)[0, 1])
    side = (
        "always below what was measured"
        if (errors < 0).all()
        else "always above what was measured"
        if (errors > 0).all()
        else "on both sides of what was measured"
    )
    return (
        f"On {len(table)} measured cases the law is off by {errors.min():+.1f} to "
        f"{errors.max():+.1f} %, {side}. It expects savings over recomputation of "
        f"{expected.min():.1f} to {expected.max():.1f} %; measured were {saved.min():.1f} to "
        f"{saved.max():.1f} % (correlation {related:.2f})."
    )


def _range(table: pd.DataFrame, quantity: str) -> str:
    errors = table.loc[table["quantity"] == quantity, "error_percent"] + 0.0
    low, high = f"{errors.min():+.1f}", f"{errors.max():+.1f}"
    return f"{low} to {high} %" if low != high else f"{low} %"


def _tokens(data: Measurements) -> str:
    return ", ".join(f"{context:,.0f}" for context in data.context_tok)


def _goodput_range(data: Measurements) -> str:
    rate = data.context_tok * data.kv_bits_per_tok / data.full_copy_s / 1e6
    return f"{rate.min():.1f} to {rate.max():.1f}"
