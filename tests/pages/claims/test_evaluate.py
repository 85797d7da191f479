"""The whole ledger: its verdicts are the recorded ones, and an error in the code turns them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ctho.solver
from ctho.checks import InputError
from ctho.cli import main
from ctho.data_files import data_path
from ctho.handover import Handover
from ctho.kv_cache.geometry import KvCache
from ctho.pages.claims import evaluate_ledger, load_claims, page, plain_ledger
from ctho.pages.claims.figure import beside_printed_figure
from ctho.pages.claims.recorded import (
    changes,
    recorded_verdicts,
    verdicts_as_yaml,
    verdicts_of,
)
from ctho.pages.claims.report import END, START, in_full, summary, with_block
from ctho.pages.claims.verdicts import OPEN
from ctho.simulation import Parameters
from ctho.solver import Reading

README = Path(__file__).parents[3] / "README.md"

FEW = 3_000


@pytest.fixture(scope="module")
def ledger() -> dict[str, Any]:
    return plain_ledger(evaluate_ledger())


def turned(*ids: str, parameters: Parameters | None = None) -> list[str]:
    """What `--check` would say of some claims, of all without one."""
    claims = [claim for claim in load_claims() if claim.id in ids or not ids]
    parameters = parameters if parameters is not None else Parameters(realisations=FEW)
    found = verdicts_of(plain_ledger(evaluate_ledger(parameters, claims)))
    return changes(found, {claim.id: recorded_verdicts()[claim.id] for claim in claims})


def not_reproduced(*ids: str) -> list[str]:
    return [f"{claim_id}: not reproduced, recorded as reproduced" for claim_id in ids]


def in_the_file(ledger: dict[str, Any], verdict: str) -> dict[str, Any]:
    """The ledger as read from its file, with another verdict on its first claim."""
    other: dict[str, Any] = json.loads(json.dumps(ledger))
    first = other["claims"][0]
    first["verdict"] = first["readings"][0]["verdict"] = verdict
    return other


def test_the_verdicts_are_the_recorded_ones(ledger: dict[str, Any]) -> None:
    assert changes(verdicts_of(ledger), recorded_verdicts()) == []
    assert verdicts_as_yaml(verdicts_of(ledger)) == data_path("verdicts.yaml").read_text()


def test_every_verdict_is_decided(ledger: dict[str, Any]) -> None:
    for claim in ledger["claims"]:
        assert all(entry["verdict"] != OPEN for entry in claim["readings"]), claim["id"]


def test_fewer_realisations_give_the_same_verdicts() -> None:
    # The control of the tests below, which need not draw as many.
    assert turned() == []


def test_too_few_realisations_leave_verdicts_open() -> None:
    found = plain_ledger(evaluate_ledger(Parameters(realisations=4)))
    assert any(claim["verdict"] == OPEN for claim in found["claims"])


def test_an_error_in_the_prefill_length_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = ctho.solver.SCHEMES["ctHO"]

    def wrong(handover: Handover, reading: Reading) -> np.ndarray:
        return 0.9 * right(handover, reading)

    monkeypatch.setitem(ctho.solver.SCHEMES, "ctHO", wrong)
    assert not_reproduced("two_stages_are_optimal")[0] in turned("two_stages_are_optimal")


def test_an_error_in_the_transfer_delay_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = ctho.solver.lindley_delay_s

    def wrong(gap: np.ndarray, work: np.ndarray, *, link_idles: bool = True) -> np.ndarray:
        return right(gap, 1.02 * work, link_idles=link_idles)

    monkeypatch.setattr("ctho.solver.lindley_delay_s", wrong)
    ids = ("two_stages_are_optimal", "cho_at_12_users")
    assert set(not_reproduced(*ids)) <= set(turned(*ids))


def test_an_error_in_the_batch_start_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right: Callable[..., np.ndarray] = ctho.handover.batch_start_s
    monkeypatch.setattr(
        "ctho.handover.batch_start_s", lambda latest, cycle: right(latest, cycle) + 0.3
    )
    said = "no_ho_best_below_375: reproduced, recorded as not reproduced"
    assert said in turned("no_ho_best_below_375")


def test_an_error_in_the_models_cache_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = KvCache.bits_per_tok.fget
    assert right is not None
    monkeypatch.setattr(KvCache, "bits_per_tok", property(lambda cache: right(cache) + 16))
    assert turned("kv_bits_per_token") == not_reproduced("kv_bits_per_token")


def test_an_error_in_the_simulations_cache_is_seen() -> None:
    # Keys without values: half the size.
    half = Parameters(realisations=FEW, kv_bits_per_tok=458_752 / 2)
    ids = ("kv_megabytes_3072", "cho_at_12_users")
    assert set(not_reproduced(*ids)) <= set(turned(*ids, parameters=half))


def test_changes_name_claim_reading_and_both_verdicts() -> None:
    before = {"a": {"default": "reproduced"}, "b": {"default": "reproduced"}}
    now = {
        "a": {"default": "not reproduced"},
        "b": {"default": "reproduced", "transfer=printed": "not reproduced"},
        "c": {"default": "reproduced"},
    }
    assert changes(now, before) == [
        "a: not reproduced, recorded as reproduced",
        "b under transfer=printed: not reproduced, recorded as reproduced",
        "c: not recorded yet",
    ]
    assert changes(before, now)[-1] == "c: no longer claimed"


def test_the_readme_shows_the_ledger(ledger: dict[str, Any]) -> None:
    text = README.read_text()
    assert with_block(text, ledger) == text


def test_a_readme_without_its_markers_is_refused(ledger: dict[str, Any]) -> None:
    for text in ("", START, f"{END} {START}", f"{START} {END} {START} {END}"):
        with pytest.raises(InputError, match="markers"):
            with_block(text, ledger)


def test_pages_and_terminal_show_every_verdict(ledger: dict[str, Any]) -> None:
    shown = page.numbers(ledger) + page.shapes(ledger)
    for claim in ledger["claims"]:
        assert claim["claim"] in shown
        assert f"`{claim['id']}`" in page.by_verdict(ledger)
        assert f"`{claim['id']}`" in page.rules(ledger)
        full = in_full(claim)
        assert claim["rule"] in full
        assert len(claim["readings"]) == full.split("readings\n")[1].count("\n") + 1
    for claim in ledger["claims"]:
        assert (claim["id"] in summary(ledger)) == (claim["value"] is not None)
    assert "turns `no_ho_grows_fastest`" in page.by_reading(ledger)
    assert "; changes our number for " in page.by_reading(ledger)
    for text in (shown, page.by_reading(ledger)):
        assert not re.search(r"(?<!\w)-\d", text)


def test_the_page_tells_what_changed(ledger: dict[str, Any]) -> None:
    assert "are those recorded" in page.recorded(ledger)
    other = in_the_file(ledger, "not reproduced")
    assert not_reproduced("kv_bits_per_token")[0] in page.recorded(other)


def test_the_page_compares_the_figures_tables(
    ledger: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path))
    assert "not in this build" in page.agreement(ledger)
    (tmp_path / "results").mkdir()
    for figure in ("fig3a", "fig3b", "fig3c", "fig3d", "fig4"):
        own = [mean for mean in ledger["means"] if mean["figure"] == figure]
        rows = "\n".join(f"{m['x']},{m['scheme']},{m['mean'] * 1.02!r}" for m in own)
        (tmp_path / "results" / f"{figure}.csv").write_text(f"x,scheme,mean\n{rows}\n")
    count = len(ledger["means"])
    assert f"All {count} means that the ledger rests on are" in page.agreement(ledger)
    assert "difference is 2 %" in page.agreement(ledger)
    other = {"figure": "fig4", "x": -1.0, "scheme": "ctHO", "mean": 1.0}
    more = {**ledger, "means": [*ledger["means"], other]}
    assert f"Of the {count + 1} means that the ledger rests on, {count} are" in page.agreement(more)


def test_the_picture_shows_each_number_that_compares(ledger: dict[str, Any]) -> None:
    axes = beside_printed_figure(ledger["claims"]).axes[0]
    shown = [label.get_text() for label in axes.get_yticklabels()]
    comparable = [c for c in ledger["claims"] if c["deviation_percent"] is not None]
    assert len(shown) == len(comparable) == 11
    assert shown[-1] == f"{comparable[0]['printed']}  ({comparable[0]['id']})"


def test_the_command(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    ledger: dict[str, Any],
) -> None:
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path))
    assert main(["claims", "--from-build"]) == 2
    assert "claims" in capsys.readouterr().err
    (tmp_path / "results").mkdir()
    result = tmp_path / "results" / "claims.json"
    result.write_text(json.dumps(ledger))
    assert main(["claims", "--from-build", "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(result.read_text())

    result.write_text(json.dumps(in_the_file(ledger, "not reproduced")))
    assert main(["claims", "--from-build", "--check", "--summary"]) == 1
    said = capsys.readouterr().err
    assert said == "ctho claims: kv_bits_per_token: not reproduced, recorded as reproduced\n"

    recorded = tmp_path / "verdicts.yaml"
    assert main(["claims", "--from-build", "cho_at_12_users", "--record", str(recorded)]) == 0
    assert "cho_at_12_users (Section IV-B, Figure 3(d))" in capsys.readouterr().out
    assert recorded_verdicts(recorded)["kv_bits_per_token"]["default"] == "not reproduced"


@pytest.mark.parametrize(
    ("words", "said"),
    [
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
def test_a_wrong_call_is_refused_in_one_line(
    words: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    ledger: dict[str, Any],
) -> None:
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path))
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "claims.json").write_text(json.dumps(ledger))
    assert main(["claims", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
