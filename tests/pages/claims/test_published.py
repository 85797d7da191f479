"""The recorded claims are complete, and a wrong record is refused by its field."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ctho.checks import InputError
from ctho.pages.claims import load_claims
from tests.rendering import numbers

ONE = """\
claims:
  - id: one
    place: Figure 3(d)
    claim: It rises.
    printed: rises
    rule: Rises at every step of {figure}.
    decide: rises
    given: {figure: fig3d, schemes: [ctHO]}
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / "published.yaml"


def test_every_number_of_the_paper_is_there() -> None:
    printed = {claim.id: (claim.value, claim.unit) for claim in load_claims()}
    assert {
        "kv_bits_per_token": (458_752, "bit"),
        "kv_megabytes_3072": (176, "MB"),
        "ratio_at_2_gbps": (3.1, ""),
        "ctho_at_12_users": (0.95, "s"),
        "tho_at_12_users": (1.25, "s"),
        "cho_at_12_users": (3.35, "s"),
        "up_to_3_1_over_cho": (3.1, ""),
        "up_to_3_1_against_fig3d": (3.1, ""),
        "up_to_3_7_over_tho": (3.7, ""),
        "no_ho_best_below_375": (375, "m"),
        "no_ho_excess_at_500": (2.1, "s"),
    }.items() <= printed.items()
    for claim in load_claims():
        assert claim.value is None or claim.value in numbers(claim.printed), claim.id


def test_up_to_is_taken_over_all_of_figure_3_against_its_own_baseline() -> None:
    claims = {claim.id: claim for claim in load_claims()}
    for claim_id, baseline in (("up_to_3_1_over_cho", "cHO"), ("up_to_3_7_over_tho", "tHO")):
        given = claims[claim_id].given
        assert given["figures"] == ["fig3a", "fig3b", "fig3c", "fig3d"]
        assert (given["over"], given["under"]) == (baseline, "ctHO")
        assert given["quoted"] == [{"figure": "fig3a", "x": 2}, {"figure": "fig3d", "x": 12}]


def test_every_shape_of_the_paper_is_there() -> None:
    decided = {
        (c.decide, str(c.given.get("figure", c.given.get("figures")))) for c in load_claims()
    }
    assert {
        ("flat", "fig3a"), ("falls", "fig3a"), ("approaches", "fig3a"), ("flat", "fig3b"),
        ("falls", "fig3b"), ("length_rises", "fig3b"), ("rises", "fig3c"), ("rises", "fig3d"),
        ("gap_widens", "fig3d"), ("grows_fastest", "fig4"), ("best_below", "fig4"),
        *(("lowest", f"['{figure}']") for figure in ("fig3a", "fig3b", "fig3c", "fig3d", "fig4")),
    } <= decided  # fmt: skip


def test_rules_name_their_numbers() -> None:
    for claim in load_claims():
        assert "{" not in claim.rule
        if "within" in claim.given and claim.decide != "largest_ratio":
            assert str(claim.given["within"]) in claim.rule, claim.id


def test_a_small_ledger_is_read(written: Path) -> None:
    written.write_text(ONE)
    (claim,) = load_claims(written)
    assert claim.rule == "Rises at every step of fig3d."
    assert claim.value is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("decide: rises", "decide: rise", "claims[0].decide is 'rise'"),
        ("schemes: [ctHO]", "scheme: [ctHO]", "'scheme', but must be one of figure, schemes"),
        (", schemes: [ctHO]", "", "given.schemes is missing"),
        ("    printed: rises\n", "", "claims[0].printed is missing"),
        ("place: Figure 3(d)", "place: 3", "claims[0].place is 3"),
        ("of {figure}", "of {figur}", "claims[0].rule"),
        ("printed: rises\n", "printed: rises\n    value: much\n", "claims[0].value is 'much'"),
        ("printed: rises\n", "printed: rises\n    colour: red\n", "'colour'"),
        ("printed: rises\n", "printed: rises\n    printed: falls\n", "'printed', but must be"),
        ("claims:\n", "claims:\n  - [\n", "valid YAML"),
        ("given: {figure: fig3d, schemes: [ctHO]}", "given: 3", "claims[0].given is 3"),
        (ONE, "claims: []\n", "a list with at least one claim"),
        (ONE, ONE + ONE.removeprefix("claims:\n"), "an id in published.yaml is 'one'"),
    ],
)  # fmt: skip
def test_a_wrong_ledger_is_refused(written: Path, old: str, new: str, said: str) -> None:
    assert old in ONE
    written.write_text(ONE.replace(old, new))
    with pytest.raises(InputError, match=re.escape(said)):
        load_claims(written)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="readable"):
        load_claims(tmp_path / "none.yaml")
