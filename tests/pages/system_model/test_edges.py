"""Cycle boundaries and the phase of the clock, against exact decimals and a scan of the phase."""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from ctho import AffinePrefill, Handover
from ctho.pages.system_model.edges import clock_range_s, late_boundaries
from ctho.pages.system_model.symbols import symbols
from ctho.simulation import Parameters
from tests.pages import by_hand


@pytest.mark.parametrize("cycle", ["0.01", "0.009", "0.0123"])
def test_late_boundaries_are_late_under_a_bare_ceiling_alone(cycle):
    table = late_boundaries(float(cycle), 500)
    count = [k for k in range(1, 501) if ceil(float(k * Fraction(cycle)) / float(cycle)) > k]
    assert table["handover_s"].tolist() == [float(k * Fraction(cycle)) for k in count]
    assert len(count) > 2
    assert (table["quotient"] > count).all()
    one_late = [float((k + 1) * Fraction(cycle)) for k in count]
    assert table["bare_s"].to_numpy() == pytest.approx(one_late)
    assert table["start_s"].to_numpy() == pytest.approx(table["handover_s"].to_numpy(), rel=1e-12)


def test_cycles_that_binary_fractions_hold_have_no_late_boundary():
    assert late_boundaries(0.25, 1000).empty


@pytest.mark.parametrize("origin", [0.0, 0.013, -3.0, 1e5])
@pytest.mark.parametrize("rate", [2000.0, 9809.0, 2e5])
def test_the_range_is_that_of_a_scan_of_all_phases(origin, rate):
    h = Handover([origin + 1, origin + 1.2], [3000, 2000], rate, AffinePrefill(), 0.05)
    low, high = clock_range_s(h)
    tau = h.handover_s.max()
    scan = [by_hand.optimum(h, start=tau + wait)[1] for wait in np.linspace(0, 0.05, 26)]
    assert low == pytest.approx(min(scan), rel=1e-7)
    assert high == pytest.approx(max(scan), rel=1e-4)
    assert (high > low) == (rate < 1e5)


def test_every_symbol_of_the_paper_has_its_name():
    table = symbols(Parameters(backhaul_gbps=7)).set_index("name")
    expected = {
        "num_ues": "K",
        "context_max_tok": r"C_{\mathrm{max}}",
        "cycle_s": "T_{c}",
        "backhaul_gbps": r"R_{\mathrm{bh}}",
        "pathloss_exponent": r"\alpha",
        "snr_ref_db": r"\gamma_{\mathrm{ref}}",
    }
    assert {name: table.loc[name, "symbol"] for name in expected} == expected
    assert table.loc["backhaul_gbps", "value"] == 7
    assert "realisations" not in table.index
