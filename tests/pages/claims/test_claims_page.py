"""The page says what was found: sentences, tables and picture against result and records."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import matplotlib.colors
import pandas as pd
import pytest
import yaml
from matplotlib.axes import Axes

from ctho.data_files import data_path
from ctho.pages.claims import CHOICES, Verdict, load_claims
from ctho.pages.claims.figure import VERDICT_STYLES
from ctho.pages.shared.results import write_table
from ctho.simulation import Parameters
from tests.rendering import Page, numbers, render, table_rows

PUBLISHED = yaml.safe_load(data_path("published.yaml").read_text())["claims"]
RECORDED = yaml.safe_load(data_path("verdicts.yaml").read_text())

NUMBERS = ["Place", "Claim", "Printed", "Ours, 95 % interval", "Deviation", "Verdict"]
SHAPES = ["Place", "Claim", "Printed", "Nearest to failing", "Verdict"]

VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"realisations": 4, "seed": 3},
    {"realisations": 200, "seed": 1},
    {"realisations": 200, "kv_bits_per_tok": 229_376},
)


@pytest.fixture(params=VARIANTS, ids=str)
def shown(request: pytest.FixtureRequest, page: Callable[..., Page]) -> Page:
    """The page as it is, with too few realisations, with another seed, and at half the cache."""
    return page("claims", **request.param)


def found(page: Page) -> list[dict[str, Any]]:
    """The claims of the result that it has written."""
    content = json.loads((page.build_dir / "results" / "claims.json").read_text())
    claims: list[dict[str, Any]] = content["claims"]
    return claims


def by_head(markdown: str, head: list[str]) -> list[dict[str, str]]:
    first, *rows = table_rows(markdown)
    assert first == head
    return [dict(zip(first, row, strict=True)) for row in rows]


# --- Sentences --------------------------------------------------------------------------------


def test_verdicts_are_counted_and_each_claim_stands_under_its_own(shown: Page) -> None:
    claims = found(shown)
    first, *lists = shown.cells["counts"].strip().splitlines()
    said = re.fullmatch(r"Of (\d+) claims: (.*)\.", first)
    assert said
    assert int(said[1]) == len(PUBLISHED)
    counted = {words: int(count) for count, words in re.findall(r"(\d+) ([a-z ]+)", said[2])}
    assert counted == {
        Verdict(verdict).counted(count).split(maxsplit=1)[1]: count
        for verdict, count in Counter(claim["verdict"] for claim in claims).items()
    }
    listed = {}
    for line in lists:
        if line:
            verdict, ids = line.removeprefix("- **").split("**: ")
            listed |= dict.fromkeys(re.findall(r"`(\w+)`", ids), verdict)
    assert listed == {claim["id"]: claim["verdict"] for claim in claims}


def test_each_open_point_says_what_it_turns_and_moves(shown: Page) -> None:
    claims = found(shown)
    lines = re.findall(r"- `(\w+)` \(.*\): (.*?); (.*)\.", shown.cells["readings"])
    assert [line[0] for line in lines] == list(CHOICES)
    assert len(CHOICES) == 4  # the page speaks of sixteen combinations
    for point, turns, moves in lines:
        turned = [claim["id"] for claim in claims if point in claim["depends_on"]]
        assert re.findall(r"`(\w+)`", turns) == turned
        assert turns.startswith("turns ")
        assert turns.endswith("turns no verdict") == (not turned)
        moved = sum(point in claim["varies_with"] for claim in claims)
        assert (numbers(moves) or [0]) == [moved]
        assert moves == "changes no number" if not moved else moves.startswith("changes our ")
        assert moves.endswith("claims") == (moved > 1)


def test_readings_that_turn_a_verdict_are_listed_with_theirs(shown: Page) -> None:
    head = ["Claim and verdict by default", "Read with", "Ours and verdict then"]
    rows = by_head(shown.cells["turned"], head)
    listed: dict[str, dict[str, str]] = {}
    for row in rows:
        claim, default = row[head[0]].split("<br>")
        name = claim.strip("`")
        ours, verdict = row[head[2]].split("<br>")
        listed.setdefault(name, {"default": default})
        listed[name][row["Read with"].replace("<br>", ", ")] = verdict
        reading = dict(part.split("=") for part in row["Read with"].split("<br>"))
        (entry,) = (c for c in found(shown) if c["id"] == name)
        (other,) = (r["ours"] for r in entry["readings"] if r["reading"] == reading)
        assert numbers(ours)[0] == pytest.approx(other["mean"], rel=0.1)
    for default, *others in (list(each.values()) for each in listed.values()):
        assert default not in others
    if shown.names["parameters"] == Parameters():
        assert listed == {name: each for name, each in RECORDED.items() if len(each) > 1}


def test_the_paper_is_asked_for_what_leaves_claims_undecidable(shown: Page) -> None:
    said = shown.cells["undecidable"]
    undecidable = [c for c in found(shown) if c["verdict"] == Verdict.NOT_DECIDABLE.value]
    missing = {claim["id"]: " ".join(claim.get("missing", "").split()) for claim in PUBLISHED}
    expected = [f"- `{claim['id']}`: {missing[claim['id']]}." for claim in undecidable]
    assert said.splitlines() == (expected or ["Every claim is decidable."])


def test_the_page_tells_which_verdicts_are_not_the_recorded_ones(shown: Page) -> None:
    said = shown.cells["recorded"]
    claims = found(shown)
    other = [c["id"] for c in claims if c["verdict"] != RECORDED[c["id"]]["default"]]
    for claim_id in other:
        assert f"- {claim_id}: " in said
    named = set(re.findall(r"^- (\w+)", said, re.MULTILINE))
    assert ("differ from those recorded" in said) == bool(named)
    assert ("All verdicts, under every reading, are those recorded" in said) == (not named)
    assert set(other) <= named <= {claim["id"] for claim in claims}


# --- Tables -----------------------------------------------------------------------------------


def test_each_claim_stands_in_its_table_under_the_right_heads(shown: Page) -> None:
    by_id = {claim["id"]: claim for claim in found(shown)}
    tables = by_head(shown.cells["numbers"], NUMBERS), by_head(shown.cells["shapes"], SHAPES)
    for rows, with_value in zip(tables, (True, False), strict=True):
        recorded = [claim for claim in PUBLISHED if ("value" in claim) == with_value]
        for row, claim in zip(rows, recorded, strict=True):
            assert row["Place"] == claim["place"]
            assert row["Claim"] == " ".join(claim["claim"].split())
            assert row["Printed"] == claim["printed"]
            entry = by_id[claim["id"]]
            verdict = f"**{entry['verdict']}**"
            depends = " (depends on the reading)" if entry["depends_on"] else ""
            assert row["Verdict"] == verdict + depends
            _check_ours(row.get("Ours, 95 % interval") or row["Nearest to failing"], entry["ours"])
            if with_value:
                _check_deviation(row["Deviation"], entry, claim)


def _check_ours(cell: str, ours: dict[str, Any]) -> None:
    text, where = cell.split("<br>")
    assert where.replace("\N{MINUS SIGN}", "-") == f"({ours['where']})"
    assert text.endswith(ours["unit"])
    mean, *interval = numbers(text)
    assert mean == pytest.approx(ours["mean"], rel=0.1, abs=1e-12)
    if interval:
        # Two digits of the half width are shown.
        width = ours["ci_high"] - ours["ci_low"]
        assert [mean, *interval] == pytest.approx(
            [ours["mean"], ours["ci_low"], ours["ci_high"]], abs=0.06 * width
        )
    else:
        assert ours["ci_low"] == ours["ci_high"]


def _check_deviation(cell: str, entry: dict[str, Any], claim: dict[str, Any]) -> None:
    if entry["ours"]["unit"] != claim.get("unit", ""):
        assert cell == "-"
        return
    (percent,) = numbers(cell.replace("+", ""))
    assert cell[0] == ("+" if entry["ours"]["mean"] >= claim["value"] else "\N{MINUS SIGN}")
    assert percent == pytest.approx(100 * entry["ours"]["mean"] / claim["value"] - 100, abs=0.051)


def test_hyphens_are_no_minus_signs(shown: Page) -> None:
    for name in ("numbers", "shapes", "turned"):
        assert not re.search(r"(?<![\w-])-(\d| )", shown.cells[name].replace("---", ""))


def test_each_claim_has_its_rule_with_its_numbers(page: Callable[..., Page]) -> None:
    rows = by_head(page("claims").cells["rules"], ["Claim", "Rule"])
    assert {row["Claim"].strip("`"): row["Rule"] for row in rows} == {
        claim.id: claim.rule for claim in load_claims()
    }


# --- The picture ------------------------------------------------------------------------------


def test_the_picture_shows_each_number_over_the_printed_one(shown: Page) -> None:
    (axes,) = shown.figures["claims"].axes
    claims = [c for c in found(shown) if c["deviation_percent"] is not None][::-1]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"{claim['printed']}  ({claim['id']})" for claim in claims
    ]
    assert axes.get_xlabel() == "ours / printed"
    for row, claim in enumerate(claims):
        at_row = [line for line in axes.lines if _all_at(line.get_ydata(), row)]
        *others, interval, mark = at_row
        ours, value = claim["ours"], claim["value"]
        assert list(mark.get_xdata()) == pytest.approx([ours["mean"] / value])
        ends = [ours["ci_low"] / value, ours["ci_high"] / value]
        assert list(interval.get_xdata()) == pytest.approx(ends)
        expected = sorted(
            r["ours"]["mean"] / value
            for r in claim["readings"][1:]
            if r["ours"]["unit"] == claim["unit"]
        )
        assert sorted(float(line.get_xdata()[0]) for line in others) == pytest.approx(expected)
        colour, marker = VERDICT_STYLES[Verdict(claim["verdict"])]
        assert {line.get_color() for line in at_row} == {colour}
        assert mark.get_marker() == marker


def test_the_legend_names_the_verdicts_that_are_drawn(shown: Page) -> None:
    (legend,) = shown.figures["claims"].legends
    named = {
        text.get_text(): (handle.get_color(), handle.get_marker())
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
    }
    drawn = {c["verdict"] for c in found(shown) if c["deviation_percent"] is not None}
    assert named == {verdict: VERDICT_STYLES[Verdict(verdict)] for verdict in drawn}


def test_no_two_verdicts_look_alike() -> None:
    colours, markers = zip(*VERDICT_STYLES.values(), strict=True)
    assert len(set(map(matplotlib.colors.to_rgb, colours))) == len(set(markers)) == len(Verdict)


def test_the_printed_number_is_a_line_at_1_within_the_axis(page: Callable[..., Page]) -> None:
    axes: Axes = page("claims").figures["claims"].axes[0]
    assert list(axes.lines[0].get_xdata()) == [1, 1]
    low, high = axes.get_xlim()
    shown = [c for c in found(page("claims")) if c["deviation_percent"] is not None]
    assert all(low < c["ours"]["mean"] / c["value"] < high for c in shown)


def _all_at(values: Iterable[float], row: int) -> bool:
    return all(value == row for value in values)


# --- The figures' tables ----------------------------------------------------------------------


@pytest.fixture
def few_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger of the cache alone, which no reading turns."""
    claims = [claim for claim in load_claims() if claim.id.startswith("kv_")]
    monkeypatch.setattr("ctho.pages.claims.ledger.load_claims", lambda: claims)


def with_tables(
    folder: Path, means: dict[tuple[str, float, str], float], monkeypatch: pytest.MonkeyPatch
) -> Page:
    """The page where the build has tables with some means."""
    monkeypatch.setenv("CTHO_BUILD_DIR", str(folder))
    for figure in {place[0] for place in means}:
        rows = [(x, scheme, mean) for (f, x, scheme), mean in means.items() if f == figure]
        write_table(pd.DataFrame(rows, columns=["x", "scheme", "mean"]), figure)
    return render("claims", folder, realisations=4)


@pytest.mark.usefixtures("few_claims")
def test_the_page_compares_the_figures_tables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    none = with_tables(tmp_path / "none", {}, monkeypatch)
    means = none.names["ledger"].means
    assert len(means) == 126
    assert none.cells["agreement"].startswith("None of the 126 means")

    same = with_tables(tmp_path / "same", means, monkeypatch).cells["agreement"]
    assert same.startswith("All 126 means")
    assert same.endswith("the same to within rounding.")

    higher = {place: 1.001 * mean for place, mean in means.items()}
    higher["fig3d", 8, "tHO"] = 0.98 * means["fig3d", 8, "tHO"]
    apart = with_tables(tmp_path / "apart", higher, monkeypatch).cells["agreement"]
    assert apart.startswith("All 126 means")
    assert apart.endswith("differing by at most 2 %.")

    some = {place: mean for place, mean in means.items() if place[0] == "fig4"}
    some["fig4", -1.0, "ctHO"] = 1.0
    part = with_tables(tmp_path / "some", some, monkeypatch).cells["agreement"]
    assert part.startswith("Of the 126 means")
    assert "hold 36, the same to within rounding." in part


@pytest.mark.usefixtures("few_claims")
def test_where_no_reading_matters_the_page_says_so(tmp_path: Path) -> None:
    shown = render("claims", tmp_path, realisations=4)
    assert shown.cells["turned"] == "No reading turns a verdict."
    assert shown.cells["undecidable"] == "Every claim is decidable."
    assert shown.cells["readings"].count("turns no verdict; changes no number.") == 4
    assert shown.cells["counts"].strip().startswith("Of 2 claims: 2 reproduced.")
