"""The one checked set of parameters."""

import dataclasses
import json

import pytest

from ctho import InputError
from ctho.simulation import Parameters, delay_samples


def test_defaults_are_the_papers():
    p = Parameters()
    assert p.backhaul_tok_per_s == pytest.approx(4.5e9 / (2 * 28 * 4 * 128 * 16))
    assert p.prefill.affine(4) == (9.4267e-5, 2.4e-3)
    assert (p.context_min_tok + p.context_max_tok) / 2 == 3072


def test_they_cannot_be_changed_in_place():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Parameters().num_ues = 5


def test_a_notebooks_names_become_parameters():
    names = {"num_ues": 7, "backhaul_gbps_values": [1], "get_ipython": print, "seed": 3}
    p = Parameters.from_names(names)
    assert (p.num_ues, p.seed) == (7, 3)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"num_ues": 0}, "num_ues is 0, but must be a whole number at least 1"),
        ({"num_ues": 2.5}, "num_ues is 2.5"),
        ({"num_ues": 10**22}, "num_ues is 1000.*at most"),
        ({"realisations": 10**9}, "realisations is 1000.*at most"),
        ({"context_max_tok": 10**10}, "context_max_tok is 1000.*at most"),
        ({"context_min_tok": 10**10}, "context_min_tok is 1000.*at most"),
        ({"context_min_tok": 9000}, "context_min_tok is 9000, but must be at most context_max_tok"),
        ({"start_min_m": 131}, "start_min_m is 131.0, but must be at most start_max_m, 130"),
        ({"boundary_m": 125}, "start_max_m is 130.0, but must be at most boundary_m, 125"),
        ({"speed_mps": -20}, "speed_mps is -20"),
        ({"pathloss_exponent": 1}, "pathloss_exponent is 1, .* above 1"),
        ({"realisations": 1}, "realisations is 1"),
        ({"seed": -1}, "seed is -1"),
        ({"transfer": "exactly"}, r"transfer is 'exactly', .*\(did you mean exact\?\)"),
        ({"tho_length": "x"}, "tho_length is 'x'"),
        ({"prefill_model": "cubic"}, "prefill_model is 'cubic'"),
        ({"prefill_s_per_tok2": 1e-8}, "left out unless prefill_model is quadratic"),
        ({"prefill_file": "a.json"}, "left out unless prefill_model is profile"),
        ({"prefill_model": "profile"}, "prefill_file is missing"),
        ({"prefill_file": 3}, "prefill_file is 3, but must be text"),
    ],
)
def test_out_of_bounds(changes, sentence):
    with pytest.raises(InputError, match=sentence):
        Parameters(**changes)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 1e-4 * 1000 + 0.01),
        ({"prefill_model": "quadratic", "prefill_s_per_tok2": 1e-8}, 1e-4 * 1000 + 0.01 + 0.01),
        (
            {"prefill_model": "batch_aware", "prefill_s_per_tok_per_ue": 1e-5},
            (1e-4 + 4e-5) * 1000 + 0.01,
        ),
    ],
)
def test_prefill_models_by_name(changes, expected):
    p = Parameters(prefill_s_per_tok=1e-4, prefill_offset_s=0.01, **changes)
    assert float(p.prefill.delay_s(1000, num_ues=4)) == pytest.approx(expected)


def test_a_measured_profile_by_file(tmp_path):
    file = tmp_path / "measured.json"
    points = [
        {"length_tok": x, "num_ues": k, "delay_s": y}
        for x, y in ((1, 0.1), (9000, 1.0))
        for k in (1, 4)
    ]
    file.write_text(json.dumps({"points": points}))
    p = Parameters(prefill_model="profile", prefill_file=str(file), realisations=20)
    assert (delay_samples(p)["ctHO"] > 0).all()


def test_replacing_an_unknown_name_names_the_nearest():
    with pytest.raises(InputError, match=r"did you mean num_ues\?"):
        Parameters().replace(num_ue=3)
