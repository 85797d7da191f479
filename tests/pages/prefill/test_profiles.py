"""How steadily a profile was measured."""

from __future__ import annotations

import pytest

from ctho.pages.prefill.profiles import RecordedProfile, recorded_profile


def test_noise_is_that_of_the_clock_that_counts() -> None:
    runs = [
        {"device_s": 0.3, "wall_s": 0.9, "load_1min": 1.0},
        {"device_s": 0.2, "wall_s": 0.5, "load_1min": 4.0},
    ]
    eager = [{"device_s": 0.4, "wall_s": 0.3, "load_1min": 2.0}]
    content = {"clock": "device_s", "points": [{"runs": runs}, {"runs": eager}]}
    curve = recorded_profile("prefill-small-fp32-cpu").curve
    noise = RecordedProfile(content, curve).noise()
    assert noise["spread"].tolist() == pytest.approx([0.5, 0])
    assert noise["wait"].tolist() == pytest.approx([1.5, 0])
    assert noise["load_1min"].tolist() == [2.5, 2.0]


def test_points_stand_in_the_order_of_batch_size_and_length() -> None:
    points = recorded_profile("prefill-small-fp32-cpu").points
    pairs = list(zip(points["num_ues"], points["length_tok"], strict=True))
    assert pairs == sorted(pairs)
    assert list(points) == ["length_tok", "num_ues", "delay_s"]
