"""`ctho claims` shows the ledger, and refuses in one line with nothing left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ctho.pages.claims
from ctho.cli import main
from ctho.data_files import data_path
from ctho.pages.claims import Ledger, Verdict
from ctho.pages.claims.recorded import recorded_verdicts
from ctho.pages.claims.report import END, START
from ctho.pages.shared.results import write_json
from tests.rendering import Page

README = Path(__file__).parents[2] / "README.md"

Refused = Callable[..., str]
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def ledger(page: Callable[..., Page]) -> Ledger:
    """That of the page."""
    found: Ledger = page("claims").names["ledger"]
    return found


@pytest.fixture
def build(ledger: Ledger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The result file of a build."""
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path / "build"))
    return write_json(ledger.as_json(), "claims")


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> Refused:
    def simulated(*_: Any) -> None:
        raise AssertionError("nothing may be simulated")

    monkeypatch.setattr(ctho.pages.claims, "evaluate_ledger", simulated)

    def call(*words: str) -> str:
        assert main(["claims", *words]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        return said.err

    return call


def another_verdict(ledger: Ledger) -> Ledger:
    """The ledger with another verdict on its first claim."""
    first, *others = ledger.entries
    findings = {
        reading: replace(finding, verdict=Verdict.NOT_REPRODUCED)
        for reading, finding in first.findings.items()
    }
    return replace(ledger, entries=(replace(first, findings=findings), *others))


# --- What it shows ----------------------------------------------------------------------------


@pytest.mark.usefixtures("build")
@pytest.mark.parametrize("words", [[], ["--summary"]])
def test_the_table_has_a_line_for_each_claim(
    words: list[str], ledger: Ledger, capsys: Captured
) -> None:
    assert main(["claims", "--from-build", *words]) == 0
    table, closing = capsys.readouterr().out.split("\n\n")
    head, rule, *lines = table.splitlines()
    starts = [i for i in range(len(rule)) if rule[i] == "-" and (i == 0 or rule[i - 1] == " ")]
    ends = [*starts[1:], None]
    names = [head[a:b].strip() for a, b in zip(starts, ends, strict=True)]
    assert names == ["claim", "place", "printed", "ours, 95 % interval", "deviation", "verdict"]
    shown = [e for e in ledger.entries if e.claim.value is not None or not words]
    for line, entry in zip(lines, shown, strict=True):
        cells = [line[a:b].strip() for a, b in zip(starts, ends, strict=True)]
        claim = entry.claim
        assert cells[:3] == [claim.id, claim.place, claim.printed]
        assert cells[5].removesuffix(" *") == entry.verdict
        assert cells[5].endswith(" *") == bool(entry.depends_on)
        if entry.deviation_percent is None:
            assert cells[4] == "-"
        else:
            assert cells[4].startswith("+" if entry.deviation_percent >= 0 else "-")
            assert float(cells[4].removesuffix(" %")) == round(entry.deviation_percent, 1)
        number = float(cells[3].split()[0].replace(",", ""))
        assert number == pytest.approx(entry.finding.ours.mean, rel=0.1)
    counts, seed, star = closing.splitlines()
    assert counts.startswith(f"{len(ledger.entries)} claims: ")
    assert seed == "20,000 realisations, seed 20260328."
    assert star.startswith("* depends on")


@pytest.mark.usefixtures("build")
def test_a_claim_is_shown_under_each_reading(ledger: Ledger, capsys: Captured) -> None:
    ids = ["no_ho_excess_at_500", "up_to_3_7_over_tho"]
    assert main(["claims", "--from-build", *ids]) == 0
    for claim_id, said in zip(ids, capsys.readouterr().out.split("\n\n"), strict=True):
        entry = ledger.entry(claim_id)
        claim = entry.claim
        lines = [line.strip() for line in said.splitlines()]
        assert lines[0] == f"{claim_id} ({claim.place})"
        fields = dict(line.split(maxsplit=1) for line in lines[1:] if "  " in line)
        assert fields["claim"] == claim.claim
        assert fields["printed"] == claim.printed
        assert fields["rule"] == claim.rule
        assert fields["verdict"] == entry.verdict
        assert fields.get("missing", "") == claim.missing
        readings = dict(line.split(": ") for line in lines[lines.index("readings") + 1 :])
        assert list(readings) == [reading.name for reading in entry.relevant]
        for reading, finding in entry.relevant.items():
            verdict, ours = readings[reading.name].split(", ", 1)
            assert verdict == finding.verdict
            assert float(ours.split()[0]) == pytest.approx(finding.ours.mean, rel=0.02)


def test_json_is_the_result_of_the_build(build: Path, capsys: Captured) -> None:
    content = json.loads(build.read_text())
    assert main(["claims", "--from-build", "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == content
    assert main(["claims", "--from-build", "--json", "equation_18"]) == 0
    chosen = json.loads(capsys.readouterr().out)["claims"]
    assert chosen == [claim for claim in content["claims"] if claim["id"] == "equation_18"]


def test_a_fresh_simulation_is_that_of_the_page(
    page: Callable[..., Page], capsys: Captured
) -> None:
    words = ["--realisations", "200", "--seed", "1", "--json"]
    assert main(["claims", *words]) == 0
    expected = page("claims", realisations=200, seed=1).names["ledger"]
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(expected.as_json()))


def test_a_verdict_that_differs_is_told_and_fails(
    ledger: Ledger, build: Path, capsys: Captured
) -> None:
    assert main(["claims", "--from-build", "--check"]) == 0
    assert capsys.readouterr().err == ""
    write_json(another_verdict(ledger).as_json(), "claims")
    assert main(["claims", "--from-build", "--check", "--summary"]) == 1
    said = capsys.readouterr().err
    assert said == "ctho claims: kv_bits_per_token: not reproduced, recorded as reproduced\n"
    assert main(["claims", "--from-build"]) == 0


@pytest.mark.usefixtures("build")
def test_verdicts_are_recorded(ledger: Ledger, tmp_path: Path) -> None:
    record = tmp_path / "verdicts.yaml"
    assert main(["claims", "--from-build", "--record", str(record)]) == 0
    assert record.read_text() == data_path("verdicts.yaml").read_text()
    write_json(another_verdict(ledger).as_json(), "claims")
    assert main(["claims", "--from-build", "--record", str(record)]) == 0
    assert recorded_verdicts(record)["kv_bits_per_token"]["default"] is Verdict.NOT_REPRODUCED


# --- The README -------------------------------------------------------------------------------


@pytest.mark.usefixtures("build")
def test_the_readme_shows_the_ledger(tmp_path: Path) -> None:
    copy = tmp_path / "README.md"
    text = README.read_text()
    before, after = text.split(START)[0], text.split(END)[1]
    copy.write_text(f"{before}{START} nothing {END}{after}")
    assert main(["claims", "--from-build", "--readme", str(copy)]) == 0
    assert copy.read_text() == text


def test_the_readme_counts_what_fails(ledger: Ledger, build: Path, tmp_path: Path) -> None:
    shapes = [e for e in ledger.entries if e.claim.value is None]
    held = [e for e in shapes if e.verdict is Verdict.REPRODUCED]
    copy = tmp_path / "README.md"
    for entries, said in (
        (shapes, f"Of the {len(shapes)} claims that print no number, {len(held)} are reproduced; "),
        (held, f"Of the {len(held)} claims that print no number, {len(held)} are reproduced.\n"),
    ):
        copy.write_text(f"{START}{END}")
        write_json(replace(ledger, entries=tuple(entries)).as_json(), "claims")
        assert main(["claims", "--from-build", "--readme", str(copy)]) == 0
        assert said in copy.read_text()
        for entry in shapes:
            failed = f"({entry.claim.place}): {entry.verdict}." in copy.read_text()
            assert failed == (entries is shapes and entry not in held), entry.claim.id


@pytest.mark.parametrize(
    "text", ["", "no markers", START, f"{END} {START}", f"{START} {END} {START} {END}"]
)
def test_a_readme_is_read_first(text: str, refused: Refused, tmp_path: Path) -> None:
    record, readme = tmp_path / "verdicts.yaml", tmp_path / "README.md"
    assert "--readme" in refused("--readme", str(readme), "--record", str(record))
    readme.write_text(text)
    assert "markers" in refused("--readme", str(readme), "--record", str(record))
    assert not record.exists()
    assert readme.read_text() == text


# --- What it refuses --------------------------------------------------------------------------


@pytest.mark.usefixtures("build")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nope"], "id is 'nope'"),
        (["--from-build", "cho_at_12_user"], "did you mean cho_at_12_users?"),
        (["--from-build", "--summary", "cho_at_12_users"], "--summary is 'given'"),
        (["--realisations", "1"], "realisations is 1"),
        (["--realisations", "100000001"], "realisations is 100000001"),
        (["--realisations", "1_000"], "realisations is '1_000'"),
        (["--realisations", "many"], "realisations is 'many'"),
        (["--seed", "-1"], "seed is -1"),
        (["--from-build", "--seed", "1"], "--from-build"),
    ],
)
def test_a_wrong_call(words: list[str], said: str, refused: Refused) -> None:
    assert said in refused(*words)


def test_a_build_without_the_result(
    refused: Refused, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path))
    assert "the result is 'claims'" in refused("--from-build")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "valid JSON"),
        (b"\xff", "UTF-8"),
        (b"[]", "make clean claims"),
        (b"null", "make clean claims"),
        (b'{"claims": [{}]}', "make clean claims"),
    ],
)
def test_a_damaged_build(content: bytes, said: str, refused: Refused, build: Path) -> None:
    build.write_bytes(content)
    assert said in refused("--from-build")


@pytest.mark.parametrize("place", ["", ".", "none/verdicts.yaml", "file/verdicts.yaml"])
def test_a_record_needs_a_place(
    place: str, refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert "--record" in refused("--record", place)
    assert [file.name for file in tmp_path.rglob("*")] == ["file"]


@pytest.mark.usefixtures("build")
@pytest.mark.parametrize("name", ["a" * 250, "a\0b"])
def test_a_record_that_cannot_be_written(name: str, tmp_path: Path, capsys: Captured) -> None:
    before = sorted(tmp_path.rglob("*"))
    assert main(["claims", "--from-build", "--record", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert "--record is" in said
    assert said.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before
