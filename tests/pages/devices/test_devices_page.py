"""The page's sentences and tables under its own parameters and three others."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from ctho.pages.devices.limits import device_records
from ctho.pages.devices.profiles import device_prefill, prefill_times
from ctho.simulation import Parameters, delay_samples, sample_handovers
from tests.rendering import numbers, table_rows

FEW = {"map_realisations": 40, "realisations": 80}
SETS = {
    "default": {**FEW, "grid_points": 9},
    "one user": {
        **FEW,
        "grid_points": 9,
        "num_ues": 1,
        "device_names": ["H100", "A100"],
        "backhaul_gbps_values": [4.5],
        "prefill_s_per_tok": 5e-6,
        "prefill_offset_s": 5e-3,
    },
    "slow links": {
        **FEW,
        "grid_points": 3,
        "map_backhaul_max_gbps": 0.4,
        "backhaul_gbps": 0.3,
        "backhaul_gbps_values": [0.3],
        "device_names": ["L40S"],
        "prefill_s_per_tok": 1e-3,
        "prefill_offset_s": 0.1,
    },
    "fast links": {
        **FEW,
        "grid_points": 3,
        "num_ues": 2,
        "map_backhaul_min_gbps": 400.0,
        "map_backhaul_max_gbps": 900.0,
        "map_prefill_max_tok_per_s": 2e4,
        "backhaul_gbps": 500.0,
        "backhaul_gbps_values": [4.5, 2000],
        "device_names": ["H100", "H200"],
        "prefill_offset_s": 4e-3,
    },
}
# Qwen2.5-7B in bfloat16: all weights, those but the input table, and those of the layers.
ALL, READ, LAYERS = 7_615_616_512, 7_615_616_512 - 152_064 * 3584, 6_525_288_448
DEVICES = {record["name"]: record for record in device_records()["devices"]}


@pytest.fixture(params=list(SETS))
def shown(page, request):
    return page("devices", **SETS[request.param])


@pytest.fixture
def default(page):
    return page("devices", **SETS["default"])


def said(shown, cell):
    """A cell's sentences in one line."""
    return " ".join(shown.cells[cell].split())


def given(shown):
    return Parameters.from_names(shown.names)


def read_ms(name, weights=READ):
    return 1e3 * 2 * weights / DEVICES[name]["memory_byte_per_s"]


def peak_share(name, own):
    return 2 * LAYERS / DEVICES[name]["peak_flop_per_s"] / own.prefill_s_per_tok


def test_limits_stand_under_their_heads(shown):
    own = given(shown)
    head, *body = table_rows(shown.cells["limits"])
    assert [row[0] for row in body] == shown.names["device_names"]
    for name, *cells in body:
        share = 100 * peak_share(name, own)
        expected = {
            "reading all weights (ms)": read_ms(name, ALL),
            "reading what a pass needs (ms)": read_ms(name),
            "arithmetic at peak (µs/token)": 1e6 * 2 * LAYERS / DEVICES[name]["peak_flop_per_s"],
            "share of peak that a needs, one context": share,
            f"the same, K = {own.num_ues}": own.num_ues * share,
        }
        assert head[1:] == list(expected)
        # Shares from ten percent on are whole numbers.
        for cell, (column, value) in zip(cells, expected.items(), strict=True):
            assert numbers(cell) == [pytest.approx(value, abs=0.51 if value > 10 else 0.06)], column


def test_the_offset_is_below_the_reading_time_of_the_devices_named(shown):
    text, own = said(shown, "memory"), given(shown)
    offset_ms = 1e3 * own.prefill_offset_s
    slower = {name for name in shown.names["device_names"] if read_ms(name) > offset_ms}
    if "No device here takes longer" in text:
        assert not slower
        assert numbers(text) == [offset_ms]
        return
    first, second, *_, last = re.split(r"(?<=[a-z])\. ", text.rstrip(". "))
    assert re.match(rf"b = {offset_ms:g} ms is less than the time", first)
    named = dict(re.findall(r"(\w+) \(([\d.]+) ms\)", first))
    assert set(named) == slower
    for name, ms in named.items():
        assert float(ms) == pytest.approx(read_ms(name), abs=0.06)
    all_ms = [read_ms(name, ALL) for name in named]
    assert numbers(second) == pytest.approx([15.2, *all_ms], abs=0.06)

    found = re.search(r"Even on the (\w+) .* faster than the memory only below ([\d,]+)", last)
    name, below = found.groups()
    lengths = {name: (read_ms(name) - offset_ms) / (1e3 * own.prefill_s_per_tok) for name in slower}
    assert lengths[name] == max(lengths.values())
    assert float(below.replace(",", "")) == pytest.approx(lengths[name], abs=0.51)


def test_devices_that_cannot_do_the_arithmetic_are_those_named(shown):
    text, own = said(shown, "arithmetic"), given(shown)
    names = shown.names["device_names"]
    one, *batch, verdict = re.split(r"\. (?=[A-Z])", text)
    assert "µs/token needs" in one
    shares = {name: float(share) for share, name in re.findall(r"([\d.]+) % of the (\w+)'s", one)}
    assert shares == pytest.approx({name: 100 * peak_share(name, own) for name in names}, abs=0.51)
    assert numbers(one)[0] == pytest.approx(1e6 * own.prefill_s_per_tok, rel=0.01)
    if own.num_ues > 1:
        (batch,) = batch
        need = own.num_ues * 2 * LAYERS / own.prefill_s_per_tok / 1e12
        assert numbers(batch) == [own.num_ues, own.num_ues, pytest.approx(need, abs=0.5)]
    else:
        assert batch == []
    beyond = [name for name in names if own.num_ues * peak_share(name, own) > 1]
    if beyond:
        assert "more than the peak" in verdict
        assert re.findall(r"\b[AHL]\d+S?\b", verdict) == beyond
    else:
        assert "Every device here could" in verdict
    assert ("batch" in verdict) == (own.num_ues > 1 and bool(beyond))


def test_both_verdicts_on_arithmetic_are_read(page):
    verdicts = [said(page("devices", **given), "arithmetic") for given in SETS.values()]
    assert {"could do that" in text for text in verdicts} == {True, False}


def test_the_profile_is_told_for_the_devices_of_the_page(shown):
    text = said(shown, "profile")
    names = shown.names["device_names"]

    def one(name, length, column="delay_s"):
        times = prefill_times(name).set_index(["num_ues", "length_tok"])[column]
        return 1e6 * times[1, length] / length

    first, second, third, last = re.split(r"\. (?=[A-Z])", text)
    assert re.findall(r"on the (\w+)", first) == names
    expected = [one(name, 8192) for name in names]
    assert [float(us) for us in re.findall(r"([\d.]+) on the", first)] == pytest.approx(
        expected, abs=0.51
    )
    rises = [100 * (one(name, 8192) / one(name, 1024) - 1) for name in names]
    assert numbers(second) == pytest.approx([1024, *rises, 0], abs=0.51)
    assert min(rises) > 0
    assert "rises" in second
    attention = [one(name, at, "attention_s") for at in (1024, 8192) for name in names]
    assert numbers(third) == pytest.approx(attention, abs=0.051)
    assert "grows" in third
    assert min(np.diff(np.reshape(attention, (2, -1)), axis=0).ravel()) > 0
    record = device_records()["second_profile"]
    products = 32 * sum(record["matmul_ms"].values()) / 4.096
    between = 32 * sum(record["other_ms"].values()) / 4.096
    assert numbers(last.partition(" at ")[2]) == pytest.approx(
        [4096, products, products + between], abs=0.51
    )


def test_a_batch_is_compared_at_three_lengths(shown):
    text, own = said(shown, "batch"), given(shown)
    if own.num_ues == 1:
        assert numbers(text) == []
        return
    expected = [own.num_ues]
    for length in (16, 512, 8192):
        curves = (
            device_prefill(name, own.num_ues, counts_batch=True)
            for name in shown.names["device_names"]
        )
        ratios = [float(p.delay_s(length, own.num_ues) / p.delay_s(length, 1)) for p in curves]
        expected += [*dict.fromkeys((round(min(ratios), 1), round(max(ratios), 1))), length]
    assert numbers(text) == pytest.approx([*expected, 1.0], abs=0.051)


def test_the_better_pure_scheme_is_the_better_one(shown):
    own = given(shown)
    mean = {scheme: delays.mean() for scheme, delays in delay_samples(own).items()}
    rate, speed, gain, better = re.search(
        r"At ([\d.]+) Gbps and ([\d,]+) tokens/s, ctHO is (.*?) % below (\w+), the better",
        said(shown, "map-words"),
    ).groups()
    assert float(rate) == own.backhaul_gbps
    assert numbers(speed) == [pytest.approx(1 / own.prefill_s_per_tok, abs=0.5)]
    assert mean[better] == min(mean["tHO"], mean["cHO"])
    percent = 100 * (1 - mean["ctHO"] / mean[better])
    if gain == "less than 1":
        assert 0 <= percent < 0.5
    else:
        assert float(gain) == pytest.approx(percent, abs=0.5)


def test_the_best_place_and_the_share_below_5_percent_are_the_tables(shown):
    table = shown.names["table"]
    best = table.sort_values("gain_percent").iloc[-1]
    few = [row.gain_percent for row in table.itertuples() if row.gain_percent < 5]
    reaches, rate, speed, limit, share = re.search(
        r"the gain reaches (\S+) %, at (\S+) Gbps and (\S+) tokens/s; "
        r"it is below (\d+) % on (\S+) % of the map",
        said(shown, "map-words"),
    ).groups()
    assert float(reaches) == pytest.approx(best["gain_percent"], rel=0.06)
    assert float(limit) == 5
    assert float(share) == pytest.approx(100 * len(few) / len(table), abs=0.5)
    row = table[np.isclose(table["backhaul_gbps"], float(rate), rtol=0.01)]
    row = row[np.isclose(row["prefill_tok_per_s"], *numbers(speed), rtol=0.001)]
    assert row["gain_percent"].item() == pytest.approx(best["gain_percent"])


def test_who_is_ahead_changes_at_the_equal_rate_or_nowhere(shown):
    text = said(shown, "map-words")
    own = given(shown).replace(realisations=shown.names["map_realisations"])

    def ahead(gbps):
        mean = {k: v.mean() for k, v in delay_samples(own.replace(backhaul_gbps=gbps)).items()}
        return min(("tHO", "cHO"), key=mean.__getitem__)

    ends = [ahead(shown.names[f"map_backhaul_{end}_gbps"]) for end in ("min", "max")]
    if found := re.search(r"tHO and cHO are equal at ([\d.]+) Gbps", text):
        equal = float(found[1])
        assert ends == ["tHO", "cHO"] == [ahead(equal / 1.2), ahead(1.2 * equal)]
    else:
        everywhere = re.search(r"(\w+) is ahead at every rate of the map", text)[1]
        assert ends == [everywhere] * 2


def test_more_than_half_send_everything_from_the_rate_that_is_said(shown):
    text = said(shown, "map-words")
    own = given(shown).replace(realisations=shown.names["map_realisations"])

    def sends_all(gbps):
        """Share of the realisations that are across before a batch of nothing could end."""
        here = own.replace(backhaul_gbps=gbps)
        could_end = sample_handovers(here).batch_wait_s + here.prefill_offset_s
        return (delay_samples(here)["cHO"] <= could_end).mean()

    ends = [sends_all(shown.names[f"map_backhaul_{end}_gbps"]) for end in ("min", "max")]
    if found := re.search(r"From ([\d.]+) Gbps on more than half", text):
        half = float(found[1])
        assert sends_all(half / 1.25) <= 0.5 < sends_all(1.25 * half)
    elif "At every rate of the map more than half" in text:
        assert min(ends) > 0.5
    else:
        assert "At no rate of the map do more than half" in text
        assert max(ends) <= 0.5
        return
    tau = sample_handovers(given(shown)).handover_s
    starts = np.ceil(tau.max(axis=1) / own.cycle_s) * own.cycle_s
    wait = float((starts - tau.min(axis=1)).mean())
    assert float(re.search(r"starts (\S+) s after", text)[1]) == pytest.approx(wait, rel=0.05)


def test_every_form_of_the_sentences_is_read(page):
    texts = [said(page("devices", **given), "map-words") for given in SETS.values()]
    for forms in (
        ("are equal at", "tHO is ahead at every", "cHO is ahead at every"),
        ("Gbps on more than half", "At every rate of the map more", "At no rate of the map"),
        ("below tHO", "below cHO"),
        ("is less than 1 %",),
    ):
        assert all(any(form in text for text in texts) for form in forms)


@pytest.mark.parametrize(
    ("cell", "counts_batch"), [("devices-single", False), ("devices-batch", True)]
)
def test_delays_on_devices_stand_under_their_heads(shown, cell, counts_batch):
    own = given(shown)
    reading = "all contexts" if counts_batch else "one context"
    table = shown.names["on_devices"].set_index(["per_batch", "device", "backhaul_gbps"])
    head, *body = table_rows(shown.cells[cell])
    assert len(body) == len(table) // 2
    handovers = sample_handovers(own)
    for cells in body:
        row = dict(zip(head, cells, strict=True))
        rate = float(row["link (Gbps)"])
        own_row = table.loc[(reading, row["device"], rate)]
        for scheme in ("tHO", "cHO", "ctHO"):
            assert float(row[f"{scheme} (s)"]) == pytest.approx(own_row[scheme], abs=6e-4)
        prefill = device_prefill(row["device"], own.num_ues, counts_batch=counts_batch)
        padded = prefill.delay_s(handovers.longest_context_tok, own.num_ues)
        assert float(row["tHO (s)"]) == pytest.approx(
            (handovers.batch_wait_s + padded).mean(), abs=6e-4
        )
        sent = delay_samples(own.replace(backhaul_gbps=rate), ["cHO"])["cHO"].mean()
        assert float(row["cHO (s)"]) == pytest.approx(sent, abs=6e-4)
        gain, *half = numbers(row["gain (%)"])
        assert gain == pytest.approx(own_row["gain_percent"], abs=0.051)
        if half:
            width = own_row["gain_ci_high"] - own_row["gain_percent"]
            assert half == [pytest.approx(width, abs=0.1 if "<" in row["gain (%)"] else 0.051)]
            assert half[0] > 0 or width > 0
        else:
            assert own_row["sends_all"] == 1
        assert numbers(row["mean L* (tokens)"]) == [pytest.approx(own_row["length_tok"], abs=0.51)]


def test_what_is_written_is_what_is_shown(default):
    folder = default.build_dir / "results"
    written = {path.stem: pd.read_csv(path) for path in folder.glob("*.csv")}
    names = {
        "device_limits": "limits",
        "device_prefill": "curves",
        "regime_map": "table",
        "device_delays": "on_devices",
    }
    assert set(written) == set(names)
    for name, variable in names.items():
        pd.testing.assert_frame_equal(written[name], default.names[variable], check_dtype=False)


def test_the_page_speaks_of_the_papers_line(default):
    paper = Parameters()
    assert numbers(default.cells["title"].partition("with $a")[2])[:2] == pytest.approx(
        [1e6 * paper.prefill_s_per_tok, 1e3 * paper.prefill_offset_s], rel=1e-3
    )
    assert math.isclose(default.names["own_speed"], 1 / paper.prefill_s_per_tok)


def test_every_parameter_of_the_page_is_on_its_card(shown):
    card = shown.cells["provenance"]
    for name, value in given(shown).as_dict().items():
        row = {"seed": f"| Seed | `{value}` |", "realisations": f"| Realisations | `{value}` |"}
        assert row.get(name, f"`{name} = {value!r}`") in card
    for name in ("device_names", "backhaul_gbps_values", "grid_points", "map_realisations"):
        assert f"`{name} = {shown.names[name]!r}`" in card
    for axis in ("backhaul_{}_gbps", "prefill_{}_tok_per_s"):
        for end in ("min", "max"):
            name = f"map_{axis.format(end)}"
            assert f"`{name} = {shown.names[name]!r}`" in card
