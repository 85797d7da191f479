"""The page's tables, on the page and in its files, under its own parameters and three others."""

import pandas as pd
import pytest

from ctho.pages.devices.profiles import device_prefill
from ctho.simulation import delay_samples, sample_handovers
from tests.pages.devices.renderings import ALL, DEVICES, LAYERS, SETS, given, peak_share, read_ms
from tests.rendering import numbers, table_rows


@pytest.fixture(params=list(SETS))
def shown(page, request):
    return page("devices", **SETS[request.param])


@pytest.fixture
def default(page):
    return page("devices", **SETS["default"])


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
