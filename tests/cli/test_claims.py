"""`ctho claims` refuses in one line, before it simulates and with nothing left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ctho.pages.claims
from ctho.cli import main
from ctho.pages.claims import check_plain, evaluate_ledger, load_claims, plain_ledger

Refused = Callable[..., str]


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refused:
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


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The result file of a build that holds one claim."""
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path / "build"))
    file = tmp_path / "build" / "results" / "claims.json"
    file.parent.mkdir(parents=True)
    claims = [claim for claim in load_claims() if claim.decide == "kv_bits_of_model"]
    file.write_text(json.dumps(plain_ledger(evaluate_ledger(claims=claims))))
    return file


def test_an_unknown_claim(refused: Refused) -> None:
    assert "id is 'nope'" in refused("nope")


def test_a_readme_is_read_first(refused: Refused, tmp_path: Path) -> None:
    record, readme = tmp_path / "verdicts.yaml", tmp_path / "README.md"
    assert "--readme" in refused("--readme", str(readme), "--record", str(record))
    readme.write_text("no markers")
    assert "markers" in refused("--readme", str(readme), "--record", str(record))
    assert not record.exists()


@pytest.mark.parametrize("place", ["", ".", "none/verdicts.yaml", "file/verdicts.yaml"])
def test_a_record_needs_a_place(
    place: str, refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert "--record" in refused("--record", place)
    assert [file.name for file in tmp_path.rglob("*")] == ["file"]


@pytest.mark.parametrize("name", ["a" * 250, "a\0b"])
def test_a_record_that_cannot_be_written(
    name: str, build: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(tmp_path.rglob("*"))
    assert main(["claims", "--from-build", "--record", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert "--record is" in said
    assert said.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "valid JSON"),
        (b"\xff", "UTF-8"),
        (b"[]", "claims.json is []"),
        (b"null", "claims.json is None"),
        (b"{}", "claims.json.parameters is missing"),
        (b'{"claims": []}', "claims.json.parameters is missing"),
        (b'{"claims": [{}]}', "claims.json.parameters is missing"),
    ],
)
def test_a_damaged_build(content: bytes, said: str, refused: Refused, build: Path) -> None:
    build.write_bytes(content)
    assert said in refused("--from-build")


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["claims"], [], "claims.json.claims is []"),
        (["claims"], [{}], "claims.json.claims[0].id is missing"),
        (["parameters"], 3, "claims.json.parameters is 3"),
        (["parameters", "seed"], None, "claims.json.parameters.seed is None"),
        (["claims", 0, "place"], 3, "claims[0].place is 3"),
        (["claims", 0, "value"], "x", "claims[0].value is 'x'"),
        (["claims", 0, "depends_on"], "x", "claims[0].depends_on is 'x'"),
        (["claims", 0, "verdict"], [], "claims[0].verdict is []"),
        (["claims", 0, "ours"], {}, "claims[0].ours.mean is missing"),
        (["claims", 0, "ours", "mean"], None, "claims[0].ours.mean is None"),
        (["claims", 0, "readings", 0, "ours"], 3, "readings[0].ours is 3"),
        (["claims", 0, "readings", 0, "reading"], {"x": "y"}, "a key of reading is 'x'"),
    ],
)
def test_a_build_with_a_wrong_part(
    path: list[Any], value: Any, said: str, refused: Refused, build: Path
) -> None:
    ledger = json.loads(build.read_text())
    assert check_plain(ledger) == ledger
    inner = ledger
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    build.write_text(json.dumps(ledger))
    assert said in refused("--from-build")
