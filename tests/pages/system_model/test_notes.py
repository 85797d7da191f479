"""Cycle boundaries, the phase of the clock and the edge cases of the model."""

import numpy as np
import pytest

from ctho import AffinePrefill, Handover, batch_start_s
from ctho.pages.system_model import notes as notes
from ctho.simulation import Parameters


def test_every_symbol_has_its_name_and_value():
    table = notes.symbols_as_markdown(Parameters(backhaul_gbps=7))
    assert "| $R_{\\mathrm{bh}}$ | backhaul rate | `backhaul_gbps` | 7 |" in table
    assert "| $\\alpha$ | path loss exponent | `pathloss_exponent` | 3.5 |" in table
    assert "| $T_{c}$ |" in table
    assert "realisations" not in table


def test_late_boundaries_are_late_under_a_bare_ceiling_only():
    late = notes.late_boundaries(0.01, 1000)
    assert len(late) > 5
    assert (late["bare_s"] > late["handover_s"] + 0.005).all()
    assert late["start_s"].to_numpy() == pytest.approx(late["handover_s"].to_numpy())
    every = np.round(np.arange(1, 1001) * 0.01, 2)
    assert batch_start_s(every, 0.01) == pytest.approx(every)


def test_cycles_that_binary_fractions_hold_have_no_late_boundary():
    assert notes.late_boundaries(0.25).empty
    assert "none starts its batch late" in notes.boundaries_in_words(
        notes.late_boundaries(0.25), 0.25
    )


def test_the_example_is_one_of_the_late_ones():
    late = notes.late_boundaries(0.01)
    text = notes.boundaries_in_words(late, 0.01)
    assert f"late at {len(late)}." in text
    assert f"{late['handover_s'].iloc[0]:g} / 0.01 is 7.000000000000001" in text


def test_the_phase_moves_the_optimum_by_less_than_a_cycle():
    h = Handover([1.0, 1.2], [3000, 2000], 9809.0, AffinePrefill(), 0.05)
    low, high = notes.clock_range_s(h)
    assert 0 < high - low < 0.05
    assert "moves the optimum between" in notes.clock_in_words(h)


def test_without_a_batch_the_phase_plays_no_part():
    h = Handover([1.0, 1.5], [30, 20], 9809.0, AffinePrefill())
    assert "plays no part" in notes.clock_in_words(h)


def test_edge_cases():
    table = notes.edge_cases(Parameters()).set_index("case")
    delay = table["delay_s"]
    assert delay["two users at once"] == delay["the same, listed the other way"]
    assert delay["two users apart"] == pytest.approx(delay["the same before time 0"])
    assert delay["the same half a cycle later"] > delay["two users apart"]
    assert table.loc["the same before time 0", "batch_start_s"] < 0
    assert len(notes.edge_cases_as_markdown(table.reset_index()).splitlines()) == 2 + len(table)
