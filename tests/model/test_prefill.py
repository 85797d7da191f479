"""A profile is measured, interrupted, taken up and written; how long it takes is not judged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
import torch

from ctho.data_files import data_path
from ctho.prefill import prefill_from_mapping
from ctho.profiling import __main__ as command
from ctho.profiling import prefill as measuring
from ctho.profiling.plans import SMALL_CONFIG, PrefillPlan
from ctho.profiling.prefill import measure

PLAN = PrefillPlan(
    name="prefill-test",
    title="for this test",
    config={**SMALL_CONFIG, "num_hidden_layers": 2},
    dtype="fp32",
    lengths_tok={1: (4, 8, 16), 2: (4, 8)},
    max_runs=2,
)


def schema() -> object:
    return json.loads(data_path("schemas/prefill-profile.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
@pytest.mark.parametrize("layers_measured", [None, 1])
def test_a_profile_follows_the_schema_and_can_be_used(
    dtype: str, layers_measured: int | None, tmp_path: Path
) -> None:
    plan = replace(PLAN, dtype=dtype, layers_measured=layers_measured)
    lines: list[str] = []
    profile = measure(plan, "cpu", tmp_path / "partial.json", lines.append)
    jsonschema.validate(profile, schema())
    assert len(lines) == len(profile["points"]) == 5
    assert profile["threads"] == 1
    curve = prefill_from_mapping({"model": "profile", "points": profile["points"]})
    assert curve.delay_s(8, 2) > 0


def test_a_scaled_profile_counts_the_body_per_layer(tmp_path: Path) -> None:
    plan = replace(PLAN, layers_measured=1)
    for point in measure(plan, "cpu", tmp_path / "partial.json", lambda _: None)["points"]:
        assert point["delay_s"] == pytest.approx(2 * point["body_s"] + point["head_s"])


def test_an_interrupted_profile_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    partial = tmp_path / "partial.json"
    real, seen = measuring._measure_point, []

    def until_the_third(*args: object) -> dict[str, object]:
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(args)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(measuring, "_measure_point", until_the_third)
    with pytest.raises(KeyboardInterrupt):
        measure(PLAN, "cpu", partial, lambda _: None)
    kept = json.loads(partial.read_text(encoding="utf-8"))["entries"]
    assert len(kept) == 2

    monkeypatch.setattr(measuring, "_measure_point", real)
    lines: list[str] = []
    profile = measure(PLAN, "cpu", partial, lines.append)
    assert [line.endswith("(from before)") for line in lines] == [True] * 2 + [False] * 3
    for entry in kept.values():
        assert entry in profile["points"]


def test_the_largest_points_are_left_out_when_time_is_up(tmp_path: Path) -> None:
    lines: list[str] = []
    profile = measure(PLAN, "cpu", tmp_path / "partial.json", lines.append, deadline_s=0.0)
    assert {(p["length_tok"], p["num_ues"]) for p in profile["points"]} == PLAN.essential
    assert "left out" in lines[-1]
    prefill_from_mapping({"model": "profile", "points": profile["points"]})


def fitting(memory_tok: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real = measuring._measure_point

    def small_memory(plan, parts, timed, length, batch, clock):  # type: ignore[no-untyped-def]
        if length * batch > memory_tok:
            raise torch.OutOfMemoryError
        return real(plan, parts, timed, length, batch, clock)

    monkeypatch.setattr(measuring, "_measure_point", small_memory)


def test_what_does_not_fit_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitting(10, monkeypatch)
    lines: list[str] = []
    profile = measure(PLAN, "cpu", tmp_path / "partial.json", lines.append)
    # Of two contexts only the shortest length fits, which is no curve.
    assert [(p["length_tok"], p["num_ues"]) for p in profile["points"]] == [(4, 1), (8, 1)]
    assert sum(line.endswith("does not fit into the memory") for line in lines) == 2


def test_a_profile_without_a_curve_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitting(4, monkeypatch)
    with pytest.raises(measuring.MachineTooSmallError, match="two lengths"):
        measure(PLAN, "cpu", tmp_path / "partial.json", lambda _: None)


def test_layers_are_checked_to_add_up(tmp_path: Path) -> None:
    plan = replace(PLAN, layers_measured=1)
    profile = measure(plan, "cpu", tmp_path / "partial.json", lambda _: None)
    check = profile["scaling_check"]
    assert (check["length_tok"], check["num_ues"], check["layers"]) == (16, 1, 2)
    single = next(p for p in profile["points"] if (p["length_tok"], p["num_ues"]) == (16, 1))
    assert check["over_proportional"] == pytest.approx(check["body_s"] / single["body_s"] / 2 - 1)


def test_the_command_writes_whole_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "CPU_PLANS", (PLAN,))
    folders = ["--out", str(tmp_path / "out"), "--partial", str(tmp_path / "partial")]
    assert command.main(["--only", PLAN.name, *folders]) == 0
    written = json.loads((tmp_path / "out" / f"{PLAN.name}.json").read_text(encoding="utf-8"))
    jsonschema.validate(written, schema())
    assert not list((tmp_path / "partial").iterdir())
    assert f"wrote {PLAN.name}" in capsys.readouterr().out


def test_the_command_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_measure_one", interrupt)
    assert command.main(["--out", str(tmp_path)]) == 130
    assert "run again to go on" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
