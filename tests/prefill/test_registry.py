"""Models by name, as an instance file writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctho.checks import InputError
from ctho.prefill import (
    PREFILL_MODELS,
    AffinePrefill,
    BatchAwarePrefill,
    ProfilePrefill,
    QuadraticPrefill,
    prefill_from_mapping,
)

POINTS = [
    {"length_tok": 10, "num_ues": 1, "delay_s": 0.1},
    {"length_tok": 20, "num_ues": 1, "delay_s": 0.2},
]
CURVE = ProfilePrefill(((10, 1, 0.1), (20, 1, 0.2)))


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ({"prefill_s_per_tok": 2e-4, "prefill_offset_s": 0.1}, AffinePrefill(2e-4, 0.1)),
        (
            {"model": "affine", "prefill_s_per_tok": 0, "prefill_offset_s": 0},
            AffinePrefill(0.0, 0.0),
        ),
        (
            {
                "model": "quadratic",
                "prefill_s_per_tok": 1e-4,
                "prefill_offset_s": 0.1,
                "prefill_s_per_tok2": 1e-8,
            },
            QuadraticPrefill(1e-4, 0.1, 1e-8),
        ),
        (
            {"model": "batch_aware", "prefill_offset_s": 0.1, "prefill_s_per_tok_per_ue": 1e-4},
            BatchAwarePrefill(prefill_offset_s=0.1, prefill_s_per_tok_per_ue=1e-4),
        ),
        ({"model": "profile", "points": POINTS}, CURVE),
    ],
)
def test_a_model_by_name(mapping: dict[str, Any], expected: object) -> None:
    assert prefill_from_mapping(mapping) == expected


@pytest.mark.parametrize(
    ("former", "now"),
    [
        (
            {"a_s_per_tok": 1e-4, "b_s": 0.1},
            {"prefill_s_per_tok": 1e-4, "prefill_offset_s": 0.1},
        ),
        (
            {"model": "quadratic", "a_s_per_tok": 1e-4, "b_s": 0.1, "c_s_per_tok2": 1e-8},
            QuadraticPrefill(1e-4, 0.1, 1e-8),
        ),
        (
            {
                "model": "batch_aware",
                "a_s_per_tok": 1e-5,
                "b_s": 0.1,
                "a_s_per_tok_per_ue": 1e-4,
                "c_s_per_tok2_per_ue": 1e-9,
            },
            BatchAwarePrefill(0.1, 1e-5, 1e-4, 1e-9),
        ),
    ],
)
def test_files_with_the_former_keys_are_read(former: dict[str, Any], now: object) -> None:
    expected = prefill_from_mapping(now) if isinstance(now, dict) else now
    assert prefill_from_mapping(former) == expected


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({"a_s_per_tok": -1, "b_s": 0}, r"^prefill\.a_s_per_tok is -1"),
        ({"a_s_per_tok": 1, "b_s": "x"}, r"^prefill\.b_s is 'x'"),
        (
            {"a_s_per_tok": 1, "prefill_s_per_tok": 1, "b_s": 0},
            "prefill is 'prefill_s_per_tok', but must be left out, since a_s_per_tok is given",
        ),
    ],
)
def test_a_refusal_names_the_key_that_was_written(mapping: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        prefill_from_mapping(mapping)


def test_a_profile_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"points": POINTS, "anything": "else"}), encoding="utf-8")
    assert prefill_from_mapping({"model": "profile", "file": str(path)}) == CURVE


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        (3, "prefill is 3"),
        ({}, "prefill.prefill_s_per_tok is missing"),
        ({"prefill_s_per_tok": 1e-4}, "prefill.prefill_offset_s is missing"),
        ({"prefill_s_per_tok": -1, "prefill_offset_s": 0}, "prefill.prefill_s_per_tok is -1"),
        ({"prefill_s_per_tok": 1, "prefill_offset_s": "x"}, "prefill.prefill_offset_s is 'x'"),
        ({"prefill_s_per_tok": 1, "prefill_offset_s": 0, "c": 1}, "a key of prefill is 'c'"),
        ({"model": "quadratc"}, "did you mean quadratic?"),
        ({"model": None}, "prefill.model is None"),
        (
            {"model": "quadratic", "prefill_s_per_tok": 1, "prefill_offset_s": 0},
            "prefill.prefill_s_per_tok2 is missing",
        ),
        (
            {"model": "batch_aware", "prefill_offset_s": 0},
            "prefill.prefill_s_per_tok_per_ue is missing",
        ),
        ({"model": "profile"}, "either file or points"),
        ({"model": "profile", "file": "a", "points": []}, "either file or points"),
        ({"model": "profile", "file": 3}, "prefill.file is 3"),
        ({"model": "profile", "file": "no/such.json"}, "a file that exists"),
        ({"model": "profile", "file": ""}, "file is '', but must be a file that exists"),
        ({"model": "profile", "file": "a\0b"}, "prefill.file is"),
        ({"model": "profile", "file": "a" * 5000}, "prefill.file is"),
        ({"model": "profile", "file": "b/" * 2500}, "prefill.file is"),
        ({"model": "profile", "file": "a\ud800"}, "prefill.file is"),
        ({"model": "profile", "points": {}}, "a list of measured points"),
        ({"model": "profile", "points": []}, "points is \\[\\], but must be .* not empty"),
        ({"model": "profile", "points": [{**POINTS[0], "lenght": 1}]}, "points\\[0\\] is 'lenght'"),
        ({"model": "profile", "points": [3, 4]}, "points\\[0\\]"),
        ({"model": "profile", "points": [{"length_tok": 1}]}, "points\\[0\\].num_ues is missing"),
    ],
)
def test_a_bad_mapping_is_refused_in_one_sentence(mapping: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        prefill_from_mapping(mapping)
    assert "\n" not in str(refused.value)


def test_a_malformed_profile_file_gives_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{\n "points": [}', encoding="utf-8")
    with pytest.raises(InputError, match="line 2, column 13"):
        prefill_from_mapping({"model": "profile", "file": str(path)})


def test_the_names_offered() -> None:
    assert set(PREFILL_MODELS) == {"affine", "quadratic", "batch_aware", "profile"}
