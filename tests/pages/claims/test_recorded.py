"""The recorded verdicts are read and compared, and a wrong record is refused by its field."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ctho.checks import InputError
from ctho.pages.claims import Verdict
from ctho.pages.claims.recorded import changes, recorded_verdicts, verdicts_as_yaml


def test_changes_name_claim_reading_and_both_verdicts() -> None:
    yes, no = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED
    before = {"a": {"default": yes}, "b": {"default": yes}}
    now = {
        "a": {"default": no},
        "b": {"default": yes, "transfer=printed": no},
        "c": {"default": yes},
    }
    assert changes(now, before) == [
        "a: not reproduced, recorded as reproduced",
        "b under transfer=printed: not reproduced, recorded as reproduced",
        "c: not recorded yet",
    ]
    assert changes(before, now)[-1] == "c: no longer claimed"
    assert changes(before, now)[1].startswith("b under transfer=printed: reproduced")
    assert changes(now, now) == []


def test_what_is_recorded_is_read_again(tmp_path: Path) -> None:
    reading = "transfer=printed, fig4_boundary=fixed"
    verdicts = {"one": {"default": Verdict.HOLDS, reading: Verdict.OPEN}}
    path = tmp_path / "verdicts.yaml"
    path.write_text(verdicts_as_yaml(verdicts))
    assert recorded_verdicts(path) == verdicts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the content of verdicts.yaml is missing, but must be a verdict on each claim"),
        ("3\n", "verdicts.yaml is 3"),
        ("[one]\n", "verdicts.yaml is ['one']"),
        ("one: 3\n", "one is 3"),
        ("one:\n", "one is None"),
        ("one:\n  default: [reproduced]\n", "one.default is ['reproduced']"),
        ("one:\n  default: reproduced\n  2: reproduced\n", "a reading of one is 2"),
        ("one:\n  default: 2026-13-45\n", "valid YAML"),
        ("one:\n  default: fine\n", "one.default is 'fine'"),
        ("one:\n  transfer=printed: reproduced\n", "one is {'transfer=printed'"),
        ("one:\n  default: reproduced\n  transfer=guessed: reproduced\n", "is 'transfer=guessed'"),
        ("one:\n  default: reproduced\n  weather=fine: reproduced\n", "is 'weather=fine'"),
    ],
)
def test_wrong_recorded_verdicts_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "verdicts.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(said)):
        recorded_verdicts(path)
