"""The prefill page under several parameters: its sentences are true, its tables in place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from statistics import mean, median
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ctho.checks import InputError
from ctho.pages.prefill.cost import assumed_models
from ctho.pages.prefill.fit import FORMS, fit_form
from ctho.pages.prefill.profiles import profile_names, recorded_profile
from ctho.prefill import BatchAwarePrefill, PrefillModel, prefill_from_mapping
from ctho.simulation.sampling import sample_handovers
from ctho.solution import delay_at_length
from ctho.solver import solve
from tests.pages.prefill.parameter_sets import PAGES, each_page, near, two_digits
from tests.rendering import ROOT, Page, _run, numbers, table_rows


def content_of(shown: Page) -> dict[str, Any]:
    return dict(recorded_profile(shown.names["prefill_file"]).content)


@each_page
def test_the_measurement_is_described(shown: Page, which: str) -> None:
    content, text = content_of(shown), shown.cells["machine-words"]
    machine, clock = content["machine"], content["clock"]
    described, steadiness = text.split("The delay is the ")
    for said in (content["title"], content["date"], machine["processor"], machine.get("gpu", "")):
        assert said in described
    assert [name for name in machine["vector_units"] if name in described] == machine[
        "vector_units"
    ]
    assert "none of note" in described or machine["vector_units"]
    after = described.split(machine["processor"])[1]
    assert numbers(after)[:2] == [machine["cores"], machine["memory_gib"]]
    assert re.search(rf"\b{content['threads']} threads?,", described)
    assert not re.search(r"(?<![\d.,])1 (threads|cores|layers|tokens)", text)
    for name in ("torch", "transformers"):
        assert re.search(rf"{name}\s{re.escape(content['versions'][name])}\.?", described)

    scaling = numbers(described.split(content["versions"]["transformers"])[1])
    layers, built = content["layers"], content["layers_measured"]
    if layers == built:
        assert scaling == []
    else:
        check = content["scaling_check"]
        times = [layers, built, layers / built]
        more = check["over_proportional"]
        assert scaling == [*times, check["layers"], check["length_tok"], two_digits(abs(more))]
        assert (" more than" in described, " less than" in described) == (more > 0, more < 0)
        assert re.search(rf"{built} {'was' if built == 1 else 'were'} built", described)

    spread, wait, load = [], [], []
    for point in content["points"]:
        fastest = min(point["runs"], key=lambda run: run[clock])
        slowest = max(run[clock] for run in point["runs"])
        spread.append(slowest / fastest[clock] - 1)
        wait.append(fastest["wall_s"] / fastest[clock] - 1)
        load.append(mean(run["load_1min"] for run in point["runs"]))
    assert numbers(steadiness) == [
        len(content["points"]),
        two_digits(median(spread)),
        two_digits(max(spread)),
        near(mean(load), abs=0.051),
        two_digits(median(wait)),
        two_digits(max(wait)),
    ]
    assert content["statistic"] in steadiness
    assert ("CPU time" in steadiness) == (clock == "cpu_s")
    assert ("GPU" in text) == (clock == "device_s")


@each_page
def test_the_form_that_holds_best_is_picked(shown: Page, which: str) -> None:
    points = recorded_profile(shown.names["prefill_file"]).points
    fits = {form: fit_form(points, form) for form in FORMS}
    head, *rows = table_rows(shown.cells["forms-table"])
    assert head[2:] == ["$R^2$", "Largest error (%)", "Left-out lengths, RMS error (%)"]
    for (form, fit), (name, formula, r_squared, error, left_out) in zip(
        fits.items(), rows, strict=True
    ):
        assert (name, formula) == (form.replace("_", "-"), f"${FORMS[form].formula}$")
        assert numbers(r_squared) == [near(fit.r_squared, abs=5.1e-5)]
        assert numbers(error) == [near(100 * fit.max_relative_error, abs=0.051)]
        if np.isnan(fit.cv_relative_error):
            assert left_out == "none"
        else:
            assert numbers(left_out) == [near(100 * fit.cv_relative_error, abs=0.051)]

    picked, flattered = [*shown.cells["forms-words"].split("$R^2$"), ""][:2]
    held = {form: fit for form, fit in fits.items() if not np.isnan(fit.cv_relative_error)}
    best = min(held, key=lambda form: held[form].cv_relative_error)
    assert f"**{best.replace('_', '-')}**" in picked
    assert numbers(picked) == [
        two_digits(fits[best].cv_relative_error),
        two_digits(fits[best].max_relative_error),
    ]
    worse = {
        form: fit
        for form, fit in fits.items()
        if fit.r_squared > 0.9 and fit.max_relative_error > 0.1
    }
    expected = []
    for fit in worse.values():
        expected += [near(fit.r_squared, abs=5.1e-5), two_digits(fit.max_relative_error)]
    assert numbers(flattered) == expected
    assert [form for form in FORMS if f" {form.replace('_', '-')} (" in flattered] == list(worse)


@each_page
def test_the_slope_of_each_batch_size(shown: Page, which: str) -> None:
    points = recorded_profile(shown.names["prefill_file"]).points
    head, *rows = table_rows(shown.cells["batch-table"])
    assert head == [
        "$B$",
        "$a$ (ms/token)",
        "$b$ (ms)",
        "Largest error (%)",
        "Plain line: $b$ (ms)",
        "Plain line: largest error (%)",
    ]
    slopes, below = {}, {}
    for row in rows:
        batch, slope, offset, error, plain_offset, plain_error = (numbers(cell)[0] for cell in row)
        own = points[points["num_ues"] == batch]
        length, delay = own["length_tok"].to_numpy(float), own["delay_s"].to_numpy(float)
        fitted = (slope * length + offset) / 1e3
        assert error == near(100 * np.abs(fitted / delay - 1).max(), rel=0.01, abs=0.2)
        plain_slope, plain = np.polyfit(length, delay, 1)
        assert plain_offset == near(1e3 * plain, rel=1e-3)
        off = 100 * np.abs((plain_slope * length + plain) / delay - 1).max()
        assert plain_error == near(off, abs=0.051)
        slopes[batch] = slope
        below[batch] = (plain, off / 100)
    assert list(slopes) == sorted(set(points["num_ues"]))

    growth, plain_line = shown.cells["batch-words"].split("The plain straight line")
    first, last = min(slopes), max(slopes)
    if len(slopes) > 1:
        times = near(slopes[last] / slopes[first], rel=2e-3, abs=5.1e-3)
        assert numbers(growth) == [first, last, times, near(last / first, rel=5e-3), 1]
    else:
        assert numbers(growth) == [first]
    negative = {batch: off for batch, (plain, off) in below.items() if plain < 0}
    if negative:
        worst = two_digits(max(negative.values()))
        assert numbers(plain_line.split("$B$ =")[1]) == [*negative, worst]
    else:
        assert "$B$" not in plain_line
        assert numbers(plain_line) == [0, two_digits(max(off for _, off in below.values()))]


def costs(shown: Page) -> dict[str, dict[str, float]]:
    """Each assumption's promise and outcome, found anew from models and handovers."""
    handovers = sample_handovers(shown.names["parameters"])
    best = solve(handovers).delay_s
    found = {}
    recorded = recorded_profile(shown.names["prefill_file"])
    models: dict[str, PrefillModel] = {"measured curve": recorded.curve}
    for name, model in (models | assumed_models(recorded, handovers.num_ues)).items():
        answer = solve(handovers.replace(prefill=model))
        got = delay_at_length(handovers, answer.prefill_length_tok).delay_s
        found[name] = {
            "length": answer.prefill_length_tok.mean(),
            "promised": answer.delay_s.mean(),
            "got": got.mean(),
            "excess": got.mean() / best.mean() - 1,
            "worst": max(got / best) - 1,
        }
        found[name]["off"] = found[name]["promised"] / found[name]["got"] - 1
    return found


def promise(text: str, off: float) -> bool:
    """Whether a phrase says truly how far a promise is off; no promise is ever too long."""
    assert off < 1e-9
    if off > -0.001:
        return "right to within 0.1 %" in text
    return "too short" in text and numbers(text)[-1:] == [two_digits(-off)]


@each_page
def test_what_the_assumptions_cost(shown: Page, which: str) -> None:
    found = costs(shown)
    head, *rows = table_rows(shown.cells["cost-table"])
    assert head == [
        "Solver believes in",
        "Mean $L$ (tokens)",
        "Predicted (s)",
        "Got (s)",
        "Predicted / got \N{MINUS SIGN} 1 (%)",
        "Longer than possible (%)",
        "Worst instance (%)",
    ]
    assert [row[0] for row in rows] == list(found)
    for name, *cells in rows:
        cost, shown_numbers = found[name], [numbers(cell)[0] for cell in cells]
        assert shown_numbers[0] == near(cost["length"], abs=0.051)
        assert shown_numbers[1:3] == [near(cost["promised"]), near(cost["got"])]
        shares = [cost["off"], cost["excess"], cost["worst"]]
        assert shown_numbers[3:] == [near(100 * share, abs=0.051) for share in shares]
        assert "-" not in "".join(cells[3:])

    text = shown.cells["cost-words"]
    parameters = shown.names["parameters"]
    assumed = {name: cost for name, cost in found.items() if name != "measured curve"}
    dearest = max(assumed, key=lambda name: assumed[name]["excess"])
    assert numbers(text)[:2] == [parameters.num_ues, parameters.backhaul_gbps]
    assert ("1 user " in text) == (parameters.num_ues == 1)
    if assumed[dearest]["excess"] < 0.001:
        furthest_off = min(cost["off"] for cost in assumed.values())
        assert "no assumption costs" in text
        assert numbers(text)[2:] == [0.1, two_digits(max(-furthest_off, 0.001))]
        return
    dear, cheap = text.split("The cheapest is ")
    cost = assumed[dearest]
    assert f"**{dearest}**" in dear
    before, after = dear.split("The promise is ")
    said = numbers(before.split("**")[2])
    assert said == [near(cost["promised"]), near(cost["got"])]
    kept, lost = after.split(", and the delay is")
    assert promise(kept, cost["off"])
    assert numbers(lost) == [two_digits(cost["excess"]), two_digits(cost["worst"])]
    cheapest = cheap.split(":")[0]
    least = min(cost["excess"] for cost in assumed.values())
    assert assumed[cheapest]["excess"] == least
    loses, kept = cheap.removeprefix(f"{cheapest}:").split("the promise")
    assert numbers(loses) == [two_digits(least) if least >= 0.001 else 0.1]
    assert ("less than" in loses) == (least < 0.001)
    assert promise(kept, assumed[cheapest]["off"])


def test_where_nothing_is_lost_the_shortest_promise_is_stated(
    page_of: Callable[[str], Page],
) -> None:
    names = dict(page_of("fast link").names)
    off = [0.0, -0.002, -0.05, 0.0]
    assert len(names["cost"]) == len(off)
    names["cost"] = names["cost"].assign(misprediction=off)
    cells = json.loads((ROOT / "notebooks" / "prefill.ipynb").read_text(encoding="utf-8"))["cells"]
    (source,) = ("".join(cell["source"]) for cell in cells if cell["id"] == "cost-words")
    assert numbers(_run(source, names, "cost-words"))[2:] == [0.1, 5.0]


def test_every_form_of_the_sentences_is_read(page_of: Callable[[str], Page]) -> None:
    verdicts = []
    for which in PAGES:
        names = page_of(which).names
        verdicts.append(
            (
                names["dearest"]["excess"] < 0.001,
                names["dearest"]["excess"] >= 0.001 > names["cheapest"]["excess"],
                names["dearest"]["misprediction"] < -0.001,
                len(names["flattered"]) > 0,
                len(names["batches"]) > 1,
                (names["batches"]["plain_b_s"] < 0).any(),
                names["built"] < names["layers"],
                (names["check"] or {"over_proportional": -1})["over_proportional"] > 0,
                names["about"]["clock"] == "cpu_s",
            )
        )
    assert all(set(each) == {True, False} for each in zip(*verdicts, strict=True))


def test_the_figures_line_at_the_pages_rate_is_the_pages_table(
    page_of: Callable[[str], Page],
) -> None:
    shown = page_of("default")
    rates = shown.names["rates"]
    at_rate = rates[rates["backhaul_gbps"] == 0.01].drop(columns="backhaul_gbps")
    pd.testing.assert_frame_equal(at_rate.reset_index(drop=True), shown.names["cost"])


def test_every_recorded_profile_stands_in_the_overview(page_of: Callable[[str], Page]) -> None:
    shown = page_of("default")
    head, *rows = table_rows(shown.cells["profiles-table"])
    assert head == ["Profile", "Points", "Best form", "Its largest error (%)", "Affine's (%)"]
    for name, (title, count, form, error, affine) in zip(profile_names(), rows, strict=True):
        recorded = recorded_profile(name)
        fits = {form: fit_form(recorded.points, form) for form in FORMS}
        best = min(fits, key=lambda form: fits[form].cv_relative_error)
        assert title == f"{recorded.content['title']}<br>`{name}`"
        assert int(count) == len(recorded.content["points"])
        assert form == best.replace("_", "-")
        assert numbers(error) == [near(100 * fits[best].max_relative_error, abs=0.051)]
        assert numbers(affine) == [near(100 * fits["affine"].max_relative_error, abs=0.051)]


@each_page
def test_the_printed_instance_can_be_read_back(shown: Page, which: str) -> None:
    recorded = recorded_profile(shown.names["prefill_file"])
    lines = [line for line in shown.cells["instance"].splitlines() if line.startswith('"')]
    fitted, measured = (
        prefill_from_mapping(json.loads("{" + line + "}")["prefill"]) for line in lines
    )
    assert isinstance(fitted, BatchAwarePrefill)
    expected = fit_form(recorded.points, "batch_aware").model
    for batch in recorded.curve.batch_sizes:
        assert fitted.delay_s(100, batch) == pytest.approx(expected.delay_s(100, batch), rel=1e-4)
    assert measured == recorded.curve


def test_tables_lie_under_their_names(page_of: Callable[[str], Page]) -> None:
    shown = page_of("default")
    held = {"fit": "fitted", "forms": "comparison", "batches": "batches", "cost": "rates"}
    for name, variable in held.items():
        written = pd.read_csv(shown.build_dir / "results" / f"prefill_{name}.csv")
        pd.testing.assert_frame_equal(written, shown.names[variable], check_dtype=False)
    assert len(list((shown.build_dir / "results").iterdir())) == len(held)
    assert set(shown.figures) == {"prefill_fit", "prefill_cost"}


@each_page
def test_the_page_takes_its_parameters(shown: Page, which: str) -> None:
    parameters = shown.names["parameters"]
    for name, value in PAGES[which].items():
        if not name.endswith("_values"):
            assert getattr(parameters, name) == value
    config = content_of(shown)["model"]
    head = config["hidden_size"] // config["num_attention_heads"]
    elements = 2 * config["num_hidden_layers"] * config["num_key_value_heads"] * head
    assert parameters.kv_bits_per_tok == 16 * elements
    card = shown.cells["provenance"]
    assert f"`prefill_file = {shown.names['prefill_file']!r}`" in card
    assert f"`kv_bits_per_tok = {parameters.kv_bits_per_tok}`" in card
    assert f"`backhaul_gbps_values = {shown.names['backhaul_gbps_values']}`" in card
    assert "| Realisations | `40` |" in card


def test_another_prefill_model_than_a_profile_is_refused(page: Callable[..., Page]) -> None:
    with pytest.raises(InputError, match="prefill_file"):
        page("prefill", prefill_model="affine")
