"""What the tables of the prefill page say, in sentences that follow them."""

from __future__ import annotations

import json

import pandas as pd

from ctho.pages.prefill.cost import TRUTH
from ctho.pages.prefill.fit import best_form, compare_forms, fit_form
from ctho.pages.prefill.profiles import RecordedProfile, profile_names, recorded_profile
from ctho.pages.shared.results import rows
from ctho.prefill import BatchAwarePrefill

__all__ = [
    "batches_as_markdown",
    "batches_in_words",
    "cost_as_markdown",
    "cost_in_words",
    "forms_as_markdown",
    "forms_in_words",
    "instance_json",
    "machine_in_words",
    "profiles_as_markdown",
]


def machine_in_words(profile: RecordedProfile) -> str:
    """Where, how and how steadily a profile was measured."""
    content, noise = profile.content, profile.noise()
    machine, versions = content["machine"], content["versions"]
    units = ", ".join(machine["vector_units"]) or "none of note"
    place = machine.get("gpu", machine["processor"])
    scaled = ""
    if content["layers_measured"] != content["layers"]:
        scaled = (
            f" {content['layers_measured']} of {content['layers']} layers was built; its time "
            f"counts {content['layers']} times, and the output layer's once."
        )
        check = content.get("scaling_check")
        if check:
            scaled += (
                f" As a check, {check['layers']} layers at {check['length_tok']} tokens took "
                f"{_percent(abs(check['over_proportional']))} "
                f"{'more' if check['over_proportional'] > 0 else 'less'} than that rule says."
            )
    return (
        f"**{profile.title}**, measured on {content['date']} on {place} ({machine['cores']} cores, "
        f"{machine['memory_gib']:g} GiB, vector units {units}), {content['threads']} "
        f"thread{'s' if content['threads'] > 1 else ''}, torch {versions['torch']}, "
        f"transformers {versions['transformers']}.{scaled} The delay is the "
        f"{content['statistic']}, of {_clock(content['clock'])}. {_steadiness(noise)}"
    )


def forms_as_markdown(comparison: pd.DataFrame) -> str:
    """One row a form."""
    lines = [
        "| Form | $p(L, B)$ | $R^2$ | Largest error | Left-out lengths, RMS error |",
        "|:--|:--|--:|--:|--:|",
    ]
    lines += [
        f"| {_form(row.form)} | ${row.formula}$ | {row.r_squared:.4f} "
        f"| {_percent(row.max_relative_error)} | {_percent(row.cv_relative_error)} |"
        for row in rows(comparison)
    ]
    return "\n".join(lines)


def forms_in_words(comparison: pd.DataFrame) -> str:
    """Which form cross-validation picks, and what R^2 hides."""
    best = best_form(comparison)
    chosen = next(row for row in rows(comparison) if row.form == best)
    flattered = comparison[
        (comparison["r_squared"] > 0.9) & (comparison["max_relative_error"] > 0.1)
    ]
    text = (
        f"Cross-validation picks **{_form(chosen.form)}**: on lengths that were left out "
        f"of the fit its root mean square error is {_percent(chosen.cv_relative_error)}, and it "
        f"is off by at most {_percent(chosen.max_relative_error)} on any point that "
        "it was fitted to."
    )
    for row in rows(flattered):
        text += (
            f" $R^2$ flatters: {row.r_squared:.4f} for {_form(row.form)}, which is off by "
            f"{_percent(row.max_relative_error)} at its worst point."
        )
    return text


def batches_as_markdown(table: pd.DataFrame) -> str:
    """The paper's a and b, fitted to each batch size."""
    lines = [
        "| $B$ | $a$ (ms/token) | $b$ (ms) | Largest error | Plain line: $b$ (ms) "
        "| Largest error |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {row.num_ues} | {row.a_s_per_tok * 1e3:.4g} | {row.b_s * 1e3:.4g} "
        f"| {_percent(row.max_relative_error)} | {_minus(f'{row.plain_b_s * 1e3:.4g}')} "
        f"| {_percent(row.plain_error)} |"
        for row in rows(table)
    ]
    return "\n".join(lines)


def batches_in_words(table: pd.DataFrame) -> str:
    """Whether a depends on the batch size, and whether b comes out negative."""
    first, last = table.iloc[0], table.iloc[-1]
    parts = []
    if last["num_ues"] > first["num_ues"]:
        growth = last["a_s_per_tok"] / first["a_s_per_tok"]
        parts.append(
            f"From {first['num_ues']:g} to {last['num_ues']:g} contexts $a$ grows {growth:.2f} "
            f"times ({last['num_ues'] / first['num_ues']:g} times would be a processor that was "
            "full with one context, 1 would be the paper's $a$)."
        )
    negative = table[table["plain_b_s"] < 0]
    if len(negative):
        sizes = ", ".join(f"{size:g}" for size in negative["num_ues"])
        parts.append(
            f"The plain straight line, unweighted and without bounds, has $b < 0$ at "
            f"$B$ = {sizes}: it promises short batches before they begin, and is off by up to "
            f"{_percent(negative['plain_error'].max(), 0)} there."
        )
    else:
        parts.append(
            f"The plain straight line is off by up to {_percent(table['plain_error'].max(), 0)}."
        )
    return " ".join(parts)


def cost_as_markdown(table: pd.DataFrame) -> str:
    """One row an assumed model."""
    lines = [
        "| Solver believes in | Mean $L$ (tokens) | Predicted (s) | Got (s) | Predicted / got "
        "| Longer than possible | Worst instance |",
        "|:--|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {row.assumed} | {row.prefill_length_tok:,.1f} | {row.predicted_s:.4g} "
        f"| {row.got_s:.4g} | {_signed_percent(row.misprediction)} | {_percent(row.excess)} "
        f"| {_percent(row.worst_excess)} |"
        for row in rows(table)
    ]
    return "\n".join(lines)


def cost_in_words(table: pd.DataFrame, num_ues: int, backhaul_gbps: float) -> str:
    """The dearest and the cheapest assumption, and how wrong the prediction is."""
    assumed = table[table["assumed"] != TRUTH]
    worst = next(rows(assumed.nlargest(1, "excess")))
    best = next(rows(assumed.nsmallest(1, "excess")))
    users = f"{num_ues} user{'s' if num_ues > 1 else ''}"
    return (
        f"With {users} on {backhaul_gbps:g} Gbit/s, the dearest assumption is "
        f"**{worst.assumed}**: the solver promises {worst.predicted_s:.3g} s and users get "
        f"{worst.got_s:.3g} s. The promise is off by {_signed(worst.misprediction)}, and the delay "
        f"is {_percent(worst.excess)} longer than under the best lengths "
        f"({_percent(worst.worst_excess, 0)} in the worst instance). The "
        f"cheapest is {best.assumed}: {_percent(best.excess)} longer, the promise "
        f"off by {_signed(best.misprediction)}."
    )


def profiles_as_markdown() -> str:
    """Every recorded profile with the form that fits it best."""
    lines = [
        "| Profile | Points | Best form | Its largest error | Affine's |",
        "|:--|--:|:--|--:|--:|",
    ]
    for name in profile_names():
        profile = recorded_profile(name)
        comparison = compare_forms(profile.points)
        errors = dict(zip(comparison["form"], comparison["max_relative_error"], strict=True))
        chosen = best_form(comparison)
        lines.append(
            f"| {profile.title}<br>`{name}` | {len(profile.points)} | {_form(chosen)} "
            f"| {_percent(errors[chosen])} | {_percent(errors['affine'])} |"
        )
    return "\n".join(lines)


def instance_json(profile: RecordedProfile) -> str:
    """The two ways to give a profile to `ctho solve`, as JSON in Markdown."""
    model = fit_form(profile.points, "batch_aware").model
    assert isinstance(model, BatchAwarePrefill)
    fitted = {"model": "batch_aware", **{k: float(f"{v:.6g}") for k, v in vars(model).items()}}
    measured = {"model": "profile", "file": profile.name}
    return "\n".join(
        ["```json", *(f'"prefill": {json.dumps(entry)}' for entry in (fitted, measured)), "```"]
    )


def _clock(clock: str) -> str:
    return "CPU time" if clock == "cpu_s" else "the GPU's own clock"


def _signed(share: float) -> str:
    return _signed_percent(share) if abs(share) >= 0.0005 else "less than 0.1 %"


def _percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f} %"


def _signed_percent(share: float) -> str:
    """With a sign, unless it rounds to nothing."""
    text = f"{100 * share:+.1f} %"
    return "0.0 %" if text[1:] == "0.0 %" else _minus(text)


def _minus(number: str) -> str:
    return number.replace("-", "\N{MINUS SIGN}")


def _form(name: str) -> str:
    """A form's key as prose has it."""
    return name.replace("_", "-")


def _steadiness(noise: pd.DataFrame) -> str:
    return (
        f"Over the {len(noise)} points runs spread by {_percent(noise['spread'].median())} "
        f"(median; {_percent(noise['spread'].max(), 0)} at most) around a load of "
        f"{noise['load_1min'].mean():.1f}; in the fastest run wall time was "
        f"{_percent(noise['wait'].median())} longer than the time that counts (median; "
        f"{_percent(noise['wait'].max(), 0)} at most), which is time for other programs."
    )
