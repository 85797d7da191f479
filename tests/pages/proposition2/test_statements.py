import numpy as np

from ctho.pages.proposition2 import statements as words
from ctho.pages.proposition2.gap import gap_map, promised_and_delivered, two_user_census
from ctho.proofs.enumerated import window_table
from ctho.simulation import Parameters

LOW = ([0.0, 1.0], [100, 800], 1000)


EXACT = ([0.0, 0.05], [100, 800], 1000)


NOTHING = ([0.0, 1.0], [0, 0], 1000)


FEW = Parameters(realisations=200)


def test_a_low_instance():
    text = words.instance_in_words(window_table(*LOW))
    assert "Eq. (18) gives 0.1 s" in text
    assert "**0.8 s**" in text
    assert "window of user 2" in text
    assert "88 % low" in text
    assert "idle for 0.9 s" in text


def test_an_exact_instance():
    text = words.instance_in_words(window_table(*EXACT))
    assert "Eq. (18) is exact" in text
    assert "**0.85 s**" in text
    assert "users 1 to 2" in text


def test_an_instance_with_nothing_to_send():
    assert "both forms give 0" in words.instance_in_words(window_table(*NOTHING))


def test_the_windows_mark_the_worst():
    lines = words.windows_as_markdown(window_table(*LOW)).splitlines()
    assert lines[2] == "| $j=1$, Eq. (18) | 0.1000 | -0.1000 |"
    assert lines[3] == "| $j=2$ |  | **0.8000** |"
    assert lines[4] == "| idle until then, $I_k$ | 0.0000 | 0.9000 |"


def test_the_box_follows_the_parameters():
    alone, slow = FEW.replace(num_ues=1), FEW.replace(backhaul_gbps=0.5)
    for point, phrases in (
        (FEW, ("too low for cHO on", "A ctHO that picks $L$ by Eq. (18) promises")),
        (slow, ("exact for cHO; too low for ctHO on",)),
        (alone, ("is exact throughout", "the same by both forms")),
    ):
        here = gap_map(point, "num_ues", [point.num_ues], "backhaul_gbps", [point.backhaul_gbps])
        text = " ".join(
            words.proposition2_in_words(window_table(*LOW), promised_and_delivered(point), here)
        )
        for phrase in phrases:
            assert phrase in text
        assert "Eq. (18) gives 0.1 s; the second user alone needs 0.8 s" in text


def test_the_census_says_whether_the_prediction_holds():
    census = two_user_census(3, 4)
    assert "low on 8, exactly those with" in words.census_in_words(census)
    assert "are 1 and 2, 2 token times apart: 1 printed, 2 needed" in words.census_in_words(census)
    wrong = census.assign(predicted=False)
    assert "not the same as those" in words.census_in_words(wrong)


def test_maps_tell_where_and_where_not():
    table = gap_map(FEW, "backhaul_gbps", [1.0, 50.0], "num_ues", [1, 4])
    text = words.map_in_words(table)
    assert text.count("it falls furthest below the value at 50 Gbps and $K=4$") == 2
    none = gap_map(FEW, "backhaul_gbps", [1.0], "spread_s", [0.0])
    assert words.map_in_words(none).count("exact on the whole map") == 2


def test_numbers_stay_numbers():
    assert "np.float" not in words.census_in_words(two_user_census())
    assert np.isfinite(window_table(*LOW).exact_s)
