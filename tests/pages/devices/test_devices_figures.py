"""What the page draws is what its tables hold, in the units that its axes name."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.contour import QuadContourSet
from scipy.interpolate import RegularGridInterpolator

from ctho.pages.devices.limits import device_records, devices
from ctho.pages.devices.profiles import device_prefill
from tests.pages.devices.renderings import SETS

NAMES = [device.name for device in devices()]


@pytest.fixture
def default(page):
    return page("devices", **SETS["default"])


def named(axes):
    return {line.get_label(): line for line in axes.lines if line.get_label()[0] != "_"}


def texts(axes):
    return {text.get_text() for text in axes.texts}


def map_of(shown):
    return shown.figures["regime_map"].axes[0]


def test_figures_have_their_names(default):
    assert set(default.figures) == {"device_prefill", "regime_map"}


def test_the_profile_is_drawn_in_microseconds_per_token(default):
    curves, limits = default.names["curves"], default.names["limits"].set_index("device")
    panels = dict(zip((1, 4), default.figures["device_prefill"].axes, strict=True))
    assert [axes.get_title() for axes in panels.values()] == ["one context", "4 contexts"]
    assert "µs per token" in panels[1].get_ylabel()
    for axis in (panels[1].xaxis, panels[1].yaxis):
        for tick, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True):
            assert float(label.get_text()) == tick
    for contexts, axes in panels.items():
        assert list(named(axes)) == [*NAMES, "paper, aL + b"]
        assert "(tokens)" in axes.get_xlabel()
        for name in NAMES:
            drawn = named(axes)[name]
            own = curves[(curves["device"] == name) & (curves["contexts"] == contexts)]
            own = own[own["measured"] & (own["length_tok"] >= 16)]
            assert drawn.get_xdata().tolist() == own["length_tok"].tolist()
            assert drawn.get_ydata() == pytest.approx(1e6 * own["delay_s"] / own["length_tok"])
            (joined,) = (
                other
                for other in axes.lines
                if other.get_linewidth() == 1.4 and other.get_color() == drawn.get_color()
            )
            kept = np.isin(joined.get_xdata(), drawn.get_xdata())
            assert joined.get_ydata()[kept] == pytest.approx(drawn.get_ydata())
        line = named(axes)["paper, aL + b"]
        assert line.get_ydata() == pytest.approx(94.267 + 2400 / line.get_xdata())
        dotted = [drawn for drawn in axes.lines if drawn.get_linewidth() == 0.9]
        for name, bound in zip(NAMES, dotted, strict=True):
            reading_us = 1e3 * limits.loc[name, "floor_ms"] / bound.get_xdata()
            arithmetic_us = contexts * limits.loc[name, "compute_us_per_tok"]
            assert bound.get_ydata() == pytest.approx(np.maximum(reading_us, arithmetic_us))


def test_what_was_scaled_up_has_a_line_and_no_marker(default):
    axes = default.figures["device_prefill"].axes[1]
    lines = [drawn for drawn in axes.lines if drawn.get_linewidth() == 1.4]
    assert [drawn.get_xdata().max() for drawn in lines] == [8192] * 4
    assert named(axes)["A100"].get_xdata().max() == 2048


def test_one_user_has_one_panel_and_no_hollow_marks(page):
    shown = page("devices", **SETS["one user"])
    (axes,) = shown.figures["device_prefill"].axes
    assert axes.get_title() == "one context"
    assert list(named(axes)) == ["H100", "A100", "this page, aL + b"]
    assert not any("K =" in text for text in texts(map_of(shown)))


def test_the_map_is_the_table_by_rate_and_speed(default):
    axes, table = map_of(default), default.names["table"]
    gain, tho, cho = (
        table.pivot(index="backhaul_gbps", columns="prefill_tok_per_s", values=column)
        for column in ("gain_percent", "tHO", "cHO")
    )
    grid = (gain.index.to_numpy(), gain.columns.to_numpy())
    filled, lines, equal = (c for c in axes.collections if isinstance(c, QuadContourSet))
    assert filled.zmax == pytest.approx(table["gain_percent"].max())
    assert {5, 50} <= set(filled.levels)
    at = RegularGridInterpolator(grid, gain.to_numpy())
    ratio = RegularGridInterpolator(grid, np.log(cho / tho).to_numpy())
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        if len(path.vertices):
            # Where a line is cut for its label the ends lie between the points of the grid.
            assert at(path.vertices) == pytest.approx(level, abs=1.5)
            assert np.median(at(path.vertices)) == pytest.approx(level, abs=1e-6)
    vertices = equal.get_paths()[0].vertices
    assert len(vertices)
    assert ratio(vertices) == pytest.approx(0, abs=1e-6)
    assert axes.get_xlim() == pytest.approx((0.1, 100))
    assert axes.get_ylim() == pytest.approx((1e3, 3e5))
    assert "(Gbps)" in axes.get_xlabel()
    assert "second" in axes.get_ylabel()
    assert "(%)" in default.figures["regime_map"].axes[1].get_ylabel()


def test_each_side_of_the_thick_line_names_who_is_ahead_there(default):
    table = default.names["table"]
    corners = {"tHO": (0.1, 3e5), "cHO": (100, 1e3)}
    for ahead, (rate, speed) in corners.items():
        own = table[
            np.isclose(table["backhaul_gbps"], rate) & np.isclose(table["prefill_tok_per_s"], speed)
        ]
        assert own[["tHO", "cHO"]].idxmin(axis=1).item() == ahead
        (said,) = (t for t in map_of(default).texts if t.get_text().startswith(f"{ahead} ahead of"))
        x, y = said.get_position()
        assert (x < 0.5, y > 0.5) == (rate < 1, speed > 1e4)


@pytest.mark.parametrize("name", ["slow links", "fast links"])
def test_a_map_on_which_one_pure_scheme_leads_has_no_line_between_them(page, name):
    axes = map_of(page("devices", **SETS[name]))
    assert not any("ahead of" in text for text in texts(axes))
    assert "half send everything" not in texts(axes)


def test_links_stand_at_their_rates_and_only_on_the_map(page, default):
    links = {link["name"]: link["backhaul_gbps"] for link in device_records()["links"]}
    for shown in (default, page("devices", **SETS["slow links"])):
        axes = map_of(shown)
        low, high = axes.get_xlim()
        on_map = {name: gbps for name, gbps in links.items() if low <= gbps <= high}
        drawn = sorted(line.get_xdata()[0] for line in axes.lines if line.get_linewidth() == 0.7)
        assert drawn == sorted(on_map.values())
        above = {t.get_text(): t.get_position()[0] for t in axes.texts if t.get_va() == "bottom"}
        assert {name: above[name] for name in on_map} == on_map
        assert not (set(links) - set(on_map)) & set(above)


def test_the_star_and_the_half_stand_where_the_sentences_say(page, default):
    axes = map_of(default)
    (star,) = (line for line in axes.lines if line.get_marker() == "*")
    assert np.ravel(star.get_data()) == pytest.approx([4.5, 1 / 9.4267e-5])
    assert "this page" not in texts(axes)
    (half,) = (line for line in axes.lines if line.get_linewidth() == 1.2)
    assert half.get_xdata()[0] == default.names["half_gbps"]
    other = map_of(page("devices", **SETS["one user"]))
    (star,) = (line for line in other.lines if line.get_marker() == "*")
    assert np.ravel(star.get_data()) == pytest.approx([4.5, 1e6 / 5])
    assert "this page" in texts(other)


def test_devices_stand_at_their_speeds_filled_for_one_context(default):
    axes = map_of(default)
    marks = [line for line in axes.lines if line.get_xdata()[0] == 1.0]
    drawn = {
        (to_hex(mark.get_color()), to_hex(mark.get_markerfacecolor()) == "#ffffff"):
        float(mark.get_ydata()[0]) for mark in marks
    }  # fmt: skip
    assert len(drawn) == 2 * len(NAMES)
    panel = named(default.figures["device_prefill"].axes[0])
    for name in NAMES:
        prefill = device_prefill(name, 4, counts_batch=True)
        for contexts, hollow in ((1, False), (4, True)):
            # The mean of contexts from 1024 to 5120 tokens.
            speed = 3072 / float(prefill.delay_s(3072, contexts))
            assert drawn[to_hex(panel[name].get_color()), hollow] == pytest.approx(speed)
            label = f"{name}, K = 4" if hollow else name
            (points_at,) = (text.xy[1] for text in axes.texts if text.get_text() == label)
            assert points_at == pytest.approx(np.log(speed / 1e3) / np.log(3e5 / 1e3))
