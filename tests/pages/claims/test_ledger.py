"""The recorded claims are complete, and a wrong record is refused by its field."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ctho.checks import InputError
from ctho.pages.claims import load_claims
from ctho.pages.claims.recorded import recorded_verdicts

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
    claims = load_claims()
    values = sorted(claim.value for claim in claims if claim.value is not None)
    assert values == [0.95, 1.25, 2.1, 3.1, 3.1, 3.1, 3.35, 3.7, 176, 375, 458_752]


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


def test_every_claim_has_a_recorded_verdict_and_no_other_has() -> None:
    assert [claim.id for claim in load_claims()] == list(recorded_verdicts())


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the content of verdicts.yaml is missing, but must be a verdict on each claim"),
        ("3\n", "verdicts.yaml is 3"),
        ("[one]\n", "verdicts.yaml is ['one']"),
        ("1:\n  default: reproduced\n", "a name in verdicts.yaml is 1"),
        ("one: 3\n", "one is 3"),
        ("one:\n", "one is None"),
        ("one:\n  default: [reproduced]\n", "one.default is ['reproduced']"),
        ("one:\n  default: reproduced\n  2: reproduced\n", "a name in one is 2"),
        ("one:\n  default: 2026-13-45\n", "valid YAML"),
        ("one:\n  default: fine\n", "one.default is 'fine'"),
        ("one:\n  transfer=printed: reproduced\n", "one.default is missing"),
        ("one:\n  default: reproduced\n  transfer=guessed: reproduced\n", "transfer is 'guessed'"),
        ("one:\n  default: reproduced\n  weather=fine: reproduced\n", "'weather'"),
    ],
)
def test_wrong_recorded_verdicts_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "verdicts.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(said)):
        recorded_verdicts(path)
