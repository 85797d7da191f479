"""The whole ledger: its verdicts are the recorded ones, and an error in the code turns them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ctho.handover
from ctho.checks import InputError
from ctho.data_files import data_path
from ctho.handover import Handover
from ctho.kv_cache.geometry import KvCache
from ctho.pages.claims import (
    Claim,
    Entry,
    Finding,
    Ledger,
    OpenPoints,
    Verdict,
    all_readings,
    decide_theory,
    evaluate_ledger,
    evidence,
    load_claims,
    read_ledger,
)
from ctho.pages.claims.recorded import changes, recorded_verdicts, verdicts_as_yaml, verdicts_of
from ctho.pages.shared.results import write_json
from ctho.simulation import Estimate, Parameters
from ctho.solution import Reading, Solution, delay_at_length
from ctho.solver import solve
from tests.rendering import Page

FEW = 3_000


@pytest.fixture
def ledger(page: Callable[..., Page]) -> Ledger:
    """That of the page."""
    found: Ledger = page("claims").names["ledger"]
    return found


def decided(*ids: str, parameters: Parameters | None = None) -> Ledger:
    """Some claims, or all without one."""
    claims = [claim for claim in load_claims() if claim.id in ids or not ids]
    return evaluate_ledger(parameters or Parameters(realisations=FEW), claims)


def turned(*ids: str, parameters: Parameters | None = None) -> list[str]:
    """What `--check` would say of them."""
    found = decided(*ids, parameters=parameters)
    expected = recorded_verdicts()
    return changes(verdicts_of(found), {e.claim.id: expected[e.claim.id] for e in found.entries})


def not_reproduced(*ids: str) -> list[str]:
    return [f"{claim_id}: not reproduced, recorded as reproduced" for claim_id in ids]


def test_the_verdicts_are_the_recorded_ones(ledger: Ledger) -> None:
    assert changes(verdicts_of(ledger), recorded_verdicts()) == []
    assert verdicts_as_yaml(verdicts_of(ledger)) == data_path("verdicts.yaml").read_text()


def test_every_verdict_is_decided(ledger: Ledger) -> None:
    for entry in ledger.entries:
        assert all(f.verdict is not Verdict.OPEN for f in entry.findings.values()), entry.claim.id


def test_fewer_realisations_give_the_same_verdicts() -> None:
    # The control of the tests below, which need not draw as many.
    assert turned() == []


def test_an_error_in_the_prefill_length_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(handover: Handover, scheme: str = "ctHO", reading: Reading | None = None) -> Solution:
        length = 0.9 * solve(handover, scheme, reading).prefill_length_tok
        return delay_at_length(handover, length, scheme, reading)

    monkeypatch.setattr(decide_theory, "solve", wrong)
    assert not_reproduced("two_stages_are_optimal")[0] in turned("two_stages_are_optimal")


def test_an_error_in_the_transfer_delay_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(handover: Handover, *given: Any) -> Solution:
        slower = handover.replace(backhaul_tok_per_s=handover.backhaul_tok_per_s / 1.02)
        return solve(slower, *given)

    for module in (decide_theory, evidence):
        monkeypatch.setattr(module, "solve", wrong)
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


def test_a_policy_that_is_late_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = decide_theory.transfer_delay_s
    monkeypatch.setattr(
        decide_theory, "transfer_delay_s", lambda *given: right(*given) * (1 + 1e-3)
    )
    assert turned("policy_is_optimal") == not_reproduced("policy_is_optimal")


def test_what_is_undecidable_says_what_is_missing() -> None:
    (claim,) = (claim for claim in load_claims() if claim.id == "up_to_3_7_over_tho")
    silent = replace(claim, missing="")
    with pytest.raises(ValueError, match="does not say why"):
        evaluate_ledger(Parameters(realisations=4), [silent])


# --- What the readings change -----------------------------------------------------------------


def made(verdict: Callable[[OpenPoints], bool], ours: Callable[[OpenPoints], float]) -> Entry:
    """An entry whose verdict and number depend on the reading as given; 2 s is printed."""
    findings = {}
    for reading in all_readings():
        said = Verdict.REPRODUCED if verdict(reading) else Verdict.NOT_REPRODUCED
        findings[reading] = Finding(said, Estimate(*3 * [ours(reading)]), "s", "")
    return Entry(Claim("one", "", "", "2 s", "", value=2.0, unit="s"), findings)


def test_a_point_counts_that_matters_beside_another_choice_alone() -> None:
    entry = made(
        verdict=lambda r: (r.transfer, r.tho_length) != ("printed", "context_max"),
        ours=lambda r: 1.5 if r.fig4_boundary == "moving" else 4.0,
    )
    assert entry.depends_on == ("transfer", "tho_length")
    assert entry.varies_with == ("fig4_boundary",)
    assert entry.verdict is Verdict.REPRODUCED
    assert entry.finding.ours.mean == 1.5
    assert len(entry.relevant) == 8
    assert all(reading.zero_length == "skips_batch" for reading in entry.relevant)
    assert list(entry.turned) == [OpenPoints(transfer="printed", tho_length="context_max")]


def test_nothing_counts_where_all_readings_agree() -> None:
    entry = made(verdict=lambda r: False, ours=lambda r: 2.0)
    assert entry.depends_on == entry.varies_with == ()
    assert list(entry.relevant) == [OpenPoints()]
    assert entry.turned == {}


@pytest.mark.parametrize(("ours", "percent"), [(1.5, -25.0), (2.0, 0.0), (5.0, 150.0)])
def test_the_deviation_is_above_0_where_ours_is_above_the_printed(
    ours: float, percent: float
) -> None:
    assert made(lambda r: True, lambda r: ours).deviation_percent == pytest.approx(percent)


@pytest.mark.parametrize("change", [{"unit": "m"}, {"value": None}])
def test_what_does_not_compare_has_no_deviation(change: dict[str, Any]) -> None:
    entry = made(lambda r: True, lambda r: 2.0)
    assert replace(entry, claim=replace(entry.claim, **change)).deviation_percent is None


# --- The result in the build ------------------------------------------------------------------


def test_the_ledger_is_read_as_it_was_written(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path))
    write_json(ledger.as_json(), "claims")
    again = read_ledger()
    assert again.as_json() == ledger.as_json()
    assert verdicts_of(again) == verdicts_of(ledger)
    assert again.means == ledger.means
    assert again.parameters == ledger.parameters


def test_the_result_says_of_each_claim_what_was_found(ledger: Ledger) -> None:
    content = json.loads(json.dumps(ledger.as_json()))
    for claim, entry in zip(content["claims"], ledger.entries, strict=True):
        ours = claim["ours"]
        assert ours["ci_low"] <= ours["mean"] <= ours["ci_high"]
        assert (claim["id"], claim["rule"]) == (entry.claim.id, entry.claim.rule)
        assert claim["verdict"] == claim["readings"][0]["verdict"] == entry.verdict.value
        assert claim["readings"][0]["reading"] == {}
        if claim["value"] is not None and ours["unit"] == claim["unit"]:
            above = ours["mean"] > claim["value"]
            assert (claim["deviation_percent"] > 0) == above


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["claims"], []),
        (["claims"], [{}]),
        (["claims"], None),
        (["means"], [{"figure": "fig3a"}]),
        (["parameters"], 3),
        (["parameters", "seed"], None),
        (["parameters", "weather"], "fine"),
        (["claims", 0, "place"], 3),
        (["claims", 0, "value"], "x"),
        (["claims", 0, "depends_on"], "x"),
        (["claims", 0, "verdict"], []),
        (["claims", 0, "deviation_percent"], 7),
        (["claims", 0, "ours"], {}),
        (["claims", 0, "readings", 0, "ours", "mean"], None),
        (["claims", 0, "readings", 0, "ours"], 3),
        (["claims", 0, "readings"], []),
        (["claims", 0, "readings", 0, "reading"], {"x": "y"}),
    ],
)
def test_a_result_of_another_form_is_refused(
    path: list[Any],
    value: Any,
    ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("CTHO_BUILD_DIR", str(tmp_path))
    content = json.loads(json.dumps(replace(ledger, entries=ledger.entries[:1]).as_json()))
    inner = content
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    write_json(content, "claims")
    with pytest.raises(InputError, match=r"claims\.json.*make clean claims"):
        read_ledger()
