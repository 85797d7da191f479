"""Token streaming after the handover: SNR, token rate and total delay (Section IV-C).

A user at signed distance y from the serving base station receives tokens at the rate
(W / s_tok) log2(1 + (c / |y|)^alpha) with c = d_ref gamma_ref^(1/alpha), Eqs. (28) and (29). They
move at v, so the tokens received between y_0 and y_1 are an integral over the way,

    N = W c / (s_tok v) [ H(y_1 / c) - H(y_0 / c) ],    H(u) = int_0^u log2(1 + s^-alpha) ds,

with H odd. The rate is infinite at the base station itself, but H is finite there, so a
user may pass it. For alpha > 1, H(u) stays below H(inf) = pi / (ln 2 sin(pi / alpha)): a user who
moves away may never get all their tokens, and their delay is then infinity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctho.checks import check_array, check_number

__all__ = ["RadioLink", "streaming_delay_s", "total_delay_s"]

Array = NDArray[np.float64]

SERIES_TERMS = 54
"""Terms of a series whose ratio stays below 1/2: its rest is below the rounding error."""

SHORT_WAY = 0.15
"""Up to this share of the distance the way is integrated directly, as H would cancel there."""

LN_2 = float(np.log(2))

GAUSS_NODES, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(6)
"""On a short way the rate is so smooth that six nodes leave an error near rounding."""

NEWTON_RTOL = 1e-8
"""After a Newton step this small the error, which squares, is at rounding."""

FIRST_STEP = 1e-9
"""The shortest way that is tried first, where the rate at the start says nothing."""

BRACKET_DOUBLINGS = 1100
"""Doublings from the first step to the largest float."""

BRACKET_STEPS = 200
"""More than bisection alone would need; Newton's steps end the search within a few."""


@dataclass(frozen=True)
class RadioLink:
    """The wireless link between a base station and a user, Eqs. (28) and (29).

    Attributes:
        bandwidth_hz: W > 0.
        token_bits: s_tok > 0, bits per token.
        snr_ref_db: gamma_ref, decibels, at the distance `snr_ref_m`.
        snr_ref_m: d_ref > 0, metres.
        pathloss_exponent: alpha > 1; at 1 and below the tokens along the way diverge.

    Raises:
        InputError: a number that is not finite or out of bounds.
    """

    bandwidth_hz: float = 2e6
    token_bits: float = 12
    snr_ref_db: float = 10
    snr_ref_m: float = 20
    pathloss_exponent: float = 3.5

    def __post_init__(self) -> None:
        check_number("bandwidth_hz", self.bandwidth_hz, above=0)
        check_number("token_bits", self.token_bits, above=0)
        check_number("snr_ref_db", self.snr_ref_db, at_least=-300, at_most=300)
        check_number("snr_ref_m", self.snr_ref_m, above=0)
        check_number("pathloss_exponent", self.pathloss_exponent, above=1)

    @property
    def unit_snr_m(self) -> float:
        """c, the distance at which the SNR is 1, metres."""
        return float(self.snr_ref_m * 10 ** (self.snr_ref_db / 10 / self.pathloss_exponent))

    def snr(self, distance_m: ArrayLike) -> Array:
        """SNR gamma = gamma_ref (d_ref / |d|)^alpha, Eq. (28), a ratio, elementwise.

        >>> round(float(RadioLink().snr(20.0)), 9)
        10.0
        """
        with np.errstate(divide="ignore", over="ignore"):
            ratio = self.unit_snr_m / np.abs(np.asarray(distance_m, float))
            return np.asarray(ratio**self.pathloss_exponent)

    def token_rate_tok_per_s(self, distance_m: ArrayLike) -> Array:
        """Rate r = W log2(1 + gamma) / s_tok, Eq. (29), tokens per second, elementwise."""
        distance = np.asarray(distance_m, float) / self.unit_snr_m
        return self.bandwidth_hz / self.token_bits * _rate(distance, self.pathloss_exponent)


def streaming_delay_s(
    link: RadioLink, offset_m: ArrayLike, speed_mps: ArrayLike, generated_tok: ArrayLike
) -> Array:
    """Time to stream G tokens to a user who moves, D^(st)(G, r(t)) of Eq. (30).

    Solves int_0^t r(|y + v u|) du = G for t. The integral is in closed form (a Gauss
    hypergeometric series), the equation is solved by Newton's method inside a bracket.

    Args:
        link: the wireless link.
        offset_m: y = x - x^(b) at the start, metres, any sign, `[...]`.
        speed_mps: v >= 0 towards larger x, metres per second, `[...]`.
        generated_tok: G > 0, tokens, `[...]`.

    Returns:
        t, seconds, `[...]`; infinity where the user moves away before they have G tokens.

    Raises:
        InputError: numbers out of bounds.

    >>> link = RadioLink(bandwidth_hz=12, token_bits=12, snr_ref_db=0, snr_ref_m=1)
    >>> float(streaming_delay_s(link, 1.0, 0.0, 5))
    5.0
    """
    offset, speed, tokens = np.broadcast_arrays(
        check_array("offset_m", offset_m),
        check_array("speed_mps", speed_mps, at_least=0),
        check_array("generated_tok", generated_tok, above=0),
    )
    start = offset / link.unit_snr_m
    # The way through units of c that G tokens take at one token per token-unit of H.
    goal = tokens * speed * (link.token_bits / link.bandwidth_hz / link.unit_snr_m)
    with np.errstate(divide="ignore"):
        standing = tokens / link.token_rate_tok_per_s(offset)
    moving = goal > 0
    delay = np.array(standing)
    way = _way(start[moving], goal[moving], link.pathloss_exponent)
    delay[moving] = way * link.unit_snr_m / speed[moving]
    return delay


def total_delay_s(
    link: RadioLink,
    handover_delay_s: ArrayLike,
    offset_m: ArrayLike,
    speed_mps: float,
    generated_tok: float,
) -> Array:
    """Handover delay and the streaming after it, Eq. (30), seconds, `[...]`.

    The user goes on moving while they wait. Without a handover, `handover_delay_s` is 0
    and the offset is that from the source base station.

    Args:
        link: the wireless link to the serving base station.
        handover_delay_s: T_i - tau_i >= 0, seconds, `[...]`.
        offset_m: x_i(tau_i) - x^(b), metres, `[...]`.
        speed_mps: v >= 0, metres per second.
        generated_tok: G > 0, tokens.
    """
    waited = check_array("handover_delay_s", handover_delay_s, at_least=0)
    resumed_at = np.asarray(offset_m, float) + speed_mps * waited
    return waited + streaming_delay_s(link, resumed_at, speed_mps, generated_tok)


def _way(start: Array, goal: Array, alpha: float) -> Array:
    """The way w >= 0 with H(start + w) - H(start) = goal; infinity if there is none, `[n]`."""
    way = np.full(start.shape, np.inf)
    before = _tokens_up_to(start, alpha)
    left = np.flatnonzero(_tokens_ahead(before, alpha) > goal)
    start, goal, before = start[left], goal[left], before[:, left]
    with np.errstate(divide="ignore"):
        guess = np.maximum(goal / _rate(start, alpha), FIRST_STEP)
    low, high = _bracket(start, goal, before, 2 * guess, alpha)
    guess = np.clip(guess, low, high)
    for _ in range(BRACKET_STEPS):
        excess = _tokens_between(start, guess, before, alpha) - goal
        low, high = np.where(excess < 0, guess, low), np.where(excess > 0, guess, high)
        rate = _rate(start + guess, alpha)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = guess - excess / rate
        # At the base station itself the rate is infinite, and Newton's step would be none.
        inside = (step >= low) & (step <= high) & np.isfinite(rate)
        new = np.where(inside, step, 0.5 * (low + high))
        done = inside & (np.abs(new - guess) <= NEWTON_RTOL * guess)
        done |= high - low <= 2 * np.spacing(high)
        way[left[done]] = new[done]
        if done.all():
            break
        go = ~done
        left, guess = left[go], new[go]
        start, goal, before, low, high = start[go], goal[go], before[:, go], low[go], high[go]
    return way


def _bracket(
    start: Array, goal: Array, before: Array, first: Array, alpha: float
) -> tuple[Array, Array]:
    """Ways that are too short and long enough, found by doubling from `first`, each `[n]`."""
    low, high = np.zeros_like(start), first.copy()
    short = np.arange(start.size)
    for _ in range(BRACKET_DOUBLINGS):
        tokens = _tokens_between(start[short], high[short], before[:, short], alpha)
        short = short[tokens < goal[short]]
        if not short.size:
            break
        low[short] = high[short]
        high[short] *= 2
    return low, high


def _rate(u: Array, alpha: float) -> Array:
    """log2(1 + |u|^-alpha), infinite at 0 but nowhere overflowing."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.logaddexp(0.0, -alpha * np.log(np.abs(u))) / LN_2)


def _tokens_between(start: Array, way: Array, before: Array, alpha: float) -> Array:
    """H(start + way) - H(start), where `before` is H(start) in its two parts."""
    direct = way < SHORT_WAY * np.abs(start)
    tokens = np.empty_like(start)
    half = way[direct] / 2
    nodes = start[direct] + half + half * GAUSS_NODES[:, np.newaxis]
    tokens[direct] = half * (GAUSS_WEIGHTS @ _rate(nodes, alpha))
    anchors, rest = _tokens_up_to(start[~direct] + way[~direct], alpha) - before[:, ~direct]
    tokens[~direct] = anchors * _tokens_to_infinity(alpha) + rest
    return tokens


def _tokens_ahead(before: Array, alpha: float) -> Array:
    """H(inf) - H(u), where `before` is H(u) in its two parts."""
    anchors, rest = before
    return (1 - anchors) * _tokens_to_infinity(alpha) - rest


def _tokens_to_infinity(alpha: float) -> float:
    """H(inf) = pi / (ln 2 sin(pi / alpha))."""
    return float(np.pi / np.sin(np.pi / alpha) / LN_2)


def _tokens_up_to(u: Array, alpha: float) -> Array:
    """H(u) = m H(inf) + rest as rows (m, rest), `[2, n]`; H is odd.

    m is 0 up to |u| = 1 and the sign of u beyond, where the rest is what lies ahead with the other
    sign: far out it is tiny beside H(inf), and a sum would lose it.

    By parts, ln 2 H(u) = u ln(1 + u^-alpha) + alpha I(u), I(u) = int_0^u ds / (1 + s^alpha). Up to
    u = 1, I is a hypergeometric series, after Pfaff's transformation in the ratio
    u^alpha / (1 + u^alpha) <= 1/2. Beyond, I(inf) - I(u) is such a series in 1/u.
    """
    size = np.abs(u)
    near = size <= 1
    rest = np.empty_like(size)
    s = size[near]
    own = np.where(s > 0, s * _rate(np.where(s > 0, s, 1.0), alpha), 0.0)
    rest[near] = own + alpha / LN_2 * s * _pfaff_series(s**alpha, 1 / alpha)
    s = size[~near]
    series = _pfaff_series(s**-alpha, 1 - 1 / alpha)
    rest[~near] = s * _rate(s, alpha) - alpha / (alpha - 1) / LN_2 * s ** (1 - alpha) * series
    return np.stack([np.where(near, 0.0, np.sign(u)), np.copysign(1.0, u) * rest])


def _pfaff_series(z: Array, b: float) -> Array:
    """2F1(1, b; 1 + b; -z) for 0 <= z <= 1, as (1 + z)^-1 sum_n n! / (1 + b)_n (z / (1 + z))^n."""
    ratio = z / (1 + z)
    term = np.ones_like(ratio)
    total = term.copy()
    for n in range(1, SERIES_TERMS):
        term = term * ratio * (n / (n + b))
        total += term
    return total / (1 + z)
