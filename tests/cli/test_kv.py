"""`ctho kv` as a person calls it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from ctho.checks import InputError
from ctho.cli import kv
from ctho.kv_cache import model_config


def call(*words: str) -> int:
    parser = argparse.ArgumentParser()
    kv.add_parser(parser.add_subparsers())
    args = parser.parse_args(["kv", *words])
    status: int = args.func(args)
    return status


def report(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert call(*words, "--json") == 0
    content: dict[str, object] = json.loads(capsys.readouterr().out)
    return content


def test_the_papers_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("Qwen2.5-7B-Instruct", "--tokens", "3072") == 0
    printed = capsys.readouterr().out
    for part in ("57,344 bytes per token", "458,752 bits", "176,160,768", "0.176161", "0.164062"):
        assert part in printed
    assert "28 layers * 4 KV heads * (128 * 16 + 128 * 16) bits" in printed
    assert "0.3132 s" in printed  # 176,160,768 * 8 / 4.5e9


def test_json_has_exact_bytes_and_both_units(capsys: pytest.CaptureFixture[str]) -> None:
    content = report(capsys, "Qwen2.5-7B", "--tokens", "1", "3072", "--backhaul-gbps", "10")
    assert content["bytes_per_tok"] == 57_344
    assert content["kv_bits_per_tok"] == 458_752
    contexts = content["contexts"]
    assert isinstance(contexts, list)
    assert contexts[1] == {
        "tokens": 3072,
        "bytes": 176_160_768,
        "gb": pytest.approx(0.176160768),
        "gib": 0.1640625,
        "transfer_s": pytest.approx(176_160_768 * 8 / 10e9),
    }


def test_windows_and_states_are_named_apart(capsys: pytest.CaptureFixture[str]) -> None:
    call("gemma-3-1b")
    assert "4,096 bytes per token beyond 512 tokens" in capsys.readouterr().out
    call("Qwen3-Next-80B-A3B")
    assert "77,856,768 bytes of state whatever the context" in capsys.readouterr().out


def test_a_config_file_gives_what_the_name_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(model_config("Qwen3-4B")), encoding="utf-8")
    by_file, by_name = report(capsys, "--config", str(path)), report(capsys, "Qwen3-4B")
    assert by_file.pop("model") == str(path)
    assert by_name.pop("model") == "Qwen3-4B"
    assert by_file == by_name


def test_keys_and_values_may_differ(capsys: pytest.CaptureFixture[str]) -> None:
    content = report(capsys, "Qwen2.5-7B", "--dtype", "int8", "--value-dtype", "int4-g64")
    assert content["kv_bits_per_tok"] == 28 * 4 * (128 * 8 + 128 * 4 + 2 * 32)
    call("Qwen2.5-7B", "--dtype", "int8", "--value-dtype", "int4")
    assert "keys int8, values int4" in capsys.readouterr().out


def test_the_list_holds_what_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--list") == 0
    names = capsys.readouterr().out.split()
    assert "Qwen2.5-7B-Instruct" in names
    for name in names:
        assert call(name) == 0


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ((), "model"),
        (("Qwen2.5-7B", "--config", "x.json"), "model"),
        (("no-such-model",), "model"),
        (("--config", "no/such/file.json"), "config"),
        (("Qwen2.5-7B", "--tokens", "-1"), "tokens"),
        (("Qwen2.5-7B", "--tokens", "many"), "tokens"),
        (("Qwen2.5-7B", "--tokens", "1.5"), "tokens"),
        (("Qwen2.5-7B", "--tokens", "1e308"), "tokens"),
        (("Qwen2.5-7B", "--tokens", "1000000000001"), "tokens"),
        (("Qwen2.5-7B", "--tokens", "1_000"), "tokens"),
        (("Qwen2.5-7B", "--tokens", " 5 "), "tokens"),
        (("Qwen2.5-7B", "--tokens", "\u0665"), "tokens"),
        (("Qwen2.5-7B", "--tokens", "1" * 5000), "tokens"),
        (("Qwen2.5-7B", "--dtype", "int4-g\u0666\u0664"), "dtype"),
        (("Qwen2.5-7B", "--backhaul-gbps", "1e-320"), "backhaul_gbps"),
        (("Qwen2.5-7B", "--backhaul-gbps", "1e10"), "backhaul_gbps"),
        (("Qwen2.5-7B", "--dtype", "int5"), "dtype"),
        (("Qwen2.5-7B", "--value-dtype", "int5"), "value_dtype"),
        (("Qwen2.5-7B", "--backhaul-gbps", "0"), "backhaul_gbps"),
        (("Qwen2.5-7B", "--backhaul-gbps", "nan"), "backhaul_gbps"),
        (("DeepSeek-V3", "--value-dtype", "int8"), "value_dtype"),
    ],
)
def test_bad_input_names_the_field(words: tuple[str, ...], field: str) -> None:
    with pytest.raises(InputError) as refused:
        call(*words)
    assert refused.value.field == field


def test_what_no_float_holds_is_shown_as_written() -> None:
    with pytest.raises(InputError, match="tokens is '1e400'"):
        call("Qwen2.5-7B", "--tokens", "1e400")


def test_the_bounds_themselves_give_finite_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    content = report(capsys, "Qwen2.5-7B", "--tokens", "1e12", "--backhaul-gbps", "1e-9")
    assert isinstance(content["contexts"], list)
    assert content["contexts"][0]["bytes"] == 57_344 * 10**12
    assert content["contexts"][0]["transfer_s"] == pytest.approx(458_752 * 10**12)


@pytest.mark.parametrize("name", ["two\nlines", "lone \udc80", "caf\u00e9"])
def test_the_title_is_one_line_of_ascii(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**model_config("Qwen3-4B"), "_name_or_path": name}))
    assert call("--config", str(path)) == 0
    title = capsys.readouterr().out.splitlines()[0]
    assert title == f"{name!a}, 36 layers, bf16"
