from ctho.pages.shared import SCHEME_STYLES
from ctho.simulation.simulate import NO_HANDOVER
from ctho.solver import SCHEMES


def test_every_scheme_has_a_style_of_its_own():
    assert set(SCHEME_STYLES) == {*SCHEMES, NO_HANDOVER}
    for part in ("colour", "marker", "dashes"):
        assert len({getattr(style, part) for style in SCHEME_STYLES.values()}) == len(SCHEME_STYLES)
