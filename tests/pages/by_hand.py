"""One instance worked out the slow way, term by term: what the tests hold the pages against.

Nothing here calls the package. Users come in any order; windows count them by release, from 1.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil


def by_release(tau, tokens):
    """(tau_i, n_i) sorted by release; of equal ones the first in the list comes first."""
    return sorted(zip(map(float, tau), map(float, tokens), strict=True), key=lambda user: user[0])


def left(context, length):
    """(C_i - L)^+."""
    return [max(float(c) - length, 0.0) for c in context]


def transfers(tau, tokens, rate):
    """First come first served: (release, start, end) of each user by release."""
    free, table = float("-inf"), []
    for release, sent in by_release(tau, tokens):
        start = max(free, release)
        free = start + sent / rate
        table.append((release, start, free))
    return table


def windows(tau, tokens, rate):
    """W_jk of all j <= k."""
    users = by_release(tau, tokens)
    return {
        (j, k): sum(n for _, n in users[j - 1 : k]) / rate - (users[k - 1][0] - users[j - 1][0])
        for k in range(1, len(users) + 1)
        for j in range(1, k + 1)
    }


def exact_s(tau, tokens, rate):
    """The least worst transfer delay: every window, each a running sum."""
    users = by_release(tau, tokens)
    return max(_longest_from(j, users, rate) for j in range(len(users)))


def printed_s(tau, tokens, rate):
    """Eq. (18): the windows that start at the first user."""
    return _longest_from(0, by_release(tau, tokens), rate)


def idle_s(tau, tokens, rate):
    """I_k: how long the link has stood idle when user k is done."""
    idle, ready, waits = 0.0, None, []
    for release, start, end in transfers(tau, tokens, rate):
        idle += max(0.0, start - (release if ready is None else ready))
        ready = end
        waits.append(idle)
    return waits


def batch_start_s(tau, cycle):
    """t_s in exact decimals."""
    step = Fraction(str(cycle))
    return float(ceil(Fraction(str(round(max(tau), 12))) / step) * step)


def optimum(handover, form=exact_s, start=None):
    """(L*, V(L*)) by bisection, for an affine prefill delay; `form` is the transfer delay used."""
    tau, context = handover.handover_s.tolist(), handover.context_tok.tolist()
    rate, (slope, offset) = float(handover.backhaul_tok_per_s), handover.prefill.affine(len(tau))
    begin = batch_start_s(tau, handover.cycle_s) if start is None else start
    wait = begin - min(tau) + offset

    def transfer(length):
        return form(tau, left(context, length), rate)

    if wait >= transfer(0.0):
        return 0.0, transfer(0.0)
    low, high = 0.0, max(context)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if wait + slope * middle < transfer(middle) else (low, middle)
    return high, max(wait + slope * high, transfer(high))


def _longest_from(j, users, rate):
    best = total = 0.0
    for release, sent in users[j:]:
        total += sent / rate
        best = max(best, total - (release - users[j][0]))
    return best
