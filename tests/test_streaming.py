"""SNR, token rate and streaming delay against quadrature and closed forms."""

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from ctho import InputError, RadioLink, streaming_delay_s, total_delay_s

RTOL = 1e-9
"""Far below the 1e-6 that the project promises."""


def tokens_by_quadrature(link, offset, speed, duration):
    passing = -offset / speed if speed > 0 else -1.0
    points = [passing] if 0 < passing < duration else None
    value, _ = quad(
        lambda t: float(link.token_rate_tok_per_s(offset + speed * t)),
        0,
        duration,
        points=points,
        limit=2000,
        epsabs=0,
        epsrel=1e-12,
    )
    return value


def test_reference_distance_has_the_reference_snr():
    link = RadioLink()
    assert float(link.snr(20)) == pytest.approx(10)
    assert float(link.snr(-40)) == pytest.approx(10 * 2**-3.5)
    assert float(link.token_rate_tok_per_s(20)) == pytest.approx(2e6 * np.log2(11) / 12)


@settings(max_examples=150, deadline=None)
@given(
    st.floats(-400, 400),
    st.sampled_from([0.0, 1e-3, 1.0, 20.0, 300.0]),
    st.floats(1, 1e5),
    st.sampled_from([1.2, 2.0, 3.5, 6.0]),
)
def test_the_tokens_within_the_delay_are_those_asked_for(offset, speed, tokens, exponent):
    link = RadioLink(pathloss_exponent=exponent)
    assume(abs(offset) > 1e-6)
    delay = float(streaming_delay_s(link, offset, speed, tokens))
    if np.isfinite(delay):
        # Quadrature itself struggles within a hair of the base station.
        assume(abs(offset + speed * delay) > 1e-3)
        assert tokens_by_quadrature(link, offset, speed, delay) == pytest.approx(tokens, rel=1e-7)
    else:
        assert offset > 0 or speed > 0


@pytest.mark.parametrize("exponent", [1.5, 2.0, 3.5, 8.0])
@pytest.mark.parametrize("offset", [-250.0, -30.0, -5.0, 10.0, 38.0, 39.0, 150.0, 300.0])
def test_precision(exponent, offset):
    link = RadioLink(pathloss_exponent=exponent)
    for tokens in (1, 1024, 20_000):
        delay = float(streaming_delay_s(link, offset, 20.0, tokens))
        if np.isfinite(delay):
            found = tokens_by_quadrature(link, offset, 20.0, delay)
            assert found == pytest.approx(tokens, rel=RTOL)


def test_a_user_who_stands_has_a_constant_rate():
    link = RadioLink()
    delay = float(streaming_delay_s(link, 70.0, 0.0, 1000))
    assert delay == pytest.approx(1000 / float(link.token_rate_tok_per_s(70.0)), rel=1e-12)
    slow = float(streaming_delay_s(link, 70.0, 1e-9, 1000))
    assert slow == pytest.approx(delay, rel=1e-8)


def test_a_user_who_moves_away_may_never_get_all_tokens():
    link = RadioLink()
    reach = quad(lambda y: float(link.token_rate_tok_per_s(y)), 400, np.inf)[0] / 20
    assert np.isinf(streaming_delay_s(link, 400.0, 20.0, 1.01 * reach))
    assert np.isfinite(streaming_delay_s(link, 400.0, 20.0, 0.99 * reach))


def test_a_user_who_passes_the_base_station():
    link = RadioLink()
    whole = tokens_by_quadrature(link, -30.0, 20.0, 4.0)
    assert float(streaming_delay_s(link, -30.0, 20.0, whole)) == pytest.approx(4.0, rel=1e-8)


def test_at_the_base_station_itself():
    link = RadioLink()
    assert float(streaming_delay_s(link, 0.0, 0.0, 1000)) == 0.0
    delay = float(streaming_delay_s(link, 0.0, 20.0, 50_000))
    assert tokens_by_quadrature(link, 0.0, 20.0, delay) == pytest.approx(50_000, rel=1e-7)


def exact_way(u, goal, exponent):
    """The way that brings `goal` = int log2(1 + |s|^-alpha) ds from u on, with 40 digits."""
    mpmath.mp.dps = 40

    def tokens(w):
        cuts = [u, 0, u + w] if u < 0 < u + w else [u, u + w]
        return mpmath.quad(lambda s: mpmath.log(1 + abs(s) ** -mpmath.mpf(exponent), 2), cuts)

    low, high = mpmath.mpf(0), mpmath.mpf(1)
    while tokens(high) < goal:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tokens(middle) < goal else (low, middle)
    return float(high)


@pytest.mark.parametrize(
    ("exponent", "offset", "tokens"),
    [
        (40.0, 0.0, 30.0),  # u^-alpha overflows near the base station
        (33.6, -1e-7, 5.0),
        (3.5, 1e-300, 2.0),
        (7.0, 60.0, 1e-12),  # far out, where H is flat
        (7.0, -60.0, 1e-9),
        (1.2, 50.0, 3.0),
    ],
)
def test_steep_flat_and_far(exponent, offset, tokens):
    link = RadioLink(1.0, 1.0, 0.0, 1.0, exponent)  # one metre is one unit of u
    delay = float(streaming_delay_s(link, offset, 1.0, tokens))
    assert delay == pytest.approx(exact_way(mpmath.mpf(offset), tokens, exponent), rel=RTOL)


@given(st.floats(-390, 390), st.floats(1, 5e4), st.floats(1.01, 3))
def test_more_tokens_take_longer(offset, tokens, factor):
    link = RadioLink()
    some, more = streaming_delay_s(link, offset, 20.0, [tokens, factor * tokens])
    assert more > some or (np.isinf(some) and np.isinf(more))


def test_batches_are_their_entries():
    link = RadioLink()
    offsets = np.linspace(-300, 300, 41).reshape(1, 41)
    tokens = np.array([10.0, 1024.0, 9e4]).reshape(3, 1)
    together = streaming_delay_s(link, offsets, 20.0, tokens)
    assert together.shape == (3, 41)
    for i in range(3):
        for j in range(41):
            alone = streaming_delay_s(link, offsets[0, j], 20.0, tokens[i, 0])
            assert together[i, j] == pytest.approx(float(alone), rel=1e-12)


@given(st.floats(0, 5), st.floats(1e-3, 5))
def test_who_resumes_later_ends_later(waited, more):
    link = RadioLink()
    soon, late = total_delay_s(link, [waited, waited + more], -250.0, 20.0, 1024)
    assert late > soon


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bandwidth_hz", 0),
        ("token_bits", -1),
        ("snr_ref_m", 0),
        ("pathloss_exponent", 1),
        ("snr_ref_db", np.nan),
    ],
)
def test_bad_links_are_refused(field, value):
    with pytest.raises(InputError, match=f"{field} is {value}"):
        RadioLink(**{field: value})


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((np.nan, 20, 10), "offset_m"),
        ((10, -1, 10), "speed_mps"),
        ((10, 20, 0), "generated_tok"),
    ],
)
def test_bad_movements_are_refused(arguments, field):
    with pytest.raises(InputError, match=field):
        streaming_delay_s(RadioLink(), *arguments)


@pytest.mark.parametrize("offset", [-250.0, 40.0])
def test_the_user_goes_on_moving_while_they_wait(offset):
    link, waited, speed = RadioLink(), 1.5, 20.0
    resumed = streaming_delay_s(link, offset + speed * waited, speed, 1024)
    total = total_delay_s(link, waited, offset, speed, 1024)
    assert float(total) == pytest.approx(waited + float(resumed), rel=1e-12)
