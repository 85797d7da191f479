"""The tables of one instance, and their drawing: what runs when, of whom, in which unit."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from ctho import solve
from ctho.pages.shared.theme import PREFILL_COLOUR, TRANSFER_COLOUR
from ctho.pages.shared.timeline import timeline_bars, timeline_users
from ctho.pages.shared.timeline_figure import timeline_figure
from ctho.simulation import Parameters
from ctho.simulation.one_instance import one_handover

HANDOVER_S, CONTEXT_TOK = [1.4, 1.0, 1.2], [2000, 5000, 3000]
RATES = [0.5, 4.5, 100.0]
"""Gbps: a batch of nearly everything, one that shares the work, and none."""


def solved(rate):
    p = Parameters(backhaul_gbps=rate, cycle_s=0.3)
    return solve(one_handover(p, HANDOVER_S, CONTEXT_TOK))


@pytest.mark.parametrize("rate", RATES)
def test_users_stand_in_the_order_of_their_handovers_with_what_is_theirs(rate):
    best = solved(rate)
    users, length = timeline_users(best), float(best.prefill_length_tok)
    assert users["user"].tolist() == [1, 2, 3]
    assert users["input_index"].tolist() == [1, 2, 0]
    assert users["handover_s"].tolist() == [1.0, 1.2, 1.4]
    assert users["context_tok"].tolist() == [5000, 3000, 2000]
    np.testing.assert_allclose(users["prefilled_tok"], [min(c, length) for c in (5000, 3000, 2000)])
    np.testing.assert_allclose(
        users["prefilled_tok"] + users["transferred_tok"], users["context_tok"]
    )
    np.testing.assert_allclose(users["resume_s"] - users["handover_s"], users["delay_s"])
    assert users["delay_s"].max() == pytest.approx(float(best.delay_s))


@pytest.mark.parametrize("rate", RATES)
def test_bars_last_as_long_as_their_work_and_nobody_resumes_before_theirs_end(rate):
    best = solved(rate)
    users, bars = timeline_users(best).set_index("user"), timeline_bars(best)
    sent = bars[bars["what"] == "transfer"].assign(lasts=lambda b: b["end_s"] - b["start_s"])
    works = users["transferred_tok"] / (rate * 1e9 / 458_752)
    lasts = sent.groupby("user")["lasts"].sum().reindex(users.index, fill_value=0)
    np.testing.assert_allclose(lasts, works)
    assert (sent["start_s"].to_numpy() >= users["handover_s"][sent["user"]].to_numpy()).all()
    batch = bars[bars["what"] == "prefill"]
    length = float(best.prefill_length_tok)
    assert len(batch) == (length > 0) == (rate < 100)
    if length > 0:
        # The first boundary of 0.3 s after the last handover at 1.4 s.
        assert batch["start_s"].item() == pytest.approx(1.5)
        assert batch["end_s"].item() == pytest.approx(1.5 + 9.4267e-5 * length + 2.4e-3)
    for user in users.index:
        own = bars[(bars["user"] == user) | (bars["user"] == 0)]
        assert users["resume_s"][user] == pytest.approx(own["end_s"].max())


@pytest.mark.parametrize("rate", RATES)
def test_the_drawing_is_the_tables(rate):
    best = solved(rate)
    users, bars = timeline_users(best), timeline_bars(best)
    figure = timeline_figure(users, bars, speed_mps=20.0, boundary_m=150.0)
    road, lanes, link = figure.axes
    ways = [line.get_xydata() for line in road.lines if len(line.get_xdata()) == 2][:3]
    for way, tau in zip(ways, users["handover_s"], strict=True):
        np.testing.assert_allclose(np.interp(tau, *way.T), 150.0)
        np.testing.assert_allclose(np.diff(way[:, 1]) / np.diff(way[:, 0]), 20.0)
    waits, starts, ends = lanes.lines[0::3], lanes.lines[1::3], lanes.lines[2::3]
    np.testing.assert_array_equal([w.get_xdata()[0] for w in waits], users["handover_s"])
    np.testing.assert_array_equal([w.get_xdata()[1] for w in waits], users["resume_s"])
    for marks, column, marker in ((starts, "handover_s", "|"), (ends, "resume_s", ">")):
        assert {mark.get_marker() for mark in marks} == {marker}
        np.testing.assert_array_equal([m.get_xdata().item() for m in marks], users[column])
        np.testing.assert_array_equal([m.get_ydata().item() for m in marks], users["user"])
    sent, batch = (bars[bars["what"] == what].to_numpy()[:, 1:] for what in ("transfer", "prefill"))
    for_all = [[user, *bar[1:]] for user in users["user"] for bar in batch]
    np.testing.assert_allclose(drawn(lanes, TRANSFER_COLOUR), sent.astype(float))
    np.testing.assert_allclose(drawn(lanes, PREFILL_COLOUR), np.reshape(for_all, (-1, 3)))
    np.testing.assert_allclose(drawn(link, TRANSFER_COLOUR)[:, 1:], sent[:, 1:].astype(float))
    assert [text.get_text().split("\n") for text in lanes.get_yticklabels()] == [
        ["UE 1", "5,000 tokens"],
        ["UE 2", "3,000 tokens"],
        ["UE 3", "2,000 tokens"],
    ]
    tokens = users.set_index("user")["transferred_tok"]
    for text, (user, start, end) in zip(link.texts, sent, strict=True):
        wide = end - start > 0.2 * np.ptp(link.get_xlim())
        assert text.get_text() in [f"{user}: {tokens[user]:,.0f}"] + [str(user)] * (not wide)
    assert (road.get_ylabel(), link.get_xlabel()) == ("position (m)", "Time (s)")


def drawn(axes, colour):
    """Lane, start and end of each bar of a colour, `[n, 3]`."""
    bars = [bar for bar in axes.patches if to_hex(bar.get_facecolor()).upper() == colour]
    ends = [[bar.get_x(), bar.get_x() + bar.get_width()] for bar in bars]
    lanes = [round(bar.get_y() + bar.get_height() / 2) for bar in bars]
    return np.reshape([[lane, *end] for lane, end in zip(lanes, ends, strict=True)], (-1, 3))
