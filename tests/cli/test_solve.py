"""`ctho solve`: the answer, and one line with status 2 for each way to be wrong."""

import io
import json
import sys
from pathlib import Path

import pytest

from ctho.cli import main

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "solve.json").read_text())
GOOD = {key: REFERENCE[0][key] for key in REFERENCE[0] if key != "expected"}


def solve(capsys, monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))
    status = main(["solve", "-"])
    return status, *capsys.readouterr()


@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case["name"])
def test_reference_values(case, capsys, tmp_path):
    file = tmp_path / "instance.json"
    file.write_text(json.dumps({key: case[key] for key in case if key != "expected"}))
    assert main(["solve", str(file)]) == 0
    answer = json.loads(capsys.readouterr().out)
    for scheme in ("ctHO", "tHO", "cHO"):
        expected = case["expected"][scheme]["delay_s"]
        assert answer[scheme]["delay_s"] == pytest.approx(expected, rel=1e-9)
        assert set(answer[scheme]) == {
            "delay_s",
            "prefill_length_tok",
            "prefill_delay_s",
            "transfer_delay_s",
            "per_user_delay_s",
            "schedule",
        }
        assert len(answer[scheme]["per_user_delay_s"]) == len(case["handover_s"])
    assert answer["ctHO"]["per_user_delay_s"] == pytest.approx(
        case["expected"]["ctHO"]["per_user_delay_s"], rel=1e-9
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"handover_s": [], "context_tok": []}, "handover_s is [], but must be a list of at least"),
        ({"context_tok": [1, 2]}, "the number of entries of context_tok is 2"),
        ({"handover_s": ["1"]}, "handover_s[0] is '1', but must be a finite number"),
        ({"handover_s": [True]}, "handover_s[0] is True, but must be a finite number"),
        ({"handover_s": [None]}, "handover_s[0] is None"),
        ({"handover_s": [[1.0]]}, "handover_s[0] is [1.0]"),
        ({"handover_s": 1.0}, "handover_s is 1.0, but must be a list"),
        ({"handover_s": "12"}, "handover_s is '12', but must be a list"),
        ({"context_tok": [0.5]}, "context_tok[0] is 0.5, but must be a finite number at least 1"),
        ({"context_tok": [-3]}, "context_tok[0] is -3"),
        ({"backhaul_gbps": 0}, "backhaul_gbps is 0, but must be a finite number above 0"),
        ({"backhaul_gbps": "4.5"}, "backhaul_gbps is '4.5'"),
        ({"backhaul_gbps": 10**400}, "backhaul_gbps is"),
        ({"kv_bits_per_tok": -1}, "kv_bits_per_tok is -1"),
        ({"cycle_s": 0}, "cycle_s is 0, but must be a finite number above 0"),
        ({"prefill": {"prefill_s_per_tok": -1, "prefill_offset_s": 0}}, "prefill_s_per_tok is -1"),
        ({"prefill": {"prefill_s_per_tok": 0, "prefill_offset_s": -1}}, "prefill_offset_s is -1"),
        ({"prefill": {"prefill_s_per_tok": 0}}, "prefill_offset_s is missing"),
        ({"prefill": 3}, "prefill is 3"),
        ({"prefill": {"model": "quadratc"}}, "did you mean quadratic?"),
        ({"backhaul_gpbs": 3}, "did you mean backhaul_gbps?"),
    ],
)
def test_wrong_instances(changes, words, capsys, monkeypatch):
    status, out, err = solve(capsys, monkeypatch, json.dumps({**GOOD, **changes}))
    assert status == 2
    assert out == ""
    assert words in err
    assert err.count("\n") == 1


TIMES_AT_BOTH_ENDS = {"handover_s": [1e308, -1e308], "context_tok": [1, 2]}
STEEP = {
    "model": "quadratic",
    "prefill_s_per_tok": 1e-4,
    "prefill_offset_s": 1e-3,
    "prefill_s_per_tok2": 1e-9,
}


@pytest.mark.parametrize(
    "changes",
    [
        TIMES_AT_BOTH_ENDS,
        {"backhaul_gbps": 1e-320},
        {"prefill": {"prefill_s_per_tok": 1e308, "prefill_offset_s": 0}},
        {"prefill": {"prefill_s_per_tok": 1e308, "prefill_offset_s": 1e308}},
        {"prefill": {**STEEP, "prefill_s_per_tok2": 1e308}},
        {"prefill": STEEP, "context_tok": [1e308]},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("error")
def test_numbers_too_extreme_for_a_float(changes, capsys, monkeypatch):
    status, out, err = solve(capsys, monkeypatch, json.dumps({**GOOD, **changes}))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1


@pytest.mark.parametrize("cycle_s", [1e-320, 5e-324, 1e300])
def test_cycles_of_any_length(cycle_s, capsys, monkeypatch):
    status, out, _ = solve(capsys, monkeypatch, json.dumps({**GOOD, "cycle_s": cycle_s}))
    assert status == 0
    assert json.loads(out)["ctHO"]["delay_s"] > 0


@pytest.mark.parametrize("key", [key for key in GOOD if key != "name"])
def test_a_missing_key(key, capsys, monkeypatch):
    rest = {name: value for name, value in GOOD.items() if name != key}
    status, out, err = solve(capsys, monkeypatch, json.dumps(rest))
    assert (status, out) == (2, "")
    assert f"the instance.{key} is missing, but must be given" in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1,\n "b": }', "valid JSON (line 2, column 7"),
        ("", "valid JSON (line 1, column 1"),
        ("[1, 2]", "the instance is [1, 2], but must be an object"),
        ("3", "the instance is 3, but must be an object"),
        ('{"handover_s": [NaN]}', "a value in the JSON file is 'NaN'"),
        ('{"handover_s": [1e999]}', "the instance.context_tok is missing"),
        ('{"name": 1, "name": 2}', "a key of the JSON file is 'name', but must be given once"),
        ("[" * 200_000, "fewer nested levels"),
        ('{"cycle_s": ' + "1" * 5000 + "}", "numbers of fewer digits"),
    ],
)
def test_texts_that_are_no_instance(text, words, capsys, monkeypatch):
    status, out, err = solve(capsys, monkeypatch, text)
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_a_file_that_is_not_there(capsys, tmp_path):
    assert main(["solve", str(tmp_path / "none.json")]) == 2
    assert "but must be a file that exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["slove"], ["solve"], ["solve", "a", "b"], ["solve", "--fast", "-"]]
)
def test_a_wrong_call_is_one_line(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith("ctho")
