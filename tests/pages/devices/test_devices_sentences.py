"""The page's sentences are true under its own parameters and three others."""

import math
import re

import numpy as np
import pytest

from ctho.pages.devices.limits import device_records
from ctho.pages.devices.profiles import device_prefill, prefill_times
from ctho.simulation import Parameters, delay_samples, sample_handovers
from tests.pages.devices.renderings import ALL, LAYERS, SETS, given, peak_share, read_ms
from tests.rendering import numbers


@pytest.fixture(params=list(SETS))
def shown(page, request):
    return page("devices", **SETS[request.param])


@pytest.fixture
def default(page):
    return page("devices", **SETS["default"])


def said(shown, cell):
    """A cell's sentences in one line."""
    return " ".join(shown.cells[cell].split())


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
    there = given(shown).replace(
        realisations=shown.names["map_realisations"],
        backhaul_gbps=best["backhaul_gbps"],
        prefill_s_per_tok=1 / best["prefill_tok_per_s"],
    )
    assert delay_samples(there)["ctHO"].mean() == pytest.approx(best["ctHO"])


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


def test_the_page_speaks_of_the_papers_line(default):
    paper = Parameters()
    assert numbers(default.cells["title"].partition("with $a")[2])[:2] == pytest.approx(
        [1e6 * paper.prefill_s_per_tok, 1e3 * paper.prefill_offset_s], rel=1e-3
    )
    assert math.isclose(default.names["own_speed"], 1 / paper.prefill_s_per_tok)
