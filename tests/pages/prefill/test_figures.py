"""The prefill page's figures draw its tables, in the units that they name."""

from __future__ import annotations

from typing import Any

import pytest

from ctho.pages.prefill.fit import FORMS, fit_form
from ctho.pages.prefill.profiles import recorded_profile
from tests.rendering import Page

two_pages = pytest.mark.parametrize("which", ["default", "GPU"])
"""Three batch sizes and four assumptions, and one batch size and three assumptions."""


def drawn(axes: Any) -> dict[str, Any]:
    return {line.get_label(): line for line in axes.get_lines()}


@two_pages
def test_the_fit_is_drawn_per_token_of_a_context(shown: Page, which: str) -> None:
    points = recorded_profile(shown.names["prefill_file"]).points
    left, right = shown.figures["prefill_fit"].axes
    sizes = sorted(set(points["num_ues"]))
    measured = [line for line in left.get_lines() if line.get_linestyle() == "None"]
    assert len(measured) == len(sizes)
    fits = [line for line in left.get_lines() if line not in measured]
    errors = [line for line in right.get_lines() if line.get_marker() != "None"]
    assert len(fits) == len(errors) == len(sizes) * len(FORMS)
    models = {form: fit_form(points, form).model for form in FORMS}
    for number, (size, line) in enumerate(zip(sizes, measured, strict=True)):
        own = points[points["num_ues"] == size]
        length, delay = own["length_tok"].to_numpy(), own["delay_s"].to_numpy()
        assert line.get_label() == f"{size} context{'s' if size > 1 else ''}"
        assert line.get_xdata() == pytest.approx(length)
        assert line.get_ydata() == pytest.approx(1e3 * delay / (length * size))
        for form, place in zip(FORMS, range(len(FORMS) * number, len(fits)), strict=False):
            fitted = models[form].delay_s(length, int(size))
            assert fits[place].get_ydata() == pytest.approx(1e3 * fitted / (length * size))
            assert errors[place].get_ydata() == pytest.approx(fitted / delay - 1)
            assert fits[place].get_xdata() == pytest.approx(length)
            assert errors[place].get_xdata() == pytest.approx(length)
            pair = (fits[place], errors[place])
            assert len({str(each._dash_pattern) for each in pair}) == 1
            assert {each.get_color() for each in pair} == {line.get_color()}
            key = drawn(right)[form.replace("_", "-")]
            assert str(key._dash_pattern) == str(errors[place]._dash_pattern)
    assert left.get_ylabel() == "$p(L, B)\\,/\\,(B L)$ (ms per token of a context)"
    assert right.get_ylabel() == "(fitted - measured) / measured"
    assert right.yaxis.get_major_formatter()(0.5) == "50%"
    assert left.yaxis.get_major_formatter()(2e3) == "2,000"
    for axes in (left, right):
        assert axes.get_xlabel() == "Length $L$ (tokens)"
        assert axes.xaxis.get_major_formatter()(1e3) == "1,000"


@two_pages
def test_the_costs_are_drawn_over_megabits_per_second(shown: Page, which: str) -> None:
    rates = shown.names["rates"]
    left, right = shown.figures["prefill_cost"].axes
    assert set(rates["backhaul_gbps"]) == set(shown.names["backhaul_gbps_values"])
    assumed = [name for name in dict.fromkeys(rates["assumed"]) if name != "measured curve"]
    for axes, column in ((left, "misprediction"), (right, "excess")):
        lines = {name: line for name, line in drawn(axes).items() if not name.startswith("_")}
        assert list(lines) == assumed
        for name, line in lines.items():
            own = rates[rates["assumed"] == name]
            assert line.get_xdata() == pytest.approx(1e3 * own["backhaul_gbps"].to_numpy())
            assert line.get_ydata() == pytest.approx(own[column].to_numpy())
        assert axes.get_xlabel() == "Link rate (Mbit/s)"
        assert axes.yaxis.get_major_formatter()(0.5) == "50%"
        assert axes.xaxis.get_major_formatter()(2e3) == "2,000"
        assert axes.get_xscale() == "log"
    assert (left.get_ylabel(), left.get_title()) == (
        "predicted / got - 1",
        "delay promised against delay got",
    )
    assert (right.get_ylabel(), right.get_title()) == ("got / best possible - 1", "delay lost")
    assert right.get_ylim()[0] == 0
    assert [text.get_text() for text in right.get_legend().get_texts()] == assumed
